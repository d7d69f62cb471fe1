package doctor

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// An accepted O_DIRECT is good only where something showed that it is direct.
func TestDirectIO(t *testing.T) {
	yes, no := true, false
	for name, c := range map[string]struct {
		refused bool
		storage model.Storage
		mark    Mark
		says    string
	}{
		"direct":       {false, model.Storage{Filesystem: "ext4", Device: "vda", Bypassed: &yes}, Good, "works on /srv"},
		"refused":      {true, model.Storage{Filesystem: "ramfs", DirectError: "invalid argument"}, Fair, "is refused on /srv (invalid argument)"},
		"not direct":   {false, model.Storage{Filesystem: "ext4", Device: "loop0", Bypassed: &no, BypassDetail: "loop0 reads its file through the page cache"}, Fair, "is accepted on /srv and is not direct: loop0 reads its file"},
		"not seen":     {false, model.Storage{Filesystem: "overlay", DeviceChain: []string{"overlay"}, BypassDetail: "reading it failed"}, Fair, "nothing shows that it is direct: reading it failed"},
		"by a process": {false, model.Storage{Filesystem: "fuse.rclone", MountFrom: "remote:", DeviceChain: []string{"fuse.rclone"}}, Fair, "the process that serves fuse.rclone may still answer from memory"},
		"by a server":  {false, model.Storage{Filesystem: "nfs4", MountFrom: "host:/x", DeviceChain: []string{"nfs4"}}, Good, "nfs4 or its server may still answer from memory"},
		"of memory":    {false, model.Storage{Filesystem: "tmpfs", Memory: true}, Good, "works on /srv"},
	} {
		t.Run(name, func(t *testing.T) {
			checks := checkPlace("/srv", &model.ProbeResult{Direct: !c.refused, Environment: model.Environment{Storage: c.storage}})
			for _, check := range checks {
				if check.Name != "direct I/O" {
					continue
				}
				if check.Mark != c.mark || !strings.Contains(check.Says, c.says) || (check.Fix == "") != (c.mark == Good) {
					t.Errorf("%+v", check)
				}
				return
			}
			t.Errorf("nothing is said about direct I/O: %+v", checks)
		})
	}
}

// What the rule "memory" will doubt is no good place either.
func TestThePlaceMayBeInMemory(t *testing.T) {
	for name, c := range map[string]struct {
		storage model.Storage
		mark    Mark
		says    string
	}{
		"a disk":     {model.Storage{Filesystem: "ext4", Device: "vda"}, Good, "ext4 on vda"},
		"no files":   {model.Storage{Device: "vda"}, Good, "vda"},
		"a server":   {model.Storage{Filesystem: "nfs4"}, Good, "nfs4"},
		"nothing":    {model.Storage{}, Good, "the device is not visible here"},
		"memory":     {model.Storage{Filesystem: "tmpfs", Memory: true}, Bad, "is in memory (tmpfs)"},
		"a RAM disk": {model.Storage{Device: "loop0", Memory: true}, Bad, "is in memory (a device whose data is in RAM)"},
		"untraced":   {model.Storage{Filesystem: "ext4", Device: "loop0", Unseen: "no mount leads to it", Untraced: true}, Fair, "ext4 on loop0, and nothing shows that it is not in memory: no mount leads to it"},
		"unseen":     {model.Storage{Filesystem: "ext4", Device: "loop0", Unseen: "this user cannot ask"}, Good, "ext4 on loop0"},
	} {
		for _, check := range checkPlace("/srv", &model.ProbeResult{Direct: true, Environment: model.Environment{Storage: c.storage}}) {
			if check.Name == "storage" && (check.Mark != c.mark || !strings.Contains(check.Says, c.says) || strings.Contains(check.Says, "unknown")) {
				t.Errorf("%s: %+v", name, check)
			}
		}
	}
}
