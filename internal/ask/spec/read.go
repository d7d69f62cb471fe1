package spec

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// Read reads a file that the user gave with a flag; the error is a sentence.
func Read(read func(string) ([]byte, error), flag, name string) ([]byte, error) {
	data, err := read(name)
	if err != nil {
		return nil, model.RefusedError(fmt.Sprintf("%s %s cannot be read: %v", flag, name, err), "")
	}
	return data, nil
}
