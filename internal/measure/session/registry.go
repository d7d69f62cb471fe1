package session

import (
	"context"
	"io"
	"slices"

	"github.com/loadline/loadline/internal/cluster/storage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/load/etcd"
	"github.com/loadline/loadline/internal/measure/load/postgres/asked"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/measure/place/local"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/measure/place/ssh"
	"github.com/loadline/loadline/internal/measure/worker"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
)

// factory makes a place from the user's options.
type factory struct {
	name string
	// serves reports whether the target's workers belong there.
	serves func(o *Places, t model.Target) bool
	// open makes the place for one worker.
	open func(o *Places, e *env.Env, by placeOptions) (place.Place, error)
	// learn adds what else can be found out about a worker that was started there; nil if nothing can.
	learn func(ctx context.Context, o *Places, e *env.Env, p *placed) error
	// client starts an application's client apart from its server, which runs on the node of that name; nil if that cannot be done there.
	client func(ctx context.Context, o *Places, e *env.Env, by placeOptions, a place.Assignment, node string) (*place.Worker, error)
}

// registry lists the places, the most specific first: a target's workers go to the first one that serves
// it. A new place is a factory, and a line here.
var registry = []factory{
	{name: "hosts", serves: func(o *Places, _ model.Target) bool { return len(o.Hosts) > 0 }, open: openHosts},
	{name: "pods", serves: func(_ *Places, t model.Target) bool { return inCluster(t) }, open: openPod, learn: learnStorage, client: startClient},
	{name: "this machine", serves: func(*Places, model.Target) bool { return true }, open: openHere},
}

// at returns the factory that serves a target; the last one serves all.
func (o *Places) at(t model.Target) factory {
	return registry[slices.IndexFunc(registry, func(f factory) bool { return f.serves(o, t) })]
}

func openHosts(o *Places, e *env.Env, _ placeOptions) (place.Place, error) {
	return ssh.Place{Env: e, Hosts: o.Hosts}, nil
}

func openHere(_ *Places, e *env.Env, by placeOptions) (place.Place, error) {
	return here(e, by.child), nil
}

// applications lists the applications that can be measured. A new one is a package with its load tool, and
// a line here.
var applications = []struct {
	application.Application
	// tool is nil if the worker in pods, whose program links no more than it needs, has it too: then it is
	// in the registry of package worker. (etcd's needs net/http, which is larger than all that a worker
	// does.)
	tool worker.Factory
}{
	{asked.Application, nil},
	{etcd.Application, etcd.Tool},
}

// Applications lists the applications that can be measured.
func Applications() (list application.List) {
	for _, a := range applications {
		list = append(list, a.Application)
	}
	return list
}

// OnlyHere lists the load tools of workers on this machine that are not linked into the program for pods.
func OnlyHere() (list []worker.Factory) {
	for _, a := range applications {
		if a.tool != nil {
			list = append(list, a.tool)
		}
	}
	return list
}

// here returns this machine as a place: the worker is in this process or, with child, in a separate process
// (as in remote places).
func here(e *env.Env, child bool) local.Place {
	at := local.Place{Env: e, Serve: func(ctx context.Context, name string, in io.Reader, out io.Writer) error {
		return agent.Serve(ctx, in, out, worker.Options(e, name, OnlyHere()...))
	}}
	if child {
		at.Command = []string{e.Program(), "agent"}
	}
	return at
}

func openPod(o *Places, e *env.Env, by placeOptions) (place.Place, error) { return openPods(o, e, by) }

func openPods(o *Places, e *env.Env, by placeOptions) (at pods.Place, err error) {
	where, err := o.Cluster.Where(e)
	if err != nil {
		return at, err
	}
	where.Application = by.application
	as, err := o.Cluster.Identity.as()
	if err != nil {
		return at, err
	}
	client, err := o.Cluster.Open(e)
	if err != nil {
		return at, err
	}
	return pods.Place{Client: client, Made: o.Cluster.Mark(by.ID), Where: where, Ready: o.Cluster.Ready, As: as, Keep: o.Cluster.Keep}, nil
}

// startClient starts an application's client in a pod of its own.
func startClient(ctx context.Context, o *Places, e *env.Env, by placeOptions, a place.Assignment, node string) (*place.Worker, error) {
	at, err := openPods(o, e, by)
	if err != nil {
		return nil, err
	}
	return at.PutClient(ctx, a, node)
}

// learnStorage asks the storage system behind a volume what it knows about it.
func learnStorage(ctx context.Context, o *Places, e *env.Env, p *placed) error {
	client, err := o.Cluster.Open(e)
	if err != nil {
		return err
	}
	p.cluster.Backing = storage.Describe(ctx, client, p.cluster)
	p.count = storage.Counter(client, p.cluster)
	return nil
}
