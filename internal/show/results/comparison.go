package results

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/explain"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/safetext"
)

// refuseCopy refuses a run and a copy of it.
func refuseCopy(a, b *model.Recorded) error {
	if a.Run.ID != b.Run.ID || !a.Run.Started.Equal(b.Run.Started) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s is a copy of %s: a run would be compared with itself", b.Directory, a.Directory), "name two runs")
}

// Recompare computes a comparison from the raw data in its folder and saves the result. If the folder is open since it was
// measured and was moved meanwhile, nothing is saved, and the result is complete all the same. With an error, the damage and the
// report are those from before it.
func Recompare(folder *store.Folder, asked model.Margins) (again Outcome, err error) {
	dir, moved := folder.Dir(), folder.Moved()
	var recs [2]*model.Recorded
	var reports [2]*model.Report
	for i, side := range store.Sides {
		err := func() error {
			f, err := folder.Sub(side)
			if err != nil {
				return model.BrokenError(fmt.Sprintf("the comparison in %s has no folder %s with that side's run: it was moved, replaced or removed", dir, side), "compare again")
			}
			defer f.Close()
			f.Tidy()
			rec, err := f.Read()
			if err != nil {
				return err
			}
			for _, d := range rec.Damage {
				again.Damage = append(again.Damage, rec.Directory+": "+d)
			}
			recs[i], reports[i] = rec, explained(rec, assembleOn(rec, below(rec, recs[0], reports[0])))
			if moved {
				return nil
			}
			_, err = saveReport(f, rec, reports[i])
			return err
		}()
		if isUnsaved(err) {
			if !isKept(again.Unsaved) {
				again.Unsaved = err
			}
		} else if err != nil {
			return again, err
		}
	}
	again.Report = reports[1]
	c, err := compareWith(analyze.Measured{Recorded: recs[0], Report: reports[0]}, analyze.Measured{Recorded: recs[1], Report: reports[1]}, asked)
	if err != nil {
		return again, err
	}
	c.Directory, again.Comparison = dir, c
	if moved {
		// It was not saved there, so the directory is not named.
		c.Directory, reports[0].Run.Directory, reports[1].Run.Directory = "", "", ""
		again.Unsaved = movedAway(dir, "comparison", "loadline compare DIR")
		return again, nil
	}
	if isKept(again.Unsaved) {
		// The saved comparison is that of the reports that are kept.
		return again, nil
	}
	if err = saveComparison(folder, c, reports); isUnsaved(err) {
		again.Unsaved, err = err, nil
	}
	return again, err
}

// CompareRuns compares two run directories with the given margins.
func CompareRuns(dirA, dirB string, asked model.Margins) (*model.Comparison, error) {
	if sameDirectory(dirA, dirB) {
		return nil, model.RefusedError(fmt.Sprintf("%s and %s are the same run: it would be compared with itself", dirA, dirB), "name two runs")
	}
	var sides [2]analyze.Measured
	for i, dir := range []string{dirA, dirB} {
		rec, err := readWhole(dir)
		if err != nil {
			return nil, err
		}
		sides[i].Recorded = rec
	}
	if err := refuseCopy(sides[0].Recorded, sides[1].Recorded); err != nil {
		return nil, err
	}
	for i := range sides {
		sides[i].Report = explained(sides[i].Recorded, Assemble(sides[i].Recorded))
	}
	return compareWith(sides[0], sides[1], asked)
}

// Compare compares two saved runs with the margins of the second one, otherwise the defaults.
func Compare(a, b analyze.Measured) (*model.Comparison, error) {
	for _, side := range []analyze.Measured{a, b} {
		if err := isWhole(side.Recorded); err != nil {
			return nil, err
		}
	}
	if err := refuseCopy(a.Recorded, b.Recorded); err != nil {
		return nil, err
	}
	return compareWith(a, b, model.Margins{})
}

// The default margins, the changes that do not matter (docs/compare.md): high percentiles are less
// certain than rates.
const (
	defaultMargin    = 0.05
	defaultMarginP99 = 0.10
)

// Margins are the given margins, otherwise those of the experiment, otherwise the defaults; 0 means not
// given.
func Margins(asked model.Margins, exp model.Experiment) model.Margins {
	m := model.Margins{Rate: cmp.Or(asked.Rate, exp.Margin, defaultMargin), P99: cmp.Or(asked.P99, exp.MarginP99)}
	if m.P99 == 0 {
		m.P99 = max(defaultMarginP99, m.Rate)
	}
	return m
}

// compareWith compares two sides with the given margins.
func compareWith(a, b analyze.Measured, asked model.Margins) (*model.Comparison, error) {
	if len(analyze.CommonWorkloads(a.Recorded, b.Recorded)) == 0 {
		if name := sameName(a.Recorded, b.Recorded); name != "" {
			return nil, model.RefusedError(
				fmt.Sprintf("both runs have a workload %s, but not the same one: its load, its options or its script differ", name),
				"measure both targets with the same command")
		}
		return nil, model.RefusedError(
			fmt.Sprintf("the runs have no workload in common: A has %s; B has %s", workloadWords(a.Recorded), workloadWords(b.Recorded)),
			"measure both targets with the same command")
	}
	c := analyze.Compare(a, b, Margins(asked, b.Recorded.Plan.Experiment))
	if both := explain.Compare(&budget.Side{Budgets: a.Report.Budgets}, &budget.Side{Budgets: b.Report.Budgets}); len(both) > 0 {
		c.Budgets = both
	}
	if len(c.Rows) == 0 {
		return nil, model.BrokenError("no workload was measured on both sides, so there is nothing to compare", "loadline analyze shows what each run holds")
	}
	return c, nil
}

// sameName returns the name of a workload that both runs have; "" if there is none.
func sameName(a, b *model.Recorded) string {
	for _, w := range a.Plan.Workloads {
		if _, both := b.Plan.Workload(w.Name); both {
			return w.Name
		}
	}
	return ""
}

func workloadWords(rec *model.Recorded) string {
	var names []string
	for _, w := range rec.Plan.Workloads {
		names = append(names, w.Name)
	}
	if len(names) > 4 {
		names = append(names[:4], "…")
	}
	return strings.Join(names, ", ")
}

// readWhole reads a finished run; one that is still in progress, or was cut off, is refused: a partial
// run would be compared as if it were complete.
func readWhole(dir string) (*model.Recorded, error) {
	if store.Running(dir) {
		return nil, model.RefusedError(fmt.Sprintf("the run in %s is still in progress", dir), "wait for its end, or interrupt it")
	}
	rec, err := store.Read(dir)
	if err != nil {
		return nil, err
	}
	return rec, isWhole(rec)
}

// isWhole refuses a run that was cut off.
func isWhole(rec *model.Recorded) error {
	dir := rec.Directory
	look := "loadline analyze " + safetext.ShellWord(dir) + " shows what can be read of it; measure again to compare"
	switch {
	case len(rec.Damage) > 0:
		return model.RefusedError(fmt.Sprintf("%s is half-written: %s", dir, strings.Join(rec.Damage, "; ")), look)
	case rec.Run.Finished.IsZero():
		return model.RefusedError(fmt.Sprintf("%s is half-written: %s", dir, cmp.Or(rec.Run.Reason, "its record does not say when it ended")), look)
	}
	return nil
}

// sameDirectory reports whether two paths refer to the same directory.
func sameDirectory(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
