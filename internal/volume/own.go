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
	f, err := createLocked(path)
	if errors.Is(err, fs.ErrExist) {
		return "", model.RefusedError(fmt.Sprintf("%s exists already, so it is not Loadline's to make", path),
			"name another file, or remove this one if it may go: rm "+path)
	}
	if err != nil {
		return "", writeRefusal(path, err)
	}
	if err := f.Truncate(size); err != nil {
		_ = f.Close()
		_ = os.Remove(path)
		return "", model.RefusedError(fmt.Sprintf("a file of %s cannot be made at %s: %s", model.FormatSize(size), path, reason(err)),
			"choose a smaller --size")
	}
	held.Lock()
	held.files[path] = f
	held.Unlock()
	return path, nil
}

// createLocked makes a new file and takes its lock. A cleanup elsewhere may take
// the file for a leftover before it is locked; then it is made again.
func createLocked(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		// A filesystem without locks (some network ones) still works: Leftovers
		// finds nothing there, as it cannot tell either.
		_ = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if sameFile(f, path) {
			return f, nil
		}
		_ = f.Close()
	}
}

// sameFile tells whether path still names the open file.
func sameFile(f *os.File, path string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(is, now)
}

// scratch makes a small file of our own for a short while; done removes it.
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
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !sameFile(f, path) {
		return fmt.Errorf("%s is no longer the file that Loadline made, so it stays", path)
	}
	return os.Remove(path)
}

// Adopt takes over a file that an earlier process of Loadline made and left
// behind: it is locked until Remove or the end of this process, and Remove takes
// it away. The caller vouches that the file is ours.
func Adopt(path string) error {
	f, err := lockLeftover(path)
	if err != nil {
		return err
	}
	held.Lock()
	held.files[path] = f
	held.Unlock()
	return nil
}

// Leftovers lists the files with our prefix in a directory that no running
// Loadline holds: those of runs that were killed.
func Leftovers(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s cannot be searched for files of Loadline: %s", dir, reason(err)), "name a directory that exists: ls -ld "+dir)
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
	return left, nil
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
