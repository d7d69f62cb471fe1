package kbench

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// checkSpace refuses a file for which the filesystem has not enough space. Unlike for files of
// Loadline's own, no space is kept free: Kbench's manifests choose a size that just fits into their
// volume.
func checkSpace(t model.Target, more int64) error {
	var st unix.Statfs_t
	dir := filepath.Dir(t.Path)
	if err := unix.Statfs(dir, &st); err != nil {
		return model.RefusedError(fmt.Sprintf("the free space of %s is not known: %v", dir, err), "")
	}
	free := int64(st.Bavail) * int64(st.Bsize)
	if unix.Geteuid() == 0 {
		// root may use the reserved blocks.
		free = int64(st.Bfree) * int64(st.Bsize)
	}
	if more <= free {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s needs %s more than it holds, and %s has %s free", t.Name, units.FormatSize(more), dir, units.FormatSize(free)),
		fmt.Sprintf("set SIZE to less, such as SIZE=%dM, or take a larger volume", free*9/10>>20))
}
