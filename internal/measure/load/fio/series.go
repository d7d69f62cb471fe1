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
	// first is the first interval after the ramp while it is not known when its I/Os were counted. It is then held.
	first *model.Sample
	// lateFirst is how many I/Os the first interval was made longer for.
	lateFirst float64
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
		if s.sent > 0 || s.waits() {
			return errors.New("fio's counters went backwards in the middle of the step")
		}
		s.restart()
	}
	if s.complete() {
		if s.waits() {
			s.alignFirst(nil)
			s.release()
		}
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
	regular := ms-s.covered >= tick
	if regular {
		s.alignFirst(j)
	} else { // its counts are final
		s.alignFirst(nil)
	}
	s.release()
	x, err := s.sample(j, ms)
	if err != nil {
		return err
	}
	switch {
	case s.covered == 0 && s.block > 0:
		s.first = x
	case ms >= s.whole-tolerance:
		s.alignLast(x)
	}
	s.pace = float64(j.ios()-s.last.ios()) / x.Seconds
	s.last, s.covered, s.held = *j, ms, x
	if !s.unclear() {
		s.alignFirst(nil)
	}
	if regular && j.ios() > 0 && s.first == nil {
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
	waits := s.waits()
	s.alignFirst(nil)
	if asPlanned || waits {
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
		s.held, s.first, s.lateFirst, s.empty, s.last, s.covered = nil, nil, 0, nil, job{}, 0
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

// alignFirst lets the first interval end when its I/Os were counted. fio copies the bytes when it reads the time, then waits
// for each job to report its CPU time, and only then copies the number of I/Os and their latencies
// (__show_running_run_stats in fio 3.33's stat.c). From one document to the next this cancels out.
// fio counts I/Os as they are issued and bytes as they complete, so this is only for loads that always keep
// the same number in flight.
//
// If the first document alone does not decide, next is the one after it, or nil: what is late in both was late in the first,
// and after a stall only one of them is.
func (s *series) alignFirst(next *job) {
	x := s.first
	if x == nil || x != s.held {
		s.first = nil
		return
	}
	late, done := s.late(&s.last)
	if s.unclear() {
		if next == nil {
			late = 0
		} else {
			then, _ := s.late(next)
			late = min(late, then)
		}
	}
	s.first = nil
	if late <= 0 {
		return
	}
	s.lateFirst = late
	x.Seconds *= 1 + late/done
	s.countBytes(x)
}

// alignLast lets the last interval begin when the I/Os of the one before were counted, if less is late at its end than was in the first
// interval: jobs that have run for their time issue no more I/Os, while others, which left the ramp later, still run.
func (s *series) alignLast(x *model.Sample) {
	var ios, timed float64
	for _, f := range []*model.Flow{x.Read, x.Write} {
		if f != nil && s.block > 0 {
			ios, timed = ios+float64(f.IOs), timed+float64(f.Bytes)/float64(s.block)
		}
	}
	// Less than one in a hundred may be chance, which is as often in the other direction.
	if less := min(s.lateFirst, timed-ios); s.jobs > 1 && 100*less > timed {
		x.Seconds *= 1 - less/timed
		s.countBytes(x)
	}
}

// countBytes makes the bytes of a sample those of its I/Os.
func (s *series) countBytes(x *model.Sample) {
	for _, f := range []*model.Flow{x.Read, x.Write} {
		if f != nil {
			f.Bytes = f.IOs * uint64(s.block)
		}
	}
}

// unclear reports whether so much of the first interval was late that the storage may have stalled before or after.
func (s *series) unclear() bool {
	if s.first == nil {
		return false
	}
	late, done := s.late(&s.last)
	return 10*late > done && (late > float64(s.flight+s.jobs) || 2*late > done)
}

// waits reports whether a whole first interval with I/Os waits for the next document.
func (s *series) waits() bool {
	return s.first != nil && s.first == s.held && s.first.Seconds >= tick/1000.0 && s.last.ios() > 0
}

// late returns how many of a document's I/Os were counted after its time was read, and how many were done by then since the
// first job left the ramp.
//
// A job leaves the ramp when one of its I/Os completes, and fio's time begins with the first job, so one I/O of each of the others is
// missing in the bytes; and at any later moment half an I/O, on average, is done and not counted.
func (s *series) late(j *job) (late, done float64) {
	done = float64(j.Read.Bytes+j.Write.Bytes)/float64(s.block) + float64(s.jobs) - 0.5
	return float64(j.Read.IOs+j.Write.IOs) - done, done
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
