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

// TestMemoryNames: a volume in RAM is said to be in its filesystem, and one in an overlay in what that writes to.
func TestMemoryNames(t *testing.T) {
	for says, s := range map[string]model.Storage{
		"the volume is in tmpfs,":                                        {Filesystem: "tmpfs", DeviceChain: []string{"tmpfs"}},
		"the volume is in a device whose data is in RAM,":                {Device: "zram0"},
		"the volume is in an overlay whose upper directory is on tmpfs,": {Filesystem: "overlay", DeviceChain: []string{"overlay", "tmpfs"}, MountOpts: "rw,lowerdir=/l,upperdir=/u"},
		"the volume is in an overlay on tmpfs,":                          {Filesystem: "overlay", DeviceChain: []string{"overlay", "tmpfs"}, MountOpts: "ro,lowerdir=/l:/m"},
		"the volume is in an overlay whose upper directory is in RAM,":   {Filesystem: "overlay", DeviceChain: []string{"overlay"}, MountOpts: "rw,lowerdir=/l,upperdir=/u"},
	} {
		rec := &model.Recorded{}
		s.Memory = true
		rec.Environment.Storage = s
		if found := checkMemory(Evidence{Recorded: rec}); len(found) != 1 || !strings.Contains(found[0].Message, says) {
			t.Errorf("%q: %+v", says, found)
		}
	}
}

// TestMemoryThatCannotBeSeen: RAM may be below whatever this machine does not show, so that is no pass.
func TestMemoryThatCannotBeSeen(t *testing.T) {
	disk := model.Storage{Device: "sda", DeviceChain: []string{"sda"}}
	unseen := model.Storage{Device: "loop0", DeviceChain: []string{"loop0", "sda"}, Unseen: "this user cannot ask loop0 which file it has"}
	untraced := model.Storage{Device: "loop0", DeviceChain: []string{"loop0"}, Unseen: "no visible mount leads to it", Untraced: true}
	for name, c := range map[string]struct {
		storage  model.Storage
		log      *model.Storage
		severity model.Severity
		says     string
	}{
		"a disk":             {disk, nil, model.SeverityPassed, "not in memory"},
		"unseen":             {unseen, nil, model.SeverityNotChecked, "this user cannot ask loop0 which file it has, so it cannot be seen whether the volume"},
		"untraced":           {untraced, nil, model.SeverityWarning, "nothing shows that the volume is not in memory: no visible mount leads to it"},
		"untraced log":       {disk, &untraced, model.SeverityWarning, "nothing shows that the log is not in memory"},
		"unseen log":         {disk, &unseen, model.SeverityNotChecked, "whether the log is in memory"},
		"both, one is worse": {unseen, &untraced, model.SeverityWarning, "the log"},
		"both":               {untraced, &unseen, model.SeverityWarning, "the volume"},
	} {
		rec := &model.Recorded{}
		rec.Environment.Storage, rec.Environment.LogStorage = c.storage, c.log
		found := checkMemory(Evidence{Recorded: rec})
		if len(found) != 1 || found[0].Severity != c.severity || !strings.Contains(found[0].Message, c.says) || (found[0].Next == "") != (c.severity == model.SeverityPassed) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
