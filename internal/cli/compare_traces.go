package cli

import (
	"slices"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// compareTraces compares two saved traces and prints the result.
func (g *gateFlags) compareTraces(e *env.Env, dirA, dirB string, output *outputFlags) error {
	margins, err := g.margins()
	if err != nil {
		return err
	}
	render, err := format.ForTraceComparison(output.name())
	if err != nil {
		return err
	}
	c, err := results.CompareTraces(dirA, dirB, margins)
	if err != nil {
		return err
	}
	out := e.Stdout
	if output.name() != "text" {
		out = term.Raw(out)
	}
	if err := render(out, c, screen.Text(e.Output)); err != nil {
		return err
	}
	return exitError(g.traceCode(c), nil)
}

// traceCode returns the exit code for the verdicts on the rows; slower counts as worse.
func (g *gateFlags) traceCode(c *iotrace.Comparison) int {
	for _, fail := range []struct {
		word     string
		verdicts []iotrace.Verdict
		code     int
	}{{"worse", []iotrace.Verdict{iotrace.Slower}, exitRegression}, {"invalid", []iotrace.Verdict{iotrace.Unusable}, exitInvalid}, {"unclear", []iotrace.Verdict{iotrace.Unclear, iotrace.NotComparable}, exitUnclear}} {
		if slices.Contains(g.failOn, fail.word) && slices.ContainsFunc(c.Rows, func(r iotrace.Compared) bool { return slices.Contains(fail.verdicts, r.Verdict) }) {
			return fail.code
		}
	}
	return exitOK
}
