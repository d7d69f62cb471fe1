package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Cgroup makes a cgroup whose I/O the kernel accounts separately: of version 1's
// blkio controller if that is mounted, else of version 2. It returns the directory, and
// the path that the kernel uses for it.
func Cgroup(t T, name string) (dir, path string) {
	t.Helper()
	needMounts(t)
	root := ""
	for _, place := range []string{"/sys/fs/cgroup/blkio", "/sys/fs/cgroup"} {
		kind, _ := exec.Command("stat", "-f", "-c", "%T", place).Output()
		if strings.HasPrefix(string(kind), "cgroup") {
			root = place
			break
		}
	}
	if root == "" {
		Unavailable(t, "no cgroups of the block layer are mounted below /sys/fs/cgroup")
	}
	if root == "/sys/fs/cgroup" {
		// An I/O is accounted to the nearest cgroup that has the controller.
		if err := os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+io"), 0); err != nil {
			Unavailable(t, "the io controller cannot be switched on: %v", err)
		}
	}
	path = fmt.Sprintf("/loadline-lab-%d-%s", os.Getpid(), name)
	dir = root + path
	undo(t, fmt.Sprintf(`for i in $(seq 100); do [ -d %[1]s ] || exit 0; rmdir %[1]s 2>/dev/null && exit 0; sleep 0.1; done; rmdir %[1]s`, quote(dir)), nil)
	if err := os.Mkdir(dir, 0o755); err != nil {
		Unavailable(t, "no cgroup can be made here: %v", err)
	}
	return dir, path
}
