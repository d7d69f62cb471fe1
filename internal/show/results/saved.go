package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
)

// readDocument reads a computed document from a directory of results.
func readDocument(dir, name string) ([]byte, error) {
	f, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return store.ReadDocument(f.Files(), name)
}

// unsaved reports that computed results could not be saved. They were printed all the same.
type unsaved struct {
	*model.WorkerError
	// kept is set if better ones are saved there.
	kept bool
}

func (u unsaved) Unwrap() error { return u.WorkerError }

// saving turns a save error into one sentence; again is the command that computes and saves the
// results once more.
func saving(dir, again string, err error) error {
	if err == nil {
		return nil
	}
	first := firstOf(err)
	do := "fix that"
	switch {
	case errors.Is(first, syscall.ENOSPC), errors.Is(first, syscall.EDQUOT):
		do = "make room there"
	case errors.Is(first, fs.ErrPermission), errors.Is(first, syscall.EROFS):
		do = "make the folder writable"
	}
	return unsaved{model.BrokenError(fmt.Sprintf("the report could not be saved in %s: %v", dir, first), do+", then: "+again), false}
}

// movedAway says that results could not be saved, because their directory was no longer there when what made them ended. Whoever
// moved it keeps what was measured, and nothing may be written to what is there instead. Again is the command that computes and
// saves them once more.
func movedAway(dir, during, again string) error {
	return unsaved{model.BrokenError(fmt.Sprintf("the report could not be saved: %s was moved, replaced or removed during the %s", dir, during), again+", with the folder to which it was moved"), false}
}

// firstOf is the first of several errors: a full disk causes the same error for every file.
func firstOf(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return firstOf(many.Unwrap()[0])
	}
	return err
}

// isUnsaved reports whether an error only means that the results could not be saved.
func isUnsaved(err error) bool {
	var u unsaved
	return errors.As(err, &u)
}

// isKept reports whether an error means that better results are saved already.
func isKept(err error) bool {
	var u unsaved
	return errors.As(err, &u) && u.kept
}

// saves is locked for reading while something is saved.
var saves sync.RWMutex

// WaitSaved waits until nothing is being saved, or until the limit: whoever ends the program before leaves temporary
// files behind.
func WaitSaved(limit <-chan time.Time) {
	none := make(chan struct{})
	go func() {
		saves.Lock()
		close(none)
	}()
	select {
	case <-none:
	case <-limit:
	}
}

// computed is what is computed from the data of a directory and saved beside it.
type computed struct {
	// name is the document's file.
	name              string
	document, summary []byte
	card              store.Card
	// page renders the page; nil if there is none.
	page func(io.Writer) error
}

// save saves them in a folder, the document first: a list reads a card only if it was made for the document beside it.
func (c computed) save(f *store.Folder) error {
	saves.RLock()
	defer saves.RUnlock()
	card, err := c.card.File(len(c.document))
	if err != nil {
		return err
	}
	files := []store.File{{Name: c.name, Data: c.document}, {Name: "summary.txt", Data: c.summary}, card}
	if c.page != nil {
		var page bytes.Buffer
		if err := c.page(&page); err != nil {
			return errors.Join(f.WriteAll(files...), err)
		}
		files = append(files, store.File{Name: store.PageFile, Data: page.Bytes()})
	}
	return f.WriteAll(files...)
}

// saveReport writes a report beside its raw data, unless it must not replace the one there, and returns its document. A ranking
// has no record of its own. With an unsaved error the document is complete.
func saveReport(f *store.Folder, rec *model.Recorded, r *model.Report) ([]byte, error) {
	var doc, summary bytes.Buffer
	if err := jsonout.Write(&doc, r); err != nil {
		return nil, err
	}
	if err := text.Render(&summary, r, text.Options{Width: 120, Unicode: true, Verbose: true}); err != nil {
		return nil, err
	}
	if err := keepsSaved(f, rec, r); err != nil {
		return doc.Bytes(), err
	}
	page := func(w io.Writer) error {
		// An unreadable trace is left out, as in the budgets.
		t, _ := tracedBeside(f.Dir())
		return html.RenderAll(w, jsonout.Page{Reports: []*model.Report{r}, Beside: []*iotrace.Report{t}})
	}
	return doc.Bytes(), saving(f.Dir(), "loadline analyze "+safetext.ShellWord(f.Dir()),
		computed{store.ReportFile, doc.Bytes(), summary.Bytes(), store.CardOfReport(r), page}.save(f))
}

// saveComparison writes a comparison beside its two sides.
func saveComparison(f *store.Folder, c *model.Comparison, reports [2]*model.Report) error {
	var doc, summary bytes.Buffer
	if err := jsonout.WriteComparison(&doc, c); err != nil {
		return err
	}
	if err := text.RenderComparison(&summary, c, text.Options{Width: 120, Unicode: true, Verbose: true}); err != nil {
		return err
	}
	page := func(w io.Writer) error { return html.RenderComparison(w, c, reports[0], reports[1]) }
	return saving(f.Dir(), "loadline compare "+safetext.ShellWord(f.Dir()),
		computed{store.ComparisonFile, doc.Bytes(), summary.Bytes(), store.CardOfComparison(c), page}.save(f))
}

// largestLedger limits, in bytes, the ledger of a durability test: an hour of 8 writers on the fastest
// of disks writes a tenth of it.
const largestLedger = 128 << 20

// checkDurability refuses a directory without a proper ledger: a link that leads elsewhere, or more
// than a test writes.
func checkDurability(dir string) error {
	f, err := store.Open(dir)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be opened: %v", dir, err), "")
	}
	defer f.Close()
	info, err := fs.Stat(f.Files(), durability.LedgerFile)
	switch {
	case err != nil:
		return model.RefusedError(fmt.Sprintf("%s is not the directory of a durability test: %s cannot be read: %v", dir, durability.LedgerFile, err), "name a folder under loadline-results/")
	case info.Size() > largestLedger:
		return model.BrokenError(fmt.Sprintf("%s/%s is damaged: it is larger than %s", dir, durability.LedgerFile, units.FormatSize(largestLedger)), "copy the directory again from where it was measured")
	}
	return nil
}

// Check refuses a directory that is none of those that a Job's command creates: a run, a comparison, a
// ranking or a durability test.
func Check(dir string) error {
	runs := []string{dir}
	switch {
	case IsDurability(dir):
		return checkDurability(dir)
	case store.IsComparison(dir):
		runs = nil
		for _, side := range store.Sides {
			runs = append(runs, filepath.Join(dir, side))
		}
	case len(store.RankedRuns(dir)) > 0:
		runs = store.RankedRuns(dir)
	}
	for _, run := range runs {
		if err := store.CheckRun(run); err != nil {
			return err
		}
	}
	return nil
}

// SaveReport saves a report without its run, such as one from the log of a Job, in a new directory below another, under that
// name, and returns its file. If it is no report, ok is false, and nothing is saved.
func SaveReport(below, name string, report []byte) (file string, ok bool, err error) {
	if _, err := jsonout.Read(report); err != nil {
		return "", false, nil
	}
	dir, err := store.MakeDirectory(below, name)
	if err == nil {
		err = store.WriteFile(dir, store.ReportFile, report)
	}
	return filepath.Join(dir, store.ReportFile), err == nil, err
}

// Keeps reports whether the experiment in a directory keeps what it made in the cluster.
func Keeps(dir string) bool {
	file, text, err := store.ReadExperiment(dir)
	if err != nil {
		return false
	}
	exp, err := spec.ParseExperiment(file, text)
	return err == nil && exp.Place.Keep
}
