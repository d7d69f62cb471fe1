package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// saveFlags say where a measurement is saved and how it is shown.
type saveFlags struct {
	results      string
	output       outputFlags
	quiet, child bool
}

// register adds the flags; results is the help text of --results.
func (f *saveFlags) register(e *env.Env, cmd *cobra.Command, results string) {
	cmd.Flags().StringVar(&f.results, "results", defaultResults, results)
	registerOutput(e, cmd, &f.output)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	registerProgress(cmd)
	registerChild(cmd, &f.child)
}

// resultsHelp is the help text of --results if a single run is saved.
const resultsHelp = "create the run directory in this `DIR`"

// measureFlags holds what all measuring verbs share, even if a verb has flags for only part of it:
// run can measure the experiments of all of them.
type measureFlags struct {
	saveFlags
	// observed is what to observe beside the run.
	observed session.Observed

	gate      gateFlags
	inside    insideFlags
	publisher publisher
}

// run returns what a verb that measures does: it measures what the flags in o describe, or the experiment in the file that they
// name.
func (f *measureFlags) run(e *env.Env, o *options, described func(cmd *cobra.Command, args []string) (model.Experiment, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := f.inside.check(cmd); err != nil {
			return err
		}
		exp, err := o.requestedExperiment(e, cmd, args, func() (model.Experiment, error) { return described(cmd, args) })
		if err != nil {
			return err
		}
		return f.measure(cmd.Context(), e, cmd, o, exp)
	}
}

// measure measures an experiment, either from here or driven by a Job in a cluster.
func (f *measureFlags) measure(ctx context.Context, e *env.Env, cmd *cobra.Command, o *options, exp model.Experiment) error {
	f.observed.InJob = f.inside.on
	beside, err := o.places.Observe(ctx, e, exp, f.observed)
	if err != nil {
		return err
	}
	if err := flags.CheckFailOn(f.gate.failOn); err != nil {
		return err
	}
	if !session.Paired(exp) {
		if err := f.gate.refuseTyped(flags.Typed(cmd)); err != nil {
			return err
		}
	}
	switch {
	case f.inside.on:
		return f.inside.drive(ctx, e, o, f, exp)
	case session.Paired(exp):
		if !cmd.Flags().Changed("fail-on") && len(exp.FailOn) > 0 {
			f.gate.failOn = exp.FailOn
			if err := flags.CheckFailOn(f.gate.failOn); err != nil {
				return err
			}
		}
		return f.measureTwo(ctx, e, o, exp)
	}
	return f.measureOne(ctx, e, o, exp, beside)
}

// measureTwo measures two targets in interleaved blocks. For a target and its baseline, the report
// is that of the target, with the comparison.
func (f *measureFlags) measureTwo(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	margins := results.Margins(model.Margins{}, exp)
	exp.Margin, exp.MarginP99 = margins.Rate, margins.P99
	request, err := f.request(ctx, e, o, exp)
	if err != nil {
		return err
	}
	view := screen.New(e, f.quiet)
	m, err := o.places.RunPair(ctx, e, request, f.saving(e, view))
	view.Close()
	if err != nil {
		return err
	}
	defer m.Folder.Close()
	code := exitFailed
	if exp.Scenario == model.OnBaseline || exp.App != nil {
		code, err = f.finishBaseline(e, m.Folder)
	} else {
		code, err = f.gate.finishPair(e, m.Folder, &f.output, screen.HeadIsShown(e, f.quiet))
	}
	screen.PrintReturned(e, m.Returned)
	return endPair(e, m, code, err)
}

// request returns what an experiment asks to measure.
func (f *saveFlags) request(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (session.Request, error) {
	if err := session.RefuseSaved(exp); err != nil {
		return session.Request{}, err
	}
	r, err := session.NewRequest(exp, screen.Notes(e, f.quiet))
	r.Child, r.Again = f.child, o.commandLine(ctx, exp)
	return r, err
}

// saving returns where a measurement is saved.
func (f *saveFlags) saving(e *env.Env, view *screen.Screen) session.Saving {
	return session.Saving{
		Results: f.results, Command: recordedCommand(e), Audience: view,
		SaveTrace: func(rec *store.RecordedTrace) error { _, err := results.FinishTrace(rec); return err },
	}
}

// measureOne measures one target, or several volumes at once, saves and prints.
func (f *measureFlags) measureOne(ctx context.Context, e *env.Env, o *options, exp model.Experiment, beside session.Observation) error {
	request, err := f.request(ctx, e, o, exp)
	if err != nil {
		return err
	}
	view := screen.New(e, f.quiet)
	defer view.Close()
	to := f.saving(e, view)
	to.Observation = beside
	m, err := o.places.Run(ctx, e, request, to)
	if err != nil {
		return err
	}
	defer m.Close()
	m.Phase(model.PhaseAnalysis)
	rec, err := m.Recorded()
	var done results.Outcome
	if err == nil {
		done, err = results.Finish(rec)
	}
	m.Phase(model.PhaseEnd)
	view.Close()
	code := exitFailed
	if err == nil {
		f.publisher.found.Reports = []*model.Report{done.Report}
		code, err = finish(e, done, &f.output, screen.HeadIsShown(e, f.quiet))
	}
	closeErr := screen.UntilRemoved(e, f.quiet, m.Close)
	screen.PrintReturned(e, m.Discarded())
	switch {
	case done.Unsaved != nil && m.Err != nil:
		// Both errors have one cause; the first says what is lost.
		return errors.Join(m.Err, closeErr)
	case err != nil:
		return errors.Join(m.Err, err, closeErr)
	case m.Status == model.Interrupted:
		printLeft(e, errors.Join(m.Err, closeErr))
		return exitCode(exitInterrupted)
	case m.Err != nil:
		return errors.Join(m.Err, closeErr)
	case closeErr != nil:
		return closeErr
	case code != exitOK:
		return exitCode(code)
	}
	return nil
}
