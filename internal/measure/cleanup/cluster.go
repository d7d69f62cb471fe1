package cleanup

import (
	"context"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
)

// removalTime bounds how long removing objects from a cluster may take.
const removalTime = 3 * time.Minute

// Cluster is a cluster, or a namespace of it, with the objects that killed runs have left there.
type Cluster struct {
	Outcome
	client *kube.Client
	old    []kube.Object
}

// FindInCluster finds the objects that carry our label and belong to no run in progress; with force, also those
// that do. It looks in the namespace of access or, if everywhere is set, in all. It tells which objects stay.
func FindInCluster(ctx context.Context, e *env.Env, access kube.Access, everywhere, force bool, tell func(Found)) (*Cluster, error) {
	client, err := kube.Open(e, access)
	if err != nil {
		return nil, err
	}
	namespace, where := client.Namespace, "the namespace "+client.Namespace
	if everywhere {
		namespace, where = "", "the cluster"
	}
	all, err := client.Own(ctx, namespace, "")
	if err != nil {
		return nil, err
	}
	alive := session.RunsInUse(ctx, client, all)
	c := &Cluster{client: client}
	for _, o := range all {
		if why := alive[o.Run]; why != "" && !force {
			tell(Found{Name: o.String(), Stays: why})
			continue
		}
		c.old = append(c.old, o)
	}
	c.Outcome = Outcome{Where: where, Nothing: len(c.old) == 0}
	return c, nil
}

// Remove removes the objects. After an error some are left, which it names.
func (c *Cluster) Remove(ctx context.Context, tell func(Found)) error {
	left, err := c.client.RemoveEach(ctx, c.old, removalTime)
	for _, o := range c.old {
		if !slices.Contains(left, o) {
			tell(Found{Name: o.String()})
		}
	}
	return err
}
