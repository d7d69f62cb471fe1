package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// A group consists of the workers of a side that run a step together, each on the volume with its number.

// groupSize returns how many workers a workload needs.
func (s *side) groupSize(w model.Workload) int {
	if len(s.plan.Volumes) == 0 {
		return len(s.workers)
	}
	return min(len(s.workers), w.VolumeCount())
}

// lead returns how long before a common start a workload's tools are started, in seconds.
func (s *side) lead(w model.Workload) float64 {
	return s.plan.Lead * float64(s.groupSize(w)) / float64(len(s.workers))
}

// start returns when the workers of a group begin a workload: at once, or as soon as the tools of several can have started.
func (e *execution) start(s *side, w model.Workload) time.Time {
	begin := e.now()
	if s.groupSize(w) > 1 {
		begin = begin.Add(startMargin + time.Duration(s.lead(w)*float64(time.Second)))
	}
	return begin
}

// startDelay returns how long a worker of a group waits before its tool is started. If all tools start at
// once, each finds that sleeps are inaccurate on this machine: fio then busy-waits between its I/Os instead
// of sleeping.
func (s *side) startDelay(place int) time.Duration {
	return time.Duration(float64(place) / float64(len(s.workers)) * s.plan.Spread * float64(time.Second))
}

// prepare prepares all volumes of a side at the same time. A volume that several workers share is prepared
// by the first of them.
func (e *execution) prepare(ctx context.Context, s *side) error {
	if n := len(s.plan.Volumes); n > 0 && n != len(s.workers) {
		return fmt.Errorf("the plan has %d volumes, and there are %d workers", n, len(s.workers))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		prep    *model.Preparation
		written span
		err     error
	}
	var at sync.Mutex
	progress := map[int]model.Progress{}
	answers := make([]answer, len(s.workers))
	var all sync.WaitGroup
	seen := map[string]bool{}
	last := e.now().Sub(e.began).Seconds()
	phase, phaseBegan := model.Phase(""), last
	for i, w := range s.workers {
		v := s.plan.VolumeOf(i)
		if name := v.SharedAs(); len(s.plan.Volumes) > 0 && name != "" {
			if seen[name] {
				continue
			}
			seen[name] = true
		}
		all.Go(func() {
			a := &answers[i]
			a.prep, a.written, a.err = w.prepared(ctx, s.plan.PrepareRequest(i), func(p model.Progress) {
				at.Lock()
				defer at.Unlock()
				progress[i] = p
				together := addProgress(progress, p.Phase)
				now := e.now().Sub(e.began).Seconds()
				if p.Phase != phase {
					phase, phaseBegan = p.Phase, last
				}
				last = now
				e.until = now + rest(together, now-phaseBegan, e.behind, s.plan.PrefillLimit())
				e.tell(s, model.Update{Progress: &together})
			})
			if a.err != nil {
				cancel()
			}
		})
	}
	all.Wait()
	e.until = 0
	var merged *model.Preparation
	var failed error
	var spans []span
	for i, a := range answers {
		switch {
		case a.err != nil && (failed == nil || errors.Is(failed, context.Canceled)):
			failed = a.err
		case a.err == nil && a.prep != nil && merged == nil:
			merged, spans = a.prep, append(spans, a.written)
		case a.err == nil && a.prep != nil:
			merged.Merge(*a.prep, fmt.Sprintf("volume %d", i+1))
			spans = append(spans, a.written)
		}
	}
	if failed != nil {
		return failed
	}
	if len(spans) > 1 {
		merged.Seconds = together(spans)
	}
	if err := s.recorder.Prepared(*merged); err != nil {
		return err
	}
	s.prepared = merged
	e.shrink(s)
	s.prefilled(merged)
	e.clock = e.now().Sub(e.began).Seconds()
	s.drain.backlog.until = e.clock
	return nil
}

// rest estimates how many seconds of a phase are left that has taken the given number of them, at its mean rate so far, if as
// much is then done to each of the sides behind. A prefill takes no longer than its limit, in seconds; 0 is no limit.
func rest(p model.Progress, seconds float64, behind int, limit float64) float64 {
	if !p.Phase.InBytes() || p.Done <= 0 || seconds <= 0 {
		return 0
	}
	rate := p.Done / seconds
	left, _ := p.Rest(rate)
	each := p.Total / rate
	if p.Phase == model.PhasePrefill && limit > 0 {
		each = min(each, limit)
	}
	return left + float64(behind)*each
}

// addProgress adds up the progress of the workers in a phase.
func addProgress(of map[int]model.Progress, phase model.Phase) model.Progress {
	sum, over := model.Progress{Phase: phase}, true
	for _, p := range of {
		if p.Phase == phase {
			sum.Done, sum.Total, sum.Rate = sum.Done+p.Done, sum.Total+p.Total, sum.Rate+p.Rate
			sum.Limit = max(sum.Limit, p.Limit)
			sum.Seconds, over = max(sum.Seconds, p.Seconds), over && p.Seconds > 0
		}
	}
	if !over {
		sum.Seconds = 0
	}
	return sum
}

// clocks measures how far the workers' clocks differ from this one, if there are several workers, and
// records it.
func (e *execution) clocks(ctx context.Context, s *side) error {
	if len(s.workers) < 2 {
		return nil
	}
	found := make([]model.Clock, len(s.workers))
	errs := make([]error, len(s.workers))
	var all sync.WaitGroup
	for i, w := range s.workers {
		all.Go(func() { found[i], errs[i] = w.Clock(ctx, e.now) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.offsets = make([]time.Duration, len(found))
	for i := range found {
		found[i].Worker = i
		s.offsets[i] = time.Duration(found[i].Offset * float64(time.Second))
	}
	return s.recorder.Beside(model.Beside{Clocks: found})
}
