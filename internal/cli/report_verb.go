package cli

import (
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/results"
)

// reportFlags are the flags of report.
type reportFlags struct {
	outputFlags
	system      string
	asReference bool
}

func newReport(e *env.Env) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN…",
		Short: "Write the report of saved runs as a page, Markdown, CSV, JSON or text",
		Long: `Writes the report of saved runs. RUN is a run directory, the folder of a comparison, of a
durability test or of a trace, or a report.json. If there are several, each is shown next to
the first and compared with it, as compare does. Nothing in them is changed.

The format follows from FILE's extension, and is text if it has none:
` + format.Help() + `
CSV has one row for each estimate. In addition to FILE.csv, it writes FILE-samples.csv (one
row for each second of each worker, or for a trace, of each kind of I/O), for scale
FILE-scale.csv and FILE-laws.csv, and for several runs FILE-comparison.csv. Without -o the
report goes to standard output, as text. An existing FILE is replaced only if it is a
report; it keeps its owner and mode, and a link remains a link. Devices are never written,
except for a terminal or /dev/null.

With --reference it writes a reference report instead, as a page, Markdown (the default)
or JSON: what the system is, how it was measured, for each workload the result, the law
and what follows from it, and answers to common questions, with intervals. RUN is then a
run of loadline scale, a run of one volume, or one FILE.yaml of published points (see
docs/sizing.md); a chapter that was not measured says so.

Exit codes: 0 written, whatever it says (use loadline analyze to judge); 1 failed; 2 refused:
no such run, an unknown format, or a FILE that is not a report; 130 interrupted.`,
		Example: `  loadline report loadline-results/20261120-235200-var-lib
  loadline report loadline-results/20261120-235200-var-lib loadline-results/20261121-091500-var-lib --format markdown
  loadline report --reference docs/medium-nodes.yaml`,
		Args: usage.AtLeast("one RUN"),
		RunE: func(_ *cobra.Command, args []string) error { return f.report(e, args) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	f.usual = func() string {
		if f.asReference {
			return "markdown"
		}
		return ""
	}
	registerOutput(e, cmd, &f.outputFlags)
	fl.BoolVar(&f.asReference, "reference", false, "write a reference report of the measured system")
	fl.StringVar(&f.system, "system", "", "with --reference: a YAML `FILE` that describes the hardware")
	fl.BoolVar(&f.force, "force", false, "replace FILE even if it is not a report")
	return cmd
}

func (f *reportFlags) report(e *env.Env, args []string) error {
	if f.asReference {
		return f.reference(e, args)
	}
	if f.system != "" {
		return model.RefusedError("--system needs --reference", "add --reference, or leave it out")
	}
	d, err := results.Read(args)
	if err != nil {
		return err
	}
	for _, r := range d.Remarks {
		printLine(e.Stderr, "note    %s", r)
	}
	return f.emit(e, &d.Documents)
}
