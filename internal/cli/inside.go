package cli

import (
	"cmp"
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
	"github.com/loadline/loadline/internal/show/report/term"
)

// insideFlags are for driving a measurement from inside the cluster that is being measured.
type insideFlags struct {
	on, detach bool
	hold       time.Duration
	account    string
}

func (f *insideFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.on, "in-cluster", false, "Kubernetes: run the measurement in a Job in the cluster, and fetch its results")
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
	for _, name := range []string{"detach", "hold", "service-account"} {
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
	client, spec, err := f.job(ctx, e, o, exp)
	if err != nil {
		return err
	}
	run := spec.Run
	job := newJobClient(e, client, s.results, s.quiet)
	job.Job, job.Ready, job.Stops = run, o.places.Cluster.Ready, true
	end := func(err error) error {
		if o.places.Cluster.Keep {
			job.Say(fmt.Sprintf("kept in the cluster: job %s/%s; later: loadline cleanup --namespace %s", client.Namespace, run, client.Namespace))
			return err
		}
		if downErr := job.TakeDown(context.WithoutCancel(ctx), run); downErr != nil {
			var code exitCode
			if errors.As(err, &code) {
				return downErr
			}
			return errors.Join(err, downErr)
		}
		return err
	}
	if err := client.MakeJob(ctx, spec); err != nil {
		return end(f.rightsHint(err))
	}
	job.Say(fmt.Sprintf("the Job %s/%s measures with the ServiceAccount %s; its results wait there for %s", client.Namespace, run, cmp.Or(f.account, run+", made for it"), f.hold))
	if f.detach {
		printLine(e.Stdout, "started job %s", run)
		printLine(e.Stdout, "  next: loadline fetch %s --namespace %s", run, client.Namespace)
		return nil
	}
	dirs, code, err := job.Fetch(ctx)
	if err != nil {
		// What cannot be fetched now may be later: no space here, or no connection. What is refused never can.
		var said *model.WorkerError
		if refused := errors.As(err, &said) && said.Class == model.Refused; job.Holds() && !refused {
			job.Say(fmt.Sprintf("the Job %s/%s stays, with its results: loadline fetch %s --namespace %s; or loadline cleanup --namespace %s", client.Namespace, run, run, client.Namespace, client.Namespace))
			return explained(ctx, e, err)
		}
		return end(err)
	}
	if err := s.publisher.fetched(dirs); err != nil {
		return end(err)
	}
	return end(errors.Join(printFetched(e, dirs, &s.output), exitError(code, nil)))
}

// rightsHint adds a hint for users who may not create a ServiceAccount or its rights.
func (f *insideFlags) rightsHint(err error) error {
	var w *model.WorkerError
	if f.account != "" || !errors.As(err, &w) || w.Class != model.Refused {
		return err
	}
	return model.RefusedError(w.Message, "name a ServiceAccount that has the Role of deploy/role.yaml: --service-account NAME; or have its Role loadline-jobs bound to you")
}
