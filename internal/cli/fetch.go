package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/cluster/jobs"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

func newFetch(e *env.Env) *cobra.Command {
	var at session.Cluster
	var results string
	var output outputFlags
	var quiet bool
	cmd := &cobra.Command{
		Use:   "fetch [JOB]",
		Short: "Fetch the results of a Job in a Kubernetes cluster",
		Long: `Follows a Job that measures inside a cluster (run --in-cluster --detach, or
deploy/job.yaml) to its end, fetches its run directory and prints the report. JOB is
its name, or job/NAME; it may be omitted if the namespace has only one.

A Job's pod keeps its results for 24 hours (run --in-cluster --hold, job --hold). After
that, or if the pod was evicted or its node lost, the run directory is gone; the report
is then taken from the pod's log, if it is still there, and the exit code is 1. A Job that
Loadline created is removed after fetching, unless its run was given --keep; one of your
own ends, but is not removed.

Exit codes: those of the command in the Job (0 measured; 1 failed; 2 refused; 3 a goal
missed; 4 worse; 5 invalid; 6 unclear whether worse); also 1 if nothing could be fetched,
and 2 if there is no such Job; 130 interrupted: the Job continues.`,
		Example: `  loadline fetch --namespace storage
  loadline fetch job/loadline --namespace storage`,
		Args: usage.AtMost("one JOB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := kube.Open(e, at.Access)
			if err != nil {
				return err
			}
			f := newJobClient(e, client, results, quiet)
			f.Ready = at.Ready
			if f.Job, err = jobs.Choose(cmd.Context(), client, args); err != nil {
				return err
			}
			return fetchOnly(cmd.Context(), e, f, &output)
		},
	}
	flags.Access(cmd, &at)
	flags.SpanVar(cmd.Flags(), &at.Ready, "ready-within", 3*time.Minute, "give up if the Job's pod is not running after this `TIME`")
	cmd.Flags().StringVar(&results, "results", defaultResults, "save the run directory in this `DIR`")
	registerOutput(e, cmd, &output)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress")
	return cmd
}

// newJobClient returns a client that reports on standard error.
func newJobClient(e *env.Env, client *kube.Client, folder string, quiet bool) *jobs.Client {
	c := &jobs.Client{Cluster: client, Results: folder, Runs: jobs.Runs{Check: results.Check, Keeps: results.Keeps, SaveReport: results.SaveReport}, Say: screen.Notes(e, quiet), Show: func(string) {}}
	if !quiet {
		c.Show = func(line string) { printLine(e.Stderr, "%s", line) }
	}
	return c
}

// fetchOnly fetches the results of a Job that was started earlier.
func fetchOnly(ctx context.Context, e *env.Env, f *jobs.Client, output *outputFlags) error {
	dirs, code, err := f.Fetch(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		printLine(e.Stderr, "loadline: interrupted; the Job %s continues", f.Job)
		printLine(e.Stderr, "  next: loadline fetch %s --namespace %s", f.Job, f.Cluster.Namespace)
		return exitCode(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if err := printFetched(e, dirs, output); err != nil {
		return err
	}
	if err := f.Settle(ctx, dirs); err != nil {
		return err
	}
	return exitError(code, nil)
}

// printFetched prints what was fetched, as the verb that measured it would. Several results are
// rendered into one file together, as report does: concatenated pages or JSON documents are invalid.
func printFetched(e *env.Env, dirs []string, output *outputFlags) error {
	each := [][]string{dirs}
	if !output.toFile() && output.name() == "text" {
		each = slices.Collect(slices.Chunk(dirs, 1))
	}
	for _, together := range each {
		if err := output.emitSaved(e, nil, together...); err != nil {
			return err
		}
		for _, dir := range together {
			printLine(e.Stderr, "fetched %s", dir)
		}
	}
	return nil
}
