package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/kube"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/session"
)

// defaultResults is where run directories are made.
const defaultResults = "loadline-results"

func newFetch(e *env.Env) *cobra.Command {
	var at session.Cluster
	var results, output string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "fetch [JOB]",
		Short: "Bring back what a Job in a Kubernetes cluster has measured",
		Long: `Follows a Job that measures inside a cluster (run --in-cluster --detach, or
deploy/job.yaml) to its end, brings its run directory here and prints the report. JOB is
its name, or job/NAME; without it the only one of the namespace is meant.

A Job's pod keeps its results for 24 hours (run --in-cluster --hold, job --hold). Later,
or when the pod was evicted or its node lost, the run directory is gone; the report is
then taken from the pod's log if that still holds it, which is a failure. A Job that
loadline made is removed when it has been fetched; one of your own ends, and stays.

Exit codes: those of the command in the Job (0 measured; 1 failed; 2 refused; 3 a goal
missed; 4 worse; 5 invalid); 1 also when nothing could be fetched, 2 when there is no
such Job; 130 interrupted: the Job goes on.`,
		Example: `  loadline fetch --namespace storage
  loadline fetch job/loadline --namespace storage`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return nil
			}
			return exactly(1, "one JOB")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			client, err := kube.Open(e, at.Access)
			if err != nil {
				return err
			}
			f := newErrand(e, client, results, quiet)
			f.ready = at.Ready
			if f.job, err = chosenJob(cmd.Context(), client, args); err != nil {
				return err
			}
			return f.fetchOnly(cmd.Context(), output)
		},
	}
	registerAccess(cmd, &at)
	cmd.Flags().DurationVar(&at.Ready, "ready-within", 3*time.Minute, "give up when the Job's pod does not run after this `TIME`")
	cmd.Flags().StringVar(&results, "results", defaultResults, "`DIR` that the run directory is brought to")
	registerOutput(cmd, &output)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress")
	return cmd
}

// newErrand is an errand that speaks on standard error.
func newErrand(e *env.Env, client *kube.Client, results string, quiet bool) *errand {
	f := &errand{env: e, client: client, results: results}
	f.show = func(line string) { sayLine(e.Stderr, "%s", line) }
	f.say = remarks(e, quiet)
	if quiet {
		f.show = func(string) {}
	}
	return f
}

// jobName matches what the API server takes for the name of a Job.
var jobName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// chosenJob is the Job that was named, or the only one.
func chosenJob(ctx context.Context, client *kube.Client, args []string) (string, error) {
	if len(args) == 1 {
		name := strings.TrimPrefix(args[0], "job/")
		if !jobName.MatchString(name) {
			return "", model.RefusedError(fmt.Sprintf("%q is not the name of a Job", args[0]), "write NAME or job/NAME, and --namespace beside it")
		}
		return name, nil
	}
	jobs, err := client.Jobs(ctx)
	switch {
	case err != nil:
		return "", err
	case len(jobs) == 1:
		return jobs[0], nil
	case len(jobs) == 0:
		return "", model.RefusedError(fmt.Sprintf("the namespace %s has no Job of loadline's", client.Namespace), "name another one with --namespace, or the Job: loadline fetch NAME")
	}
	return "", model.RefusedError(fmt.Sprintf("the namespace %s has several Jobs of loadline's", client.Namespace), "loadline fetch one of them: "+strings.Join(jobs, ", "))
}

// fetchOnly fetches from a Job that somebody started earlier.
func (f *errand) fetchOnly(ctx context.Context, output string) error {
	dirs, code, err := f.fetch(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		sayLine(f.env.Stderr, "loadline: interrupted; the Job %s goes on", f.job)
		sayLine(f.env.Stderr, "  next: loadline fetch %s --namespace %s", f.job, f.client.Namespace)
		return exitCode(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if err := f.print(dirs, output); err != nil {
		return err
	}
	if f.pod.Made {
		if err := f.takeDown(context.WithoutCancel(ctx), f.pod.Run); err != nil {
			return err
		}
	} else {
		f.say(fmt.Sprintf("the Job is your own and stays: kubectl delete job %s -n %s", f.job, f.client.Namespace))
	}
	return ending(code, nil)
}
