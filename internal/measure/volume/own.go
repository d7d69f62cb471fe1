package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Prefix starts the name of every file that Loadline creates in a directory.
const Prefix = ".loadline-"

// OwnPath returns where Create creates the file of a run. It is empty for a target that cannot hold
// files, or if the name leads out of its directory.
func OwnPath(t model.Target, runID string) string {
	if runID != filepath.Base(runID) {
		return ""
	}
	switch t.Kind {
	case model.Directory:
		return filepath.Join(t.Path, Prefix+runID+".data")
	case model.File:
		return t.Path
	}
	return ""
}

// Create creates Loadline's own data file of the given size, in bytes: in a directory, with our
// prefix and the run's name; or the file that the user named and that does not exist yet. Nothing is
// allocated yet: the prefill does that. The file is locked until the object is closed, which removes
// it, or the process ends: the lock tells a file in use from one that a killed run left behind.
func Create(t model.Target, runID string, size int64) (*Object, error) {
	path := OwnPath(t, runID)
	if path == "" {
		return nil, fmt.Errorf("a %s is not something to make a file in", t.Kind)
	}
	dir, name := filepath.Split(path)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, writeRefusal(dir, err)
	}
	f, err := createLocked(root, name)
	if errors.Is(err, fs.ErrExist) {
		err = refuseExisting(root, path, name)
	} else if err != nil {
		err = writeRefusal(path, err)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	o := &Object{target: t, path: path, dir: root, hold: &hold{file: f, refs: 1, unshare: func() {}}, written: true}
	if err := f.Truncate(size); err != nil {
		return nil, errors.Join(model.RefusedError(fmt.Sprintf("a file of %s cannot be made at %s: %s", units.FormatSize(size), path, env.Reason(err)),
			"choose a smaller --size"), o.Close())
	}
	return o, nil
}

// refuseExisting refuses to make a file that exists. One that is locked is being measured: another run began in the same
// second.
func refuseExisting(dir *os.Root, path, name string) error {
	leftover, err := lockAt(dir, name)
	if errors.Is(err, errInUse) {
		return model.RefusedError(fmt.Sprintf("%s belongs to another run, which is measuring with it", path), "wait for its end: what is measured at the same time is slower")
	}
	if err == nil {
		_ = leftover.Close()
	}
	return model.RefusedError(fmt.Sprintf("%s exists already, so it is not Loadline's to make", path), "name another file")
}

// createLocked creates a new file and takes its lock. A concurrent cleanup may take the file for a
// leftover before it is locked; then it is created again.
func createLocked(dir *os.Root, name string) (*os.File, error) {
	for {
		f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		// A filesystem without locks (some network ones) still works: Leftovers finds nothing there,
		// because it needs the lock too.
		_ = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		is, err := f.Stat()
		if now, gone := dir.Lstat(name); err == nil && gone == nil && os.SameFile(is, now) {
			return f, nil
		}
		_ = f.Close()
	}
}

// scratch creates a small temporary file; done removes it.
func scratch(dir, purpose string) (f *os.File, done func(), err error) {
	f, err = os.CreateTemp(dir, Prefix+purpose+"-*")
	if err != nil {
		return nil, nil, err
	}
	_ = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	return f, func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}, nil
}

// Adopt takes over a file that an earlier Loadline process created and left behind: it is locked
// until Close, which removes it, or until this process ends. The caller vouches that Loadline created
// the file; Adopt refuses anything but a regular file of this user with a single link.
func Adopt(t model.Target, path string) (*Object, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f, err := lockLeftover(path)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && (links(info) != 1 || !ownedByUs(info, filepath.Dir(path))) {
			err = errors.New("it is not a file that Loadline made: it has another owner, or a second name")
		}
		if err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &Object{target: t, path: path, dir: root, hold: &hold{file: f, refs: 1, unshare: func() {}}, written: true}, nil
}

// MakesFile reports whether measuring the target creates a file: in a directory, or a file that the
// user named and that does not exist.
func MakesFile(t model.Target) bool {
	if t.Kind == model.Directory {
		return true
	}
	_, err := os.Lstat(t.Path)
	return t.Kind == model.File && errors.Is(err, fs.ErrNotExist)
}
