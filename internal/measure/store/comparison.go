package store

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/model"
)

// The names of the two run directories inside the folder of a comparison measured as one, and of its
// computed document.
const (
	BaselineDir    = "a"
	CandidateDir   = "b"
	ComparisonFile = "comparison.json"
)

// Sides are the names of the two run directories.
var Sides = [2]string{BaselineDir, CandidateDir}

// CreateComparison creates the folder of a comparison under parent, with a number appended if the
// name is taken. The runs are then created inside it.
func CreateComparison(parent, name string) (string, error) {
	dir, err := MakeDirectory(parent, name)
	if err != nil {
		return "", unbegun(parent, err)
	}
	return dir, nil
}

// IsRun reports whether the directory is a run directory, in whatever state.
func IsRun(dir string) bool { return checkFolder(dir, isRun) }

// HoldsRun reports whether the folder is certainly a saved run: it holds its plan and its record. A single file of
// such a name may be anybody's.
func (f *Folder) HoldsRun() bool {
	return fileExists(f.Files(), planFile) && fileExists(f.Files(), runFile)
}

// IsComparison reports whether the directory is the folder of a comparison.
func IsComparison(dir string) bool {
	return checkFolder(dir, func(f *Folder) bool { return f.sub(BaselineDir, isRun) && f.sub(CandidateDir, isRun) })
}

// Withdraw removes the directory of a run or comparison that was refused before anything was
// measured, as it holds no data. It keeps anything that was measured or cannot be read, and reports
// whether it removed the directory.
func (f *Folder) Withdraw() bool {
	dir := f.name
	runs := []string{dir}
	if IsComparison(dir) {
		runs = []string{filepath.Join(dir, BaselineDir), filepath.Join(dir, CandidateDir)}
	}
	for _, run := range runs {
		rec, err := Read(run)
		if err != nil || len(rec.Run.Steps) > 0 || len(rec.Samples) > 0 {
			return false
		}
	}
	return os.RemoveAll(dir) == nil
}

// IsRunFile reports whether a file of this name makes a folder a run.
func IsRunFile(base string) bool { return base == planFile || base == runFile }

func isRun(f *Folder) bool { return fileExists(f.Files(), planFile) || fileExists(f.Files(), runFile) }

// checkFolder applies check to a directory; it is false for one that cannot be opened.
func checkFolder(dir string, check func(*Folder) bool) bool {
	f, err := Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return check(f)
}

// sub applies check to a subfolder; it is false for one that cannot be opened.
func (f *Folder) sub(name string, check func(*Folder) bool) bool {
	sub, err := f.Sub(name)
	if err != nil {
		return false
	}
	defer sub.Close()
	return check(sub)
}

// CheckRun refuses a directory that lacks the plan and the record of a run.
func CheckRun(dir string) error {
	f, err := Open(dir)
	if err != nil {
		return notRunError(dir)
	}
	defer f.Close()
	rec, err := ReadHead(f.Files(), dir)
	if err == nil && rec.Run.Schema != model.RunSchema {
		err = fmt.Errorf("%s is of schema %q", runFile, rec.Run.Schema)
	}
	return err
}
