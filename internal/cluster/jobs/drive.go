package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
)

// Begin creates the Job that measures, which keeps its results for the time hold.
func (c *Client) Begin(ctx context.Context, spec kube.JobSpec, hold time.Duration) error {
	if err := c.Cluster.MakeJob(ctx, spec); err != nil {
		return rightsHint(spec.Account, err)
	}
	c.Say(fmt.Sprintf("the Job %s/%s measures with the ServiceAccount %s; its results wait there for %s", c.Cluster.Namespace, c.Job, cmp.Or(spec.Account, c.Job+", made for it"), hold))
	return nil
}

// rightsHint adds a hint for users who may not create a ServiceAccount or its rights.
func rightsHint(account string, err error) error {
	var w *model.WorkerError
	if account != "" || !errors.As(err, &w) || w.Class != model.Refused {
		return err
	}
	return model.RefusedError(w.Message, "name a ServiceAccount that has the Role of deploy/role.yaml: --service-account NAME; or have its Role loadline-jobs bound to you")
}

// Stays reports whether a Job whose results could not be fetched is worth keeping, and says where it is: what cannot be
// fetched now may be later, with space here, or a connection. What is refused never can.
func (c *Client) Stays(err error) bool {
	var said *model.WorkerError
	if refused := errors.As(err, &said) && said.Class == model.Refused; !c.Holds() || refused {
		return false
	}
	namespace := c.Cluster.Namespace
	c.Say(fmt.Sprintf("the Job %s/%s stays, with its results: loadline fetch %s --namespace %s; or loadline cleanup --namespace %s", namespace, c.Job, c.Job, namespace, namespace))
	return true
}

// End removes what Begin has made, unless it is to be kept.
func (c *Client) End(ctx context.Context) error {
	if c.Keep {
		c.Say(fmt.Sprintf("kept in the cluster: job %[1]s/%[2]s; later: loadline cleanup --namespace %[1]s", c.Cluster.Namespace, c.Job))
		return nil
	}
	return c.TakeDown(context.WithoutCancel(ctx), c.Job)
}

// Settle removes a Job that was started earlier, now that its results are in dirs. One of the user's own stays, and so does what
// the run was told to keep.
func (c *Client) Settle(ctx context.Context, dirs []string) error {
	run, made := c.Made()
	switch {
	case !made:
		c.Say(fmt.Sprintf("the Job is your own and is not removed: kubectl delete job %s -n %s", c.Job, c.Cluster.Namespace))
	case slices.ContainsFunc(dirs, c.Runs.Keeps):
		c.Say(fmt.Sprintf("kept in the cluster, as the run was given --keep: job %[1]s/%[2]s; later: loadline cleanup --namespace %[1]s", c.Cluster.Namespace, c.Job))
	default:
		return c.TakeDown(context.WithoutCancel(ctx), run)
	}
	return nil
}
