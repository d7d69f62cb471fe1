package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// Prefix begins the name of every file that Loadline makes in a directory.
const Prefix = ".loadline-"

// held are the locks on the files that this process made, by path. The lock is
// what tells a file in use from one that a killed run left behind.
var held = struct {
	sync.Mutex
	files map[string]*os.File
}{files: map[string]*os.File{}}

// Create makes Loadline's own data file of the given size, in bytes: in a
// directory, with our prefix and the run's name; or the file that the user named
// and that does not exist yet. Nothing is allocated yet: the prefill does that.
// The file is locked until Remove or the end of the process.
func Create(t model.Target, runID string, size int64) (path string, err error) {
	switch t.Kind {
	case model.Directory:
		path = filepath.Join(t.Path, Prefix+runID+".data")
	case model.File:
		path = t.Path
	default:
		return "", fmt.Errorf("a %s is not something to make a file in", t.Kind)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", model.RefusedError(fmt.Sprintf("%s exists already, so it is not Loadline's to make.", path),
			"Name another file, or remove this one if it may go: rm "+path)
	}
	if err != nil {
		return "", writeRefusal(path, err)
	}
	if err := f.Truncate(size); err != nil {
		_ = f.Close()
		_ = os.Remove(path)
		return "", model.RefusedError(fmt.Sprintf("A file of %s cannot be made at %s: %s.", model.FormatSize(size), path, reason(err)),
			"Choose a smaller --size.")
	}
	// A filesystem without locks (some network ones) still works: Leftovers then
	// finds nothing there, as it cannot tell either.
	_ = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	held.Lock()
	held.files[path] = f
	held.Unlock()
	return path, nil
}

// Remove removes a file that Create made in this process, or one that Leftovers
// named; any other path is an error, as is a file that another process uses. A
// file that is gone already is fine.
func Remove(path string) error {
	held.Lock()
	f := held.files[path]
	delete(held.files, path)
	held.Unlock()
	if f == nil {
		if !strings.HasPrefix(filepath.Base(path), Prefix) {
			return fmt.Errorf("%s was not made by Loadline, so it stays", path)
		}
		var err error
		f, err = lockLeftover(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s stays: %w", path, err)
		}
	}
	defer f.Close()
	now, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if was, err := f.Stat(); err != nil || !os.SameFile(was, now) {
		return fmt.Errorf("%s is no longer the file that Loadline made, so it stays", path)
	}
	return os.Remove(path)
}

// Leftovers lists the files with our prefix in a directory that no running
// Loadline holds: those of runs that were killed.
func Leftovers(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var left []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), Prefix) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if f, err := lockLeftover(path); err == nil {
			_ = f.Close()
			left = append(left, path)
		}
	}
	return left
}

// errInUse tells that another process holds the file's lock.
var errInUse = errors.New("a running loadline uses it")

// lockLeftover opens a regular file and takes its lock, which fails while the
// run that made it is alive.
func lockLeftover(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.New("it is not a regular file")
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errInUse
		}
		return nil, err
	}
	return f, nil
}

// MakesFile tells whether measuring the target means a file of our own: in a
// directory, or one that the user named and that does not exist.
func MakesFile(t model.Target) bool {
	if t.Kind == model.Directory {
		return true
	}
	_, err := os.Lstat(t.Path)
	return t.Kind == model.File && errors.Is(err, fs.ErrNotExist)
}
