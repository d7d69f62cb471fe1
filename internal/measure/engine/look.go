package engine

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Looker chooses the looks from what was measured so far. A look is a long repeat without a pause, which
// shows the sustained rate.
type Looker interface {
	// Looks names the workloads that need a look, those of them for which a short one is enough, and
	// others that are worth a short one if there is time.
	Looks(rec *model.Recorded) (needed, short, wished []string)
	// Next names the workload for another look immediately after a look, "" if there is none, and the least length
	// of that look in seconds, 0 if a short one is enough.
	Next(rec *model.Recorded) (workload string, seconds float64)
	// Fallen names the workloads that need no more repeats, because a look has shown that repeats do not
	// measure the sustained rate.
	Fallen(rec *model.Recorded) []string
	// Counted returns the samples of a workload that its result is computed from.
	Counted(rec *model.Recorded, workload string) []model.Sample
}

const (
	// leastLook is the minimum length, in seconds, of a look that starts where the previous one has used up the
	// credits. It is made as long as a short one if there is time: a workload whose rate falls late in it gets another one.
	leastLook = 8.0
	// beyond is by how many seconds looks that follow a look may exceed the time limit if the user did not
	// set it: burst credits that were found are worth that. It is three short looks with their ramps, such as the
	// profile quick needs if each of its three workloads that write draws on a credit, or a short one and one that is
	// longer than a full one, after a fall near its end.
	beyond = 40.0
)

// looking is the state of the looks of a side.
type looking struct {
	looker Looker
	// rec is what was measured so far.
	rec model.Recorded
	// chosen are the workloads that get a look instead of their last guaranteed repeat; nil until they are
	// chosen. For those in short, it lasts Schedule.ShortLook.
	chosen []string
	short  map[string]bool
	began  bool
}

// looks reports whether the plan has looks.
func (s *side) looks() bool { return s.looking.looker != nil && s.plan.Schedule.Look > 0 }

// choose decides, when the last guaranteed round begins, which workloads get a look at its end.
func (e *execution) choose(s *side, step model.Step) {
	schedule := s.plan.Schedule
	if !s.looks() || s.looking.began || step.Round < schedule.MinRounds {
		return
	}
	s.looking.began = true
	needed, short, wished := s.looking.looker.Looks(&s.looking.rec)
	if extra := len(needed) - schedule.Looks; extra > 0 {
		// Keep the last ones, which are writes: a cache hides the sustained rate of writes.
		needed = needed[extra:]
	}
	s.looking.short = map[string]bool{}
	for _, name := range short {
		s.looking.short[name] = true
	}
	left := e.remaining()
	for _, name := range needed {
		left += s.lookSeconds(name) - schedule.Repeat
		if s.plan.Experiment.MaxTime == 0 && s.name == "" {
			// A profile's limit leaves time for full looks: what a short one saves in a run is not spent on something else.
			e.saved += schedule.Look - s.lookSeconds(name)
		}
	}
	for _, name := range wished {
		s.looking.short[name] = true
		if left += s.lookSeconds(name) - schedule.Repeat; e.spent+left <= e.most(s) {
			needed = append(needed, name)
		}
	}
	s.looking.chosen = slices.Clone(needed)
}

// most returns the limit of the measuring time, in seconds, without what short looks have saved.
func (e *execution) most(s *side) float64 { return s.plan.Schedule.MaxTime - e.saved }

// equalLooks makes the looks of both sides of a comparison at a workload equally long: if one of them is
// not short, neither is.
func (s *side) equalLooks(o *side) {
	for _, name := range s.looking.chosen {
		if slices.Contains(o.looking.chosen, name) && s.looking.short[name] != o.looking.short[name] {
			delete(s.looking.short, name)
			delete(o.looking.short, name)
		}
	}
}

// lookSeconds returns the length of a chosen look, in seconds: at least that of the repeat that it
// replaces.
func (s *side) lookSeconds(name string) float64 {
	schedule := s.plan.Schedule
	if s.looking.short[name] {
		return schedule.ShortLook()
	}
	return schedule.Look
}

// replaced reports whether a look replaces the step.
func (s *side) replaced(step model.Step) bool {
	return step.Round == s.plan.Schedule.MinRounds && slices.Contains(s.looking.chosen, step.Workload)
}

// lookAt makes a chosen look and then, without a pause, those that make sense only while the credits are
// used up. The function look makes one; others is true for all but the first.
func (e *execution) lookAt(s *side, chosen string, look func(name string, seconds float64, others bool) error) error {
	schedule := s.plan.Schedule
	defer func() { s.drain.noWait = false }()
	seconds := s.lookSeconds(chosen)
	made := func(made string) {
		s.looking.chosen = slices.DeleteFunc(s.looking.chosen, func(name string) bool { return name == made })
	}
	made(chosen)
	for next, least := chosen, 0.0; next != ""; {
		if e.dead[next] || seconds < max(leastLook, least) {
			return nil
		}
		made(next)
		if err := look(next, seconds, s.drain.noWait); err != nil {
			return err
		}
		// Credits would refill during a wait.
		s.drain.noWait = true
		left := e.most(s) - e.spent - e.promised() - schedule.Ramp - schedule.Overhead
		if s.plan.Experiment.MaxTime == 0 {
			left += beyond
		}
		next, least = s.looking.looker.Next(&s.looking.rec)
		seconds = min(max(schedule.ShortLook(), least), float64(int(left)))
	}
	return nil
}

// unlooked returns the time that the remaining looks take, in seconds.
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

// certain returns the time that the remaining guaranteed steps of a side take, in seconds.
func (e *execution) certain(s *side) float64 {
	left := s.unlooked()
	for i, step := range s.plan.Steps {
		if i >= s.gone && !e.dead[step.Workload] && !e.steadily[step.Workload] && !s.replaced(step) {
			left += e.cost(s, step)
		}
	}
	return left
}

// remember keeps the measurements of a step for the looker.
func (s *side) remember(d ended) {
	if s.looks() {
		s.looking.rec.Plan, s.looking.rec.Run.Prepare = s.plan, s.prepared
		s.looking.rec.Run.Steps = append(s.looking.rec.Run.Steps, d.results...)
		s.looking.rec.Samples = append(s.looking.rec.Samples, d.samples...)
	}
}

// fallen marks the workloads whose rate fell in a look as needing no more repeats, and returns them.
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
