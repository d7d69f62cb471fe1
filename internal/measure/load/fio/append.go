package fio

import (
	"os"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// reserveAnew makes the volume's file space reserved but unwritten, as etcd and other databases do
// for a new log file: at the next flush the filesystem records that such a block is now written (on
// ext4 by a journal commit, 2.5 writes for each flush instead of 2.0), and no block has to be read
// before a part of it is written. The reservation is on disk when it returns, so that no flush of
// the step has to wait for it. Storage without files has nothing to reserve.
func reserveAnew(v model.Volume) error {
	if v.Path == "" {
		return nil
	}
	f, err := os.OpenFile(v.Reach(), os.O_WRONLY, 0)
	if err != nil {
		return workerError("%s cannot be opened for writing: %v.", v.Path, err)
	}
	defer f.Close()
	if err := zeroRange(f, v.Size); err != nil {
		// What etcd does where the filesystem does not support it: a new file of that length.
		err = f.Truncate(0)
		if err == nil {
			err = reserve(f, v.Size)
		}
		if err == nil {
			err = f.Truncate(v.Size)
		}
		if err != nil {
			return workerError("space of %s cannot be reserved in %s: %v.", units.FormatSize(v.Size), v.Path, err)
		}
	}
	if err := f.Sync(); err != nil {
		return workerError("%s cannot be flushed: %v.", v.Path, err)
	}
	return nil
}
