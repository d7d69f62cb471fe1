package cli

import (
	"slices"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/screen"
)

// compareTraces compares two saved traces and prints the result.
func (g *gateFlags) compareTraces(e *env.Env, dirA, dirB string, output *outputFlags) error {
	margins, err := g.margins()
	if err != nil {
		return err
	}
	switch output.name() {
	case "text", "json", "markdown", "html":
	default:
		return format.NotFor(output.name(), "a comparison of two traces", "text, json, markdown or html")
	}
	c, err := results.CompareTraces(dirA, dirB, margins)
	if err != nil {
		return err
	}
	switch output.name() {
	case "json":
		err = jsonout.WriteTraceComparison(term.Raw(e.Stdout), c)
	case "html":
		err = html.RenderTraceComparison(term.Raw(e.Stdout), c)
	case "markdown":
		err = markdown.RenderTraceComparison(term.Raw(e.Stdout), c)
	default:
		err = text.RenderTraceComparison(e.Stdout, c, screen.Text(e.Output))
	}
	if err != nil {
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
	}{{"worse", []iotrace.Verdict{iotrace.Slower}, exitRegression}, {"invalid", []iotrace.Verdict{iotrace.Unusable}, exitInvalid}, {"unclear", []iotrace.Verdict{iotrace.Unclear, iotrace.Unlike}, exitUnclear}} {
		if slices.Contains(g.failOn, fail.word) && slices.ContainsFunc(c.Rows, func(r iotrace.Compared) bool { return slices.Contains(fail.verdicts, r.Verdict) }) {
			return fail.code
		}
	}
	return exitOK
}

// mixedTrace refuses to compare a trace with something else.
func mixedTrace(trace, other string) error {
	return model.RefusedError(trace+" is a saved trace and "+other+" is not: the two cannot be compared", "name two traces, two runs or two targets")
}
