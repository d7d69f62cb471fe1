package fio

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Before fio prints a status document it waits for each job to reach a point between two I/Os.
// While the storage is stalled no job does, and fio prints nothing. The document that follows
// carries the time at which it was due but the counts of the time at which it was printed. So it is
// kept until the next one, whose time is correct, shows how long the interval was: seconds without
// an I/O count as seconds of the repeat like all others.

// still tracks stalls of the storage within a series.
type still struct {
	// quiet is a silence that the next document ends.
	quiet silence
	// begun is true once a document with I/Os has arrived, and waited is when the last document
	// without I/Os arrived before it, in seconds since the step began.
	begun  bool
	waited float64
	// progress is when an I/O was last seen to have completed, in seconds since the step began.
	progress float64
	// stale is a document whose time is too early, at is when it arrived, and length is for how
	// many seconds no I/O completed before it.
	stale      *job
	at, length float64

	// pace is the number of I/Os per second of the last sample.
	pace   float64
	stalls []model.Stall
}

const (
	// maxStalls limits the list: the longest are kept.
	maxStalls = 100
	// maxStartSilence is how long fio may take to start, in seconds, before it counts as waiting for
	// the storage, to which it has to connect or which it has to open.
	maxStartSilence = 5
	// longBucket is a latency in seconds that histograms can still distinguish from longer ones.
	longBucket = 8
)

// silent records that fio has printed nothing for a while, until now.
func (s *series) silent(q silence) { s.quiet = q }

// ended returns the silence that a document has ended.
func (s *series) ended() silence {
	q := s.quiet
	s.quiet = silence{}
	return q
}

// wait records a document from before fio's first I/O.
func (s *series) wait(j *job) {
	if !s.begun && j.ios() == 0 && j.latencies() == 0 {
		s.waited = s.now()
	}
}

// unmeasured handles a document that is not measured, because it belongs to the ramp or comes after the
// last sample. There are no latencies there, so stalls are judged by fio's processes.
func (s *series) unmeasured(q silence) {
	now := s.now()
	long := (q.length - statusInterval).Seconds()
	begin, least := now-long, float64(model.LeastStall)
	if !s.begun {
		least = maxStartSilence
		if s.waited > long {
			// fio prints while it connects, and is silent while it waits for its first I/O.
			begin, long = 0, s.waited
		}
	}
	s.begun, s.progress = true, now
	if long >= least && !q.isMajority(q.running) {
		s.stall(model.Stall{Begin: begin, Seconds: long, Cause: q.cause()})
	}
}

// detectStall examines a document that follows a period without progress. It returns true if the document
// is stale, in which case it is kept.
func (s *series) detectStall(j *job, q silence) (stale bool, err error) {
	last := &s.last
	if s.stale != nil {
		last = s.stale
	}
	if j.latencies()+j.Sync.Latency.N == last.latencies()+last.Sync.Latency.N {
		return false, nil
	}
	now := s.now()
	gap, begun := now-s.progress, s.begun
	if begun && gap < model.LeastStall {
		s.progress = now
		return false, nil
	}
	x, err := s.between(last, j)
	if err != nil {
		return false, err
	}
	longest := 0.0
	for _, d := range [][2]direction{{last.Read, j.Read}, {last.Write, j.Write}, {last.Sync, j.Sync}} {
		if d[1].Latency.Max > d[0].Latency.Max {
			longest = max(longest, d[1].Latency.Max/1e9)
		}
	}
	var all histogram.Histogram
	for _, f := range []*model.Flow{x.Read, x.Write, x.Sync} {
		if f != nil {
			all.Merge(f.Histogram)
		}
	}
	longest = max(longest, all.Max())
	stalled := min(longest, gap)
	short, long := all.Divide(min(stalled/2, longBucket))
	if stalled < model.LeastStall && !begun {
		// There are no latencies from before fio's first I/O.
		s.unmeasured(q)
	}
	s.begun, s.progress = true, now
	switch {
	case stalled < model.LeastStall:
		return false, nil
	case s.allStalled(q, short.Count(), long.Count(), gap-stalled/2):
		s.stall(model.Stall{Begin: now - stalled, Seconds: stalled, Cause: q.cause()})
	default:
		stalled = 0
	}
	if q.length < minSilence {
		return false, nil
	}
	if s.stale == nil {
		s.length = 0
	}
	kept := *j
	s.stale, s.at, s.length = &kept, now, s.length+stalled
	return true, nil
}

