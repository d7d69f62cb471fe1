package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/jsonlimit"
)

// The modes of recorded files: host names, devices and commands are private to the user.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Folder is an open directory of results. It may come from someone else, so no name in it can lead
// out of it, and only regular files are read: a link, a pipe or a device is refused, because it may
// lead elsewhere or block forever.
type Folder struct {
	root *os.Root
	name string
}

// Open opens a directory of results. The name that the user typed may itself be a link. Anything but
// a directory is refused before it is opened: opening a pipe would wait for a writer.
func Open(dir string) (*Folder, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, name: dir}, nil
}

// Dir returns the folder's name for display.
func (f *Folder) Dir() string { return f.name }

// Moved reports whether the folder is no longer where it was opened: it was moved, removed or replaced.
func (f *Folder) Moved() bool {
	here, err := f.root.Stat(".")
	there, gone := os.Stat(f.name)
	return err != nil || gone != nil || !os.SameFile(here, there)
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Files returns the folder's regular files.
func (f *Folder) Files() fs.FS { return Plain(f.root) }

// Sub opens a subfolder, which must be a directory and not a link.
func (f *Folder) Sub(name string) (*Folder, error) {
	info, err := f.root.Lstat(name)
	if err == nil && (!info.IsDir() || filepath.Clean(name) == ".") {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	var root *os.Root
	if err == nil {
		root, err = f.root.OpenRoot(name)
	}
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, name: filepath.Join(f.name, name)}, nil
}

// Read is ReadFS for the folder.
func (f *Folder) Read() (*model.Recorded, error) { return ReadFS(f.Files(), f.name) }

// temporaryPrefix starts the names of files that are still being written.
const temporaryPrefix = ".tmp-"

func temporaryName() string { return temporaryPrefix + rand.Text() }

// syncDirectory syncs a directory, so that files created or renamed in it keep their names after a
// power failure.
func (f *Folder) syncDirectory(dir string) error {
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncFile(d), d.Close())
}

// syncFile calls fsync, if the filesystem supports it for such a file.
func syncFile(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// WriteFile replaces a file of a directory of results atomically.
func WriteFile(dir, name string, data []byte) error {
	f, err := Open(dir)
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", name, err)
	}
	defer f.Close()
	return f.Write(name, data)
}

// WriteNamed replaces a file that the user has named. It belongs to the user: a replaced file keeps
// its mode and owner, and for a new one the umask decides who may read it.
func WriteNamed(file string, data []byte) error {
	fail := func(err error) error { return fmt.Errorf("%s cannot be saved: %w", file, err) }
	before, err := os.Lstat(file)
	if err != nil || !before.Mode().IsRegular() {
		before = nil
	}
	fresh := filepath.Join(filepath.Dir(file), temporaryName())
	mode := os.FileMode(0o666)
	if before != nil {
		mode = fileMode // users who could not read the old file must not be able to read this one
	}
	f, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fail(err)
	}
	if before != nil {
		if err = copyOwnerAndMode(f, before); errors.Is(err, fs.ErrPermission) {
			// We cannot give the new file the old one's owner, so overwrite the old one in place.
			if err := errors.Join(f.Close(), os.Remove(fresh), overwrite(file, data)); err != nil {
				return fail(err)
			}
			return nil
		}
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(fresh, file)
	}
	if err != nil {
		return fail(errors.Join(err, os.Remove(fresh)))
	}
	return nil
}

// copyOwnerAndMode gives a file the owner and mode of another.
func copyOwnerAndMode(f *os.File, other fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok := now.Sys().(*syscall.Stat_t)
	was, ok2 := other.Sys().(*syscall.Stat_t)
	if ok && ok2 && (is.Uid != was.Uid || is.Gid != was.Gid) {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(other.Mode().Perm())
}

// overwrite writes a file in place.
func overwrite(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// errNotRegular is the error for a link, a pipe or a device.
var errNotRegular = errors.New("it is not a regular file")

// Plain returns the regular files of a directory and its subdirectories, never a link, a pipe or a
// device.
func Plain(root *os.Root) fs.FS { return plain{root} }

type plain struct{ root *os.Root }

// Open opens a file or a directory for reading. It compares what was checked with what was opened,
// because the name may refer to something else in between; a pipe put in its place must not block.
func (p plain) Open(name string) (fs.File, error) {
	info, err := p.Stat(name)
	if err != nil {
		return nil, err
	}
	f, err := p.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: errNotRegular}, err, f.Close())
	}
	return f, nil
}

// ReadFile reads a whole file, unless it is larger than any document.
func (p plain) ReadFile(name string) ([]byte, error) {
	return readBounded(p, name, jsonlimit.Largest)
}

// Stat describes a regular file or a directory; for anything else it returns an error.
func (p plain) Stat(name string) (fs.FileInfo, error) {
	info, err := p.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return info, nil
}
