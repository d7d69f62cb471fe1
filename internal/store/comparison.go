package store

import (
	"os"
	"path/filepath"
)

// The names of the two run directories inside the folder of a comparison that was
// measured as one, and of its computed document.
const (
	BaselineDir    = "a"
	CandidateDir   = "b"
	ComparisonFile = "comparison.json"
)

// CreateComparison makes the folder of a comparison under parent, with a number
// appended when the name is taken. The runs are then created inside it.
func CreateComparison(parent, name string) (string, error) {
	return MakeDirectory(parent, name)
}

// IsRun tells whether the directory is that of a run, whatever state it is in.
func IsRun(dir string) bool { return exists(dir, planFile) || exists(dir, runFile) }

// IsComparison tells whether the directory is the folder of a comparison.
func IsComparison(dir string) bool {
	return IsRun(filepath.Join(dir, BaselineDir)) && IsRun(filepath.Join(dir, CandidateDir))
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
