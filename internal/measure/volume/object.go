package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Object is the file or block device that a worker measures, held open for the whole run. All I/O
// goes through its descriptor: between two steps a name can come to refer to another file or disk, a
// descriptor cannot. It is safe for concurrent use.
type Object struct {
	target model.Target
	// path is the name by which the object was opened or created.
	path string
	hold *hold
	// dir is the directory in which Loadline created the file; nil if the file existed before.
	dir *os.Root
	// written is true if the object may be written, and so was guarded.
	written bool
	// was is the device's state when it was opened.
	was deviceState

	mu     sync.Mutex
	closed bool
}

// File returns the held descriptor; the object keeps ownership.
func (o *Object) File() *os.File { return o.hold.file }

// Path returns the name by which the object was opened, for display.
func (o *Object) Path() string { return o.path }

// Made reports whether the object is a file that Loadline created and that Close removes.
func (o *Object) Made() bool { return o.dir != nil }

// Writable reports whether the object was opened, and guarded, for writing.
func (o *Object) Writable() bool { return o.written }

// Open opens an existing file or block device for a run. A target to be written is guarded as by
// Guard, and a device is opened exclusively (O_EXCL), so that no mount, swapon, mkfs, RAID assembly
// or second run can get it meanwhile. Workers of one run that pass the same share, in this process or
// in others of the same user, hold the same descriptor; an empty share means exclusive use. The error
// is Refused if the target is in use.
func Open(ctx context.Context, e *env.Env, t model.Target, write bool, destroy, share string) (*Object, error) {
	if write {
		if err := named(t, destroy); err != nil {
			return nil, err
		}
	}
	if t.Kind == model.BlockDevice {
		// On a remote host the links /dev/mapper/… and /dev/disk/by-id/… have not been resolved yet.
		if path, err := filepath.EvalSymlinks(t.Path); err == nil {
			t.Path = path
		}
	}
	h, err := acquire(t, write, share)
	if err != nil {
		return nil, err
	}
	o := &Object{target: t, path: t.Path, hold: h, written: write}
	if o.was, err = lookAtDevice(o.File()); err == nil && write {
		err = o.Guard(ctx, e)
	}
	if err != nil {
		h.release()
		return nil, err
	}
	return o, nil
}

// Guard refuses, like the package-level Guard, an object that has come into use or carries a
// signature.
func (o *Object) Guard(ctx context.Context, e *env.Env) error {
	if o.Made() {
		return o.Check()
	}
	if err := o.guardUse(all); err != nil {
		return err
	}
	return guardSignature(ctx, e, o.target, o.File())
}

// openers selects which processes that have an object open count: all, or only those that may write
// it.
type openers bool

const (
	all     openers = false
	writers openers = true
)

// Check compares what the name refers to now with what is held: device and inode, the size of a
// device, and, if the object is written, also whether another process has begun to use it. The error
// says what has changed; anything measured in the meantime is then invalid.
func (o *Object) Check() error {
	is, err := o.File().Stat()
	if err != nil {
		return o.changed("can no longer be looked at (" + env.Reason(err) + ")")
	}
	now, err := os.Lstat(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return o.changed("was removed or renamed")
	case err != nil:
		return o.changed("can no longer be looked at (" + env.Reason(err) + ")")
	case now.Mode()&fs.ModeSymlink != 0:
		return o.changed("was replaced by a symbolic link")
	case !os.SameFile(is, now):
		return o.changed("was replaced by another " + kindOf(now))
	}
	state, err := lookAtDevice(o.File())
	switch {
	case err != nil:
		return o.changed("no longer answers (" + env.Reason(err) + ")")
	case state != o.was:
		return o.changed(o.was.difference(state))
	}
	if o.written && !o.Made() {
		// A process that begins to read during a run, such as a backup, disturbs the measurement but
		// does no harm.
		if err := o.guardUse(writers); err != nil {
			how := strings.TrimPrefix(strings.TrimSuffix(err.Error(), evenSo), o.target.Name+" ")
			return o.changed(how + ", which began")
		}
	}
	return nil
}

// changed returns the error for an object that has changed during the run.
func (o *Object) changed(how string) error {
	return model.BrokenError(fmt.Sprintf("%s %s during the run, so what was measured is of no use", o.path, how),
		"find out what did that, stop it, and measure again")
}

func kindOf(info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return "directory"
	case info.Mode()&fs.ModeDevice != 0:
		return "device"
	}
	return "file"
}

// Close releases the object, and removes it if Loadline created it. If the name now refers to another
// file, that file is left alone; our file, wherever it is now, is truncated to free its space, and
// the error says so. A second call does nothing.
func (o *Object) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	defer o.hold.release()
	if !o.Made() {
		return nil
	}
	defer o.dir.Close()
	name := filepath.Base(o.path)
	now, err := o.dir.Lstat(name)
	is, statErr := o.File().Stat()
	switch {
	case errors.Is(err, fs.ErrNotExist) && (statErr != nil || links(is) == 0):
		return nil // it is gone and takes no space
	case err == nil && statErr == nil && os.SameFile(is, now):
		return o.dir.Remove(name)
	}
	_ = o.File().Truncate(0)
	return fmt.Errorf("%s is no longer the file that Loadline made, so it stays; the file that Loadline made was emptied, wherever it is now", o.path)
}

// Leave releases the object without removing anything: the file is kept for later.
func (o *Object) Leave() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	o.hold.release()
	if o.Made() {
		return o.dir.Close()
	}
	return nil
}
