package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/loadline/loadline/internal/analyze"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/jsonout"
	"github.com/loadline/loadline/internal/report/term"
	"github.com/loadline/loadline/internal/report/text"
	"github.com/loadline/loadline/internal/store"
)

// compareRuns compares two run directories.
func (g *gateFlags) compareRuns(e *env.Env, dirA, dirB, output string) error {
	if sameDirectory(dirA, dirB) {
		return model.RefusedError(fmt.Sprintf("%s and %s are the same run: it would be compared with itself", dirA, dirB), "name two runs")
	}
	a, err := readWhole(dirA)
	if err != nil {
		return err
	}
	b, err := readWhole(dirB)
	if err != nil {
		return err
	}
	if err := refuseCopy(a, b); err != nil {
		return err
	}
	c, err := g.compare(a, b)
	if err != nil {
		return err
	}
	if err := printComparison(e, c, output, false); err != nil {
		return err
	}
	return ending(g.code(c), nil)
}

// refuseCopy refuses a run and a copy of it.
func refuseCopy(a, b *model.Recorded) error {
	if a.Run.ID != b.Run.ID || !a.Run.Started.Equal(b.Run.Started) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s is a copy of %s: a run would be compared with itself", b.Directory, a.Directory), "name two runs")
}

// finishPair reads both sides of a saved comparison back, saves their reports and
// the comparison beside the raw data, prints the comparison, and returns the exit
// code.
func (g *gateFlags) finishPair(e *env.Env, dir, output string, brief bool) (int, error) {
	c, _, unsaved, err := g.recompute(e, dir)
	if err == nil {
		if unsaved != nil {
			// It is not there to be named.
			c.Directory = ""
		}
		err = errors.Join(printComparison(e, c, output, brief), unsaved)
	}
	if err != nil {
		return exitFailed, err
	}
	return g.code(c), nil
}

// recompute computes a saved comparison from its raw data and saves what it
// computed. It also returns the report of side B, and what could not be saved.
func (g *gateFlags) recompute(e *env.Env, dir string) (c *model.Comparison, b *model.Report, unsaved, err error) {
	folder, err := store.Open(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	defer folder.Close()
	var recs [2]*model.Recorded
	var reports [2]*model.Report
	for i, side := range sideDirs {
		err := func() error {
			f, err := folder.Sub(side)
			if err != nil {
				return err
			}
			defer f.Close()
			f.Tidy()
			rec, err := f.Read()
			if err != nil {
				return err
			}
			for _, d := range rec.Damage {
				sayLine(e.Stderr, "loadline: %s: %s", rec.Directory, d)
			}
			recs[i], reports[i] = rec, assembleOn(rec, below(rec, recs[0], reports[0]))
			_, err = saveReport(f, reports[i])
			return err
		}()
		if isUnsaved(err) {
			unsaved = err
		} else if err != nil {
			return nil, nil, nil, err
		}
	}
	if c, err = g.compareWith(recs, reports); err != nil {
		return nil, reports[1], unsaved, err
	}
	c.Directory = dir
	if err = saveComparison(folder, c, reports); isUnsaved(err) {
		unsaved, err = err, nil
	}
	return c, reports[1], unsaved, err
}

func (g *gateFlags) compare(a, b *model.Recorded) (*model.Comparison, error) {
	return g.compareWith([2]*model.Recorded{a, b}, [2]*model.Report{assemble(a), assemble(b)})
}

// compareWith compares, with the margins of the flags, else those of the experiment.
func (g *gateFlags) compareWith(recs [2]*model.Recorded, reports [2]*model.Report) (*model.Comparison, error) {
	exp := recs[1].Plan.Experiment
	margins, err := g.margins(model.Margins{Rate: exp.Margin, P99: exp.MarginP99})
	if err != nil {
		return nil, err
	}
	if len(analyze.CommonWorkloads(recs[0], recs[1])) == 0 {
		return nil, model.RefusedError(
			fmt.Sprintf("the runs have no workload in common: A has %s; B has %s", workloadWords(recs[0]), workloadWords(recs[1])),
			"run both with the same --profile")
	}
	c := analyze.Compare(analyze.Measured{Recorded: recs[0], Report: reports[0]}, analyze.Measured{Recorded: recs[1], Report: reports[1]}, margins)
	if len(c.Rows) == 0 {
		return nil, model.BrokenError("nothing was measured on both sides, so there is nothing to compare", "loadline analyze shows what each run holds")
	}
	return c, nil
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

// readWhole reads a run that has come to an end; one that is still going on, or
// that was cut off, is refused: half a run compares as if it were a whole one.
func readWhole(dir string) (*model.Recorded, error) {
	if store.Running(dir) {
		return nil, model.RefusedError(fmt.Sprintf("the run in %s is still going on", dir), "wait for its end, or interrupt it")
	}
	rec, err := store.Read(dir)
	if err != nil {
		return nil, err
	}
	return rec, isWhole(rec)
}

// isWhole refuses what was read of a run that was cut off.
func isWhole(rec *model.Recorded) error {
	dir := rec.Directory
	look := "loadline analyze " + model.ShellWord(dir) + " shows what can be read of it; measure again to compare"
	switch {
	case len(rec.Damage) > 0:
		return model.RefusedError(fmt.Sprintf("%s is half-written: %s", dir, strings.Join(rec.Damage, "; ")), look)
	case rec.Run.Schema != model.RunSchema:
		return model.RefusedError(fmt.Sprintf("%s was written in schema %q, this loadline reads %q", dir, rec.Run.Schema, model.RunSchema),
			"use the loadline that made it")
	case rec.Run.Finished.IsZero():
		return model.RefusedError(fmt.Sprintf("%s is half-written: %s", dir, rec.Run.Reason), look)
	}
	return nil
}

// sameDirectory tells whether two paths are one directory.
func sameDirectory(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func printComparison(e *env.Env, c *model.Comparison, output string, brief bool) error {
	if output == "json" {
		return jsonout.WriteComparison(term.Raw(e.Stdout), c)
	}
	o := terminalOptions(e.Output)
	o.Brief = brief
	return text.RenderComparison(e.Stdout, c, o)
}
