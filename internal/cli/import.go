package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/results"
)

// importFlags are the flags of import.
type importFlags struct {
	evidence          flags.Evidence
	as, into, results string
	baseline, note    string
	same              []string
	output            outputFlags
	label             flags.Label
}

func newImport(e *env.Env) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [NAME=]FILE…",
		Short: "Turn other tools' results into reports and a ranking",
		Long: `Reads results printed by another tool, saves them as runs together with the originals,
and reports them like runs: with a verdict on every number, at best "suspect", because
what was not recorded cannot be checked. Several systems are compared in a ranking that
says which places the numbers support.

FILE is a file, or - for standard input. NAME= says what was measured; files with one name
belong to one system. Without it, the name comes from the file's name or its content
(a comparison of two volumes, a document with a heading for each system).

Formats, detected from the content:
` + formatList() + `
Exit codes: 0 fine; 1 failed; 2 not a readable result, with the line up to which it
was understood; 5 a number is invalid; 130 interrupted.`,
		Example: `  loadline import longhorn=fio.json
  loadline import A=a.log B=b.log --into bake-off
  loadline import whitepaper.md`,
		Args: usage.AtLeast("one FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			labels, err := f.label.Labels()
			if err != nil {
				return err
			}
			exp := model.Experiment{Scenario: imported.Scenario, Note: f.note, Labels: labels}
			if err := f.evidence.Apply(&exp); err != nil {
				return err
			}
			done, err := results.Import(results.ImportOptions{Files: args, Stdin: e.Stdin, As: f.as, Into: f.into, Results: f.results, Baseline: f.baseline, Same: f.same,
				Experiment: exp, Now: e.Now, Command: recordedCommand(e), Version: worker.Version})
			if err != nil {
				return err
			}
			return exitError(finish(e, done, &f.output, false))
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.as, "as", "", "the `FORMAT` of all files, instead of detecting it")
	fl.StringVar(&f.into, "into", "", "the new `DIR` to save in (default: a new one under --results)")
	fl.StringVar(&f.results, "results", defaultResults, "create the new directory in this `DIR`")
	fl.StringVar(&f.baseline, "baseline", "", "the `NAME` of the system that the others are built on and are compared with")
	fl.StringArrayVar(&f.same, "same", nil, "`NAME=OTHER`: what a document says about OTHER belongs to the system NAME (repeatable)")
	f.evidence.RegisterKnown(cmd)
	fl.StringVar(&f.note, "note", "", "a note to save with the results")
	registerOutput(e, cmd, &f.output)
	f.label.Register(cmd)
	return cmd
}

// formatList lists the formats for the help.
func formatList() string {
	var b strings.Builder
	for _, f := range imported.Formats() {
		fmt.Fprintf(&b, "  %-15s %s\n", f.Name, f.Title)
	}
	return b.String()
}
