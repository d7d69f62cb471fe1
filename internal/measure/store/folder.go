package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/jsonlimit"
)

// The modes of what is recorded: host names, devices and commands are nobody else's.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Folder is a directory of results that is open. Somebody may have sent it, so no name in
// it leads out of it, and only its plain files are read: a link, a pipe or a device is
// refused, because it may lead elsewhere or never answer.
type Folder struct {
	root *os.Root
	name string
}

// Open opens a directory of results. A name that the user typed may be a link itself. What
// is no directory is refused before it is opened: a pipe would wait for a writer.
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

// Dir is the folder's name for people.
func (f *Folder) Dir() string { return f.name }

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Files gives out the plain files of the folder.
func (f *Folder) Files() fs.FS { return Plain(f.root) }

// Sub opens a folder inside, which must be one itself and no link.
func (f *Folder) Sub(name string) (*Folder, error) {
	info, err := f.root.Lstat(name)
	if err == nil && (!info.IsDir() || filepath.Clean(name) == ".") {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotPlain}
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

// Read is ReadFS of the folder.
func (f *Folder) Read() (*model.Recorded, error) { return ReadFS(f.Files(), f.name) }

// Write replaces a file of the folder whole, and returns when it would survive a loss of
// power.
func (f *Folder) Write(name string, data []byte) error { return f.write(name, data, true) }

// write replaces a file by a temporary one, so that a reader sees the old one or the new
// one. Neither name is followed when it is a link. lasting makes the file and its name last.
func (f *Folder) write(name string, data []byte, lasting bool) error {
	fail := func(err error) error { return fmt.Errorf("%s cannot be saved: %w", name, err) }
	dir := path.Dir(filepath.ToSlash(name))
	fresh := path.Join(dir, temporary())
	file, err := f.root.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return fail(err)
	}
	_, err = file.Write(data)
	if err == nil && lasting {
		err = syncFile(file)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(fresh, name)
	}
	if err != nil {
		return fail(errors.Join(err, f.root.Remove(fresh)))
	}
	if lasting {
		if err := f.syncNames(dir); err != nil {
			return fail(err)
		}
	}
	return nil
}

// temporaryPrefix is what the names of files begin with that are still being written.
const temporaryPrefix = ".tmp-"

func temporary() string { return temporaryPrefix + rand.Text() }

// syncNames makes what was created and renamed in a directory last.
func (f *Folder) syncNames(dir string) error {
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncFile(d), d.Close())
}

// syncFile is fsync, where the filesystem has one for such a file.
func syncFile(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// WriteFile replaces a file of a directory of results whole.
func WriteFile(dir, name string, data []byte) error {
	f, err := Open(dir)
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", name, err)
	}
	defer f.Close()
	return f.Write(name, data)
}

// WriteNamed replaces a file that the user has named. It is the user's: mode and owner
// stay those of the file that is replaced, and of a new one the umask decides who may
// read it.
func WriteNamed(file string, data []byte) error {
	fail := func(err error) error { return fmt.Errorf("%s cannot be saved: %w", file, err) }
	before, err := os.Lstat(file)
	if err != nil || !before.Mode().IsRegular() {
		before = nil
	}
	fresh := filepath.Join(filepath.Dir(file), temporary())
	mode := os.FileMode(0o666)
	if before != nil {
		mode = fileMode // nobody may read it who might not read the old one
	}
	f, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return fail(err)
	}
	if before != nil {
		if err = alike(f, before); errors.Is(err, fs.ErrPermission) {
			// Only who wrote it can own it, so that it is written where it is.
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

// alike gives a file the owner and the mode of another.
func alike(f *os.File, other fs.FileInfo) error {
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

// overwrite writes a file where it is.
func overwrite(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// errNotPlain is what is wrong with a link, a pipe or a device.
var errNotPlain = errors.New("it is no plain file")

// Plain gives out the plain files of a directory and its folders, never a link, a pipe or
// a device.
func Plain(root *os.Root) fs.FS { return plain{root} }

type plain struct{ root *os.Root }

// Open opens a file or a folder for reading. What was looked at is held against what was
// opened, because a name may be given to something else in between; a pipe that took it
// must not make us wait.
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
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: errNotPlain}, err, f.Close())
	}
	return f, nil
}

// ReadFile reads a file whole, unless it is larger than any document.
func (p plain) ReadFile(name string) ([]byte, error) {
	return readBounded(p, name, jsonlimit.Largest)
}

// Stat describes a plain file or a folder; all else has nothing to describe.
func (p plain) Stat(name string) (fs.FileInfo, error) {
	info, err := p.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotPlain}
	}
	return info, nil
}
