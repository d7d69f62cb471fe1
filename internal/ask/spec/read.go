package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Read reads a file that the user gave with a flag; the error is a sentence.
func Read(read func(string) ([]byte, error), flag, name string) ([]byte, error) {
	data, err := read(name)
	if err == nil {
		return data, nil
	}
	next := "ls -l " + safetext.ShellWord(name)
	if errors.Is(err, fs.ErrNotExist) {
		next = "ls " + safetext.ShellWord(filepath.Dir(name)) + " shows which files are there"
	}
	return nil, model.RefusedError(fmt.Sprintf("%s %s cannot be read: %v", flag, name, err), next)
}
