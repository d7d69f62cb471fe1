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

// Object is the file or block device that a worker measures, held open for the whole run.
// Whoever does I/O goes through its descriptor: a name can come to mean another file or
// another disk between two steps, a descriptor cannot. It is safe for use by several
// goroutines.
type Object struct {
	target model.Target
	// path is the name by which the object was opened or made.
	path string
	hold *hold
	// dir is the directory in which Loadline made the file; nil for what existed before.
	dir *os.Root
	// written tells that the object may be written, and so was guarded.
	written bool
	// was is what the device said of itself when it was opened.
	was deviceState

	mu     sync.Mutex
	closed bool
}

// File is the held descriptor; it stays the object's own.
func (o *Object) File() *os.File { return o.hold.file }

// Path is the name by which the object was opened, for people.
func (o *Object) Path() string { return o.path }

// Made reports whether the object is a file that Loadline made and that Close removes.
func (o *Object) Made() bool { return o.dir != nil }

// Writable reports whether the object was opened, and guarded, for writing.
func (o *Object) Writable() bool { return o.written }

// Open opens an existing file or block device for a run. What may be written is guarded
// as Guard does, and a device is opened exclusively (O_EXCL), so that meanwhile no mount,
// swapon, mkfs, RAID assembly or second run gets it. Workers of one run that name the same
// share, in this process or in others of the same user, hold one and the same descriptor;
// an empty share is nobody else's. The error is Refused when the target is in use.
func Open(ctx context.Context, e *env.Env, t model.Target, write bool, destroy, share string) (*Object, error) {
	if write {
		if err := named(t, destroy); err != nil {
			return nil, err
		}
	}
	if t.Kind == model.BlockDevice {
		// On another host nobody has followed /dev/mapper/… or /dev/disk/by-id/… yet.
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

// Guard refuses, as Guard of the package does, an object that has come into use or bears a
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

// openers are those who have an object open: all of them, or only who may write it.
type openers bool

const (
	all     openers = false
	writers openers = true
)

// Check compares what the name means now with what is held: device and inode, the size of
// a device, and for what is written also whether somebody else has begun to use it. The
// error says what has changed; what was measured meanwhile is then of no use.
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
		// Who begins to read during a run, such as a backup, disturbs it and harms nothing.
		if err := o.guardUse(writers); err != nil {
			how := strings.TrimPrefix(strings.TrimSuffix(err.Error(), evenSo), o.target.Name+" ")
			return o.changed(how + ", which began")
		}
	}
	return nil
}

// changed is the error of an object that is not what it was.
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

// Close gives the object back, and removes it when Loadline made it. A name that has come
// to mean another file is left alone; the space that the own file takes elsewhere is then
// given back, and the error says so. A second call does nothing.
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
		return nil // it is gone, and takes no space
	case err == nil && statErr == nil && os.SameFile(is, now):
		return o.dir.Remove(name)
	}
	_ = o.File().Truncate(0)
	return fmt.Errorf("%s is no longer the file that Loadline made, so it stays; the file that Loadline made was emptied, wherever it is now", o.path)
}

// Leave gives the object back and removes nothing: the file is kept for later.
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
