package observe

import (
	"io/fs"
	"os"
	"syscall"
)

// blkio is the controller of version 1 that knows whose an I/O is.
const blkio = "blkio"

// Cgroup is the number of the cgroup of this process, as the block layer knows it: of version
// 1's blkio controller where that is mounted, else of version 2. It is the inode of the
// cgroup's directory, the same in every container; 0 where that cannot be seen.
func Cgroup() uint64 { return cgroupNumber(os.DirFS("/")) }

func cgroupNumber(files fs.FS) uint64 {
	places := parseCgroupPlaces(text(files, "proc/self/cgroup"))
	mounts := parseCgroupMounts(text(files, "proc/self/mountinfo"))
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
