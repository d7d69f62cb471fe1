package results

import (
	"fmt"
	"path/filepath"

	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Outcome is what was computed from the raw data of a directory, and saved beside them.
type Outcome struct {
	// Report is that of the run, of the ranking, or of side B of a comparison.
	Report *model.Report
	// Document is the report as it was saved; empty for a comparison.
	Document []byte
	// Comparison is that of two runs.
	Comparison *model.Comparison
	// Systems are the reports from which a ranking was made.
	Systems []*model.Report
	// Durability is that of a durability test, and then the only report.
	Durability *model.Durability
	// Trace is that of a trace, and then the only report.
	Trace *iotrace.Report
	// Damage are sentences on what could not be read.
	Damage []string
	// Unsaved is what could not be saved; nil if all was. The rest is complete.
	Unsaved error
}

// Analyze recomputes the results in a directory, whatever it contains: a run, an import (whose
// originals are read again), a ranking or a durability test. A comparison is refused: it is two runs,
// and Recompare handles it.
func Analyze(dir string) (Outcome, error) {
	switch {
	case IsDurability(dir):
		return analyzeDurability(dir)
	case store.IsTrace(dir):
		return analyzeTrace(dir)
	case store.IsComparison(dir):
		return Outcome{}, model.RefusedError(fmt.Sprintf("%s holds a comparison, which is two runs", dir),
			fmt.Sprintf("loadline compare %s   (it computes the comparison again), or loadline analyze %s for one side",
				safetext.ShellWord(dir), safetext.ShellWord(filepath.Join(dir, store.BaselineDir))))
	case store.Running(dir):
		return Outcome{}, stillRunning("run", dir)
	case len(store.RankedRuns(dir)) > 0:
		return analyzeRanking(dir)
	case store.IsImported(dir):
		if err := reimportIn(dir); err != nil {
			return Outcome{}, err
		}
	}
	return finishIn(dir)
}

// stillRunning refuses what has not ended.
func stillRunning(what, dir string) error {
	return model.RefusedError(fmt.Sprintf("the %s in %s is still in progress", what, dir), "wait for its end, or interrupt it")
}

// finishIn reads a run back and calls Finish. It uses what was saved and not what is in memory, so that
// measuring and analyzing cannot disagree.
func finishIn(dir string) (Outcome, error) {
	rec, err := store.Read(dir)
	if err != nil {
		return Outcome{}, err
	}
	return Finish(rec)
}

// Finish computes the report of a run, and saves it beside the raw data. A report that cannot be saved
// is complete all the same. One that holds more, because the raw data were damaged since, is not replaced.
func Finish(rec *model.Recorded) (Outcome, error) {
	done := Outcome{Report: explained(rec, Assemble(rec))}
	var err error
	if store.IsRun(rec.Directory) {
		var f *store.Folder
		if f, err = store.Open(rec.Directory); err != nil {
			return done, err
		}
		defer f.Close()
		f.Tidy()
		done.Document, err = saveReport(f, rec, done.Report)
	} else {
		err = movedAway(rec.Directory, "run", "loadline analyze DIR")
	}
	if isUnsaved(err) {
		// It was not saved there, so the directory is not named.
		done.Report.Run.Directory = ""
		done.Unsaved, err = err, nil
	}
	for _, d := range rec.Damage {
		done.Damage = append(done.Damage, rec.Directory+": "+d)
	}
	return done, err
}

// analyzeDurability recomputes the report of a saved test from its ledger.
func analyzeDurability(dir string) (Outcome, error) {
	d, err := readDurability(dir)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Durability: d, Unsaved: saving(dir, "loadline analyze "+safetext.ShellWord(dir), SaveDurability(d))}, nil
}

// readDurability computes the report of a finished test from its ledger.
func readDurability(dir string) (*model.Durability, error) {
	if err := checkDurability(dir); err != nil {
		return nil, err
	}
	if durability.Running(dir) {
		return nil, stillRunning("test", dir)
	}
	return durability.Read(dir)
}
