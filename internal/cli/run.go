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
	"github.com/loadline/loadline/internal/scenario/profile"
	"github.com/loadline/loadline/internal/spec"
	"github.com/loadline/loadline/internal/store"
)

// runFlags are the flags of run beside those that it shares with plan.
type runFlags struct {
	options
	gate            gateFlags
	baseline        string
	results, output string
	quiet, child    bool
}

func newRun(e *env.Env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run TARGET",
		Short: "Measure a directory, file, block device, NBD or Ceph volume",
		Long: `Measures how much I/O the target carries. It writes a file of its own into a
directory and removes it; an existing device, image or file is only read unless
--destroy-data-on names it. Every workload is visited several times in random order,
and again until its 95 % interval is as narrow as --precision or --max-time is over.

Targets: /dir   /path/file   /dev/sdX   nbd+unix:///export?socket=PATH
         nbd://host/export   rbd:pool/image

With --baseline another target is measured side by side with it, in short blocks,
and compared (see loadline compare). --goal asks for a value that the whole interval
must keep: 'rand-read-iops iops > 60k', 'rand-read-lat p99 < 5ms'.

Exit codes: 0 measured; 1 failed; 2 refused before any I/O, with the reason;
3 a goal was missed, or cannot be decided; 4 worse than the baseline; 5 measured, but
a result is invalid; 130 interrupted (what was measured is kept). When several of
them apply, 4 goes before 3 and 3 before 5.`,
		Example: `  loadline run /var/lib/postgresql --profile quick
  loadline run /dev/sdX --only 'rand-read-*' --precision 2%`,
		Args: exactly(1, "one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.baseline != "" {
				return f.runPair(cmd.Context(), e, args[0])
			}
			return f.run(cmd.Context(), e, args[0])
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "measure this `TARGET` as well, interleaved, and compare with it")
	f.gate.register(cmd)
	registerGoals(cmd, &f.options)
	cmd.Flags().StringVar(&f.results, "results", "loadline-results", "`DIR` that the run directory is made in")
	registerOutput(cmd, &f.output)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress")
	cmd.Flags().BoolVar(&f.child, "child-worker", false, "run the worker as a process of its own")
	_ = cmd.Flags().MarkHidden("child-worker")
	return cmd
}

func (f *runFlags) run(ctx context.Context, e *env.Env, target string) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	started := e.Now()
	id := store.Name(started, target)
	watch := live.New(e.Stderr, live.Options{
		Interactive: e.Terminal.Interactive, Color: e.Terminal.Color, Unicode: e.Terminal.Unicode, Width: e.Terminal.Width, Quiet: f.quiet,
	})
	defer watch.Close()
	prep, err := f.prepare(ctx, e, target, prepareOptions{id: id, child: f.child, touch: true, watch: watch, say: remarks(e, f.quiet)})
	if err != nil {
		return err
	}
	defer prep.worker.Close()
	yaml, err := spec.MarshalExperiment(prep.plan.Experiment)
	if err != nil {
		return err
	}
	writer, err := store.Create(f.results, e.Now, store.Start{
		Experiment: yaml, Plan: prep.plan, Environment: prep.probe.Environment,
		Run: model.Run{ID: id, Started: started, Command: append([]string{"loadline"}, e.Args...), Tools: prep.probe.Tools},
	})
	if err != nil {
		return model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	if !f.quiet {
		watch.Clear()
		_ = text.Head(e.Stderr, &prep.plan, prep.probe.Environment, prep.probe.Tools, terminalOptions(e.Terminal))
	}
	status, runErr := engine.Execute(ctx, engine.Options{
		Plan: prep.plan, Workers: []*engine.Worker{prep.worker}, Judge: analyze.Judge{}, Scheduler: scheduler{},
		Recorder: writer, Observer: watch, Now: e.Now, Beside: besides(prep.probe),
	})
	closeErr := prep.worker.Close()
	watch.Close()
	// The head is on the screen already when both streams are the same terminal.
	brief := !f.quiet && e.Terminal.Interactive && e.Output.Interactive
	code, err := finish(e, writer.Dir(), f.output, brief)
	switch {
	case err != nil:
		return errors.Join(runErr, err)
	case status == model.Interrupted:
		return exitCode(exitInterrupted)
	case runErr != nil:
		return runErr
	case closeErr != nil:
		return closeErr
	case code != exitOK:
		return exitCode(code)
	}
	return nil
}

// prepared is a greeted worker, what it found, and the plan made of that.
type prepared struct {
	worker *engine.Worker
	probe  model.ProbeResult
	plan   model.Plan
}

// prepareOptions are what prepare needs beside the flags. With touch false nothing
// is written, not even by a probe.
type prepareOptions struct {
	id           string
	child, touch bool
	watch        engine.Observer
	// say gets remarks for people.
	say io.Writer
}

// prepare checks everything that can be checked before any I/O, then probes and
// plans.
func (o *options) prepare(ctx context.Context, e *env.Env, name string, by prepareOptions) (*prepared, error) {
	exp, err := o.experiment(name)
	if err != nil {
		return nil, err
	}
	p, err := chosenProfile(exp, by.say)
	if err != nil {
		return nil, err
	}
	if _, err := parseGoals(exp.Goals, p.Workloads); err != nil {
		return nil, err
	}
	if err := checkJobs(ctx, e, p.Workloads); err != nil {
		return nil, err
	}
	t, err := parseTarget(name)
	if err != nil {
		return nil, err
	}
	worker, err := connect(ctx, e, by.id, by.child)
	if err != nil {
		return nil, err
	}
	found, err := probe(ctx, worker, exp, p, t, by.touch, by.watch)
	if err != nil {
		worker.Close()
		return nil, err
	}
	plan, err := profile.Build(exp, p, t, found)
	if err != nil {
		worker.Close()
		return nil, err
	}
	return &prepared{worker: worker, probe: found, plan: plan}, nil
}

// probe asks a worker what the target is. watch may be nil.
func probe(ctx context.Context, worker *engine.Worker, exp model.Experiment, p profile.Profile, t model.Target, touch bool, watch engine.Observer) (model.ProbeResult, error) {
	found, err := worker.Probe(ctx, model.ProbeRequest{
		Target: t, Destroy: exp.DestroyDataOn, MayWrite: touch && writes(p.Workloads), LookOnly: !touch,
		Bandwidth: touch && exp.Size == 0,
	}, func(p model.Progress) {
		if watch != nil {
			watch.Observe(model.Update{Progress: &p, Left: -1})
		}
	})
	if err != nil {
		return model.ProbeResult{}, err
	}
	return *found, nil
}

// scheduler is the profile scenario's rule for further rounds.
type scheduler struct{}

func (scheduler) Round(p *model.Plan, round int, workloads []model.Workload, first int) []model.Step {
	return profile.Round(p, round, workloads, first)
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
