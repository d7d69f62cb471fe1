package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/kube"
	"github.com/loadline/loadline/internal/place/pods"
)

// cleanupCluster removes what carries our label and belongs to no living run.
func cleanupCluster(ctx context.Context, e *env.Env, access kube.Access, everywhere, force bool) error {
	client, err := kube.Open(e, access)
	if err != nil {
		return err
	}
	namespace, where := client.Namespace, "the namespace "+client.Namespace
	if everywhere {
		namespace, where = "", "the cluster"
	}
	all, err := client.Own(ctx, namespace, "")
	if err != nil {
		return err
	}
	alive := livingRuns(ctx, all, func(ctx context.Context, pod kube.Object) (bool, error) { return pods.Attended(ctx, client, pod) })
	var old []kube.Object
	for _, o := range all {
		if why := alive[o.Run]; why != "" && !force {
			sayLine(e.Stdout, "kept    %s: %s", o, why)
			continue
		}
		old = append(old, o)
	}
	if len(old) == 0 {
		sayLine(e.Stdout, "nothing to remove in %s", where)
		return nil
	}
	if err := client.Remove(ctx, old, cleanupTime); err != nil {
		return err
	}
	for _, o := range old {
		sayLine(e.Stdout, "removed %s", o)
	}
	return nil
}

const (
	cleanupTime = 3 * time.Minute
	// starting is how long a run of another host may have to get its pods running; a
	// younger one that does not run yet is taken for alive.
	starting = 10 * time.Minute
	// connecting is how long a worker of another host may run before its run is with it.
	connecting = time.Minute
	// parting is how long a connection may outlast the process that has made it.
	parting, askAgain = 10 * time.Second, 500 * time.Millisecond
)

// livingRuns tells, by run, why its objects are in use.
func livingRuns(ctx context.Context, all []kube.Object, ask func(context.Context, kube.Object) (bool, error)) map[string]string {
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
			if why := livingRun(ctx, objects, ask); why != "" {
				alive[run] = why
			}
		}
	}
	return alive
}

// livingRun tells why the objects of one run are in use, "" if they are not. Of a process
// that is not here nobody can tell whether it lives, but its workers know whether somebody
// is attached to them; so do those of a process that is gone, but of a moment ago.
func livingRun(ctx context.Context, objects []kube.Object, ask func(context.Context, kube.Object) (bool, error)) string {
	gone, placed, youngest := true, false, objects[0].Age
	for _, o := range objects {
		switch _, pid, _ := splitDriver(o.Driver); lifeOf(o.Driver) {
		case living:
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
		for begin := time.Now(); gone && err == nil && attended && time.Since(begin) < parting && ctx.Err() == nil; {
			time.Sleep(askAgain)
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
