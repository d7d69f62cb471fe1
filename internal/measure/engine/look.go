package engine

import (
	"context"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Looker says what is to be looked at without a pause, from what was measured so far.
type Looker interface {
	// Looks names the workloads to look at, and those beyond them that time permitting are
	// worth a look of their own.
	Looks(rec *model.Recorded) (needed, wished []string)
	// Next names what is to be looked at at once after a look, "" when there is nothing.
	Next(rec *model.Recorded) string
	// Fallen names the workloads that need no more visits, because a look has shown that
	// visits do not tell the rate that lasts.
	Fallen(rec *model.Recorded) []string
}

const (
	// shortLook is how long a look is, in seconds, that begins with what the one before it
	// has used up, or that time permits beyond those needed: its direction has a whole one,
	// and what falls late in it is looked at again. leastLook is how long it has to be.
	shortLook = 10.0
	leastLook = 8.0
	// beyond is how many seconds these may take beyond a time that nobody has asked for: a
	// credit that was found is worth them.
	beyond = 20.0
)

// looking is what a run knows of its looks.
type looking struct {
	looker Looker
	// rec is what was measured so far.
	rec model.Recorded
	// chosen are the workloads that are looked at in the place of their last certain
	// visit; nil until they are chosen. Those of them in short are looked at for shortLook.
	chosen []string
	short  map[string]bool
	began  bool
}

// looks reports whether the plan has looks.
func (r *run) looks() bool { return r.looking.looker != nil && r.plan.Schedule.Look > 0 }

// choose decides, when the last certain round begins, what is looked at at its end.
func (r *run) choose(step model.Step) {
	s := r.plan.Schedule
	if !r.looks() || r.looking.began || step.Round < s.MinRounds {
		return
	}
	r.looking.began = true
	r.looking.rec.Plan, r.looking.rec.Run.Prepare = r.plan, r.prepared
	needed, wished := r.looking.looker.Looks(&r.looking.rec)
	if extra := len(needed) - s.Looks; extra > 0 {
		// What is written is what a cache would hide: the last ones are writes.
		needed = needed[extra:]
	}
	left := r.left() + float64(len(needed))*(s.Look-s.Visit)
	r.looking.short = map[string]bool{}
	for _, name := range wished {
		r.looking.short[name] = true
		if left += r.lookSeconds(name) - s.Visit; r.spent+left <= s.MaxTime {
			needed = append(needed, name)
		}
	}
	r.looking.chosen = needed
}

// lookSeconds is how long a chosen look is, in seconds: no shorter than the visit in the place
// of which it is made.
func (r *run) lookSeconds(name string) float64 {
	s := r.plan.Schedule
	if r.looking.short[name] {
		return min(max(shortLook, s.Visit), s.Look)
	}
	return s.Look
}

// replaced reports whether a look takes the place of the step.
func (r *run) replaced(step model.Step) bool {
	return step.Round == r.plan.Schedule.MinRounds && slices.Contains(r.looking.chosen, step.Workload)
}

// lookAt does the chosen looks, and after each, without a pause, those that only what it has
// used up makes possible.
func (r *run) lookAt(ctx context.Context) error {
	if len(r.looking.chosen) == 0 {
		return nil
	}
	s := r.plan.Schedule
	for len(r.looking.chosen) > 0 {
		next := r.looking.chosen[0]
		r.looking.chosen = r.looking.chosen[1:]
		for seconds := r.lookSeconds(next); next != ""; next = r.looking.looker.Next(&r.looking.rec) {
			if r.dead[next] || seconds < leastLook {
				break
			}
			r.looking.chosen = slices.DeleteFunc(r.looking.chosen, func(name string) bool { return name == next })
			if err := r.visit(ctx, model.Step{Round: s.MinRounds, Workload: next, Ramp: s.Ramp, Seconds: seconds, Look: true}); err != nil {
				return err
			}
			// A wait would fill again what has been used up.
			r.debt.atOnce = true
			left := s.MaxTime - r.spent - r.unlooked() - s.Ramp - s.Overhead
			if r.plan.Experiment.MaxTime == 0 {
				left += beyond
			}
			seconds = min(shortLook, float64(int(left)))
		}
		r.debt.atOnce = false
	}
	for _, name := range r.looking.looker.Fallen(&r.looking.rec) {
		r.done[name] = true
	}
	return nil
}

// unlooked is the time that the looks take that are not yet made, in seconds.
func (r *run) unlooked() float64 {
	s := r.plan.Schedule
	if r.looks() && !r.looking.began {
		return float64(s.Looks) * (s.Look - s.Visit)
	}
	sum := 0.0
	for _, name := range r.looking.chosen {
		sum += s.Ramp + r.lookSeconds(name) + s.Overhead
	}
	return sum
}

// remember keeps what a step has measured for the looker, and returns what counts as a visit.
func (r *run) remember(d ended) []model.Sample {
	if !r.looks() {
		return d.samples
	}
	r.looking.rec.Run.Steps = append(r.looking.rec.Run.Steps, d.results...)
	r.looking.rec.Samples = append(r.looking.rec.Samples, d.samples...)
	if len(d.results) == 0 || !d.results[0].Step.Look {
		return d.samples
	}
	seen := map[int]int{}
	return slices.DeleteFunc(slices.Clone(d.samples), func(s model.Sample) bool {
		seen[s.Worker]++
		return seen[s.Worker] > int(r.plan.Schedule.Visit)
	})
}