// allStalled reports whether all I/O stalled, and not just a few I/Os that starved while others
// continued. With a single job, its failure to reach its next I/O is sufficient evidence. With
// several jobs, one is enough to keep fio silent. Then the long I/Os must be half of what the
// workload keeps in flight, or a quarter of all I/Os if it keeps fewer in flight, or the short ones
// must be no more than fit into the given seconds at the rate of the previous sample.
func (s *series) allStalled(q silence, short, long uint64, seconds float64) bool {
	switch {
	case long == 0:
		return false
	case s.jobs == 1 && q.length >= minSilence, s.flight > 0 && 2*long >= uint64(s.flight), 3*long >= short:
		return true
	}
	return float64(short) < s.pace*seconds
}

// closeStale closes the interval of a stale document when j arrives with a correct time. It returns
// the document and its time, which is the one already covered if nothing is left to take from it.
func (s *series) closeStale(j *job, ms int64) (*job, int64, error) {
	if s.stale == nil {
		return j, ms, nil
	}
	end := ms - int64(1000*(s.now()-s.at))
	to := s.stale
	if ms-end < tick {
		if ms < s.whole-tolerance {
			// What followed is too short for a sample: the next document will cover more.
			return j, s.covered, nil
		}
		to, end = j, ms
	}
	return j, ms, s.close(to, end)
}

// close emits the samples between the last document and the end of a stall, in ms.
func (s *series) close(to *job, end int64) error {
	stale, length := s.stale, s.length
	s.stale = nil
	if end <= s.covered {
		return nil
	}
	s.alignFirst(to)
	s.release()
	x, err := s.sample(to, end)
	if err != nil {
		return err
	}
	if to == stale {
		x.End = s.at
	}
	for _, part := range split(*x, s.last, length) {
		s.held = &part
		s.release()
	}
	s.last, s.covered = *to, end
	return nil
}

// split cuts a sample that ends with a stall of the given length into seconds: the I/O before the
// stall, seconds without I/O, and the I/Os that completed at its end.
func split(x model.Sample, last job, stalled float64) []model.Sample {
	first := max(x.Seconds-stalled, min(1, x.Seconds))
	n := int(math.Round(x.Seconds - first))
	if n < 1 {
		return []model.Sample{x}
	}
	begin := x.Begin()
	parts := make([]model.Sample, n+1)
	for i := range parts {
		parts[i] = model.Sample{Step: x.Step, End: begin + first, Seconds: first}
		if i > 0 {
			parts[i].Seconds = (x.Seconds - first) / float64(n)
			parts[i].End += float64(i) * parts[i].Seconds
		}
	}
	place := func(f *model.Flow, before direction, of func(*model.Sample) **model.Flow) {
		if f == nil {
			return
		}
		for i := range parts {
			*of(&parts[i]) = &model.Flow{Max: before.Latency.Max / 1e9}
		}
		*(*of(&parts[0])), *(*of(&parts[n])) = divideFlow(*f, min(stalled/2, longBucket))
		(*of(&parts[0])).Max = before.Latency.Max / 1e9
	}
	place(x.Read, last.Read, func(s *model.Sample) **model.Flow { return &s.Read })
	place(x.Write, last.Write, func(s *model.Sample) **model.Flow { return &s.Write })
	place(x.Sync, last.Sync, func(s *model.Sample) **model.Flow { return &s.Sync })
	return parts
}

// divideFlow separates the I/Os that took at least the given number of seconds from the others.
func divideFlow(f model.Flow, seconds float64) (short, long model.Flow) {
	short, long = f, model.Flow{Max: f.Max}
	short.Histogram, long.Histogram = f.Histogram.Divide(seconds)
	if n := long.Histogram.Count(); n > 0 && f.IOs > 0 {
		long.IOs = min(n, f.IOs)
		long.Bytes = f.Bytes / f.IOs * long.IOs
		long.LatencySum = min(f.LatencySum, float64(n)*long.Histogram.Mean())
		short.IOs, short.Bytes, short.LatencySum = f.IOs-long.IOs, f.Bytes-long.Bytes, f.LatencySum-long.LatencySum
	}
	return short, long
}

// stall adds a stall to the list, whose length is limited.
func (s *series) stall(x model.Stall) {
	if s.stalls = append(s.stalls, x); len(s.stalls) <= maxStalls {
		return
	}
	shortest := 0
	for i := range s.stalls {
		if s.stalls[i].Seconds < s.stalls[shortest].Seconds {
			shortest = i
		}
	}
	s.stalls = slices.Delete(s.stalls, shortest, shortest+1)
}
