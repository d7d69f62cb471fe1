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
		"by a process": {false, model.Storage{Filesystem: "fuse.rclone", MountFrom: "remote:", DeviceChain: []string{"fuse.rclone"}}, Fair, "whether the process that serves fuse.rclone answers from memory"},
		"by a server":  {false, model.Storage{Filesystem: "nfs4", MountFrom: "host:/x", DeviceChain: []string{"nfs4"}}, Good, "whether nfs4 or its server answers from memory"},
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
