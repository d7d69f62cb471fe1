package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/scenario/profile"
	"github.com/loadline/loadline/internal/scenario/scale"
)

// several is what a scenario with more than one volume needs: volume i is on the
// target i modulo their number.
type several struct {
	targets []string
	volumes int
}

const (
	// atOnce is how many workers look around at the same time, which takes their
	// machines some work.
	atOnce = 16
	// placedAtOnce is how many are placed, and taken down, at the same time: that is
	// waiting for the cluster, which has all of its pods to start in any case.
	placedAtOnce = 100
)

// prepareSeveral places a worker for each volume, probes and plans.
func (o *options) prepareSeveral(ctx context.Context, e *env.Env, exp model.Experiment, p profile.Profile, by prepareOptions) (*prepared, error) {
	targets := make([]model.Target, len(by.several.targets))
	for i, name := range by.several.targets {
		t, err := o.parseTarget(name)
		if err != nil {
			return nil, err
		}
		for j := range targets[:i] {
			if isSame(targets[j], t) {
				return nil, model.RefusedError(fmt.Sprintf("%s and %s are the same thing", targets[j].Name, t.Name),
					"name each target once: volumes beyond their number share them anyway")
			}
		}
		if inCluster(t) && !by.touch {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be planned before its volumes exist", name), "run it: loadline scale prints the plan before it measures")
		}
		if err := checkClaimSize(exp, t); err != nil {
			return nil, err
		}
		targets[i] = t
	}
	if o.here(targets[0]) {
		if err := checkJobs(ctx, e, p.Workloads); err != nil {
			return nil, err
		}
	}
	placed := make([]*placed, by.several.volumes)
	places := make([]scale.Place, by.several.volumes)
	fail := func(err error) (*prepared, error) {
		for _, at := range placed {
			if at != nil {
				err = at.abandon(err)
			}
		}
		return nil, err
	}
	say := sayOnce(sayTo(by.watch))
	oneNode, err := o.oneNode(ctx, e, targets, by.several.volumes)
	if err != nil {
		return nil, err
	}
	placing, cancel := context.WithCancel(ctx)
	defer cancel()
	start := func(i int, node string) (err error) {
		by := placeOptions{id: by.id, suffix: fmt.Sprintf("-v%d", i+1), child: by.child, turn: i / len(targets), node: node, say: say}
		placed[i], err = o.place(placing, e, exp, targets[i%len(targets)], by)
		if err != nil {
			// What one lacks the others lack as well, or would wait for in vain.
			cancel()
		}
		return err
	}
	if err := inParallel(len(placed), placedAtOnce, leadersFirst(oneNode, start, func(leader int) string { return placed[leader].cluster.Node })); err != nil {
		return fail(causes(ctx, err))
	}
	if len(targets) == 1 {
		alternate(placed)
	}
	look := func(i int, exp model.Experiment) (err error) {
		at := placed[i]
		exp.DestroyDataOn = o.destroyOn(targets[i%len(targets)].Name)
		at.allow(&exp)
		places[i] = scale.Place{Target: at.target, Destroy: exp.DestroyDataOn}
		if places[i].Node = at.host; at.cluster != nil {
			places[i].Node = at.cluster.Node
		}
		places[i].Found, err = probe(ctx, at, exp, p, by.touch, by.watch)
		return err
	}
	// The bandwidth is measured once for each target, while nobody else is there.
	first := min(len(targets), len(placed))
	for i := range first {
		if err := look(i, exp); err != nil {
			return fail(err)
		}
	}
	err = inParallel(len(placed)-first, atOnce, func(k int) error {
		i := first + k
		known := exp
		known.Size = max(1, exp.Size)
		err := look(i, known)
		like := places[i%len(targets)].Found
		places[i].Found.ReadBandwidth, places[i].Found.WriteBandwidth = like.ReadBandwidth, like.WriteBandwidth
		return err
	})
	if err != nil {
		return fail(err)
	}
	plan, err := scale.Build(exp, p, places)
	if err != nil {
		return fail(err)
	}
	prep := &prepared{probe: places[0].Found, plan: plan}
	for _, at := range placed {
		prep.workers, prep.copies = append(prep.workers, at.worker), append(prep.copies, at.copies())
	}
	return prep, nil
}

// inParallel does n things, so many at a time, and joins their errors.
func inParallel(n, most int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	slots := make(chan struct{}, most)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			errs[i] = do(i)
			<-slots
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// close ends all workers, which removes what they made.
func (p *prepared) close() error {
	return inParallel(len(p.workers), placedAtOnce, func(i int) error { return p.workers[i].Close() })
}
