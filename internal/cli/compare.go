package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/plan/profile"
)

// compareFlags are the flags of compare: those of run for measuring, and the gate.
type compareFlags struct {
	options
	measureFlags
}

func newCompare(e *env.Env) *cobra.Command {
	cmd := compareCommand(e, &compareFlags{})
	cmd.AddCommand(newCompareApp(e))
	return cmd
}

func compareCommand(e *env.Env, f *compareFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare A B | compare DIR",
		Short: "Say which of two targets or saved runs is better",
		Long: `Compares B with A. Two targets (as for run) are measured in interleaved blocks, a repeat
of one and a repeat of the other in random order, until each interval is narrower than
the margin or --max-time is over; two run directories are compared as they are; DIR is
the folder of a saved comparison. --experiment repeats the comparison in such a folder,
and --in-cluster runs it in a Job in a Kubernetes cluster (see loadline run).

` + compareAppVerbs() + ` measure an application in two places
instead. Saved runs of an application are compared like any others, by their directories.

If there is time, each side is also measured for 20 s without a pause in each direction:
if burst credits run out during that, the sustained rates are compared.

Each row is better or worse (the whole 95 % interval lies beyond the margin, and the
difference is significant over all rows), the same (it lies within), or unclear.

Two directories of loadline trace are compared operation by operation, and by processes
of the same name: faster, slower or unclear, and for rates more or fewer. They observed
two loads, so neither is called better, and if sizes or the mix of operations differ,
latencies are not judged. Slower counts as worse, not comparable as unclear.

Exit codes: 0 none of the conditions in --fail-on; 1 failed; 2 refused, with the reason;
4 a row is worse; 5 a row is unusable because a number is invalid, with --fail-on invalid;
6 inconclusive: a row is unclear, with --fail-on unclear; 130 interrupted (results so far
are kept).`,
		Example: `  loadline compare /srv/old /srv/new --profile quick
  loadline compare loadline-results/20261120-235200-var-lib loadline-results/20261121-091500-var-lib --margin 3%
  loadline compare app postgres /srv/old /srv/new --clients 1,16`,
		ValidArgsFunction: orPaths,
		Args: f.unlessRepeated(func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			if len(args) > 2 && args[0] == usage.App {
				if _, err := session.Applications().Lookup(args[1]); err != nil {
					return err
				}
			}
			return usage.Exactly(2, "two targets, two run directories, or the folder of a saved comparison")(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(flags.CheckFailOn(f.gate.failOn), f.inside.check(cmd)); err != nil {
				return err
			}
			if f.experimentFile != "" {
				return f.targets(e, cmd, args)
			}
			kind := session.SavedComparison
			if len(args) == 2 {
				var err error
				if kind, err = session.WhatIsCompared(args[0], args[1]); err != nil {
					return err
				}
			}
			if kind == session.TwoTargets {
				return f.targets(e, cmd, args)
			}
			return interruptible(func(cmd *cobra.Command, args []string) error { return f.saved(e, cmd, kind, args) })(cmd, args)
		},
	}
	f.options.register(cmd)
	f.gate.register(cmd)
	f.inside.register(cmd)
	f.saveFlags.register(e, cmd, comparisonHelp)
	f.registerPublisher(e, cmd)
	return cmd
}

// comparisonHelp is the help text of --results if a comparison is saved.
const comparisonHelp = "create the comparison's folder in this `DIR`"

// saved compares what is saved, whose raw data is read again.
func (f *compareFlags) saved(e *env.Env, cmd *cobra.Command, kind session.Compared, args []string) error {
	if err := checkGateFlags(cmd); err != nil {
		return err
	}
	switch kind {
	case session.TwoTraces:
		return f.gate.compareTraces(e, args[0], args[1], &f.output)
	case session.TwoRuns:
		return f.gate.compareRuns(e, args[0], args[1], &f.output)
	}
	if err := session.CheckComparison(args[0]); err != nil {
		return err
	}
	folder, err := store.Open(args[0])
	if err != nil {
		return err
	}
	defer folder.Close()
	code, err := f.gate.finishPair(e, folder, &f.output, false)
	return exitError(code, err)
}

// targets measures two targets.
func (f *compareFlags) targets(e *env.Env, cmd *cobra.Command, args []string) error {
	return f.run(e, &f.options, func(_ *cobra.Command, args []string) (model.Experiment, error) { return f.experiment(args[0], args[1]) })(cmd, args)
}

// experiment returns the experiment that the flags describe.
func (f *compareFlags) experiment(a, b string) (model.Experiment, error) {
	exp, err := f.options.experiment(b)
	if err == nil {
		err = f.gate.compare(&exp, profile.Comparison, a)
	}
	return exp, err
}

// endPair returns the error with which the command ends after an interleaved measurement.
func endPair(e *env.Env, m *session.MeasuredPair, code int, err error) error {
	switch {
	case m.Status == model.Interrupted:
		printLeft(e, m.Err)
		return exitCode(exitInterrupted)
	case m.Err != nil:
		if err != nil && !m.Folder.Moved() {
			printLine(e.Stderr, "saved   %s (what was measured, and no comparison)", m.Folder.Dir())
		}
		// The comparison fails because the measurement failed, so report only the latter.
		return m.Err
	}
	return exitError(code, err)
}

// checkGateFlags refuses measuring flags if nothing is measured.
func checkGateFlags(cmd *cobra.Command) error {
	if wrong := disallowedFlags(cmd, flagtable.WithSavedRuns); wrong != "" {
		return model.RefusedError(wrong+" is for measuring, and saved runs are only compared", "leave it out")
	}
	return nil
}

// disallowedFlags returns, separated by commas, the flags that were given but are not what is allowed.
func disallowedFlags(cmd *cobra.Command, allowed flagtable.Property) string {
	var names []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !flagtable.Is(flag.Name, allowed) {
			names = append(names, "--"+flag.Name)
		}
	})
	return strings.Join(names, ", ")
}
