package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/outfile"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/text"
)

// reportFlags are the flags of report.
type reportFlags struct {
	out, format, system string
	force               bool
	asReference         bool
}

func newReport(e *env.Env) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN…",
		Short: "Write the report of saved runs as a page, Markdown, CSV, JSON or text",
		Long: `Writes what saved runs say. RUN is a run directory, the folder of a comparison or of a
durability test, or a report.json; of several runs each is put beside the first and
compared with it, as compare does. Nothing in them is changed.

The format is that of FILE's extension:
` + format.Help() + `
CSV is one row for each estimate; beside FILE.csv there come FILE-samples.csv (one row
for each second of each worker), of scale FILE-scale.csv and FILE-laws.csv, and, for
several runs, FILE-comparison.csv. Without -o the report goes to standard output, as
text. A FILE that exists is only replaced when it is a report; it keeps its owner and
mode, and a link stays one. A device is never written, other than a terminal or /dev/null.

With --reference it writes a reference report instead, as a page, Markdown or JSON: what
the system is, how it was measured, for each workload the result, the law and what
follows from it, and the answers to what people ask, with intervals. RUN is then a run
of loadline scale, a run of one volume, or one FILE.yaml of published points (see
docs/sizing.md); a chapter that nobody measured says so.

Exit codes: 0 written, whatever it says (loadline analyze judges); 1 failed; 2 refused:
no such run, an unknown format, or a FILE that is no report; 130 interrupted.`,
		Example: `  loadline report loadline-results/20261120-235200-var-lib
  loadline report loadline-results/20261120-235200-var-lib loadline-results/20261121-091500-var-lib --format markdown
  loadline report --reference docs/medium-nodes.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return exactly(1, "at least one RUN")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return f.report(e, args) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&f.out, "out", "o", "", "`FILE` to write (default: standard output)")
	fl.StringVar(&f.format, "format", "", "one of "+strings.Join(format.Names(), ", ")+" (default: by FILE's extension, else text)")
	fl.BoolVar(&f.asReference, "reference", false, "write a reference report of the system that the runs measured")
	fl.StringVar(&f.system, "system", "", "with --reference: what the hardware is, a YAML `FILE` with a system")
	fl.BoolVar(&f.force, "force", false, "replace FILE even if it is no report")
	return cmd
}

func (f *reportFlags) report(e *env.Env, args []string) error {
	if f.asReference {
		return f.reference(e, args)
	}
	if f.system != "" {
		return model.RefusedError("--system goes with --reference", "add --reference, or leave it out")
	}
	chosen, err := format.Choose(f.format, f.out)
	if err != nil {
		return err
	}
	toStdout := f.out == "" || f.out == "-"
	if !toStdout {
		if err := outfile.Check(f.out, f.force); err != nil {
			return err
		}
	}
	d, err := results.Read(args)
	if err != nil {
		return err
	}
	for _, r := range d.Remarks {
		sayLine(e.Stderr, "note    %s", r)
	}
	o := chartOptions(e, toStdout)
	files, err := chosen.Write(&d.Documents, o)
	if err != nil {
		return err
	}
	if toStdout {
		if len(files) > 1 {
			sayLine(e.Stderr, "note    with -o FILE%s the %s come as well", chosen.Extensions[0], strings.Join(names(files[1:]), " and the "))
		}
		_, err := chosen.Stream(e.Stdout).Write(files[0].Data)
		return err
	}
	if outfile.IsStream(f.out) && len(files) > 1 {
		sayLine(e.Stderr, "note    %s takes the first file only: with -o FILE%s the %s come as well", f.out, chosen.Extensions[0], strings.Join(names(files[1:]), " and the "))
		files = files[:1]
	}
	// All of them or none: none is replaced before each may be.
	for _, file := range files {
		if err := outfile.Check(outfile.Beside(f.out, file.Suffix), f.force); err != nil {
			return err
		}
	}
	for _, file := range files {
		name := outfile.Beside(f.out, file.Suffix)
		if err := outfile.Write(name, file.Data); err != nil {
			return err
		}
		sayLine(e.Stderr, "saved   %s", name)
	}
	return nil
}

// chartOptions tells how text is written: for the terminal, or for a file that is
// read anywhere.
func chartOptions(e *env.Env, toStdout bool) text.Options {
	if toStdout {
		return terminalOptions(e.Output)
	}
	return text.Options{Width: 120, Unicode: true}
}

func names(files []format.File) (list []string) {
	for _, f := range files {
		list = append(list, strings.TrimPrefix(f.Suffix, "-"))
	}
	return list
}
