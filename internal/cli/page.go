package cli

import (
	"bytes"
	"io"

	"github.com/loadline/loadline/internal/store"
)

// savePage writes a page beside the data that it shows.
func savePage(dir string, render func(io.Writer) error) error {
	var page bytes.Buffer
	if err := render(&page); err != nil {
		return err
	}
	return store.WriteFile(dir, store.PageFile, page.Bytes())
}
