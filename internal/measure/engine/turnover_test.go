package engine

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// queue is an agent on storage that serves one I/O after the other at a rate (1/s), of which a workload keeps that many in flight.
func queue(rate float64, slots int) func(*scripted, model.Request) {
	return func(s *scripted, r model.Request) {
		if r.Start == nil {
			steady(s, r)
			return
		}
		step := r.Start.Step
		for second := range int(step.Seconds) {
			f := &model.Flow{}
			from := step.Ramp + float64(second)
			for n := math.Floor(from*rate) + 1; n/rate <= from+1; n++ {
				f.IOs, f.LatencySum = f.IOs+1, f.LatencySum+math.Min(n, float64(slots))/rate
			}
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: step.Number, End: from + 1, Seconds: 1, Read: f}})
		}
		s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: step, Ended: step.Ramp + step.Seconds}})
	}
}

// The first repeat shows that the queue takes longer to turn over than the ramp. It is made again, and later ones have a ramp that
// is long enough; where that would take too long, or where the queue has turned over, nothing changes.
func TestARampLastsUntilTheQueueHasTurnedOver(t *testing.T) {
	for name, c := range map[string]struct {
		rate    float64
		mode    model.Mode
		repeats int
		ramp    float64
	}{
		"slow":        {20, model.Rounds, 3, 3.52},
		"too slow":    {5, model.Rounds, 2, 0.5},
		"fast":        {1000, model.Rounds, 2, 0.5},
		"a set time":  {20, model.Fixed, 2, 0.5},
		"just enough": {128, model.Rounds, 2, 0.55},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(60, "reads")
			p.Schedule.Mode, p.Workloads[0].Depth = c.mode, 64
			var m memory
			worker, _ := connected(t, queue(c.rate, 64))
			var counted int
			judge := judged(func(_ *model.Plan, _ model.Workload, samples map[string][]model.Sample) model.Judgement {
				counted = len(samples["reads"])
				return model.Judgement{Converged: true}
			})
			if status, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{worker}, Judge: judge, Scheduler: inOrder{}, Recorder: &m, Observer: silent{},
				Now: time.Now}); status != model.Complete || err != nil {
				t.Fatal(status, err)
			}
			if again := len(m.steps) > 2; again != m.steps[0].Unfilled || m.steps[1].Unfilled {
				t.Errorf("marked are %v and %v", m.steps[0].Unfilled, m.steps[1].Unfilled)
			}
			if len(m.steps) != c.repeats || m.steps[0].Step.Ramp != 0.5 || math.Abs(m.steps[len(m.steps)-1].Step.Ramp-c.ramp) > 1e-6 {
				t.Errorf("steps %+v", m.steps)
			}
			if counted != 4 {
				t.Errorf("%d seconds count, want those of two repeats", counted)
			}
		})
	}
}

// A run ends where no further repeat of slow storage fits, whatever time is left.
func TestARunOfSlowStorageEnds(t *testing.T) {
	for most := 20.0; most < 32; most += 0.5 {
		for _, slots := range []int{64, 1000} {
			p := plan(most, "reads")
			p.Workloads[0].Depth = slots
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			worker, _ := connected(t, queue(20, 64))
			status, err := Execute(ctx, Options{Plan: p, Workers: []*Worker{worker}, Judge: needs{"reads": 99}, Scheduler: inOrder{}, Recorder: &memory{}, Observer: silent{}, Now: still})
			cancel()
			if status != model.Complete || err != nil {
				t.Fatalf("%g s: %s, %v", most, status, err)
			}
		}
	}
}

// The same holds for a comparison, both sides of which have the ramp of the slower one.
func TestAComparisonOfSlowStorageEnds(t *testing.T) {
	for most := 40.0; most < 60; most += 0.5 {
		p := plan(most, "reads")
		p.Workloads[0].Depth = 64
		s := paired(t, p, wants{"reads": 99}, queue(20, 64), queue(1000, 64))
		s.options.Now = still
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		status, err := Compare(ctx, s.options)
		cancel()
		if status != model.Complete || err != nil {
			t.Fatalf("%g s: %s, %v", most, status, err)
		}
		for i, side := range []*memory{s.recA, s.recB} {
			if last := side.steps[len(side.steps)-1].Step.Ramp; math.Abs(last-3.52) > 0.1 {
				t.Errorf("side %d: ramp of %g s", i, last)
			}
		}
	}
}

// judged is a judge that is a function.
type judged func(*model.Plan, model.Workload, map[string][]model.Sample) model.Judgement

func (f judged) Judge(p *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement {
	return f(p, w, samples)
}
