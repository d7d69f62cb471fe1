package cli

import (
	"bytes"
	"io"

	"github.com/loadline/loadline/internal/store"
)

// savePage writes a page beside the data that it shows.
func savePage(f *store.Folder, render func(io.Writer) error) error {
	var page bytes.Buffer
	if err := render(&page); err != nil {
		return err
	}
	return f.Write(store.PageFile, page.Bytes())
}
