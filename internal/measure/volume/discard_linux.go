package volume

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// discardStep is how much one call discards, in bytes: the call cannot be interrupted.
const discardStep = 1 << 30

// Discard discards the first size bytes of the device, which the caller has overwritten, so that
// thin-provisioned storage can reclaim the space. It uses the held descriptor. It does nothing for a
// file, for an object that was not guarded for writing, has come into use or has changed, or for a
// device without discard support. It returns how many bytes were discarded by the time limit.
func (o *Object) Discard(ctx context.Context, size int64, limit time.Duration) (done int64, err error) {
	if o.Made() || !o.written || o.target.Kind != model.BlockDevice {
		return 0, nil
	}
	if err := o.Check(); err != nil {
		return 0, err
	}
	// Whoever reads it by now, such as a program that copies what the load has written, must not be given zeros.
	if err := o.guardUse(all); err != nil {
		return 0, err
	}
	unit, ok := o.discardUnit()
	if !ok {
		return 0, nil
	}
	size = size / unit * unit
	for end := system.Now().Add(limit); done < size && ctx.Err() == nil && system.Now().Before(end); {
		span := [2]uint64{uint64(done), uint64(min(size-done, discardStep))}
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, o.File().Fd(), unix.BLKDISCARD, uintptr(unsafe.Pointer(&span))); errno != 0 {
			return done, fmt.Errorf("%s does not take its space back: %w", o.path, errno)
		}
		done += int64(span[1])
	}
	return done, nil
}

// discardUnit returns the device's discard granularity in bytes; ok is false if it does not support
// discard.
func (o *Object) discardUnit() (unit int64, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstat(int(o.File().Fd()), &st); err != nil {
		return 0, false
	}
	k := newKernel()
	dir, err := filepath.EvalSymlinks(fmt.Sprintf("%s/dev/block/%d:%d", k.sys, unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev))))
	if err != nil {
		return 0, false
	}
	if k.text(filepath.Join(dir, "partition")) != "" {
		dir = filepath.Dir(dir)
	}
	if k.number(filepath.Join(dir, "queue/discard_max_bytes")) <= 0 {
		return 0, false
	}
	return max(4096, k.number(filepath.Join(dir, "queue/discard_granularity")), k.number(filepath.Join(dir, "queue/logical_block_size"))), true
}
