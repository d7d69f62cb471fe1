package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/loadline/loadline/internal/model"
)

// largestExperiment bounds what is read of what was asked for, in bytes.
const largestExperiment = 8 << 20

// ReadExperiment reads what a run directory, or the folder of a comparison, says was asked
// for: the text and the name of its file. Of a comparison that is what its second side, the
// target's, was asked for.
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
