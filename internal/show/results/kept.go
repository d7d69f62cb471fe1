package results

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// keepsSaved returns an unsaved error if the report that is saved in a folder must not be replaced: the raw data are damaged, and
// it holds results that can no longer be computed from them.
func keepsSaved(f *store.Folder, rec *model.Recorded, again *model.Report) error {
	if rec == nil || len(rec.Damage) == 0 {
		return nil
	}
	data, err := store.ReadDocument(f.Files(), store.ReportFile)
	if err != nil {
		return nil
	}
	doc, err := jsonout.Read(data)
	if err != nil || doc.Report == nil || !holdsMore(doc.Report, again) {
		return nil
	}
	return unsaved{model.BrokenError(fmt.Sprintf("%s keeps the report saved before: it holds results that can no longer be computed, because the raw data are damaged", f.Dir()),
		"copy the directory again from where it was measured; loadline report "+safetext.ShellWord(f.Dir())+" shows the saved report"), true}
}

// holdsMore reports whether a report has a result that another one lacks, or has based on less time.
func holdsMore(r, than *model.Report) bool {
	if len(r.Durability) > len(than.Durability) {
		return true
	}
	return slices.ContainsFunc(r.Results, func(had model.Result) bool {
		return !slices.ContainsFunc(than.Results, func(has model.Result) bool {
			return has.Workload == had.Workload && has.Direction == had.Direction && has.Seconds >= had.Seconds
		})
	})
}
