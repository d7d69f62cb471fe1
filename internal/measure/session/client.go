package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/remote"
)

// clientNode returns where the client of an application runs, "" if it runs with the server.
func clientNode(ask *model.AppRequest) string {
	if !remote.HasOwnPod(ask) {
		return ""
	}
	return ask.Client
}

// withClient starts an application's client in its own pod, if it is to have one, and joins its worker to
// the server's. After an error nothing is left.
func (o *Places) withClient(ctx context.Context, e *env.Env, at factory, by placeOptions, a place.Assignment, server *place.Worker) (*place.Worker, error) {
	if a.ClientNode == "" {
		return server, nil
	}
	if at.client == nil {
		return nil, errors.Join(model.BrokenError("only a cluster has pods for clients", ""), server.Link.Close())
	}
	client, err := at.client(ctx, o, e, by, a, server.Cluster.Node)
	if err != nil {
		return nil, errors.Join(err, server.Link.Close())
	}
	link, err := join(ctx, e.Clock, server.Link, client.Link)
	if err != nil {
		return nil, errors.Join(err, client.Link.Close(), server.Link.Close())
	}
	a.Say(fmt.Sprintf("the server is on the node %s, and %s in a pod of its own on %s", server.Cluster.Node, by.tool, client.Cluster.Node))
	server.Link, server.Cluster.Client = link, client.Cluster
	return server, nil
}

// checkClient refuses a node for the client that does not exist or cannot run it, before anything is
// created. If the user may not read the nodes, the scheduler will report it.
func (o *Places) checkClient(ctx context.Context, e *env.Env, ask *model.AppRequest, t model.Target) error {
	if !remote.HasOwnPod(ask) {
		return nil
	}
	if !inCluster(t) {
		return model.RefusedError(fmt.Sprintf("--client-node places %s in a Kubernetes cluster, and %s is in none", loadTool(ask), t.Name), "leave it out, or name sc:CLASS or pvc:CLAIM")
	}
	if ask.Client == remote.Same {
		return nil
	}
	where, err := o.Cluster.Where(e)
	if err != nil {
		return err
	}
	client, err := o.Cluster.Open(e)
	if err != nil {
		return err
	}
	demanded := where.Node
	where.Node, where.NodeSelector = "", nil
	fit, all, known := client.NodeNames(ctx, where)
	if !known {
		return nil
	}
	if ask.Client != remote.Other {
		switch {
		case !slices.Contains(all, ask.Client):
			return model.RefusedError("--client-node "+ask.Client+": the cluster has no such node", "kubectl get nodes lists them; other is any but the server's, same is the server's")
		case !slices.Contains(fit, ask.Client):
			return model.RefusedError("--client-node "+ask.Client+": the node has a taint that the pod does not tolerate", "name another one, or add --toleration; kubectl describe node "+ask.Client+" shows its taints")
		}
		return nil
	}
	if others := slices.DeleteFunc(slices.Clone(fit), func(name string) bool { return name == demanded }); len(others) == 0 || len(fit) < 2 {
		return model.RefusedError(fmt.Sprintf("--client-node other: the client would have to be on another node than the server, and only %d of the cluster's %d nodes may run its pod", len(fit), len(all)),
			"leave it out, or say --client-node same; --toleration lets pods onto nodes with a taint")
	}
	return nil
}
