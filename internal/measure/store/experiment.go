package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/loadline/loadline/internal/model"
)

// largestExperiment bounds the size of an experiment file, in bytes.
const largestExperiment = 8 << 20

// ReadExperiment reads the experiment saved in a run directory or the folder of a comparison: its
// text and the name of its file. For a comparison it is the experiment of the second side, the
// target.
func ReadExperiment(dir string) (file string, text []byte, err error) {
	if IsComparison(dir) {
		dir = filepath.Join(dir, CandidateDir)
	}
	file = filepath.Join(dir, experimentFile)
	f, err := Open(dir)
	if err == nil {
		defer f.Close()
		text, err = readBounded(f.Files(), experimentFile, largestExperiment)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, nil, model.RefusedError(dir+" has no "+experimentFile, "name a run directory, the folder of a comparison, or an experiment's file")
	case err != nil:
		return file, nil, model.RefusedError(file+" cannot be read: "+err.Error(), "")
	}
	return file, text, nil
}
