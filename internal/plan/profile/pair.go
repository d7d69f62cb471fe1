package profile

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/loadline/loadline/internal/model"
)

// The scenarios that measure a profile: on one target, and on two that are compared. The scenario of a
// target and its underlying storage is model.OnBaseline.
const (
	Name       = "profile"
	Comparison = "compare"
)

// Pair expands an experiment on two targets into the plans of an interleaved comparison, A's and B's.
// Both get the same workloads, the same schedule (whose MaxTime is for both together), the same size
// and, if they have one in common, the same I/O engine, so that only the storage differs. Errors are as
// for Build.
func Pair(exps [2]model.Experiment, p Profile, targets [2]model.Target, probes [2]model.ProbeResult) ([2]model.Plan, error) {
	var plans [2]model.Plan
	if err := checkPaired(exps[0]); err != nil {
		return plans, err
	}
	for i := range probes {
		probes[i].Engines = common(probes[i].Engines, probes[1-i].Engines)
	}
	space := SharedSpace(probes[0])
	shared := space != "" && space == SharedSpace(probes[1]) && exps[0].App == nil
	expandSide := func(i int) (model.Plan, error) {
		p, found := p, probes[i]
		if i == 0 {
			// The profile's goals apply to B, that is, to the target and not to its baseline.
			p.Goals = nil
		}
		if shared {
			// Both files stay until the end.
			found = Share(found, len(plans))
		}
		plan, err := expand(exps[i], p, targets[i], found, 2)
		if err != nil && shared {
			err = sayShared(err)
		}
		return plan, err
	}
	for i := range plans {
		var err error
		if plans[i], err = expandSide(i); err != nil {
			return plans, err
		}
	}
	if err := alike(&plans, &exps, targets, expandSide); err != nil {
		return plans, err
	}
	size := min(plans[0].Volume.Size, plans[1].Volume.Size)
	for i := range plans {
		v := &plans[i].Volume
		if v.Size > size {
			v.SizeReason = fmt.Sprintf("as much as %s allows, so that both sides are alike", targets[1-i].Name)
			plans[i].PrefillSeconds *= float64(size) / float64(v.Size)
			v.Size = size
		}
		plans[i].Workloads = fitOffsets(p.Workloads, size)
	}
	for round := 1; round <= plans[0].Schedule.MinRounds; round++ {
		for _, t := range SideSteps(&plans[0], round, plans[0].Workloads) {
			own := &plans[t.Side]
			t.Step.Number = len(own.Steps) + 1
			own.Steps = append(own.Steps, t.Step)
		}
	}
	for i := range plans {
		plans[i].MeasureSeconds = measureSeconds(&plans[i])
	}
	return plans, nil
}

// checkPaired rejects one long repeat per workload in a comparison.
func checkPaired(exp model.Experiment) error {
	if exp.Time > 0 || exp.UntilSteady {
		return model.RefusedError("--time and --until-steady do not go with a comparison: it is measured in many short blocks, so that what changes over time hits both sides",
			"leave them out; --repeat and --max-time set how much is measured")
	}
	return nil
}

// alike plans the side of two applications whose data would be larger anew, with the scale of the other: where a scale is
// chosen by the memory, two machines come to two.
func alike(plans *[2]model.Plan, exps *[2]model.Experiment, targets [2]model.Target, expandSide func(int) (model.Plan, error)) error {
	a, b := plans[0].Experiment.App, plans[1].Experiment.App
	if a == nil || b == nil || a.Scale == b.Scale {
		return nil
	}
	larger, scale := 0, b.Scale
	if b.Scale > a.Scale {
		larger, scale = 1, a.Scale
	}
	fit, ask := exps[larger].App.Fit, *exps[larger].App
	ask.Scale, ask.Fit = scale, ""
	exps[larger].App = &ask
	plan, err := expandSide(larger)
	if err != nil {
		return err
	}
	plan.Experiment.App.Fit = fit
	plan.Volume.SizeReason = fmt.Sprintf("scale %d: as large as that of %s, so that both sides are alike", scale, targets[1-larger].Name)
	plans[larger] = plan
	return nil
}

// common returns the engines of mine that are also in theirs; all of mine if there are none, which the
// comparison then reports.
func common(mine, theirs []string) []string {
	var both []string
	for _, name := range mine {
		for _, other := range theirs {
			if name == other {
				both = append(both, name)
			}
		}
	}
	if len(both) == 0 {
		return mine
	}
	return both
}

// SideSteps returns one round of blocks: each of the given workloads once on each side, in the order of
// Round; the two repeats of a block follow each other. Which side comes first is drawn from the
// schedule's seed for every two blocks of a workload, and the second block has the opposite order: with
// few blocks, independent draws would too often all be the same, and a drift of the storage would then
// look like a difference. Steps are not numbered.
func SideSteps(p *model.Plan, round int, workloads []model.Workload) []model.SideStep {
	repeats := make([]model.SideStep, 0, 2*len(workloads))
	for _, step := range Round(p, round, workloads, 0) {
		step.Number, step.Block = 0, round
		first := firstSide(p.Schedule.Seed, step.Workload, round)
		for place, side := range []int{first, 1 - first} {
			step.Place = place + 1
			repeats = append(repeats, model.SideStep{Side: side, Step: step})
		}
	}
	return repeats
}

// firstSide draws which side begins a workload's block (from 1).
func firstSide(seed uint64, workload string, block int) int {
	h := fnv.New64a()
	h.Write([]byte("order of " + workload))
	pair := uint64(block+1) / 2
	side := rand.New(rand.NewPCG(seed^h.Sum64(), pair)).IntN(2)
	if block%2 == 0 {
		side = 1 - side
	}
	return side
}
