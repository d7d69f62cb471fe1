package session

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/scale"
)

// Several is what a scenario with more than one volume needs: volume i is on the target i modulo the number
// of targets.
type Several struct {
	Targets []string
	Volumes int
}

// prepareSeveral starts a worker for each volume, probes and plans.
func (o *Places) prepareSeveral(ctx context.Context, e *env.Env, exp model.Experiment, p profile.Profile, by Request) (*Prepared, error) {
	targets := make([]model.Target, len(by.Several.Targets))
	for i, name := range by.Several.Targets {
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
		if inCluster(t) && !by.Touch {
			return nil, model.RefusedError(fmt.Sprintf("%s cannot be planned before its volumes exist", name), "run it: loadline scale prints the plan before it measures; --in-cluster prints the Job that would")
		}
		if err := checkClaimSize(exp, t); err != nil {
			return nil, err
		}
		targets[i] = t
	}
	if o.here(targets[0]) {
		if err := checkJobs(ctx, e, p.Workloads, exp.Job); err != nil {
			return nil, err
		}
	}
	c := &gathering{Places: o, env: e, exp: exp, profile: p, by: by, targets: targets, engines: map[alike]*engines{}}
	c.put = func(ctx context.Context, t model.Target, by placeOptions) (*placed, error) {
		return o.place(ctx, e, exp, t, by)
	}
	saveMemory(by.Several.Volumes)
	volumes, err := c.gather(ctx)
	fail := func(err error) (*Prepared, error) {
		for _, v := range volumes {
			if v.at != nil {
				err = v.at.abandon(err)
			}
		}
		return nil, err
	}
	if err != nil {
		return fail(err)
	}
	c.tellSpread(ctx, volumes)
	places := make([]scale.Place, len(volumes))
	for i, v := range volumes {
		places[i] = v.place
	}
	plan, err := scale.Build(exp, p, places)
	if err != nil {
		return fail(err)
	}
	prep := &Prepared{Probe: places[0].Found, Plan: plan, Beside: evidenceFor(places[0].Found)}
	for _, v := range volumes {
		prep.workers, prep.copies = append(prep.workers, v.at.worker), append(prep.copies, v.at.copies())
		prep.stands = append(prep.stands, v.at.stands(&v.place.Found))
	}
	return prep, nil
}

// Close ends all workers, which removes what they created. It may be called twice.
func (p *Prepared) Close() error {
	return inParallel(len(p.workers), placedAtOnce, func(i int) error { return p.workers[i].Close() })
}
