package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// TestFlushesThatReachNoDisk: a filesystem mounted so that flushes complete immediately makes any disk
// fast; if the disk has no volatile cache, nothing is lost.
func TestFlushesThatReachNoDisk(t *testing.T) {
	flushes := model.Workload{Name: "wal", Direction: model.Write, Sync: "fdatasync"}
	etcd := model.Workload{Name: "wal", Direction: model.Write, App: model.AppLoad{Tool: "etcd"}}
	plain := model.Workload{Name: "wal", Direction: model.Write}
	for name, c := range map[string]struct {
		storage model.Storage
		load    model.Workload
		says    string
	}{
		"ext4":             {model.Storage{Filesystem: "ext4", Device: "sda", MountOpts: "rw,relatime"}, flushes, ""},
		"without barriers": {model.Storage{Filesystem: "ext4", Device: "sda", Mount: "/srv", MountOpts: "rw,nobarrier", WriteCache: "write back"}, flushes, "/srv is mounted with nobarrier"},
		"without a cache":  {model.Storage{Filesystem: "ext4", Device: "sda", MountOpts: "rw,nobarrier", WriteCache: "write through"}, flushes, ""},
		"volatile":         {model.Storage{Filesystem: "overlay", Mount: "/m", MountOpts: "rw,upperdir=/u,fsync=volatile", WriteCache: "write through"}, etcd, "fsync=volatile"},
		"an overlay":       {model.Storage{Filesystem: "overlay", Device: "sda", MountOpts: "rw,upperdir=/nobarrier"}, etcd, ""},
		"nothing flushed":  {model.Storage{Filesystem: "ext4", Device: "sda", MountOpts: "rw,nobarrier"}, plain, ""},
	} {
		rec := &model.Recorded{}
		rec.Environment.Storage, rec.Plan.Workloads = c.storage, []model.Workload{c.load}
		found := checkMemory(Evidence{Recorded: rec, Results: []model.Result{{Workload: "wal", Direction: model.Write}}})
		warned := slices.ContainsFunc(found, func(f model.Finding) bool {
			return f.Severity == model.SeverityWarning && strings.Contains(f.Message, c.says) && slices.Equal(f.Results, []string{"wal"})
		})
		if warned != (c.says != "") {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
