package etcd

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// room is the minimum space for an etcd's log and database, in bytes: the log file being written and the
// one prepared in advance, 64 MiB each, and a small database. It grows with what is put into it.
const room = 192 << 20

// startSeconds is the time to start a member.
const startSeconds = 4.0

// chooseData refuses a volume without space for an etcd.
func chooseData(_ *model.AppRequest, _ []model.Workload, t model.Target, probe model.ProbeResult) (model.Volume, error) {
	v := model.Volume{Target: t, Engine: "puts over gRPC", Size: room, SizeReason: "its log and its database to begin with; it grows by what is put"}
	if v.Size > probe.Capacity {
		return v, model.RefusedError(
			fmt.Sprintf("an etcd takes %s to begin with, and %s can spare %s (its filesystem is kept below 95 %%)", units.FormatSize(v.Size), t.Name, units.FormatSize(probe.Capacity)),
			"free some space, or name a directory with more: df -h")
	}
	return v, nil
}

const (
	// fullest is the share of a filesystem that etcd's data may fill, and leastSpare the space in bytes that must be left
	// below it, but no more than is left above it: what an etcd writes grows by the data that are put, and by 64 MiB at once
	// with each file of its log.
	fullest    = 0.95
	leastSpare = 64<<20 + 16<<20
	// spaceEvery is how often that is checked.
	spaceEvery = 250 * time.Millisecond
)

// tooFull reports whether a directory's filesystem is about to be fuller than it may be; false if that is not known.
func tooFull(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Blocks == 0 {
		return false
	}
	used := float64(st.Blocks-st.Bfree) * float64(st.Bsize)
	free := float64(st.Bavail) * float64(st.Bsize)
	return fullest*(used+free)-used < math.Min(leastSpare, (1-fullest)*(used+free))
}

// watchSpace calls stop when the server's filesystem is about to be too full. It ends with ctx; crowded reports
// whether that has happened.
func (s *server) watchSpace(ctx context.Context, stop func()) (crowded func() bool) {
	var full atomic.Bool
	go func() {
		for {
			if tooFull(s.data) {
				full.Store(true)
				stop()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-s.env.Clock.After(spaceEvery):
			}
		}
	}()
	return full.Load
}
