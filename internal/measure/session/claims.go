package session

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// oneNode tells for each target whether its workers must all be on the node of the
// first: those of an existing claim that only one node may use at a time. A claim that
// only one pod may use is refused for more than one.
func (o *Places) oneNode(ctx context.Context, e *env.Env, targets []model.Target, volumes int) ([]bool, error) {
	list := make([]bool, len(targets))
	for i, t := range targets {
		workers := (volumes - i + len(targets) - 1) / len(targets)
		if !inCluster(t) || t.Cluster.Made() || workers < 2 {
			continue
		}
		client, err := o.Cluster.Open(e)
		if err != nil {
			return nil, err
		}
		namespace := t.Cluster.Namespace
		if namespace == "" {
			namespace = client.Namespace
		}
		var facts model.Cluster
		if err := client.ClaimFacts(ctx, namespace, t.Cluster.Name, &facts); err != nil {
			return nil, err
		}
		if facts.OnePod() {
			return nil, model.RefusedError(fmt.Sprintf("%s is ReadWriteOncePod: only one pod may use it, and %d volumes need %d pods on it", t.Name, volumes, workers),
				"name as many claims as there are volumes, or --volumes 1")
		}
		list[i] = !facts.ManyNodes()
	}
	return list, nil
}

// leadersFirst is how worker i is started: where one node has to do, the first worker of
// the target goes before, and its others follow to its node, which nodeOf tells.
func leadersFirst(oneNode []bool, start func(i int, node string) error, nodeOf func(leader int) string) func(i int) error {
	// Each is closed when its target's first worker is there, or will not come.
	there := make([]chan struct{}, len(oneNode))
	for i := range there {
		there[i] = make(chan struct{})
	}
	failed := make([]error, len(oneNode))
	return func(i int) error {
		leader := i % len(oneNode)
		switch {
		case !oneNode[leader]:
			return start(i, "")
		case i == leader:
			failed[i] = start(i, "")
			close(there[i])
			return failed[i]
		}
		<-there[leader]
		if failed[leader] != nil {
			// Its own error tells it all.
			return context.Canceled
		}
		return start(i, nodeOf(leader))
	}
}
