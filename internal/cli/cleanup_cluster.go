package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
	alive := livingRuns(ctx, client, all)
	var old []kube.Object
	for _, o := range all {
		if why := alive[o.Run]; why != "" && !force {
			fmt.Fprintf(e.Stdout, "kept    %s: %s\n", o, why)
			continue
		}
		old = append(old, o)
	}
	if len(old) == 0 {
		fmt.Fprintf(e.Stdout, "nothing to remove in %s\n", where)
		return nil
	}
	if err := client.Remove(ctx, old, cleanupTime); err != nil {
		return err
	}
	for _, o := range old {
		fmt.Fprintf(e.Stdout, "removed %s\n", o)
	}
	return nil
}

const (
	cleanupTime = 3 * time.Minute
	// starting is how long a run of another host may have to get its pods running; a
	// younger one that does not run yet is taken for alive.
	starting = 10 * time.Minute
)

// livingRuns tells, by run, why its objects are in use.
func livingRuns(ctx context.Context, client *kube.Client, all []kube.Object) map[string]string {
	alive := map[string]string{}
	// A Job's workers are in use by the Job, whichever pod is listed first.
	for _, o := range all {
		if o.Kind == "pod" && o.Job != "" && (o.Running || !o.Ended && o.Age < starting) {
			alive[o.Run] = fmt.Sprintf("the Job measures, or keeps its results: loadline fetch %s --namespace %s", o.Job, o.Namespace)
		}
	}
	for _, o := range all {
		if alive[o.Run] != "" {
			continue
		}
		host, pid := splitDriver(o.Driver)
		switch here, _ := os.Hostname(); {
		case host == here && pid > 0:
			// Signal 0 asks whether the process exists.
			if err := unix.Kill(pid, 0); err == nil || err == unix.EPERM {
				alive[o.Run] = fmt.Sprintf("the process %d uses it", pid)
			}
		case o.Kind == "pod" && o.Running:
			if pods.Attended(ctx, client, o) {
				alive[o.Run] = "a run on " + host + " uses it"
			}
		case o.Kind == "pod" && o.Age < starting:
			alive[o.Run] = "a run on " + host + " may be waiting for it"
		}
	}
	return alive
}

// splitDriver takes "host/123" apart.
func splitDriver(s string) (host string, pid int) {
	host, number, _ := strings.Cut(s, "/")
	pid, _ = strconv.Atoi(number)
	return host, pid
}
