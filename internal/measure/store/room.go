package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// The reserve file takes disk space that is freed when the disk is full, so that the run's end can
// still be recorded and an incomplete run is not mistaken for a complete one.
const (
	reserveFile = temporaryPrefix + "room"
	minReserve  = 128 << 10
)

// reserveSpace reserves space for the run's record, twice its current size.
func (w *Writer) reserveSpace() error {
	record, err := w.folder.root.Stat(runFile)
	if err != nil {
		return err
	}
	need := max(minReserve, 2*record.Size())
	if reserve, err := w.folder.root.Stat(reserveFile); err == nil && reserve.Size() >= need {
		return nil
	}
	// Zeros would take no space on a filesystem that compresses.
	filler := make([]byte, 2*need)
	_, _ = rand.Read(filler)
	f, err := w.folder.root.OpenFile(reserveFile, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, fileMode)
	if err == nil {
		_, err = f.Write(filler)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", runFile, err)
	}
	return nil
}

// Tidy removes the space that a killed run had reserved, and the drafts of files that a killed process was about to save.
func (f *Folder) Tidy() {
	_ = f.root.Remove(reserveFile) // usually there is none
	drafts, _ := fs.Glob(f.Files(), temporaryPrefix+"*")
	for _, name := range drafts {
		if !locked(f.Files(), name) {
			_ = f.root.Remove(name) // it only takes space
		}
	}
}

// fail notes that nothing more can be saved, and reports that once: what follows is kept in memory,
// so that it can at least be reported.
func (w *Writer) fail(err error) error {
	if _, gone := os.Stat(w.folder.name); errors.Is(gone, fs.ErrNotExist) {
		w.failed = model.BrokenError(fmt.Sprintf("nothing more can be saved: %s was removed during the run", w.folder.name), "measure again, and leave its folder in place")
		return w.failed
	}
	w.failed = model.BrokenError(fmt.Sprintf("nothing more can be saved in %s: %v", w.folder.name, err),
		"make room there, then see what was saved: loadline analyze "+safetext.ShellWord(w.folder.name))
	return w.failed
}

// Recorded reads the run back. Parts of its record that could not be saved are taken from memory.
func (w *Writer) Recorded() (*model.Recorded, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rec := w.moved
	if rec == nil {
		var err error
		if rec, err = Read(w.folder.name); err != nil {
			return nil, w.unread(err)
		}
	}
	if w.failed != nil {
		rec.Run = w.run
	}
	return rec, nil
}

// unread says why the run cannot be read back. It is no refusal: something was measured.
func (w *Writer) unread(err error) error {
	const next = "measure again, and leave its folder in place"
	if _, gone := os.Stat(w.folder.name); errors.Is(gone, fs.ErrNotExist) {
		return model.BrokenError(fmt.Sprintf("the results cannot be shown: %s was removed during the run", w.folder.name), next)
	}
	var removed []string
	for _, name := range []string{planFile, runFile, environmentFile, samplesFile} {
		if _, gone := os.Stat(filepath.Join(w.folder.name, name)); errors.Is(gone, fs.ErrNotExist) {
			removed = append(removed, name)
		}
	}
	if len(removed) == 0 {
		return model.BrokenError(fmt.Sprintf("the results cannot be shown: %v", err), next)
	}
	were := "was"
	if len(removed) > 1 {
		were = "were"
	}
	return model.BrokenError(fmt.Sprintf("the results cannot be shown: %s of %s %s removed during the run", strings.Join(removed, " and "), w.folder.name, were), next)
}

// readMoved reads the run back if its folder is not where it was made any more, which is possible only as long as it is
// open.
func (w *Writer) readMoved() {
	if w.folder.Moved() {
		w.moved, _ = w.folder.Read() // whoever asks for it is told why it cannot be read
	}
}
