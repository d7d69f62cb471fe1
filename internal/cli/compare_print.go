package cli

import (
	"errors"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// compareRuns compares two run directories and prints the result.
func (g *gateFlags) compareRuns(e *env.Env, dirA, dirB string, output *outputFlags) error {
	margins, err := g.margins()
	if err != nil {
		return err
	}
	c, err := results.CompareRuns(dirA, dirB, margins)
	if err != nil {
		return err
	}
	g.judged = c
	if err := printComparison(e, c, output, false, func() error { return output.emitSaved(e, c, dirA, dirB) }); err != nil {
		return err
	}
	return exitError(g.code(c), nil)
}

// recompute computes a comparison from its folder, and reports what could not be read.
func (g *gateFlags) recompute(e *env.Env, folder *store.Folder) (results.Outcome, error) {
	margins, err := g.margins()
	if err != nil {
		return results.Outcome{}, err
	}
	again, err := results.Recompare(folder, margins)
	g.judged = again.Comparison
	for _, d := range again.Damage {
		printLine(e.Stderr, "loadline: %s", d)
	}
	return again, err
}

// finishPair reads both sides of a saved comparison back, saves their reports and
// the comparison beside the raw data, prints the comparison, and returns the exit
// code.
func (g *gateFlags) finishPair(e *env.Env, folder *store.Folder, output *outputFlags, brief bool) (int, error) {
	again, err := g.recompute(e, folder)
	if err == nil {
		if again.Unsaved != nil {
			// The comparison could not be saved in the directory, so do not name it.
			again.Comparison.Directory = ""
		}
		document := func() error { return output.emitComparison(e, again.Comparison, folder) }
		err = errors.Join(printComparison(e, again.Comparison, output, brief, document), again.Unsaved)
	}
	if err != nil {
		return exitFailed, err
	}
	return g.code(again.Comparison), nil
}

// printComparison prints a comparison; document writes it in a format other than text and JSON.
func printComparison(e *env.Env, c *model.Comparison, output *outputFlags, brief bool, document func() error) error {
	words := func() error {
		o := screen.Text(e.Output)
		o.Brief = brief
		return text.RenderComparison(e.Stdout, c, o)
	}
	output.words = words
	switch output.name() {
	case "json":
		return jsonout.WriteComparison(term.Raw(e.Stdout), c)
	case "text":
		return words()
	}
	return document()
}
