package session

import (
	"context"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
)

// JobOptions are those of a Job that measures inside the cluster.
type JobOptions struct {
	// Hold is how long it keeps its results.
	Hold time.Duration
	// Account is the ServiceAccount that it uses; "" means one that is created for it.
	Account string
}

// Job returns the Job that measures an experiment, and the client to create it with. It refuses what would fail
// inside the cluster, as far as that can be known without creating anything.
func (o *Places) Job(ctx context.Context, e *env.Env, exp model.Experiment, by JobOptions) (*kube.Client, kube.JobSpec, error) {
	where, err := o.Cluster.Where(e)
	if err != nil {
		return nil, kube.JobSpec{}, err
	}
	client, err := o.Cluster.Open(e)
	if err != nil {
		return nil, kube.JobSpec{}, err
	}
	if err := o.checkJob(ctx, e, client, exp); err != nil {
		return nil, kube.JobSpec{}, err
	}
	command, document, err := JobCommand(exp, o.Destroy, by.Hold)
	if err != nil {
		return nil, kube.JobSpec{}, err
	}
	made := o.Cluster.Mark(store.Name(e.Now(), exp.Target))
	return client, kube.JobSpec{Name: made.Run, Made: made, Where: where, Command: command, Experiment: document, Account: by.Account}, nil
}

// checkJob refuses, before anything is created, what would fail inside the cluster.
func (o *Places) checkJob(ctx context.Context, e *env.Env, client *kube.Client, exp model.Experiment) error {
	if len(o.Hosts) > 0 {
		return model.RefusedError("--hosts are reached by ssh from this machine, but --in-cluster measures from inside a cluster", "choose one of them")
	}
	request, err := NewRequest(exp, func(string) {})
	if err != nil {
		return err
	}
	return o.foreseeAll(ctx, e, request, Targets(exp), client.Namespace)
}

// JobCommand returns the command of a Job and the experiment that it reads, as YAML. Changes to user data are
// permitted on that command line, as they are here: an experiment cannot permit them. destroy names what
// may be overwritten, and hold is how long the results are kept. An experiment that contains a secret, or
// is too long for a Job, is refused.
func JobCommand(exp model.Experiment, destroy []string, hold time.Duration) (command []string, document []byte, err error) {
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
	command = []string{"loadline", "job", "--hold", hold.String(), "--", "run", "--experiment", kube.ExperimentPath}
	for _, name := range destroy {
		command = append(command, "--destroy-data-on="+name)
	}
	if exp.Place.FSGroup != "" {
		command = append(command, "--fs-group="+exp.Place.FSGroup)
	}
	if exp.App != nil {
		// Its settings and image come from flags typed here, or from a file that was permitted here.
		command = append(command, "--allow-programs")
	}
	// The report in the log outlives the pod's container.
	return append(command, "--format=json"), document, nil
}
