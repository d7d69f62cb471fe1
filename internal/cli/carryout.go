package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/analyze"
	"github.com/loadline/loadline/internal/engine"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/live"
	"github.com/loadline/loadline/internal/report/text"
	"github.com/loadline/loadline/internal/results"
	"github.com/loadline/loadline/internal/spec"
	"github.com/loadline/loadline/internal/store"
)

// savingFlags are where a measurement is saved and how it is shown.
type savingFlags struct {
	results, output string
	quiet, child    bool
}

func (f *savingFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.results, "results", defaultResults, "`DIR` that the run directory is made in")
	registerOutput(cmd, &f.output)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	cmd.Flags().BoolVar(&f.child, "child-worker", false, "run the worker as a process of its own")
	_ = cmd.Flags().MarkHidden("child-worker")
}

// carryOut plans one target by a scenario, measures it, saves and prints.
func (f *savingFlags) carryOut(ctx context.Context, e *env.Env, o *options, target string, by scenario) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	started := e.Now()
	id := store.Name(started, target)
	watch := live.New(e.Stderr, live.Options{
		Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: f.quiet,
	})
	defer watch.Close()
	prep, err := o.prepare(ctx, e, target, prepareOptions{id: id, child: f.child, touch: true, watch: watch, say: remarks(e, f.quiet), scenario: by})
	if err != nil {
		return err
	}
	defer prep.close()
	yaml, err := spec.MarshalExperiment(prep.plan.Experiment)
	if err != nil {
		return err
	}
	writer, err := store.Create(f.results, e.Now, store.Start{
		Experiment: yaml, Plan: prep.plan, Environment: prep.probe.Environment,
		Run: model.Run{ID: id, Started: started, Command: recordedCommand(e), Tools: prep.probe.Tools},
	})
	if err != nil {
		return model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	if !f.quiet {
		watch.Clear()
		shown := model.Masked(prep.plan)
		_ = text.Head(e.Stderr, &shown, prep.probe.Environment, prep.probe.Tools, terminalOptions(e.Terminal))
	}
	unwatch := watchCopies(prep.copies, e.Now, writer.Beside)
	status, runErr := engine.Execute(ctx, engine.Options{
		Plan: prep.plan, Workers: prep.workers, Judge: analyze.Judge{}, Scheduler: scheduler{},
		Recorder: writer, Observer: watch, Now: e.Now, Beside: besides(prep.probe),
	})
	unwatch()
	closeErr := prep.close()
	watch.Close()
	// The head is on the screen already when both streams are the same terminal.
	brief := !f.quiet && e.Terminal.Interactive && e.Output.Interactive
	code := exitFailed
	var done results.Outcome
	rec, err := writer.Recorded()
	if err == nil {
		if done, err = results.Finish(rec); err == nil {
			code, err = finish(e, done, f.output, brief)
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

// recordedCommand is the command line, as it is kept: without secrets.
func recordedCommand(e *env.Env) []string {
	return model.MaskCommand(append([]string{"loadline"}, e.Args...))
}

func registerOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "text", "what to print: text, or json for one report document")
}

func checkOutput(output string) error {
	if output == "text" || output == "json" {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("--output %q is not known", output), "use --output text or --output json")
}

func terminalOptions(t env.Terminal) text.Options {
	return text.Options{Width: t.Width, Color: t.Color, Unicode: t.Unicode}
}

// remarks is where remarks for people go: nowhere with --quiet.
func remarks(e *env.Env, quiet bool) io.Writer {
	if quiet {
		return io.Discard
	}
	return e.Stderr
}
