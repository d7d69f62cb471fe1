package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/show/results"
)

// gateFlags define what counts as a change in a comparison, and which verdicts fail.
type gateFlags struct {
	margin, marginP99 string
	failOn            []string
	// judged is the comparison that the gate has judged.
	judged *model.Comparison
}

// defaultFailOn is the default of --fail-on.
var defaultFailOn = []string{"worse"}

func (g *gateFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.margin, "margin", "", "relative change of a rate or mean that counts as no change (default 5%)")
	f.StringVar(&g.marginP99, "margin-p99", "", "the same for a p99 (default 10%, or --margin if that is more)")
	flags.WordsVar(f, &g.failOn, "fail-on", defaultFailOn, spec.FailWords, "verdicts on a row that make the command fail: "+strings.Join(spec.FailWords, ", "))
}

// margins parses the margins; a margin that is not given is 0.
func (g *gateFlags) margins() (m model.Margins, err error) {
	if g.margin != "" {
		if m.Rate, err = flags.ParseShare("--margin", g.margin); err != nil {
			return m, err
		}
	}
	if g.marginP99 != "" {
		if m.P99, err = flags.ParseShare("--margin-p99", g.marginP99); err != nil {
			return m, err
		}
	}
	return m, nil
}

// compare makes an experiment compare its target with another one.
func (g *gateFlags) compare(exp *model.Experiment, scenario, baseline string) error {
	requested, err := g.margins()
	if err != nil {
		return err
	}
	margins := results.Margins(requested, model.Experiment{})
	exp.Scenario, exp.Baseline, exp.Margin, exp.MarginP99 = scenario, baseline, margins.Rate, margins.P99
	if !slices.Equal(g.failOn, defaultFailOn) {
		exp.FailOn = g.failOn
	}
	return nil
}

// refuseTyped refuses flags of the gate that were typed where nothing is compared: whoever typed them waits for a failure that
// cannot happen. An invalid result fails without a comparison, too.
func (g *gateFlags) refuseTyped(names []string) error {
	for _, name := range flagtable.Names(flagtable.Gate) {
		alone := name == "fail-on" && !slices.Contains(g.failOn, "worse") && !slices.Contains(g.failOn, "unclear")
		if slices.Contains(names, name) && !alone {
			return model.RefusedError(fmt.Sprintf("--%s is for comparisons, and nothing is compared here", name), "add --baseline TARGET, or leave it out; --goal judges a single result")
		}
	}
	return nil
}

// code returns the exit code for the verdicts on the rows.
func (g *gateFlags) code(c *model.Comparison) int {
	has := func(v model.Change) bool {
		return slices.ContainsFunc(c.Rows, func(r model.Row) bool { return r.Verdict == v })
	}
	on := func(word string) bool { return slices.Contains(g.failOn, word) }
	switch {
	case on("worse") && has(model.Worse):
		return exitRegression
	case on("invalid") && has(model.Unusable):
		return exitInvalid
	case on("unclear") && has(model.Unclear):
		return exitUnclear
	}
	return exitOK
}
