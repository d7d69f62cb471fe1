package profile

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// SharedSpace names the space that files in a place take: places with the same name take it from each other.
// It is "" for a place where no file is made, and where nothing is known of the filesystem. Subvolumes of a
// btrfs, datasets of a ZFS pool and several mounts of one filesystem or export have one space, although
// they are different filesystems to stat(2).
func SharedSpace(found model.ProbeResult) string {
	at := found.Environment.Storage
	export := at.Export()
	switch {
	case !found.MakesFile:
		return ""
	case export != "":
		return export
	case at.Mount == "":
		return ""
	}
	machine := found.Environment.Hostname
	if c := found.Environment.Cluster; c != nil {
		machine = cmp.Or(c.Node, machine)
	}
	source := at.MountFrom
	switch {
	case at.Filesystem == "zfs":
		source, _, _ = strings.Cut(source, "/")
	case !strings.HasPrefix(source, "/"):
		source += " on " + at.Mount
	}
	return strings.Join([]string{machine, at.Filesystem, source}, " ")
}

// Share returns what was found in a place, adjusted for one of n that share it: files share the space. What
// exists only once, such as a device, is not shared.
func Share(found model.ProbeResult, n int) model.ProbeResult {
	if !found.MakesFile {
		return found
	}
	if found.Room > 0 {
		// The claim is for this place only; the disk below is shared.
		found.Capacity = min(found.Capacity, found.Room/int64(n))
	} else {
		found.Capacity /= int64(n)
	}
	found.Environment.Storage.Free /= int64(n)
	return found
}

// sayShared adds to a refusal that each side of a comparison may have half of the space only, if that is about space.
func sayShared(err error) error {
	var w *model.WorkerError
	var full noRoom
	if !errors.As(err, &full) || !errors.As(err, &w) {
		return err
	}
	said := *w
	said.Message = fmt.Sprintf("%s; both sides are on one filesystem, so each may have half of what it can spare", said.Message)
	return &said
}
