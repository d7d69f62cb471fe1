package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cluster/jobs"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/show/report/term"
)

// insideFlags are for driving a measurement from inside the cluster that is being measured.
type insideFlags struct {
	on, detach bool
	hold       time.Duration
	account    string
}

func (f *insideFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.on, "in-cluster", false, "Kubernetes: run the measurement in a Job in the cluster, and fetch its results")
	flags.BoolVar(&f.detach, "detach", false, "with --in-cluster: do not wait; loadline fetch gets the results later")
	spanVar(flags, &f.hold, "hold", jobs.DefaultHold, "with --in-cluster: how long the Job keeps its results")
	flags.StringVar(&f.account, "service-account", "", "with --in-cluster: `NAME` of an account that has the Role (default: create one, with its Role)")
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

// checkInside refuses, before anything is created, what would fail inside the cluster.
func (o *options) checkInside(ctx context.Context, e *env.Env, client *kube.Client, exp model.Experiment) error {
	if len(o.places.Hosts) > 0 {
		return model.RefusedError("--hosts are reached by ssh from this machine, but --in-cluster measures from inside a cluster", "choose one of them")
	}
	request, err := session.NewRequest(exp, noteWriter(e, true))
	if err != nil {
		return err
	}
	return o.places.ForeseeAll(ctx, e, request, session.Targets(exp), client.Namespace)
}

// job returns the command of a Job and the experiment that it reads. Changes to user data are
// permitted on that command line, as they are here: an experiment cannot permit them.
func (f *insideFlags) job(o *options, exp model.Experiment) (command []string, document []byte, err error) {
	exp.Note = secrets.MaskText(exp.Note)
	if document, err = spec.MarshalExperiment(exp); err != nil {
		return nil, nil, err
	}
	switch {
	case secrets.MaskText(string(document)) != string(document):
		return nil, nil, model.RefusedError("the experiment contains what looks like a password or a key, and anyone who may view Jobs can read it",
			"take it out of the profile or job file")
	case len(document) > kube.LargestExperiment:
		return nil, nil, model.RefusedError(fmt.Sprintf("the experiment, with the files it names, is %d bytes long, but a Job can carry only %d", len(document), kube.LargestExperiment),
			"shorten the files; or mount the experiment into a Job of your own, as deploy/job.yaml shows")
	}
	command = []string{"loadline", "job", "--hold", f.hold.String(), "--", "run", "--" + experimentFlag, kube.ExperimentPath}
	for _, name := range o.places.Destroy {
		command = append(command, "--destroy-data-on="+name)
	}
	if exp.Place.FSGroup != "" {
		command = append(command, "--fs-group="+exp.Place.FSGroup)
	}
	if exp.App != nil {
		// Its settings and image come from flags typed here, or from a file that was permitted here.
		command = append(command, "--"+programsFlag)
	}
	// The report in the log outlives the pod's container.
	return append(command, "--format=json"), document, nil
}

// spec returns the Job that measures an experiment, checked as far as possible without creating anything.
func (f *insideFlags) spec(ctx context.Context, e *env.Env, o *options, exp model.Experiment) (*kube.Client, kube.JobSpec, error) {
	where, err := o.places.Cluster.Where(e)
	if err != nil {
		return nil, kube.JobSpec{}, err
	}
	client, err := o.places.Cluster.Open(e)
	if err != nil {
		return nil, kube.JobSpec{}, err
	}
	if err := o.checkInside(ctx, e, client, exp); err != nil {
		return nil, kube.JobSpec{}, err
	}
	command, document, err := f.job(o, exp)
	if err != nil {
		return nil, kube.JobSpec{}, err
	}
	made := o.places.Cluster.Mark(store.Name(e.Now(), exp.Target))
	return client, kube.JobSpec{Name: made.Run, Made: made, Where: where, Command: command, Experiment: document, Account: f.account}, nil
}

// print prints the Job as a manifest, and creates nothing.
func (f *insideFlags) print(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	client, job, err := f.spec(ctx, e, o, exp)
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
	client, spec, err := f.spec(ctx, e, o, exp)
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
