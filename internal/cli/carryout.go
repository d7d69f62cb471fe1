package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/text"
)

// savingFlags are where a measurement is saved and how it is shown.
type savingFlags struct {
	results, output string
	quiet, child    bool
}

// register adds the flags; results is the help of --results.
func (f *savingFlags) register(cmd *cobra.Command, results string) {
	cmd.Flags().StringVar(&f.results, "results", defaultResults, results)
	registerOutput(cmd, &f.output)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	registerChild(cmd, &f.child)
}

// inRun is the help of --results where one run is saved.
const inRun = "`DIR` that the run directory is made in"

// carryOut plans one target by a scenario, measures it, saves and prints.
func (f *savingFlags) carryOut(ctx context.Context, e *env.Env, o *options, target string, by scenario) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	run := model.Run{Started: e.Now(), Command: recordedCommand(e), Again: typed(ctx)}
	run.ID = store.Name(run.Started, target)
	asked, err := o.request(e, target, by, remarks(e, f.quiet))
	if err != nil {
		return err
	}
	watch := watching(e, f.quiet)
	defer watch.Close()
	asked.ID, asked.Child, asked.Touch, asked.Watch = run.ID, f.child, true, watch
	prep, err := o.places.Prepare(ctx, e, asked)
	if err != nil {
		return err
	}
	defer prep.Close()
	writer, err := prep.Create(f.results, run, e.Now)
	if err != nil {
		return err
	}
	if !f.quiet {
		watch.Clear()
		shown := secrets.Masked(prep.Plan)
		_ = text.Head(e.Stderr, &shown, prep.Probe.Environment, prep.Probe.Tools, terminalOptions(e.Terminal))
	}
	status, runErr := prep.Measure(ctx, writer, watch, e.Now)
	if status == model.Complete {
		// One that was interrupted may be measured again as it is.
		prep.Discard()
	}
	closeErr := prep.Close()
	watch.Close()
	if given := prep.Discarded(); given > 0 && !f.quiet {
		sayLine(e.Stderr, "space   %s of %s are given back to the storage (discard): what reads them next reads holes", units.FormatSize(given), prep.Plan.Volume.Target.Name)
	}
	code := exitFailed
	var done results.Outcome
	rec, err := writer.Recorded()
	if err == nil {
		if done, err = results.Finish(rec); err == nil {
			code, err = finish(e, done, f.output, briefly(e, f.quiet))
		}
	}
	switch {
	case done.Unsaved != nil && runErr != nil:
		// Both have one cause; the first says what is lost.
		return errors.Join(runErr, closeErr)
	case err != nil:
		return errors.Join(runErr, err)
	case status == model.Interrupted:
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
