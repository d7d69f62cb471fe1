package session

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// oneNode reports for each target whether its workers must all be on the node of the first one: that is so
// for an existing claim that only one node may use at a time. If only one pod may use a claim, more than
// one are refused.
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

// leadersFirst returns the function that starts worker i. If all workers of a target must be on one node,
// the first one is started first and the others follow to its node, which nodeOf returns.
func leadersFirst(oneNode []bool, start func(i int, node string) error, nodeOf func(leader int) string) func(i int) error {
	// Each is closed when its target's first worker has started or failed.
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
			// The first worker's own error is sufficient.
			return context.Canceled
		}
		return start(i, nodeOf(leader))
	}
}
