package fio

import (
	"errors"

	"github.com/loadline/loadline/internal/model"
)

const (
	// tick is the shortest interval, in ms, that is certainly a status tick and not the final document.
	tick = 800
	// tolerance is how much of a step, in ms, may be missing from its samples: without a ramp fio's
	// ticks come about 0.1 s early.
	tolerance = 150
	// early is by how many ms the time that a document claims to cover may exceed the time since
	// the ramp: the clocks and the end of the ramp are not read at the same moment.
	early = 100
	// floored is how much of the first interval, in seconds, fio's time leaves out on average: it is rounded down to
	// whole milliseconds (mtime_since in fio's gettime.c). In later intervals it cancels out.
	floored = 0.0005
)

// series turns cumulative documents into samples.
type series struct {
	step int
	// whole is the length of the step in ms, ramp the time before it in seconds, jobs the number of
	// fio's jobs.
	whole int64
	ramp  float64
	jobs  int
	// reads and writes say which flows the workload has, even if no I/O was done.
	reads, writes bool
	// now returns the seconds since the step began.
	now  func() float64
	emit func(model.Sample)

	last job
	// covered is the end of the last interval, in ms since the end of the ramp.
	covered int64
	// held is an interval that may turn out to belong to the ramp or to the end, and empty are the
	// intervals before the first I/O, which may be time that fio spends connecting.
	held  *model.Sample
	empty []model.Sample
	// sent counts the samples emitted.
	sent int

	// flight is how many I/Os the workload keeps in flight, and block the size of each in bytes; 0 if unknown, or
	// if the number in flight varies.
	flight int
	block  int64
	// still tracks stalls of the storage.
	still
}

// add takes the next document.
func (s *series) add(j *job) error {
	quiet := s.ended()
	s.wait(j)
	if j.ios() > 0 && j.latencies() == 0 {
		// During the ramp fio counts I/Os but records no latencies.
		s.unmeasured(quiet)
		s.restart()
		return nil
	}
	ms := j.milliseconds(s.jobs)
	if s.ramp > 0 && ms > int64(1000*(s.now()-s.ramp))+early {
		// Taken while the ramp ended: its counts began at the end of the ramp, its time before that.
		return nil
	}
	if ms < s.covered || j.ios() < s.last.ios() {
		// The counters were reset at the end of the ramp, so what came before belonged to the ramp.
		if s.sent > 0 {
			return errors.New("fio's counters went backwards in the middle of the step")
		}
		s.restart()
	}
	if s.complete() {
		if s.sent > 0 {
			s.unmeasured(quiet)
		}
		return nil
	}
	if stale, err := s.detectStall(j, quiet); stale || err != nil {
		return err
	}
	j, ms, err := s.closeStale(j, ms)
	if err != nil || s.complete() || ms == s.covered {
		return err
	}
	s.release()
	x, err := s.sample(j, ms)
	if err != nil {
		return err
	}
	if s.covered == 0 {
		s.alignFirst(x)
	}
	regular := ms-s.covered >= tick
	s.pace = float64(j.ios()-s.last.ios()) / x.Seconds
	s.last, s.covered, s.held = *j, ms, x
	if regular && j.ios() > 0 {
		s.release()
	}
	return nil
}

// complete reports whether the samples cover the step.
func (s *series) complete() bool { return s.covered >= s.whole-tolerance }

// finish closes the series. A final interval shorter than a tick counts only if the step ended as
// planned: otherwise the end itself distorts it.
func (s *series) finish(asPlanned bool) {
	if s.stale != nil {
		_ = s.close(s.stale, s.covered+int64(1000*s.length))
	}
	if asPlanned {
		s.release()
	}
	s.held = nil
	s.flush()
}

// release emits the held interval.
func (s *series) release() {
	x := s.held
	s.held = nil
	switch {
	case x == nil:
	case s.sent == 0 && s.last.ios() == 0:
		s.empty = append(s.empty, *x)
	default:
		s.flush()
		s.emit(*x)
		s.sent++
	}
}

