package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/screen"
)

func newKbench(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kbench",
		Short: "Replace Kbench: its variables, files, summaries and metrics",
		Long: `Does what Kbench's entry points do, with the same environment variables, arguments,
files, summary and metrics, measured and judged by Loadline. The container image
loadline-kbench calls it instead of run.sh, cmp_run.sh and metric-exporter.`,
		Args: usage.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKbenchRun(e), newKbenchCompare(e), newKbenchExporter(e))
	return cmd
}

// kbenchFlags are the flags that the two measuring commands share.
type kbenchFlags struct {
	overwrite, quiet, child bool
	time, rampTime          string
	label                   flags.Label
}

func (f *kbenchFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "overwrite the file or device, and any file with the name of a result, as Kbench does without asking")
	cmd.Flags().StringVar(&f.time, "time", "", "measure each job for this long (default: 20s, in quick mode 5s)")
	cmd.Flags().StringVar(&f.rampTime, "ramp-time", "", "run each job for this long before it is measured (default: 5s, in quick mode 1s)")
	f.label.Register(cmd)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	registerProgress(cmd)
	registerChild(cmd, &f.child)
}

func newKbenchRun(e *env.Env) *cobra.Command {
	var f kbenchFlags
	cmd := &cobra.Command{
		Use:   "run [FILE [PREFIX [SIZE]]]",
		Short: "What run.sh does: Kbench's twelve jobs, or one of them",
		Long: `Measures FILE, a file or a block device, and writes PREFIX-iops.json,
PREFIX-bandwidth.json, PREFIX-latency.json, PREFIX.summary, and a report of Loadline's
own, PREFIX-report.json. A file that does not exist is created, filled and removed. Earlier
results are replaced, other files with those names only with --overwrite; a link or a
device in their place is always refused.

Environment, if no argument is given: FILE_NAME, OUTPUT (./test_device), SIZE (10g).
  MODE           full (default), quick, or one job:
                 {random,sequential}-{read,write}-{iops,bandwidth,latency}
  CPU_IDLE_PROF  enabled: report how idle the machine's processors were
  RATE_IOPS      a limit per second, or READS,WRITES
  RATE           a limit of bytes per second, such as 23244k, (reads) or ,7559k (writes)
  SKIP_PARSE     set: no summary
  LONG_RUN       true: measure repeatedly, 1 s apart, until stopped

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason,
as an invalid setting is; 130 interrupted. Verdicts are printed but do not change it.`,
		Example: `  loadline kbench run --overwrite /dev/sdX raw-disk 4g
  MODE=quick SIZE=512M loadline kbench run /var/lib/postgresql/test`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := kbench.Parse(args, e.Getenv)
			if err != nil {
				return err
			}
			f.remark(e, r)
			return f.run(cmd.Context(), e, r)
		},
	}
	f.register(cmd)
	return cmd
}

func newKbenchCompare(e *env.Env) *cobra.Command {
	var f kbenchFlags
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "What cmp_run.sh does: one volume, then another, and the change",
		Long: `Measures the first volume and then the second as run does, and writes
FIRST_vs_SECOND.summary. Below Kbench's table, it says for every number whether the
change is more than noise.

Environment: FIRST_VOL_NAME, FIRST_VOL_FILE, SECOND_VOL_NAME, SECOND_VOL_FILE, and
SIZE, MODE, CPU_IDLE_PROF, RATE_IOPS and RATE as for run.

Exit codes: as for run.`,
		Example: `  FIRST_VOL_NAME=a FIRST_VOL_FILE=/mnt/a/test SECOND_VOL_NAME=b SECOND_VOL_FILE=/mnt/b/test MODE=quick SIZE=512M loadline kbench compare`,
		Args:    usage.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			pair, err := kbench.ParsePair(e.Getenv)
			if err != nil {
				return err
			}
			f.remark(e, pair[0])
			return f.compare(cmd.Context(), e, pair)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *kbenchFlags) remark(e *env.Env, r kbench.Request) {
	for _, remark := range r.Remarks {
		screen.Notes(e, f.quiet)(remark)
	}
}

// measure measures, and calls done after each pass over the jobs.
func (f *kbenchFlags) measure(ctx context.Context, e *env.Env, r kbench.Request, done func(*kbench.Cycle) error) error {
	watch := screen.New(e, f.quiet)
	defer watch.Close()
	o := kbench.Options{Overwrite: f.overwrite, Child: f.child, Watch: watch, Command: recordedCommand(e)}
	var errs [3]error
	o.Time, errs[0] = flags.ParseSpan("--time", f.time)
	o.RampTime, errs[1] = flags.ParseSpan("--ramp-time", f.rampTime)
	o.Labels, errs[2] = f.label.Labels()
	if err := cmp.Or(errs[:]...); err != nil {
		return err
	}
	s, err := kbench.Begin(ctx, e, r, o)
	if err != nil {
		return err
	}
	plan, probe := s.Plan()
	watch.Planned(model.Run{ID: r.Prefix, Labels: o.Labels}, "", []model.Plan{*plan}, []model.ProbeResult{*probe})
	err = s.Cycles(ctx, func(c *kbench.Cycle) error {
		watch.Clear()
		return done(c)
	})
	err = errors.Join(err, s.Close())
	watch.Close()
	screen.PrintReturned(e, s.Discarded())
	return err
}

// run measures once, or until it is told to end.
func (f *kbenchFlags) run(ctx context.Context, e *env.Env, r kbench.Request) error {
	if err := kbench.CheckResults(r, f.overwrite); err != nil {
		return err
	}
	return f.measure(ctx, e, r, func(done *kbench.Cycle) error {
		if r.SkipParse {
			return nil
		}
		return printSaved(e)(kbench.SaveSummary(r, done, screen.Text(e.Output)))
	})
}

// compare measures first one and then the other, as Kbench does.
func (f *kbenchFlags) compare(ctx context.Context, e *env.Env, pair [2]kbench.Request) error {
	if err := kbench.CheckPair(pair, f.overwrite); err != nil {
		return err
	}
	var sides [2]*kbench.Cycle
	for i, r := range pair {
		err := f.measure(ctx, e, r, func(done *kbench.Cycle) error {
			sides[i] = done
			return nil
		})
		if err != nil {
			return err
		}
	}
	return printSaved(e)(kbench.SaveComparison(pair, sides, screen.Text(e.Output)))
}

// printSaved returns what prints a summary that was saved.
func printSaved(e *env.Env) func(string, error) error {
	return func(words string, err error) error {
		if err == nil {
			_, err = fmt.Fprint(term.Styled(e.Stdout), words)
		}
		return err
	}
}
