package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// lastReadDepth is the minimum number of I/Os in flight of reads after the last writes: reads one at a time show the latency
// of the storage and not how much it can do, and on an SSD single writes, which its memory takes, are faster than single reads.
// lastReadDepthMost bounds what an open loop or many jobs would make of it.
const lastReadDepth, lastReadDepthMost = 16, 256

// lastReadSeconds is for how long reads like those of a workload are tested after a wait, so that noise averages out, and
// lastReads for how many workloads that is done at most.
const lastReadSeconds, lastReads = 3.0, 6

// lastWaitLeast is the time, in seconds, for the last wait of a run whose other waits have used up theirs.
const lastWaitLeast = 10.0

// readsAfterLast reads after the last writes of a run that does not measure reads, in the way of each workload that writes as
// fast as it can, until these reads are at their full rate: if a write-back cache took the writes, the storage is still writing,
// and reads show it. There is no wait if the storage reads as many I/Os as each workload did. A run that measures reads
// shows it as well, see settle.
func (e *execution) readsAfterLast(ctx context.Context, s *side) error {
	d := &s.drain
	writers := e.lastWriters(s)
	if len(writers) == 0 || d.writes == 0 || d.noWait {
		return nil
	}
	e.tell(s, model.Update{Message: "reading for a moment, to see whether a cache took the writes"})
	d.backlog.pass(e.clock, 1)
	found := &model.Settling{Writes: uint64(d.writes), Settled: true}
	rates := map[string]float64{}
	slowest, least := -1, 1-model.SettlingGap
	for i, w := range writers {
		rate, err := e.probe(ctx, s, readLike(w))
		if err != nil || rate <= 0 { // 0: it cannot be read
			return e.keep(ctx, s, &model.Beside{}, err)
		}
		rates[w.Name] = rate
		did := d.did[w.Name]
		// The last repeat counts as well: storage that became slower since the first reads more slowly, too.
		if share := rate / math.Min(mean(did), did[len(did)-1]); share < least {
			slowest, least = i, share
		}
	}
	if slowest >= 0 {
		most := math.Max(lastWaitLeast, math.Min(waitMost, math.Max(waitAll, waitShare*s.plan.Schedule.MaxTime)-d.waited))
		w := writers[slowest]
		if err := e.wait(ctx, s, w, readLike(w), most, found); err != nil || found.Rate <= 0 {
			return e.keep(ctx, s, &model.Beside{}, err)
		}
		for _, w := range writers {
			p := readLike(w)
			p.step.Seconds = lastReadSeconds
			rate, err := e.probe(ctx, s, p)
			if err != nil {
				return e.keep(ctx, s, &model.Beside{}, err)
			}
			rates[w.Name] = max(rate, rates[w.Name])
		}
	}
	return s.recorder.Beside(model.Beside{ReadsAfter: found, ReadRates: rates})
}

// lastWriters returns the workloads that a cache may have made faster: those without a limit. There are none if the run measures
// reads, or loads an application.
func (e *execution) lastWriters(s *side) []model.Workload {
	var list []model.Workload
	for _, w := range s.plan.Workloads {
		switch {
		case !w.Writes() || w.Loads() || w.Append:
			return nil
		case w.Limit() > 0 || w.OfCapacity > 0 || w.OpenLoop || len(s.drain.did[w.Name]) == 0 || e.dead[w.Name]:
		default:
			list = append(list, w)
		}
	}
	// Of many, as in a sweep, those that did the most.
	slices.SortStableFunc(list, func(a, b model.Workload) int {
		return cmp.Compare(mean(s.drain.did[b.Name]), mean(s.drain.did[a.Name]))
	})
	return list[:min(lastReads, len(list))]
}

// readLike returns a short read like the I/Os of a workload that writes.
func readLike(w model.Workload) probing {
	like := settleRead
	like.Volumes, like.Access = w.Volumes, w.Access
	if w.BlockSize > 0 {
		like.BlockSize = w.BlockSize
	}
	like.Depth = min(max(lastReadDepth, w.Depth*w.JobCount()), lastReadDepthMost)
	return probing{workload: like, step: model.Step{Workload: like.Name, Ramp: probeRamp, Seconds: probeSeconds}}
}
