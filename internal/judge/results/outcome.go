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
	// Systems are the reports that a ranking was made of.
	Systems []*model.Report
	// Durability is that of a durability test, and then the only one.
	Durability *model.Durability
	// Trace is that of a trace, and then the only one.
	Trace *iotrace.Report
	// Damage are sentences on what could not be read.
	Damage []string
	// Unsaved is what could not be saved; nil when all was. The rest is whole.
	Unsaved error
}

// Analyze computes what is known of a directory of results again, whatever is in it:
// a run, an import (whose originals are read again), a ranking or a durability test. A
// comparison is refused: it is two runs, and Recompare's.
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

// stillRunning refuses what is not at its end.
func stillRunning(what, dir string) error {
	return model.RefusedError(fmt.Sprintf("the %s in %s is still in progress", what, dir), "wait for its end, or interrupt it")
}

// finishIn reads a run back and is Finish of it. It reads what was saved and not what is
// in memory, so that measuring and analyzing cannot disagree.
func finishIn(dir string) (Outcome, error) {
	rec, err := store.Read(dir)
	if err != nil {
		return Outcome{}, err
	}
	return Finish(rec)
}

// Finish computes the report of a run that was read, and saves it beside the raw data. A
// report that cannot be saved is whole all the same.
func Finish(rec *model.Recorded) (Outcome, error) {
	f, err := store.Open(rec.Directory)
	if err != nil {
		return Outcome{}, err
	}
	defer f.Close()
	f.Tidy()
	done := Outcome{Report: explained(rec, Assemble(rec))}
	done.Document, err = saveReport(f, done.Report)
	if isUnsaved(err) {
		// It is not there to be named.
		done.Report.Run.Directory = ""
		done.Unsaved, err = err, nil
	}
	for _, d := range rec.Damage {
		done.Damage = append(done.Damage, rec.Directory+": "+d)
	}
	return done, err
}

// analyzeDurability computes the report of a saved test again, from its ledger.
func analyzeDurability(dir string) (Outcome, error) {
	d, err := readDurability(dir)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Durability: d, Unsaved: saving(dir, "loadline analyze "+safetext.ShellWord(dir), SaveDurability(d))}, nil
}

// readDurability computes the report of a test that is over from its ledger.
func readDurability(dir string) (*model.Durability, error) {
	if err := checkDurability(dir); err != nil {
		return nil, err
	}
	if durability.Running(dir) {
		return nil, stillRunning("test", dir)
	}
	return durability.Read(dir)
}
