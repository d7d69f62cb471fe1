package etcd

import (
	"fmt"

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
