package volume

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// DescribeMount says which filesystem a directory is on, and whether it is a mount point: "a mount
// point (xfs on nvme0n1)", "not a mount point: it is on / (ext4 on vda)". It returns "" if that
// cannot be determined. dir must be free of symbolic links.
func DescribeMount(dir string) string {
	s, err := filesystem(dir)
	if err != nil || s.Mount == "" {
		return ""
	}
	what := heldBy(s)
	if s.Mount == dir {
		return fmt.Sprintf("a mount point (%s)", what)
	}
	return fmt.Sprintf("not a mount point: it is on %s (%s)", s.Mount, what)
}

// heldBy returns the filesystem type and what it is on: "ext4 on vda", "nfs4 from host:/export".
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
