package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loadline/loadline/internal/model"
)

// The names of what an imported run has beside the files of every run, and of what a
// folder of several systems has: the list of its runs.
const (
	importedFile = "imported.json"
	RankingFile  = "ranking.json"
)

// Original is a file that was imported, as it was.
type Original struct {
	// Raw is its name under raw/.
	Raw  string
	Data []byte
}

// CreateImported saves an imported run in a new directory, whose parent exists: the
// originals under raw/, and what was read out of them in the place of what a run of
// one's own records.
func CreateImported(dir string, experiment []byte, rec *model.Recorded, originals []Original) error {
	w, err := Create(filepath.Dir(dir), func() time.Time { return rec.Run.Finished }, Start{
		Experiment: experiment, Directory: filepath.Base(dir), Plan: rec.Plan, Run: rec.Run, Environment: rec.Environment})
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range originals {
		errs = append(errs, w.Raw(model.Raw{Name: o.Raw, Data: o.Data}))
	}
	errs = append(errs, writeJSON(w.Dir(), importedFile, rec.Imported))
	for _, s := range rec.Samples {
		errs = append(errs, w.Sample(s))
	}
	rec.Directory = w.Dir()
	return errors.Join(append(errs, w.Finish(rec.Run.Status, rec.Run.Reason))...)
}

// RewriteImported replaces what was read out of the originals, after they were read
// again. The originals stay as they are.
func RewriteImported(dir string, rec *model.Recorded) error {
	path := filepath.Join(dir, samplesFile)
	tmp := path + ".new"
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	err = writeSamples(f, rec.Samples)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return fmt.Errorf("the samples cannot be saved: %w", err)
	}
	return errors.Join(writeJSON(dir, importedFile, rec.Imported), writeJSON(dir, planFile, rec.Plan),
		writeJSON(dir, environmentFile, rec.Environment), writeJSON(dir, runFile, rec.Run))
}

// readRaw reads a file under raw/ back, compressed or not.
func readRaw(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, rawDir, filepath.Base(name))
	data, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		return data, err
	}
	packed, err := os.ReadFile(path + ".zst")
	if err != nil {
		return nil, err
	}
	unzip, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer unzip.Close()
	return unzip.DecodeAll(packed, nil)
}

// Originals reads the files that a run was imported from, in their order.
func Originals(dir string, im *model.Imported) ([]Original, error) {
	var list []Original
	for _, s := range im.Sources {
		data, err := readRaw(dir, s.Raw)
		if err != nil {
			return nil, model.BrokenError(fmt.Sprintf("the original %s of %s cannot be read: %v", s.Raw, dir, err), "import the file again")
		}
		list = append(list, Original{Raw: s.Raw, Data: data})
	}
	return list, nil
}

// IsImported tells whether the directory is that of an imported run.
func IsImported(dir string) bool { return exists(dir, importedFile) && IsRun(dir) }

// RankedRuns lists the run directories of a folder of several systems, in the order
// in which they were given; nil when the folder is none.
func RankedRuns(dir string) []string {
	var names []string
	if err := readJSON(os.DirFS(dir), RankingFile, &names); err != nil || len(names) == 0 {
		return nil
	}
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = filepath.Join(dir, filepath.Base(n))
	}
	return list
}

// WriteRankedRuns makes a folder one of several systems: names are its run
// directories.
func WriteRankedRuns(dir string, names []string) error { return writeJSON(dir, RankingFile, names) }

// readImported reads what an imported run has in the place of samples; nil for a run
// that was measured.
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
