package session

import (
	"context"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place/pods"
)

const (
	// starting is how long a run on another host may take to get its pods running; a younger one that does
	// not run yet is assumed to be alive.
	starting = 10 * time.Minute
	// connecting is how long a worker of another host may run before its run connects to it.
	connecting = time.Minute
	// parting is how long a connection may outlive the process that opened it.
	parting, askAgain = 10 * time.Second, 500 * time.Millisecond
)

// RunsInUse returns, by run, why its objects are in use.
func RunsInUse(ctx context.Context, client *kube.Client, all []kube.Object) map[string]string {
	return runsInUseBy(ctx, all, func(ctx context.Context, pod kube.Object) (bool, error) { return pods.Attended(ctx, client, pod) })
}

// runsInUseBy returns, by run, why its objects are in use.
func runsInUseBy(ctx context.Context, all []kube.Object, ask func(context.Context, kube.Object) (bool, error)) map[string]string {
	alive := map[string]string{}
	runs := map[string][]kube.Object{}
	for _, o := range all {
		runs[o.Run] = append(runs[o.Run], o)
		// A Job's workers are in use by the Job, whichever pod is listed first.
		if o.Kind == "pod" && o.Job != "" && (o.Running || !o.Ended && o.Age < starting) {
			alive[o.Run] = fmt.Sprintf("the Job measures, or keeps its results: loadline fetch %s --namespace %s", o.Job, o.Namespace)
		}
	}
	for run, objects := range runs {
		if alive[run] == "" {
			if why := runInUse(ctx, objects, ask); why != "" {
				alive[run] = why
			}
		}
	}
	return alive
}

// runInUse returns why the objects of one run are in use, "" if they are not. Whether a process on another
// machine is alive cannot be known, but its workers know whether they are attached to a client; so do those
// of a process that is gone, with a short delay.
func runInUse(ctx context.Context, objects []kube.Object, ask func(context.Context, kube.Object) (bool, error)) string {
	gone, placed, youngest := true, false, objects[0].Age
	for _, o := range objects {
		switch _, pid, _ := splitDriver(o.Driver); lifeOf(o.Driver) {
		case alive:
			return fmt.Sprintf("the process %d uses it", pid)
		case unknown:
			gone = false
		}
		placed = placed || o.Kind == "pod" && (o.Running || o.Ended)
		youngest = min(youngest, o.Age)
	}
	for _, o := range objects {
		if o.Kind != "pod" || !o.Running || o.Job != "" {
			continue
		}
		host, _, _ := splitDriver(o.Driver)
		attended, err := ask(ctx, o)
		for begin := system.Now(); gone && err == nil && attended && system.Since(begin) < parting && ctx.Err() == nil; {
			system.Sleep(askAgain)
			attended, err = ask(ctx, o)
		}
		switch {
		case err != nil && !gone:
			return fmt.Sprintf("a run on %s may use it: its worker could not be asked (%v)", host, err)
		case err == nil && attended:
			return "a run on " + host + " uses it"
		case err == nil && !gone && o.Age < connecting:
			return "a run on " + host + " may be about to use it"
		}
	}
	if host, _, _ := splitDriver(objects[0].Driver); !gone && !placed && youngest < starting {
		return "a run on " + host + " may be waiting for it"
	}
	return ""
}
