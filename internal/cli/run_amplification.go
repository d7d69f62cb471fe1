package cli

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// amplificationFlag is the name of the flag that counts what the disks behind volumes do.
const amplificationFlag = "amplification"

// registerAmplification adds --amplification.
func (f *measureFlags) registerAmplification(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.amplification, amplificationFlag, false,
		"count the I/Os of all disks with a replica of the volume, for each of the client's (Longhorn; in pods that mount the replicas' directories read-only)")
}

// registerAmplification adds it to a verb that plans.
func (f *planFlags) registerAmplification(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.amplification, amplificationFlag, false, "plan with counting the I/Os of the disks behind the volume, and show the pod that counts")
}

// restBefore is how long the disks are counted before the run begins, for what else uses them.
const restBefore = 4 * time.Second

// checkAmplification refuses before any I/O what cannot be counted in any case; what only the volumes can tell
// is said in the report. inJob says that a Job in the cluster measures.
func checkAmplification(ctx context.Context, e *env.Env, o *options, exp model.Experiment, inJob bool) error {
	targets := []string{exp.Target}
	if exp.Scale != nil {
		targets = append(targets, exp.Scale.Targets...)
	}
	switch {
	case inJob:
		return model.RefusedError("--amplification is counted by the program that measures, and with --in-cluster that is a Job's", "leave one of the two out")
	case session.Paired(exp):
		return model.RefusedError("--amplification works with one target, but a second is measured as well", "leave --amplification out, or measure each on its own")
	}
	in, err := clusterTargets("--amplification", targets)
	if err != nil {
		return err
	}
	if len(in) == 0 || len(o.places.Hosts) > 0 {
		return model.RefusedError("--amplification counts what the disks behind a replicated volume of a Kubernetes cluster do, and "+exp.Target+" is in none",
			"leave it out; the device of a local target is counted in any case, and --trace shows more of it")
	}
	for _, t := range in {
		if err := o.places.TryCounting(ctx, e, t); err != nil {
			return err
		}
	}
	return nil
}

// amplify arranges for the disks behind the experiment's volumes to be counted if --amplification is given.
func (f *measureFlags) amplify(ctx context.Context, e *env.Env, o *options, exp model.Experiment) error {
	if !f.amplification {
		return nil
	}
	if err := checkAmplification(ctx, e, o, exp, f.inside.on); err != nil {
		return err
	}
	f.counters = func(ctx context.Context, e *env.Env, run model.Run, prep *session.Prepared, say func(string)) (func() error, error) {
		found, err := o.places.Counters(ctx, e, run.ID, prep, say)
		if err != nil {
			return nil, err
		}
		if why := found.Behind.NotCounted; why != "" {
			say("--amplification: not counted: " + why)
		}
		f.counting = func(ctx context.Context, e *env.Env, writer *store.Writer) (func() error, error) {
			return f.beginCounting(ctx, e, o, prep, found, writer, exp.Labels)
		}
		if found.Group == nil {
			return func() error { return nil }, nil
		}
		return found.Close, nil
	}
	return nil
}

// beginCounting returns once the disks have been counted without load for a while. The function that it returns
// ends the counting, and records whether the disks are still those behind the volumes.
func (f *measureFlags) beginCounting(ctx context.Context, e *env.Env, o *options, prep *session.Prepared, found session.Counted, writer *store.Writer, labels model.Labels) (func() error, error) {
	behind := found.Behind
	note := func() error {
		return writer.Beside(model.Beside{Behind: &behind})
	}
	if found.Group == nil {
		return func() error { return nil }, note()
	}
	to := traceLocation{parent: writer.Dir(), directory: amplification.Directory, id: filepath.Base(writer.Dir()) + "-" + amplification.Directory, labels: labels}
	end, err := f.startTrace(ctx, e, trace.Options{Clock: e.Clock, Request: iotrace.Request{}}, tracedMachine{found.Run, prep.Probe.Environment}, to)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		behind.NotCounted = err.Error()
		return func() error { return nil }, note()
	}
	select {
	case <-ctx.Done():
	case <-e.Clock.After(restBefore):
	}
	return func() error {
		// The measurement is worth more than its amplification: that is then unknown.
		if err := end(); err != nil {
			behind.NotCounted = err.Error()
		} else {
			behind = stillBehind(ctx, e, o, prep, behind)
		}
		if behind.NotCounted == "" {
			return nil
		}
		return note()
	}, note()
}

// stillBehind returns the disks with a reason not to use their counts if they are no longer all disks.
func stillBehind(ctx context.Context, e *env.Env, o *options, prep *session.Prepared, behind amplification.Behind) amplification.Behind {
	now, err := prep.StillBehind(context.WithoutCancel(ctx), &o.places, e, behind)
	if err != nil {
		behind.NotCounted = "whether the replicas have moved during the run is not known: " + err.Error()
		return behind
	}
	return now
}

// counterWords explain what a counting pod is for.
const counterWords = `# With --amplification, such a pod on each node that has a replica, removed at the end. It
# mounts the directories in which the storage system keeps replicas there (the path below is the
# default; the volume's own is read from its replicas), read-only, because only that tells which disks hold
# them; what those do, it reads from /sys. It is not root and has no capability, so it cannot
# read the replicas, which are root's. The pods that measure mount nothing of the node.
`

// plannedCounter returns the pod that would count on each node, as YAML. It refuses what a measurement would
// refuse.
func plannedCounter(ctx context.Context, e *env.Env, o *options, exp model.Experiment, id string) (string, error) {
	if err := checkAmplification(ctx, e, o, exp, false); err != nil {
		return "", err
	}
	t, err := session.ParseTarget(exp.Target)
	if err != nil {
		return "", err
	}
	return o.places.CounterManifest(e, id, t)
}
