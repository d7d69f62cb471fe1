package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/storage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/measure/trace/remote"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/units"
)

// counterSuffix ends the name of a counting pod that is only shown or tried; those that are made are "-d1",
// "-d2" and so on.
const counterSuffix = "-disks"

// defaultDirectory stands for the directories of replicas while there is no volume that could be asked about
// its own. It is Longhorn's default.
const defaultDirectory = "/var/lib/longhorn"

// tryCounting checks whether the cluster allows counting what the disks behind a target do, and creates
// nothing.
func (o *Places) tryCounting(ctx context.Context, e *env.Env, t model.Target) error {
	at, err := o.tracing(e, "disks", t.Cluster.Namespace)
	if err != nil {
		return err
	}
	return at.TryTracer(ctx, pods.Tracer{Suffix: counterSuffix, Directories: []string{defaultDirectory}})
}

// counterManifest returns the pod that would count on each node with replicas of the target, as YAML.
func (o *Places) counterManifest(e *env.Env, id string, t model.Target) (string, error) {
	at, err := o.tracing(e, id, t.Cluster.Namespace)
	if err != nil {
		return "", err
	}
	text, err := at.TracerManifest(pods.Tracer{Suffix: counterSuffix, Directories: []string{defaultDirectory}})
	return string(text), err
}

// counted are counting pods that are ready, and the disks that they count.
type counted struct {
	*remote.Group
	Behind amplification.Behind
}

