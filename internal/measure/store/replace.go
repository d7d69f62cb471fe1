package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// File is a file to be saved in a Folder.
type File struct {
	Name string
	Data []byte
}

// Write replaces a file of the folder atomically and returns once it would survive a power failure.
func (f *Folder) Write(name string, data []byte) error {
	return f.WriteAll(File{Name: name, Data: data})
}

// WriteAll replaces files of the folder, in this order and each atomically, and returns once all of them would survive a
// power failure. The others belong to the first: if that cannot be saved, they stay as they were. Each of the others
// is saved if it can be, and the error is that of the first that could not.
//
// They are synced at the same time: on a filesystem that is still busy with what was measured, a sync may take a third of a
// second however little there is to write, and those that wait for the journal together wait once. Where there is no room
// for all of them beside the old ones, they are saved in parts.
func (f *Folder) WriteAll(files ...File) (failed error) {
	var dirs []string
	for first := true; len(files) > 0; first = false {
		part := f.drafts(files)
		files = files[len(part):]
		for i := range part {
			err := f.replace(&part[i])
			if err == nil && !slices.Contains(dirs, part[i].dir()) {
				dirs = append(dirs, part[i].dir())
			}
			failed = cmp.Or(failed, err)
			if err != nil && first && i == 0 {
				for k := range part[1:] {
					_ = f.discard(&part[1+k]) // the cause is known
				}
				return failed
			}
		}
	}
	for _, dir := range dirs {
		if err := f.syncDirectory(dir); err != nil {
			failed = cmp.Or(failed, fmt.Errorf("what is in %s cannot be saved: %w", dir, cause(err)))
		}
	}
	return failed
}

// drafts writes and syncs the drafts of as many of the files as there is room for, and of one at least.
func (f *Folder) drafts(files []File) []draft {
	var list []draft
	for _, file := range files {
		d := f.draft(file)
		if d.err != nil && len(list) > 0 {
			_ = f.discard(&d) // it is tried again once the others have replaced the old ones
			break
		}
		list = append(list, d)
	}
	var syncs sync.WaitGroup
	for i := range list {
		if d := &list[i]; d.err == nil {
			syncs.Go(func() { d.err = syncFile(d.file) })
		}
	}
	syncs.Wait()
	return list
}

// writeUnsynced replaces a file atomically. After a power failure it may be empty, or the old one.
func (f *Folder) writeUnsynced(name string, data []byte) error {
	d := f.draft(File{Name: name, Data: data})
	return f.replace(&d)
}

// draft is a temporary file that is about to replace another, so that a reader sees either the old or the new
// one.
type draft struct {
	// name is the file that it replaces, fresh its own name.
	name, fresh string
	// file is nil if it could not be created.
	file *os.File
	err  error
}

func (d *draft) dir() string { return path.Dir(filepath.ToSlash(d.name)) }

// draft writes a temporary file beside the one that it is to replace. Neither name is followed if it is a link. It is locked,
// so that Tidy can tell it from what a killed process has left.
func (f *Folder) draft(file File) draft {
	d := draft{name: file.Name}
	d.fresh = path.Join(d.dir(), temporaryName())
	if d.file, d.err = f.root.OpenFile(d.fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode); d.err == nil {
		_ = syscall.Flock(int(d.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // some network filesystems have no locks
		_, d.err = d.file.Write(file.Data)
	}
	return d
}

// replace gives a draft its name, or removes it if that cannot be done or it could not be written.
func (f *Folder) replace(d *draft) error {
	err := d.err
	if err == nil {
		if err = d.file.Close(); err == nil {
			err = f.root.Rename(d.fresh, d.name)
		}
		if err == nil {
			return nil
		}
		if info, folder := f.root.Lstat(d.name); folder == nil && info.IsDir() {
			err = errFolder
		}
	}
	_ = f.discard(d) // why it is not saved matters more
	return fmt.Errorf("%s cannot be saved: %w", d.name, cause(err))
}

// errFolder is the error for a file that cannot be replaced, because it is a folder.
var errFolder = errors.New("a folder has this name")

// cause is why a call failed, without the name of the call and of a temporary file.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// discard removes a draft.
func (f *Folder) discard(d *draft) error {
	if d.file == nil {
		return nil
	}
	_ = d.file.Close() // it may be closed
	return f.root.Remove(d.fresh)
}
