package etcd

import (
	"context"
	"fmt"
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
	// With less, the load would be stopped as soon as it has begun.
	if need := v.Size + int64(margin); need > probe.Capacity {
		return v, model.RefusedError(
			fmt.Sprintf("an etcd takes %s to begin with, and %s can spare %s (its filesystem is kept below 95 %%)", units.FormatSize(need), t.Name, units.FormatSize(probe.Capacity)),
			"free some space, or name a directory with more: df -h")
	}
	return v, nil
}

const (
	// margin is the space in bytes that is left before the load is stopped: what an etcd writes grows by the data that are
	// put, and by 64 MiB at once with each file of its log. An etcd that gets no space for one ends.
	margin = 64<<20 + 16<<20
	// spaceEvery is how often the space is checked.
	spaceEvery = 250 * time.Millisecond
)

// tooFull reports whether a directory's filesystem has no more to spare; false if that is not known.
func tooFull(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Blocks == 0 {
		return false
	}
	size := int64(st.Bsize)
	s := model.Storage{Used: int64(st.Blocks-st.Bfree) * size, Free: int64(st.Bavail) * size}
	return s.Spare() < margin
}

// watchSpace calls stop when the server's filesystem has no more to spare. It ends with ctx; crowded reports whether
// that has happened.
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
