package engine

import (
	"context"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// lastReadDepth is the minimum number of I/Os in flight of reads after the last writes: reads one at a time show the latency
// of the storage and not how much it can do, and on an SSD single writes, which its memory takes, are faster than single reads.
// lastReadDepthMost bounds what an open loop or many jobs would make of it.
const lastReadDepth, lastReadDepthMost = 16, 256

// lastReadSeconds is for how long reads like those of each other workload are tested then, so that noise averages out;
// where there are more than lastReads of them, as in a sweep, they are not.
const lastReadSeconds, lastReads = 3.0, 8

// lastWaitLeast is the time, in seconds, for the last wait of a run whose other waits have used up theirs.
const lastWaitLeast = 10.0

// readsAfterLast reads after the last writes of a run that does not measure reads, until they are at their full rate: if a
// write-back cache took the writes, the storage is still writing, and reads show it. A run that measures reads shows it as
// well, see settle.
func (e *execution) readsAfterLast(ctx context.Context, s *side) error {
	d := &s.drain
	w, writes := e.lastWriter(s)
	if !writes || d.writes == 0 || d.noWait {
		return nil
	}
	most := math.Max(lastWaitLeast, math.Min(waitMost, math.Max(waitAll, waitShare*s.plan.Schedule.MaxTime)-d.waited))
	d.backlog.pass(e.clock, 1)
	found := &model.Settling{Writes: uint64(d.writes)}
	p := readLike(w)
	rate, err := e.probe(ctx, s, p)
	if err == nil && rate >= (1-model.SettlingGap)*mean(d.wrote[w.Name]) {
		// Whether or not the storage is still writing, it can do as many I/Os as were written.
		found.Slow, found.Rate, found.Settled = rate, rate, true
	} else if err == nil {
		err = e.wait(ctx, s, w, p, most, found)
	}
	if err != nil || found.Rate <= 0 { // 0: it cannot be read
		return e.keep(ctx, s, &model.Beside{}, err)
	}
	rates := map[string]float64{w.Name: found.Rate}
	for _, other := range s.plan.Workloads {
		if other.Name == w.Name || e.dead[other.Name] || found.Waited == 0 || len(s.plan.Workloads) > lastReads {
			continue
		}
		p := readLike(other)
		p.step.Seconds = lastReadSeconds
		rate, err := e.probe(ctx, s, p)
		if err != nil {
			return e.keep(ctx, s, &model.Beside{}, err)
		}
		rates[other.Name] = rate
	}
	return s.recorder.Beside(model.Beside{ReadsAfter: found, ReadRates: rates})
}

// lastWriter returns the workload whose reads show best what the storage can do: one with small random I/Os, if there is
// any. There is none if the run measures reads, or loads an application.
func (e *execution) lastWriter(s *side) (w model.Workload, found bool) {
	if slices.ContainsFunc(s.plan.Workloads, func(w model.Workload) bool { return !w.Writes() || w.Loads() || w.Append }) {
		return w, false
	}
	for _, x := range s.plan.Workloads {
		if e.dead[x.Name] {
			continue
		}
		if !found || x.Access == model.Random && (w.Access != model.Random || x.BlockSize < w.BlockSize) {
			w, found = x, true
		}
	}
	return w, found
}

// readLike returns a short read in blocks of the same size as those of a workload.
func readLike(w model.Workload) probing {
	like := settleRead
	like.Volumes = w.Volumes
	if w.BlockSize > 0 {
		like.BlockSize = w.BlockSize
	}
	like.Depth = min(max(lastReadDepth, w.Depth*w.JobCount()), lastReadDepthMost)
	return probing{workload: like, step: model.Step{Workload: like.Name, Ramp: probeRamp, Seconds: probeSeconds}}
}
