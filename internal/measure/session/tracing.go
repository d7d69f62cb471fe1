package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/measure/trace/remote"
	"github.com/loadline/loadline/internal/model"
)

// standing is the storage that a volume in a cluster is on, and what loads it.
type standing struct {
	// target is the name that the user gave; cluster is nil outside of a cluster.
	target  string
	cluster *model.Cluster
	// devices are those of its node, none if its blocks are not on one; cgroup is the number of the cgroup
	// that loads it.
	devices []string
	cgroup  uint64
}

// stands returns what a worker has found out about its volume.
func (p *placed) stands(found *model.ProbeResult) standing {
	s := standing{target: p.target.Name, cluster: p.cluster, cgroup: found.Cgroup}
	for _, storage := range []*model.Storage{&found.Environment.Storage, found.Environment.LogStorage} {
		if storage != nil && storage.Device != "" && !slices.Contains(s.devices, storage.Device) {
			s.devices = append(s.devices, storage.Device)
		}
	}
	return s
}

// tracerSuffix ends the name of a tracer's pod that is only shown or tried.
const tracerSuffix = "-trace"

// tracing returns the place for tracers in a namespace; "" is the client's.
func (o *Places) tracing(e *env.Env, id, namespace string) (pods.Place, error) {
	at, err := openPods(o, e, placeOptions{ID: id})
	if err != nil {
		return at, err
	}
	own := *at.Client
	own.Namespace = cmp.Or(namespace, own.Namespace)
	at.Client = &own
	return at, nil
}

// tryTracing checks whether the cluster allows tracing what pods measure on a target, and creates nothing.
func (o *Places) tryTracing(ctx context.Context, e *env.Env, t model.Target) error {
	at, err := o.tracing(e, "trace", t.Cluster.Namespace)
	if err != nil {
		return err
	}
	return at.TryTracer(ctx, pods.Tracer{Suffix: tracerSuffix})
}

// tracerManifest returns the pod that would trace on each node that has a volume of the target, as YAML.
func (o *Places) tracerManifest(e *env.Env, id string, t model.Target) (string, error) {
	at, err := o.tracing(e, id, t.Cluster.Namespace)
	if err != nil {
		return "", err
	}
	text, err := at.TracerManifest(pods.Tracer{Suffix: tracerSuffix})
	return string(text), err
}

// tracers starts a tracer on each node that has a volume, and returns when all are ready. say receives
// remarks for the user. After an error nothing is left.
func (o *Places) tracers(ctx context.Context, e *env.Env, id string, p *Prepared, say func(string)) (*remote.Group, error) {
	tracers, namespaces, err := p.tracers(say)
	if err != nil {
		return nil, err
	}
	var nodes []string
	for _, t := range tracers {
		nodes = append(nodes, t.Node)
	}
	say(fmt.Sprintf("for --trace a pod with the capabilities BPF and PERFMON is started on %s; the pods that measure have none", strings.Join(nodes, ", ")))
	err = inParallel(len(tracers), placedAtOnce, func(i int) error {
		at, err := o.tracing(e, id, namespaces[i])
		if err == nil {
			tracers[i].Link, err = at.PutTracer(ctx, pods.Tracer{Node: tracers[i].Node, Suffix: fmt.Sprintf("-t%d", i+1)}, say)
		}
		return err
	})
	if err != nil {
		for _, t := range tracers {
			if t.Link != nil {
				err = errors.Join(err, t.Link.Close())
			}
		}
		return nil, causes(ctx, err)
	}
	return remote.Ready(ctx, e.Clock, tracers, say)
}

// tracers returns the tracers that are needed, without their links, in the order of their nodes, and the
// namespaces of their pods.
func (p *Prepared) tracers(say func(string)) (list []*remote.Tracer, namespaces []string, err error) {
	by := map[string]*remote.Tracer{}
	in := map[string]string{}
	for _, s := range p.stands {
		if s.cluster == nil || len(s.devices) == 0 {
			say(fmt.Sprintf("%s stands on no block device of its node: of it there is nothing to trace", s.target))
			continue
		}
		c := s.cluster
		t := by[c.Node]
		if t == nil {
			t = &remote.Tracer{Node: c.Node, Cgroups: map[uint64]string{}}
			by[c.Node], in[c.Node] = t, c.Namespace
			list = append(list, t)
		}
		for _, d := range s.devices {
			if !slices.Contains(t.Devices, d) {
				t.Devices = append(t.Devices, d)
			}
		}
		if s.cgroup != 0 {
			t.Cgroups[s.cgroup] = "pod " + c.Namespace + "/" + c.Pod
		}
	}
	if len(list) == 0 {
		return nil, nil, model.RefusedError("--trace looks at the block devices of the nodes, and what is measured stands on none of them (a network filesystem, or memory)",
			"leave --trace out, or run loadline trace where the blocks are")
	}
	slices.SortFunc(list, func(a, b *remote.Tracer) int { return cmp.Compare(a.Node, b.Node) })
	for _, t := range list {
		slices.Sort(t.Devices)
		namespaces = append(namespaces, in[t.Node])
	}
	return list, namespaces, nil
}
