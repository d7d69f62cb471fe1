package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/pgurl"
)

// Observed says what is to be observed beside a measurement.
type Observed struct {
	// Trace asks for a trace of the block devices below the targets, and Amplification for counts of what
	// the disks behind replicated volumes do.
	Trace, Amplification bool
	// InJob says that a Job in the cluster measures, beside which nothing can be observed from here.
	InJob bool
}

// Observation is what is observed beside a measurement; the zero value is nothing. Observe checks it.
type Observation struct {
	trace, pods, amplification bool
	// request says what is traced on this machine.
	request iotrace.Request
}

// Observe returns what is to be observed beside the measurement of an experiment. It refuses, before any I/O,
// what cannot be observed in any case; it creates nothing.
func (o *Places) Observe(ctx context.Context, e *env.Env, exp model.Experiment, asked Observed) (Observation, error) {
	by := Observation{trace: asked.Trace, amplification: asked.Amplification}
	var err error
	if by.trace {
		if by.request, by.pods, err = o.tracedDevices(ctx, e, exp, asked.InJob); err != nil {
			return by, err
		}
	}
	if by.amplification {
		err = o.checkAmplification(ctx, e, exp, asked.InJob)
	}
	return by, err
}

// ObserverManifests returns the pods that would trace, and count, on each node of the experiment's target, as
// YAML: "" for what is not asked, or would be observed on this machine. It refuses what Observe refuses. id
// names the run.
func (o *Places) ObserverManifests(ctx context.Context, e *env.Env, exp model.Experiment, id string, asked Observed) (tracer, counter string, err error) {
	by, err := o.Observe(ctx, e, exp, asked)
	if err != nil || !by.pods && !by.amplification {
		return "", "", err
	}
	t, err := ParseTarget(exp.Target)
	if err != nil {
		return "", "", err
	}
	if by.pods {
		if tracer, err = o.tracerManifest(e, id, t); err != nil {
			return "", "", err
		}
	}
	if by.amplification {
		counter, err = o.counterManifest(e, id, t)
	}
	return tracer, counter, err
}

// tracedDevices returns what to trace during the run of an experiment, and refuses what cannot be traced.
// inPods is true if that is in a cluster.
func (o *Places) tracedDevices(ctx context.Context, e *env.Env, exp model.Experiment, inJob bool) (request iotrace.Request, inPods bool, err error) {
	targets := Targets(exp)
	if exp.App != nil && exp.App.Log != "" {
		targets = append(targets, exp.App.Log)
	}
	switch {
	case inJob:
		return request, false, model.RefusedError("--trace is saved by the program that measures, and with --in-cluster that is a Job's", "leave one of the two out: without --in-cluster, pods are traced as well")
	case Paired(exp):
		return request, false, model.RefusedError("--trace works with one target, but a second is measured as well", "leave --trace out, or run loadline trace in another terminal")
	case len(o.Hosts) > 0:
		return request, false, model.RefusedError("--trace observes this machine, but --hosts measures elsewhere", "leave one of them out")
	}
	request.Target = strings.Join(targets, " ")
	in, err := clusterTargets("--trace", targets)
	if err != nil {
		return request, false, err
	}
	for _, t := range in {
		if err := o.tryTracing(ctx, e, t); err != nil {
			return request, true, err
		}
	}
	if len(in) > 0 {
		return request, true, nil
	}
	for _, target := range targets {
		if err := o.addTracedDevice(ctx, e, &request, target); err != nil {
			return request, false, err
		}
	}
	return request, false, nil
}

// addTracedDevice adds the device below a target to those of a request, once.
func (o *Places) addTracedDevice(ctx context.Context, e *env.Env, request *iotrace.Request, target string) error {
	if pgurl.Is(target) {
		return model.RefusedError("--trace observes the device of a local directory, but Loadline does not know where an existing server keeps its data",
			"leave --trace out, or run loadline trace DIR on the server's machine at the same time, with DIR the server's data directory")
	}
	file := target
	if _, err := os.Stat(target); err != nil && o.Create {
		file = filepath.Dir(target)
	}
	device, err := DeviceBelow(ctx, e, file)
	if err != nil {
		return err
	}
	var one iotrace.Request
	if err := trace.Resolve(&one, e.Clock, device, ""); err != nil {
		return err
	}
	for _, name := range one.Devices {
		if !slices.Contains(request.Devices, name) {
			request.Devices = append(request.Devices, name)
		}
	}
	return nil
}

// checkAmplification refuses what cannot be counted in any case; what only the volumes can tell is said in the
// report.
func (o *Places) checkAmplification(ctx context.Context, e *env.Env, exp model.Experiment, inJob bool) error {
	switch {
	case inJob:
		return model.RefusedError("--amplification is counted by the program that measures, and with --in-cluster that is a Job's", "leave one of the two out")
	case Paired(exp):
		return model.RefusedError("--amplification works with one target, but a second is measured as well", "leave --amplification out, or measure each on its own")
	}
	in, err := clusterTargets("--amplification", Targets(exp))
	if err != nil {
		return err
	}
	if len(in) == 0 || len(o.Hosts) > 0 {
		return model.RefusedError("--amplification counts what the disks behind a replicated volume of a Kubernetes cluster do, and "+exp.Target+" is in none",
			"leave it out; the device of a local target is counted in any case, and --trace shows more of it")
	}
	for _, t := range in {
		if err := o.tryCounting(ctx, e, t); err != nil {
			return err
		}
	}
	return nil
}

// clusterTargets returns the targets if they are in a cluster, and none if they are on this
// machine. A mix of both is refused.
func clusterTargets(flag string, targets []string) (in []model.Target, err error) {
	for _, name := range targets {
		if pgurl.Is(name) {
			continue
		}
		if t, err := ParseTarget(name); err == nil && t.Cluster != nil {
			in = append(in, t)
		}
	}
	if len(in) > 0 && len(in) < len(targets) {
		return nil, model.RefusedError(flag+" looks at this machine or at the nodes of a cluster, and the targets are in both", "name targets of one of them, or leave "+flag+" out")
	}
	return in, nil
}