// flush emits the intervals before the first I/O.
func (s *series) flush() {
	for _, x := range s.empty {
		s.emit(x)
		s.sent++
	}
	s.empty = nil
}

// restart discards everything before the measured part.
func (s *series) restart() {
	if s.sent == 0 {
		s.held, s.empty, s.last, s.covered = nil, nil, job{}, 0
	}
}

// sample returns the difference between a document and the previous one.
func (s *series) sample(j *job, ms int64) (*model.Sample, error) {
	x, err := s.between(&s.last, j)
	if err != nil {
		return nil, err
	}
	x.End, x.Seconds = s.now(), float64(ms-s.covered)/1000
	if s.covered == 0 {
		x.Seconds += floored
	}
	return x, nil
}

// alignFirst lets the first sample end when its I/Os were counted. fio copies the bytes when it reads the time, then waits
// for each job to report its CPU time, and only then copies the number of I/Os and their latencies
// (__show_running_run_stats in fio 3.33's stat.c). From one document to the next this cancels out.
//
// A job leaves the ramp when one of its I/Os completes, so at any later moment half an I/O, on average, is done and not counted.
//
// fio counts I/Os as they are issued and bytes as they complete, so this is only for loads that always keep
// the same number in flight. Where more was done meanwhile than a tenth, or than what is in flight and an I/O of each job, the
// storage stood still before or after, and how long it took is unknown.
func (s *series) alignFirst(x *model.Sample) {
	var ios, timed uint64
	flows := []*model.Flow{x.Read, x.Write}
	for _, f := range flows {
		if f != nil && s.block > 0 {
			ios, timed = ios+f.IOs, timed+f.Bytes/uint64(s.block)
		}
	}
	if timed == 0 || ios <= timed {
		return
	}
	if late := ios - timed; 10*late > timed && (late > uint64(s.flight+s.jobs) || 2*late > timed) {
		return
	}
	if done := float64(timed) + float64(s.jobs)/2; float64(ios) > done {
		x.Seconds *= float64(ios) / done
	}
	for _, f := range flows {
		if f != nil {
			f.Bytes = f.IOs * uint64(s.block)
		}
	}
}

// between returns the I/O between two documents, without its time.
func (s *series) between(last, j *job) (*model.Sample, error) {
	x := &model.Sample{Step: s.step}
	var err error
	if x.Read, err = flow(j.Read, last.Read, s.reads); err != nil {
		return nil, err
	}
	if x.Write, err = flow(j.Write, last.Write, s.writes); err != nil {
		return nil, err
	}
	// fio does not count flushes, only their latencies: in the histogram and, a moment later, in N,
	// so in a document written in between N is one lower.
	flushes, before := j.Sync, last.Sync
	flushes.IOs, before.IOs = flushes.Latency.Bins.count, before.Latency.Bins.count
	x.Sync, err = flow(flushes, before, false)
	return x, err
}

// flow returns the I/O in one direction between two states; nil if there never was any and none was
// intended.
func flow(now, before direction, always bool) (*model.Flow, error) {
	if now.IOs == 0 && !always {
		return nil, nil
	}
	if now.IOs < before.IOs || now.Bytes < before.Bytes {
		return nil, errors.New("fio's counters went backwards in the middle of the step")
	}
	h, err := now.Latency.Bins.histogram.Minus(before.Latency.Bins.histogram)
	if err != nil {
		return nil, err
	}
	f := &model.Flow{IOs: now.IOs - before.IOs, Bytes: now.Bytes - before.Bytes, Max: now.Latency.Max / 1e9, Histogram: h}
	if n := float64(now.Latency.N) - float64(before.Latency.N); n > 0 {
		// The counts of I/Os and of latencies are taken at slightly different moments, so the mean
		// is correct where the plain sum is not.
		mean := (now.Latency.Mean*float64(now.Latency.N) - before.Latency.Mean*float64(before.Latency.N)) / n
		f.LatencySum = max(0, mean) * float64(f.IOs) / 1e9
	}
	return f, nil
}
