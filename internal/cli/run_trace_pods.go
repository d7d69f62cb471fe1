package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/pgurl"
)

// clusterTargets returns the targets if they are in a cluster, and none if they are on this
// machine. A mix of both is refused.
func clusterTargets(flag string, targets []string) (in []model.Target, err error) {
	for _, name := range targets {
		if pgurl.Is(name) {
			continue
		}
		if t, err := session.ParseTarget(name); err == nil && t.Cluster != nil {
			in = append(in, t)
		}
	}
	if len(in) > 0 && len(in) < len(targets) {
		return nil, model.RefusedError(flag+" looks at this machine or at the nodes of a cluster, and the targets are in both", "name targets of one of them, or leave "+flag+" out")
	}
	return in, nil
}

// tracePods makes the run start the trace in separate pods.
func (f *measureFlags) tracePods(o *options, request iotrace.Request, labels model.Labels) {
	f.tracers = func(ctx context.Context, e *env.Env, run model.Run, prep *session.Prepared, say func(string)) (func() error, error) {
		group, err := o.places.Tracers(ctx, e, run.ID, prep, say)
		if err != nil {
			return nil, err
		}
		f.background = func(ctx context.Context, e *env.Env, dir string) (func() error, error) {
			return f.startTrace(ctx, e, trace.Options{Clock: e.Clock, Request: request}, tracedMachine{group.Run, prep.Probe.Environment}, runTraceLocation(dir, labels))
		}
		return group.Close, nil
	}
}

// traceFlag is the name of the flag that asks for a trace during a run.
const traceFlag = "trace"

// registerTrace adds --trace to a verb that plans.
func (f *planFlags) registerTrace(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.trace, traceFlag, false, "plan with a trace beside the run; for Kubernetes, show the pod that traces")
}

// tracerWords explain what a tracer pod is for.
const tracerWords = `# With --trace, such a pod on each node that has a volume as well, removed at the end. It has
# the capabilities BPF and PERFMON, because the kernel lets nobody without them trace it, and
# nothing else of the node: no privileges, no namespaces, no paths. The pods that measure have
# no capability.
`

// plannedTracer returns the pod that would trace on each node, as YAML; "" if this machine would be traced.
// It refuses what a measurement would refuse to trace.
func plannedTracer(ctx context.Context, e *env.Env, o *options, exp model.Experiment, id string) (string, error) {
	_, inPods, err := tracedDevices(ctx, e, o, exp, false)
	if err != nil || !inPods {
		return "", err
	}
	t, err := session.ParseTarget(exp.Target)
	if err != nil {
		return "", err
	}
	return o.places.TracerManifest(e, id, t)
}
