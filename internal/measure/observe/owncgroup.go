package observe

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/loadline/loadline/internal/measure/procfs"
)

// blkio is the version 1 controller that attributes I/Os to cgroups.
const blkio = "blkio"

// Cgroup returns the number of this process's cgroup as the block layer knows it: that of version 1's
// blkio controller if it is mounted, otherwise that of version 2. It is the inode number of the
// cgroup's directory, the same in every container; 0 if it cannot be determined.
func Cgroup() uint64 { return cgroupNumber(os.DirFS("/")) }

func cgroupNumber(files fs.FS) uint64 {
	places := procfs.Cgroups(text(files, "proc/self/cgroup"))
	mounts := cgroupMounts(text(files, "proc/self/mountinfo"))
	for _, controller := range []string{blkio, ""} {
		for _, m := range mounts {
			place, in := places[controller]
			if m.controller != controller || !in {
				continue
			}
			info, err := fs.Stat(files, levels(m, place)[0])
			if err != nil {
				continue
			}
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				return st.Ino
			}
		}
	}
	return 0
}
