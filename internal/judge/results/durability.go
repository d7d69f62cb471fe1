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
