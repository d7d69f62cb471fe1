package engine

import (
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
	// Fallen names the workloads that need no more repeats, because a look has shown that
	// repeats do not tell the rate that lasts.
	Fallen(rec *model.Recorded) []string
	// Counted are the samples of a workload that its result is made of.
	Counted(rec *model.Recorded, workload string) []model.Sample
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

// looking is what is known of the looks of a side.
type looking struct {
	looker Looker
	// rec is what was measured so far.
	rec model.Recorded
	// chosen are the workloads that are looked at in the place of their last certain
	// repeat; nil until they are chosen. Those of them in short are looked at for shortLook.
	chosen []string
	short  map[string]bool
	began  bool
}

// looks reports whether the plan has looks.
func (s *side) looks() bool { return s.looking.looker != nil && s.plan.Schedule.Look > 0 }

// choose decides, when the last certain round begins, what is looked at at its end.
func (e *execution) choose(s *side, step model.Step) {
	schedule := s.plan.Schedule
	if !s.looks() || s.looking.began || step.Round < schedule.MinRounds {
		return
	}
	s.looking.began = true
	needed, wished := s.looking.looker.Looks(&s.looking.rec)
	if extra := len(needed) - schedule.Looks; extra > 0 {
		// What is written is what a cache would hide: the last ones are writes.
		needed = needed[extra:]
	}
	left := e.remaining() + float64(len(needed))*(schedule.Look-schedule.Repeat)
	s.looking.short = map[string]bool{}
	for _, name := range wished {
		s.looking.short[name] = true
		if left += s.lookSeconds(name) - schedule.Repeat; e.spent+left <= schedule.MaxTime {
			needed = append(needed, name)
		}
	}
	s.looking.chosen = slices.Clone(needed)
}

// lookSeconds is how long a chosen look is, in seconds: no shorter than the repeat in the place
// of which it is made.
func (s *side) lookSeconds(name string) float64 {
	schedule := s.plan.Schedule
	if s.looking.short[name] {
		return min(max(shortLook, schedule.Repeat), schedule.Look)
	}
	return schedule.Look
}

// replaced reports whether a look takes the place of the step.
func (s *side) replaced(step model.Step) bool {
	return step.Round == s.plan.Schedule.MinRounds && slices.Contains(s.looking.chosen, step.Workload)
}

// lookAt does a chosen look and, without a pause, those that only what it has used up makes
// possible. look makes one; others tells that it is one of these.
func (e *execution) lookAt(s *side, chosen string, look func(name string, seconds float64, others bool) error) error {
	schedule := s.plan.Schedule
	defer func() { s.debt.atOnce = false }()
	seconds := s.lookSeconds(chosen)
	made := func(made string) {
		s.looking.chosen = slices.DeleteFunc(s.looking.chosen, func(name string) bool { return name == made })
	}
	made(chosen)
	for next := chosen; next != ""; next = s.looking.looker.Next(&s.looking.rec) {
		if e.dead[next] || seconds < leastLook {
			return nil
		}
		made(next)
		if err := look(next, seconds, s.debt.atOnce); err != nil {
			return err
		}
		// A wait would fill again what has been used up.
		s.debt.atOnce = true
		left := schedule.MaxTime - e.spent - e.promised() - schedule.Ramp - schedule.Overhead
		if s.plan.Experiment.MaxTime == 0 {
			left += beyond
		}
		seconds = min(shortLook, float64(int(left)))
	}
	return nil
}

// unlooked is the time that the looks take that are not yet made, in seconds.
func (s *side) unlooked() float64 {
	schedule := s.plan.Schedule
	if s.looks() && !s.looking.began {
		return float64(schedule.Looks) * (schedule.Look - schedule.Repeat)
	}
	sum := 0.0
	for _, name := range s.looking.chosen {
		sum += schedule.Ramp + s.lookSeconds(name) + schedule.Overhead
	}
	return sum
}

// certain is the time that the certain steps of a side take that are not yet made, in seconds.
func (e *execution) certain(s *side) float64 {
	left := s.unlooked()
	for i, step := range s.plan.Steps {
		if i >= s.gone && !e.dead[step.Workload] && !e.steadily[step.Workload] && !s.replaced(step) {
			left += cost(s.plan.Schedule, step)
		}
	}
	return left
}

// remember keeps what a step has measured for the looker, and returns what counts as a repeat.
func (s *side) remember(d ended) []model.Sample {
	if !s.looks() {
		return d.samples
	}
	s.looking.rec.Plan, s.looking.rec.Run.Prepare = s.plan, s.prepared
	s.looking.rec.Run.Steps = append(s.looking.rec.Run.Steps, d.results...)
	s.looking.rec.Samples = append(s.looking.rec.Samples, d.samples...)
	if len(d.results) == 0 || !d.results[0].Step.Look {
		return d.samples
	}
	seen := map[int]int{}
	return slices.DeleteFunc(slices.Clone(d.samples), func(m model.Sample) bool {
		seen[m.Worker]++
		return seen[m.Worker] > int(s.plan.Schedule.Repeat)
	})
}

// fallen notes that what fell in a look needs no more repeats, and returns it.
func (e *execution) fallen(s *side) []string {
	if len(s.looking.rec.Run.Steps) == 0 {
		return nil
	}
	names := s.looking.looker.Fallen(&s.looking.rec)
	for _, name := range names {
		e.done[name] = true
	}
	return names
}
