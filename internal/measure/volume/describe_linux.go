package volume

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// DescribeMount tells on which filesystem a directory lies, and whether something is mounted at
// it: "a mount point (xfs on nvme0n1)", "not a mount point: it lies on / (ext4 on vda)".
// It is empty when that cannot be seen. dir must be free of symbolic links.
func DescribeMount(dir string) string {
	s, err := filesystem(dir)
	if err != nil || s.Mount == "" {
		return ""
	}
	what := heldBy(s)
	if s.Mount == dir {
		return fmt.Sprintf("a mount point (%s)", what)
	}
	return fmt.Sprintf("not a mount point: it lies on %s (%s)", s.Mount, what)
}

// heldBy is a filesystem and what holds it: "ext4 on vda", "nfs4 from host:/export".
func heldBy(s model.Storage) string {
	switch {
	case s.Device != "":
		return s.Filesystem + " on " + s.Device
	case s.Memory:
		return s.Filesystem + ", in memory"
	case s.Export() != "":
		return s.Filesystem + " from " + s.Export()
	}
	return s.Filesystem
}
