package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/scale"
)

const (
	// placedAtOnce is how many workers are started, and removed, at the same time: that mostly waits for
	// the cluster, which has to start all pods anyway.
	placedAtOnce = 100
	// lookAtOnce is how many workers probe at the same time, since that takes some work on their machines,
	// and how many write at the same time.
	lookAtOnce = 16
)

// gathering starts the workers of many volumes: each one probes its volume, and may prefill it, while
// others are still being waited for.
type gathering struct {
	*Places
	env     *env.Env
	exp     model.Experiment
	profile profile.Profile
	by      Request
	targets []model.Target
	// put starts a worker for a target.
	put func(context.Context, model.Target, placeOptions) (*placed, error)

	early            scale.Early
	looking, writing chan struct{}
	// together is set if the workers of a target must be on one node.
	together bool
	mu       sync.Mutex
	engines  map[alike]*engines
}

// alike identifies volumes on one target whose workers are on one machine: engines that work for one of
// them work for all.
type alike struct {
	target int
	node   string
}

// engines is the result of the first worker that tried the engines.
type engines struct {
	sync.Mutex
	found *model.ProbeResult
}

// member is one volume of a gathering.
type member struct {
	at    *placed
	place scale.Place
}

// gather starts a worker for each volume and probes the volume. After an error it also returns those that
// were started, and the caller abandons them.
func (c *gathering) gather(ctx context.Context) ([]member, error) {
	oneNode, err := c.oneNode(ctx, c.env, c.targets, c.by.Several.Volumes)
	if err != nil {
		return nil, err
	}
	spread, err := Spreading(c.Cluster.Spread)
	if err != nil {
		return nil, err
	}
	c.together = slices.Contains(oneNode, true)
	members := make([]member, c.by.Several.Volumes)
	c.early = scale.Early{Experiment: c.exp, Profile: c.profile, Volumes: len(members)}
	c.looking, c.writing = make(chan struct{}, lookAtOnce), make(chan struct{}, lookAtOnce)
	waiting := newArrivals(c.env.Clock, len(members), sayTo(c.by.Watch))
	defer waiting.close()
	placing, cancel := context.WithCancel(ctx)
	defer cancel()
	var written sync.WaitGroup
	start := func(i int, node string) (err error) {
		m := &members[i]
		target, number := i%len(c.targets), i/len(c.targets)
		apart := spread
		if node != "" || oneNode[target] || len(members) == 1 {
			apart = ""
		}
		m.at, err = c.put(placing, c.targets[target], placeOptions{
			ID: c.by.ID, suffix: fmt.Sprintf("-v%d", i+1), child: c.by.Child, number: number, node: node, spread: apart,
			say: func(words string) { waiting.post(i, words) },
		})
		waiting.arrive(i)
		if err == nil {
			if len(members) > len(c.targets) {
				m.at.share = c.by.ID
			}
			m.place, err = c.probe(placing, target, m.at)
		}
		if err != nil {
			// What one worker lacks, the others lack as well, or would wait for in vain.
			cancel()
			return err
		}
		if !c.by.Touch {
			return nil
		}
		if req, ok := c.early.Request(i, &m.place); ok {
			written.Go(func() { c.write(placing, m.at, req, waiting) })
		}
		return nil
	}
	err = inParallel(len(members), placedAtOnce, leadersFirst(oneNode, start, func(leader int) string { return members[leader].at.node() }))
	written.Wait()
	if err != nil {
		return members, causes(ctx, err)
	}
	if ctx.Err() != nil {
		return members, ctx.Err()
	}
	if len(c.targets) == 1 {
		alternate(members)
	}
	return members, c.gauge(ctx, members)
}

// probe probes a volume. Trying fio's engines takes one process for each, so the first worker on a machine
// does it for all.
func (c *gathering) probe(ctx context.Context, target int, at *placed) (scale.Place, error) {
	key := alike{target: target, node: at.node()}
	c.mu.Lock()
	known := c.engines[key]
	if known == nil {
		known = &engines{}
		c.engines[key] = known
	}
	c.mu.Unlock()
	known.Lock()
	if known.found != nil {
		known.Unlock()
		return c.look(ctx, target, at, false, known.found)
	}
	defer known.Unlock()
	place, err := c.look(ctx, target, at, false, nil)
	if err == nil {
		known.found = &place.Found
	}
	return place, err
}

// write prefills a volume before the complete plan is shown, which scale.Early allows. An error is reported
// when the engine asks the worker to prepare, as if it had happened then.
func (c *gathering) write(ctx context.Context, at *placed, req model.PrepareRequest, waiting *arrivals) {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-c.writing }()
	if at.worker.PrepareAhead(ctx, req, nil) == nil {
		waiting.wrote()
	}
}

// gauge measures the bandwidth of each target on its first volume while no other worker is active, if the
// size of the volumes depends on it, and applies the result to all volumes.
func (c *gathering) gauge(ctx context.Context, members []member) error {
	if !c.by.Touch || c.exp.Size > 0 {
		return nil
	}
	for i := range members {
		target, m := i%len(c.targets), &members[i]
		if i < len(c.targets) {
			var err error
			if m.place, err = c.look(ctx, target, m.at, true, &m.place.Found); err != nil {
				return err
			}
			continue
		}
		like := members[target].place.Found
		m.place.Found.ReadBandwidth, m.place.Found.WriteBandwidth = like.ReadBandwidth, like.WriteBandwidth
	}
	return nil
}

// look asks the worker to probe its volume, including the bandwidth if that is asked for.
func (c *gathering) look(ctx context.Context, target int, at *placed, bandwidth bool, like *model.ProbeResult) (place scale.Place, err error) {
	c.looking <- struct{}{}
	defer func() { <-c.looking }()
	exp := c.exp
	exp.DestroyDataOn = c.DestroyOn(c.targets[target].Name)
	at.allow(&exp)
	if !bandwidth {
		exp.Size = max(1, exp.Size)
	}
	place = scale.Place{Target: at.target, Destroy: exp.DestroyDataOn, Node: at.node()}
	place.Found, err = probe(ctx, at, exp, c.profile, c.by.Touch, like, c.by.Watch)
	return place, err
}

// node returns the name of the machine that the worker is on; "" for this one.
func (p *placed) node() string {
	if p.cluster != nil {
		return p.cluster.Node
	}
	return p.host
}

// alternate orders workers so that consecutive ones are on different nodes: the first three of nine volumes
// should load three nodes, not one.
func alternate(all []member) {
	onNode := make(map[string]int)
	place := make(map[*placed]int, len(all))
	for _, m := range all {
		if m.at.cluster == nil {
			return
		}
		place[m.at] = onNode[m.at.node()]
		onNode[m.at.node()]++
	}
	slices.SortStableFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(place[a.at], place[b.at]), cmp.Compare(a.at.node(), b.at.node()))
	})
}
