package cli

import (
	"context"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
)

// cleanupCluster removes the objects that carry our label and belong to no run in progress.
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
	alive := session.RunsInUse(ctx, client, all)
	var old []kube.Object
	for _, o := range all {
		if why := alive[o.Run]; why != "" && !force {
			printLine(e.Stdout, "kept    %s: %s", o, why)
			continue
		}
		old = append(old, o)
	}
	if len(old) == 0 {
		printLine(e.Stdout, "nothing to remove in %s", where)
		return nil
	}
	left, err := client.RemoveEach(ctx, old, cleanupTime)
	for _, o := range old {
		if !slices.Contains(left, o) {
			printLine(e.Stdout, "removed %s", o)
		}
	}
	return explained(ctx, e, err)
}

// cleanupTime bounds how long removing objects from a cluster may take.
const cleanupTime = 3 * time.Minute
