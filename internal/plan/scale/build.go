package scale

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Place is the location of one volume, and what was found there.
type Place struct {
	Target model.Target
	Found  model.ProbeResult
	// Destroy is what the user named to allow overwriting its contents.
	Destroy string
	// Node is the machine, if there are several.
	Node string
}

// shared returns what the volumes of a place have in common, a disk or all of it. A claim created for
// one volume on an unknown disk is not shared; an existing claim is the same from every node.
func (p Place) shared(number int) string {
	claim := p.claim()
	if device := p.Found.Environment.Storage.Device; p.Found.MakesFile && device != "" && !(claim != "" && p.Found.Environment.Cluster.ManyNodes()) {
		return p.Node + " " + device
	}
	switch {
	case claim != "":
		return claim
	case p.Target.Cluster.Made():
		return fmt.Sprint(number)
	}
	if space := profile.SharedSpace(p.Found); space != "" {
		return space
	}
	return p.Node + " " + string(p.Target.Kind) + " " + p.Target.Path + p.Target.URI
}

// claim returns the existing claim of a place; "" for others.
func (p Place) claim() string {
	if c := p.Target.Cluster; c != nil && !c.Made() {
		return "claim " + c.Namespace + "/" + c.Name
	}
	return ""
}

// Build expands an experiment whose Scale is set. All volumes get the same size, which fits in the
// place shared by the largest number of them.
func Build(exp model.Experiment, p profile.Profile, places []Place) (model.Plan, error) {
	if len(places) == 0 {
		return model.Plan{}, fmt.Errorf("a plan for several volumes needs at least one place")
	}
	together := map[string]int{}
	for i, at := range places {
		together[at.shared(i)]++
	}
	plans := make([]model.Plan, len(places))
	for i, at := range places {
		own := exp
		own.DestroyDataOn = at.Destroy
		plan, err := profile.Build(own, p, at.Target, at.share(together[at.shared(i)]))
		if err != nil {
			return model.Plan{}, err
		}
		plans[i] = plan
	}
	plan := plans[0]
	smallest := plan.Volume
	for _, o := range plans {
		if o.Volume.Size < smallest.Size {
			smallest = o.Volume
		}
		plan.PrefillSeconds = max(plan.PrefillSeconds, o.PrefillSeconds)
	}
	for i, o := range plans {
		v := o.Volume
		v.Size, v.SizeReason = smallest.Size, smallest.SizeReason
		v.Node, v.DestroyDataOn = places[i].Node, places[i].Destroy
		plan.Volumes = append(plan.Volumes, v)
	}
	plan.Volume = plan.Volumes[0]
	if len(places) > 1 {
		plan.Lead, plan.Spread = lead(places, plan.Workloads)
	}
	return plan, nil
}

// share returns what was found, adjusted for one of n volumes in the same place: files share the space
// and the time for writing them. A target used by several volumes exists only once, and is written
// once.
func (p Place) share(n int) model.ProbeResult {
	found := profile.Share(p.Found, n)
	if found.MakesFile {
		found.WriteBandwidth /= float64(n)
	}
	return found
}
