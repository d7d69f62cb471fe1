package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cluster/jobs"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/show/report/term"
)

// inClusterFlag is the flag that drives a measurement from inside.
const inClusterFlag = "in-cluster"

// insideFlags are for driving a measurement from inside the cluster that is being measured.
type insideFlags struct {
	on, detach bool
	hold       time.Duration
	account    string
}

func (f *insideFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.on, inClusterFlag, false, "Kubernetes: run the measurement in a Job in the cluster, and fetch its results")
	fl.BoolVar(&f.detach, "detach", false, "with --in-cluster: do not wait; loadline fetch gets the results later")
	flags.SpanVar(fl, &f.hold, "hold", jobs.DefaultHold, "with --in-cluster: how long the Job keeps its results")
	fl.StringVar(&f.account, "service-account", "", "with --in-cluster: `NAME` of an account that has the Role (default: create one, with its Role)")
}

// check refuses flags that require --in-cluster.
func (f *insideFlags) check(cmd *cobra.Command) error {
	if f.on {
		if f.hold < time.Minute {
			return model.RefusedError(fmt.Sprintf("--hold %s is too short to fetch anything", f.hold), "leave it out for "+jobs.DefaultHold.String()+", or name a minute at least")
		}
		return nil
	}
	for _, name := range flagtable.Needing(inClusterFlag) {
		if cmd.Flags().Changed(name) {
			return model.RefusedError(fmt.Sprintf("--%s needs --in-cluster", name), "add --in-cluster, or leave it out")
		}
	}
	return nil
}

// job returns the Job that measures an experiment, checked as far as possible without creating anything.
func (f *insideFlags) job(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (*kube.Client, kube.JobSpec, error) {
	return o.places.Job(ctx, e, exp, session.JobOptions{Hold: f.hold, Account: f.account})
}

// print prints the Job as a manifest, and creates nothing.
func (f *insideFlags) print(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	client, job, err := f.job(ctx, e, o, exp)
	if err != nil {
		return err
	}
	job.Made = kube.Made{Run: job.Run}
	manifest, err := job.Manifest(client.Namespace)
	if err != nil {
		return err
	}
	if _, err := term.Raw(e.Stdout).Write(manifest); err != nil {
		return err
	}
	printLine(e.Stderr, "  next: kubectl apply -f - with this, then loadline fetch %s --namespace %s", job.Name, client.Namespace)
	return nil
}

// drive creates the Job and fetches its results.
func (f *insideFlags) drive(ctx context.Context, e *env.Env, o *options, s *measureFlags, exp model.Experiment) error {
	client, job, err := f.job(ctx, e, o, exp)
	if err != nil {
		return err
	}
	c := newJobClient(e, client, s.results, s.quiet)
	c.Job, c.Ready, c.Stops, c.Keep = job.Run, o.places.Cluster.Ready, true, o.places.Cluster.Keep
	if err := c.Begin(ctx, job, f.hold); err != nil {
		return alsoFailed(err, c.End(ctx))
	}
	if f.detach {
		printLine(e.Stdout, "started job %s", c.Job)
		printLine(e.Stdout, "  next: loadline fetch %s --namespace %s", c.Job, client.Namespace)
		return nil
	}
	dirs, code, err := c.Fetch(ctx)
	if err != nil {
		if c.Stays(err) {
			return explained(ctx, e, err)
		}
		return alsoFailed(err, c.End(ctx))
	}
	if err = s.publisher.fetched(dirs); err == nil {
		err = errors.Join(printFetched(e, dirs, &s.output), exitError(code, nil))
	}
	return alsoFailed(err, c.End(ctx))
}
