package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/text"
)

// saveFlags say where a measurement is saved and how it is shown.
type saveFlags struct {
	results      string
	output       outputFlags
	quiet, child bool
	// background, if set, starts something that runs beside the measurement and saves into the
	// run's directory. It returns a function that ends it.
	background func(ctx context.Context, e *env.Env, dir string) (end func() error, err error)
	// tracers, if set, starts tracers where the measuring pods run, and sets meanwhile. It
	// returns a function that ends them and may be called more than once.
	tracers func(ctx context.Context, e *env.Env, run model.Run, prep *session.Prepared, say func(string)) (end func() error, err error)
	// counters does the same for what the disks behind replicated volumes do, and sets counting.
	counters func(ctx context.Context, e *env.Env, run model.Run, prep *session.Prepared, say func(string)) (end func() error, err error)
	counting func(ctx context.Context, e *env.Env, writer *store.Writer) (end func() error, err error)
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
	// trace is set to trace the devices below the targets during the run.
	trace bool
	// amplification is set to count what the disks behind the volumes do.
	amplification bool

	gate      gateFlags
	inside    insideFlags
	publisher publisher
}

// measure measures an experiment, either from here or driven by a Job in a cluster.
func (f *measureFlags) measure(ctx context.Context, e *env.Env, cmd *cobra.Command, o *options, exp model.Experiment) error {
	if err := f.gate.check(); err != nil {
		return err
	}
	switch {
	case f.inside.on:
		return f.inside.drive(ctx, e, o, f, exp)
	case session.Paired(exp):
		if !cmd.Flags().Changed("fail-on") && len(exp.FailOn) > 0 {
			f.gate.failOn = exp.FailOn
			if err := f.gate.check(); err != nil {
				return err
			}
		}
		return f.measureTwo(ctx, e, o, exp)
	}
	return f.measureOne(ctx, e, o, exp)
}

// removeRefused removes the results directory of an experiment that was refused during preparation,
// as if it had been refused before the directory was created. It reports whether it did.
func removeRefused(err error, dir string) bool {
	var refused *model.WorkerError
	if !errors.As(err, &refused) || refused.Class != model.Refused {
		return false
	}
	f, openErr := store.Open(dir)
	if openErr != nil {
		return false
	}
	defer f.Close()
	return f.Withdraw()
}

// measureTwo measures two targets in interleaved blocks. For a target and its baseline, the report
// is that of the target, with the comparison.
func (f *measureFlags) measureTwo(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	for _, name := range session.Targets(exp) {
		if store.IsRun(name) || store.IsComparison(name) {
			return model.RefusedError(fmt.Sprintf("%s is a saved run, and only targets are measured", name), "to compare saved runs: "+comparingRuns(exp.Baseline, exp.Target))
		}
	}
	m, err := f.measurePair(ctx, e, o, exp)
	if err != nil {
		return err
	}
	code := exitFailed
	if exp.Scenario == model.OnBaseline || exp.App != nil {
		code, err = f.finishBaseline(e, m.dir)
	} else {
		code, err = f.gate.finishPair(e, m.dir, &f.output, headIsShown(e, f.quiet))
	}
	printReturned(e, m.returned)
	return m.end(e, code, err)
}

// measureOne plans one target, or several volumes at once, measures, saves and prints.
func (f *measureFlags) measureOne(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	run := model.Run{Started: e.Now(), Command: recordedCommand(e), Again: o.commandLine(ctx, exp), Labels: exp.Labels}
	run.ID = store.Name(run.Started, exp.Target)
	request, err := session.NewRequest(exp, noteWriter(e, f.quiet))
	if err != nil {
		return err
	}
	watch := newWatcher(e, f.quiet)
	defer watch.Close()
	request.ID, request.Child, request.Touch, request.Watch = run.ID, f.child, true, watch
	prep, err := o.places.Prepare(ctx, e, request)
	if err != nil {
		return err
	}
	defer prep.Close()
	run.Again = run.Again.Placed(prep.Plan.Targets())
	watch.Clear()
	if err := consent(ctx, e, f.quiet, prep.Plan); err != nil {
		return err
	}
	endTracers, err := f.startBeside(ctx, e, run, prep, watch)
	if err != nil {
		return err
	}
	defer func() { _ = endTracers() }()
	writer, err := prep.Create(f.results, run, e.Now)
	if err != nil {
		return err
	}
	if !f.quiet && !emitPlan(e, run, writer.Dir(), prep.Plan) {
		watch.Clear()
		shown := secrets.Masked(prep.Plan)
		_ = text.Head(e.Stderr, &shown, prep.Probe.Environment, prep.Probe.Tools, terminalOptions(e.Terminal))
	}
	endTrace, endCounting, err := f.beginBeside(ctx, e, writer)
	if err != nil {
		err = errors.Join(err, writer.Finish(model.Failed, err.Error()))
		removeRefused(err, writer.Dir())
		return err
	}
	began := e.Now()
	phase := func(name model.Phase) {
		watch.Observe(model.Update{Elapsed: e.Now().Sub(began).Seconds(), Progress: &model.Progress{Phase: name}})
	}
	clockErr := writer.Clock(e.Now())
	status, runErr := prep.Measure(ctx, recorder{writer, endCounting}, watch, e.Now)
	runErr = errors.Join(clockErr, runErr, endTrace())
	if removeRefused(runErr, writer.Dir()) {
		watch.Close()
		return errors.Join(runErr, prep.Close())
	}
	if status == model.Complete {
		prep.Discard()
	}
	phase(model.PhaseCleanUp)
	// A filesystem that discards takes seconds to remove a large file, and the report need not
	// wait for that.
	closed := make(chan error, 1)
	go func() { closed <- errors.Join(endTracers(), prep.Close()) }()
	phase(model.PhaseAnalysis)
	rec, err := writer.Recorded()
	var done results.Outcome
	if err == nil {
		done, err = results.Finish(rec)
	}
	phase(model.PhaseEnd)
	watch.Close()
	code := exitFailed
	if err == nil {
		f.publisher.found.Reports = []*model.Report{done.Report}
		code, err = finish(e, done, &f.output, headIsShown(e, f.quiet))
	}
	closeErr := <-closed
	printReturned(e, prep.Discarded())
	switch {
	case done.Unsaved != nil && runErr != nil:
		// Both errors have one cause; the first says what is lost.
		return errors.Join(runErr, closeErr)
	case err != nil:
		return errors.Join(runErr, err, closeErr)
	case status == model.Interrupted:
		printLeft(e, errors.Join(runErr, closeErr))
		return exitCode(exitInterrupted)
	case runErr != nil:
		return errors.Join(runErr, closeErr)
	case closeErr != nil:
		return closeErr
	case code != exitOK:
		return exitCode(code)
	}
	return nil
}
