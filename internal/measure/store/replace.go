package store

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
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
// power failure. After the first that cannot be saved, the others stay as they were.
//
// They are synced at the same time: on a filesystem that is still busy with what was measured, a sync may take a third of a
// second however little there is to write, and those that wait for the journal together wait once.
func (f *Folder) WriteAll(files ...File) error {
	drafts := make([]draft, len(files))
	for i, file := range files {
		drafts[i] = f.draft(file)
	}
	var syncs sync.WaitGroup
	for i := range drafts {
		if d := &drafts[i]; d.err == nil {
			syncs.Go(func() { d.err = syncFile(d.file) })
		}
	}
	syncs.Wait()
	var failed error
	var dirs []string
	for i := range drafts {
		if failed != nil {
			_ = f.discard(&drafts[i]) // the cause is known
			continue
		}
		if failed = f.replace(&drafts[i]); failed == nil && !slices.Contains(dirs, drafts[i].dir()) {
			dirs = append(dirs, drafts[i].dir())
		}
	}
	for _, dir := range dirs {
		if err := f.syncDirectory(dir); err != nil && failed == nil {
			failed = fmt.Errorf("%s cannot be saved: %w", files[0].Name, err)
		}
	}
	return failed
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

// draft writes a temporary file beside the one that it is to replace. Neither name is followed if it is a link.
func (f *Folder) draft(file File) draft {
	d := draft{name: file.Name}
	d.fresh = path.Join(d.dir(), temporaryName())
	if d.file, d.err = f.root.OpenFile(d.fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode); d.err == nil {
		_, d.err = d.file.Write(file.Data)
	}
	return d
}

// replace gives a draft its name, or removes it if it could not be written.
func (f *Folder) replace(d *draft) error {
	err := d.err
	if err == nil {
		if err = d.file.Close(); err == nil {
			err = f.root.Rename(d.fresh, d.name)
		}
		if err != nil {
			err = errors.Join(err, f.root.Remove(d.fresh))
		}
	} else {
		err = errors.Join(err, f.discard(d))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", d.name, err)
	}
	return nil
}

// discard removes a draft.
func (f *Folder) discard(d *draft) error {
	if d.file == nil {
		return nil
	}
	return errors.Join(d.file.Close(), f.root.Remove(d.fresh))
}
