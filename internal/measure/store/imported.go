package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Names of files in addition to those of every run: what was extracted for an imported run, and the
// list of runs in a folder of several systems.
const (
	importedFile = "imported.json"
	RankingFile  = "ranking.json"
)

// Original is an imported file, unchanged.
type Original struct {
	// Raw is its name under raw/.
	Raw  string
	Data []byte
}

// CreateImported saves an imported run in a new directory whose parent exists: the originals under
// raw/, and what was extracted from them in place of what a measured run records.
func CreateImported(dir string, experiment []byte, rec *model.Recorded, originals []Original) error {
	w, err := Create(filepath.Dir(dir), func() time.Time { return rec.Run.Finished }, Start{
		Experiment: experiment, Directory: filepath.Base(dir), Plan: rec.Plan, Run: rec.Run, Environment: rec.Environment})
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range originals {
		// They will be read again, so they are kept byte for byte.
		errs = append(errs, w.keep(o.Raw, o.Data))
	}
	errs = append(errs, w.folder.writeJSON(importedFile, rec.Imported))
	for _, s := range rec.Samples {
		errs = append(errs, w.Sample(s))
	}
	rec.Directory = w.Dir()
	return errors.Join(append(errs, w.Finish(rec.Run.Status, rec.Run.Reason))...)
}

// RewriteImported replaces the data extracted from the originals after they were parsed again. The
// originals stay as they are.
func (f *Folder) RewriteImported(rec *model.Recorded) error {
	var samples bytes.Buffer
	if err := writeSamples(&samples, rec.Samples); err != nil {
		return fmt.Errorf("the samples cannot be saved: %w", err)
	}
	return errors.Join(f.Write(samplesFile, samples.Bytes()), f.writeJSON(importedFile, rec.Imported), f.writeJSON(planFile, rec.Plan),
		f.writeJSON(environmentFile, rec.Environment), f.writeJSON(runFile, rec.Run))
}

// readRaw reads a file under raw/, compressed or not.
func (f *Folder) readRaw(name string) ([]byte, error) {
	name = path.Join(rawDir, path.Base(filepath.ToSlash(name)))
	data, err := readBounded(f.Files(), name, largestRaw)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	// In two passes: a growing buffer would take twice the size of the file.
	var size int64
	err = f.unpack(name+".zst", func(r io.Reader) (err error) {
		size, err = io.Copy(io.Discard, io.LimitReader(r, largestRaw+1))
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case size > largestRaw:
		return nil, boundError(fmt.Sprintf("it unpacks to more than %s", units.FormatSize(largestRaw)))
	}
	data = make([]byte, size)
	err = f.unpack(name+".zst", func(r io.Reader) error {
		_, err := io.ReadFull(r, data)
		return err
	})
	return data, err
}

// unpack calls read with what a compressed file contains.
func (f *Folder) unpack(name string, read func(io.Reader) error) error {
	packed, err := f.Files().Open(name)
	if err != nil {
		return err
	}
	defer packed.Close()
	unzip, err := newDecompressor(packed)
	if err != nil {
		return err
	}
	defer unzip.Close()
	return read(unzip)
}

// Originals reads the files that a run was imported from, in their order.
func (f *Folder) Originals(im *model.Imported) ([]Original, error) {
	var list []Original
	total := 0
	for _, s := range im.Sources {
		data, err := f.readRaw(s.Raw)
		if total += len(data); total > largestRaw {
			err = boundError(fmt.Sprintf("with the other originals it holds more than %s", units.FormatSize(largestRaw)))
		}
		switch {
		case isBoundError(err):
			return nil, damageError(f.name, path.Join(rawDir, path.Base(filepath.ToSlash(s.Raw))), err.Error())
		case err != nil:
			return nil, model.BrokenError(fmt.Sprintf("the original %s of %s cannot be read: %v", s.Raw, f.name, err), "import the file again")
		}
		list = append(list, Original{Raw: s.Raw, Data: data})
	}
	return list, nil
}

// IsImported reports whether the directory is an imported run.
func IsImported(dir string) bool { return checkFolder(dir, (*Folder).IsImported) }

// IsImported reports whether the folder is an imported run.
func (f *Folder) IsImported() bool { return fileExists(f.Files(), importedFile) && isRun(f) }

// RankedRuns lists the run directories in a folder of several systems, in the order in which they
// were given; nil if it is not such a folder.
func RankedRuns(dir string) (list []string) {
	checkFolder(dir, func(f *Folder) bool {
		for _, name := range f.RankedRuns() {
			list = append(list, filepath.Join(dir, name))
		}
		return true
	})
	return list
}

// RankedRuns lists the names of the run directories in a folder of several systems.
func (f *Folder) RankedRuns() []string {
	var names []string
	if err := readJSON(f.Files(), RankingFile, &names); err != nil || len(names) == 0 {
		return nil
	}
	for i, n := range names {
		names[i] = filepath.Base(n)
		if !f.sub(names[i], func(*Folder) bool { return true }) {
			return nil
		}
	}
	return names
}

// WriteRankedRuns turns a folder into one of several systems; names are its run directories.
func WriteRankedRuns(dir string, names []string) error {
	f, err := Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.writeJSON(RankingFile, names)
}

// readImported reads what was extracted for an imported run; nil for a measured run.
func readImported(files fs.FS, rec *model.Recorded) *model.Imported {
	if _, err := fs.Stat(files, importedFile); err != nil {
		return nil
	}
	var im model.Imported
	if err := readJSON(files, importedFile, &im); err != nil {
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s cannot be read: %v", importedFile, err))
		return nil
	}
	return &im
}