// counters starts a pod on each node with replicas of the volumes, which counts what the disks do that hold
// them, and returns when all are ready. If that cannot be done, Group is nil and NotCounted says why. An
// error means that ctx has ended.
func (o *Places) counters(ctx context.Context, e *env.Env, id string, p *Prepared, say func(string)) (counted, error) {
	found := counted{Behind: p.behind()}
	if found.Behind.NotCounted != "" {
		return found, nil
	}
	counters := countersOf(found.Behind.Disks)
	var nodes []string
	for _, c := range counters {
		nodes = append(nodes, c.Node)
	}
	tracers := tracersOf(counters)
	say(fmt.Sprintf("for --amplification a pod is started on %s, which mounts the replicas' directories read-only to find their disks, and counts what those do", strings.Join(nodes, ", ")))
	err := inParallel(len(counters), placedAtOnce, func(i int) error {
		at, err := o.tracing(e, id, p.stands[0].cluster.Namespace)
		if err == nil {
			counters[i].Suffix = fmt.Sprintf("-d%d", i+1)
			tracers[i].Link, err = at.PutTracer(ctx, counters[i], say)
		}
		return err
	})
	if err == nil {
		found.Group, err = remote.Ready(ctx, e.Clock, tracers, say)
	} else {
		for _, t := range tracers {
			if t.Link != nil {
				err = errors.Join(err, t.Link.Close())
			}
		}
		err = causes(ctx, err)
	}
	switch {
	case err == nil:
		found.name(counters, tracers)
	case ctx.Err() != nil:
		return found, err
	default:
		found.Behind.NotCounted = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return found, nil
}

// name notes the devices that the counters have found.
func (c *counted) name(counters []pods.Tracer, tracers []*remote.Tracer) {
	for i := range c.Behind.Disks {
		d := &c.Behind.Disks[i]
		for k, x := range counters {
			if nth := slices.Index(x.Directories, d.Path); x.Node == d.Node && nth >= 0 {
				d.Device = c.DeviceOf(tracers[k], nth)
			}
		}
	}
}

// countersOf returns the pods that disks need, one for each node, in their order.
func countersOf(disks []amplification.Disk) (list []pods.Tracer) {
	for _, d := range disks {
		if len(list) == 0 || list[len(list)-1].Node != d.Node {
			list = append(list, pods.Tracer{Node: d.Node})
		}
		last := &list[len(list)-1]
		last.Directories = append(last.Directories, d.Path)
	}
	return list
}

// tracersOf returns the tracers in those pods, without their links: in a pod the directories have other
// paths.
func tracersOf(counters []pods.Tracer) (list []*remote.Tracer) {
	for _, c := range counters {
		t := &remote.Tracer{Node: c.Node}
		for nth := range c.Directories {
			t.Holding = append(t.Holding, kube.DirectoryPath(nth))
		}
		list = append(list, t)
	}
	return list
}

// behind returns the disks behind all volumes, as their storage systems report them, and what to expect of
// them.
func (p *Prepared) behind() (b amplification.Behind) {
	for i, s := range p.stands {
		if s.cluster == nil || s.cluster.Backing == nil {
			return amplification.Behind{NotCounted: s.target + " is in no cluster whose storage system could be asked for its disks"}
		}
		if s.cluster.Log != nil {
			return amplification.Behind{NotCounted: "the log has a claim of its own, and only the disks behind the data are known"}
		}
		k := s.cluster.Backing
		if len(k.Disks) == 0 {
			return amplification.Behind{NotCounted: notTold(k)}
		}
		for _, d := range k.Disks {
			if !slices.Contains(b.Disks, d) {
				b.Disks = append(b.Disks, d)
			}
		}
		one := expected(k)
		switch {
		case i == 0:
			b.Reads, b.Writes, b.Of = one.Reads, one.Writes, one.Of
		case one.Reads != b.Reads || one.Writes != b.Writes:
			b.Reads, b.Writes, b.Of = 0, 0, "the volumes differ in their replicas"
		}
	}
	slices.SortFunc(b.Disks, func(x, y amplification.Disk) int {
		return cmp.Or(cmp.Compare(x.Node, y.Node), cmp.Compare(x.Path, y.Path))
	})
	return b
}

// notTold says why the disks behind a volume are not known.
func notTold(k *model.Backing) string {
	for _, why := range k.Unknown {
		if reason, ok := strings.CutPrefix(why, storage.WhereReplicas+": "); ok {
			return reason
		}
	}
	if k.System == "" {
		return "the storage system behind the volume is not known"
	}
	return k.System + " does not say on which disks of the nodes its replicas are, in a way that Loadline can follow"
}

// expected returns how many I/Os the disks behind a volume should do for one of a client.
func expected(k *model.Backing) (b amplification.Behind) {
	replicas := cmp.Or(k.Healthy, k.Replicas)
	if k.WritesEach == 0 || replicas == 0 {
		return amplification.Behind{Of: k.System + " does not say how many writes a replica does, or is rebuilding one"}
	}
	return amplification.Behind{Reads: 1, Writes: float64(replicas * k.WritesEach), Of: fmt.Sprintf("%s × %s (%s)", units.FormatCount(replicas, "replica"), units.FormatCount(k.WritesEach, "write"), k.WritesOf)}
}

// stillBehind asks the storage system again at the end of a run, and says in NotCounted if the replicas are
// not those of the beginning, or if it does not tell: the disks that were counted may then not be those that
// did the work.
func (p *Prepared) stillBehind(ctx context.Context, o *Places, e *env.Env, before amplification.Behind) (amplification.Behind, error) {
	client, err := o.Cluster.Open(e)
	if err != nil {
		return before, err
	}
	for _, s := range p.stands {
		if before.NotCounted = changed(s.cluster.Backing, storage.Describe(ctx, client, s.cluster)); before.NotCounted != "" {
			break
		}
	}
	return before, nil
}

// changed says in what the replicas of a volume at the end of a run differ from those at its beginning, or
// why that is not known; "" if they do not.
func changed(then, now *model.Backing) string {
	switch {
	case len(now.Disks) == 0:
		return "whether the replicas have moved during the run is not known: " + notTold(now)
	case !slices.Equal(now.Disks, then.Disks):
		return "the replicas were moved, or one of them was lost, during the run"
	case now.Healthy != then.Healthy:
		return fmt.Sprintf("%s took part at the beginning of the run and %d at its end", units.FormatCount(then.Healthy, "replica"), now.Healthy)
	}
	return ""
}
