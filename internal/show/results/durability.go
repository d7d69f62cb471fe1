package results

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
)

// SaveDurability writes the report into the test's directory.
func SaveDurability(d *model.Durability) error {
	var doc, summary bytes.Buffer
	err := errors.Join(jsonout.WriteDurability(&doc, d), text.RenderDurability(&summary, d, text.Options{Width: 120, Unicode: true}))
	if err != nil {
		return err
	}
	f, err := store.Open(d.Directory)
	if err != nil {
		return err
	}
	defer f.Close()
	return computed{store.ReportFile, []byte(secrets.MaskText(doc.String())), []byte(secrets.MaskText(summary.String())), store.CardOfDurability(d), nil}.save(f)
}

// IsDurability reports whether the directory is that of a durability test.
func IsDurability(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, durability.LedgerFile))
	return err == nil
}

// SaveTest makes a test of durability save itself in a directory of its own: in a folder or, if run is not "", in the saved run
// that it becomes part of.
func SaveTest(o *durability.Options, folder, run string) error {
	o.Save = func(d *model.Durability) error { return SaveDurability(d) }
	o.Parent = folder
	o.MakeDirectory = func() (string, error) {
		dir, err := store.MakeDirectory(folder, o.ID)
		if err != nil {
			return "", model.RefusedError(err.Error(), "choose another folder with --results DIR")
		}
		return dir, nil
	}
	if run == "" {
		return nil
	}
	if _, err := store.Read(run); err != nil {
		return err
	}
	o.Parent = run
	o.MakeDirectory = func() (string, error) { return store.MakeDirectory(run, "durability") }
	return nil
}
