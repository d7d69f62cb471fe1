package engine

import (
	"context"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// A probe of the read rate takes about 1.5 s.
const (
	probeRamp    = 0.3
	probeSeconds = 1.0
)

// settleRead is the probe for workloads that cannot probe themselves: their rate is limited, or they are a
// user's own job, which has its own duration.
var settleRead = model.Workload{Name: "settle-read", Access: model.Random, Direction: model.Read,
	BlockSize: 4 << 10, Depth: 16, Metric: model.IOPS}

// probing is a probe: a workload and the step that runs it.
type probing struct {
	workload model.Workload
	step     model.Step
}

// probeFor returns the probe for a workload: the workload itself for one second, so that it meets the same
// limits. A sequential one begins elsewhere, so that the repeat does not find in a cache what the probe has
// read. A mix, whose writes would leave something behind, is probed by reads of the same size.
func (s *side) probeFor(w model.Workload, step model.Step) probing {
	if w.Writes() {
		return readLike(w)
	}
	if w.Job != "" || w.OpenLoop || w.Limit() > 0 || w.OfCapacity > 0 {
		volumes := w.Volumes
		w = settleRead
		w.Volumes = volumes
		step.Offset = 0
	}
	if w.Access == model.Sequential && w.OffsetIncrement == 0 {
		step.Offset = math.Mod(step.Offset+0.25, 0.5)
	}
	step.Workload, step.Ramp, step.Seconds, step.Offered = w.Name, probeRamp, probeSeconds, 0
	return probing{workload: w, step: step}
}

// further is the same probe after n others: a sequential one begins elsewhere than the one before, which it may follow at once, so
// that a cache of the storage does not answer it.
func (p probing) further(n int) probing {
	if p.workload.Access == model.Sequential && p.workload.OffsetIncrement == 0 {
		p.step.Offset = math.Mod(p.step.Offset+0.125*float64(n%2), 0.5)
	}
	return p
}

// probe reads once, from all volumes of the workload together, and returns the reads per second; 0 if there
// were none. It begins everywhere at the same time, as a repeat does: the rates of volumes that are read one after the
// other add up to one that the storage never had.
func (e *execution) probe(ctx context.Context, s *side, p probing) (float64, error) {
	group := s.workers[:s.groupSize(p.workload)]
	type answer struct {
		rate float64
		err  error
	}
	answers := make(chan answer, len(group))
	begin := e.start(s, p.workload)
	for i, worker := range group {
		request := model.StartRequest{Step: p.step, Workload: p.workload, Volume: s.plan.VolumeOf(i)}
		if len(group) > 1 {
			request.At = begin.Add(s.offsets[i]).UnixNano()
		}
		go func() {
			var a answer
			ios, seconds := 0.0, 0.0
			res, err := worker.Start(ctx, request, func(ev model.Event) {
				if m := ev.Sample; m != nil && m.Read != nil && m.Seconds > 0 {
					ios, seconds = ios+float64(m.Read.IOs), seconds+m.Seconds
					a.rate = ios / seconds
				}
			})
			if a.err = err; err == nil && res.Error != "" {
				a.rate = 0
			}
			answers <- a
		}()
	}
	sum, failed := 0.0, error(nil)
	for range group {
		a := <-answers
		sum += a.rate
		if a.err != nil && failed == nil {
			failed = a.err
		}
	}
	e.passed(p.step.Ramp + p.step.Seconds)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return sum, failed
}

// rest leaves the storage idle for some seconds.
func (e *execution) rest(ctx context.Context, s *side, seconds float64) error {
	_, err := s.workers[0].Idle(ctx, model.IdleRequest{Seconds: seconds})
	e.passed(seconds)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// passed advances the clock by the time that has passed, or by the given seconds if a fake took less.
func (e *execution) passed(seconds float64) {
	e.clock = max(e.clock+seconds, e.now().Sub(e.began).Seconds())
}

// readRates returns the reads per second of a repeat, second by second, summed over its volumes.
func readRates(samples []model.Sample) []float64 { return flowRates(samples, model.Read) }

// flowRates is the same for any direction. It takes the seconds that the results are made of, so that what is repeated
// or left out because of these rates follows from the rates that are published.
func flowRates(samples []model.Sample, d model.Direction) []float64 {
	var rates []float64
	for _, repeat := range timeline.Of(samples, d) {
		rates = append(rates, timeline.Series(repeat.Seconds, model.IOPS)...)
	}
	return rates
}
