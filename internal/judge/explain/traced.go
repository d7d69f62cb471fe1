package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
)

// each is a number of I/Os per operation, and their mean times in seconds.
type each struct{ n, each, wait float64 }

func (e each) time() float64 { return e.n * e.each }

// below is what a trace saw of one operation of a workload: data, and flushes.
type below struct {
	data, flush each
	// others is set if no I/O of the load tool itself was seen, so that these are those of all
	// processes.
	others bool
}

// margin is by how many seconds the traced part of a step is shorter than the measured one on either
// side: the part of a second that belongs to the ramp cannot be separated from the rest.
const margin = 0.1

// during calls add for each sample that was traced while a workload was measured, and returns how many
// seconds they cover together, on whichever machines they were taken; 0 if nothing was traced, or it is
// not known when. Transactions are counted with their ramps.
func (ev Evidence) during(w model.Workload, add func(*iotrace.Sample)) (seconds float64) {
	if len(ev.Trace) == 0 || ev.Recorded.Run.Clock.IsZero() {
		return 0
	}
	offset := ev.TraceBegan.Sub(ev.Recorded.Run.Clock).Seconds()
	samples := ev.traceByEnd()
	for _, s := range ev.steps(w.Name) {
		begin, length := s.Started+s.Delay+s.Step.Ramp, s.Step.Seconds
		if s.App != nil {
			begin, length = s.Started+s.Delay, s.App.Seconds
		}
		from, to := begin+margin, begin+length-margin
		covered := math.Inf(1) // everything from here on is
		first, _ := slices.BinarySearchFunc(samples, from-offset, func(x *iotrace.Sample, t float64) int { return cmp.Compare(x.End, t) })
		last, _ := slices.BinarySearchFunc(samples, to-offset, func(x *iotrace.Sample, t float64) int {
			if x.End <= t {
				return -1
			}
			return 1
		})
		// From the last one back, because they are ordered by their ends: seconds of two machines may overlap.
		for _, x := range slices.Backward(samples[first:max(first, last)]) {
			start := x.End - x.Seconds
			if start+offset < from {
				continue
			}
			seconds += max(0, min(x.End, covered)-start)
			covered = min(covered, start)
			add(x)
		}
	}
	return seconds
}

// traceByEnd returns the trace's samples in the order of their ends.
func (ev Evidence) traceByEnd() []*iotrace.Sample {
	list := make([]*iotrace.Sample, len(ev.Trace))
	for i := range ev.Trace {
		list[i] = &ev.Trace[i]
	}
	slices.SortStableFunc(list, func(a, b *iotrace.Sample) int { return cmp.Compare(a.End, b.End) })
	return list
}

// below sums up what was traced while a workload was measured; ok is false where nothing was.
func (ev Evidence) below(w model.Workload, rate float64) (found below, ok bool) {
	var own, all, flushes sums
	seconds := ev.during(w, func(x *iotrace.Sample) {
		switch data := x.Operation == iotrace.Read && w.Reads() || x.Operation == iotrace.Write && w.Writes(); {
		case x.Operation == iotrace.Flush:
			flushes.add(x)
		case data && strings.HasPrefix(x.Command, "fio"):
			own.add(x)
			all.add(x)
		case data:
			all.add(x)
		}
	})
	if seconds == 0 || all.ios == 0 || rate <= 0 {
		return found, false
	}
	if own.ios == 0 {
		own, found.others = all, true
	}
	found.data, found.flush = own.each(rate*seconds), flushes.each(rate*seconds)
	return found, true
}

// sums are I/Os and their times.
type sums struct {
	ios           uint64
	latency, wait float64
}

func (s *sums) add(x *iotrace.Sample) {
	s.ios, s.latency, s.wait = s.ios+x.Flow.IOs, s.latency+x.Flow.LatencySum, s.wait+x.Wait
}

func (s *sums) each(operations float64) each {
	if s.ios == 0 || operations <= 0 {
		return each{}
	}
	return each{n: float64(s.ios) / operations, each: s.latency / float64(s.ios), wait: s.wait / float64(s.ios)}
}

// tracedRows are the parts of a latency that the kernel saw.
func (ev Evidence) tracedRows(b *budget.Budget, w model.Workload, f flow, x below) {
	if f.submission > 0 && f.submission < f.latency {
		// The submitting call continues after the device has begun; this overlap is in both.
		b.Rows = append(b.Rows, budget.Row{Part: budget.Submission, Name: "submission", Seconds: f.submission, Source: "fio"})
	}
	// With several in flight, one is processed while others wait, so this is not a part of each.
	if cpu := ev.cores(w.Name) / f.rate; b.InFlight == 1 && cpu > f.submission {
		b.Rows = append(b.Rows, budget.Row{Part: budget.ToolCPU, Name: "fio on a processor, the rest", Seconds: cpu - f.submission, Source: "fio"})
	}
	of := func(seconds float64) string {
		if x.data.n > 0.99 && x.data.n < 1.01 {
			return ""
		}
		return times(x.data.n, "I/O", "I/Os") + units.FormatDuration(seconds)
	}
	b.Rows = append(b.Rows,
		budget.Row{Part: budget.BlockQueue, Name: "block queue and scheduler", Seconds: x.data.n * x.data.wait, Of: of(x.data.wait), Source: "block trace"},
		budget.Row{Part: budget.Device, Name: "device", Seconds: x.data.time(), Of: of(x.data.each), Source: "block trace"})
	b.Counts = append(b.Counts, budget.Count{Name: "device I/Os", Unit: "1", Value: x.data.n})
	if x.flush.n > 0 {
		b.Counts = append(b.Counts, budget.Count{Name: "device flushes", Unit: "1", Value: x.flush.n})
	}
	if x.data.n > 1.01 {
		b.Notes = append(b.Notes, fmt.Sprintf("%s I/Os of the device for each of the client's are computed as if one followed the other", few(x.data.n)))
	}
	if x.others {
		b.Notes = append(b.Notes, "the trace saw no I/O of fio's own, so these are everybody's on the device")
	}
	if alone, name, known := ev.alone(w); known {
		if v, _ := ev.workload(name); x.data.each > 0 {
			if one, seen := ev.below(v, alone.rate); seen && one.data.time() < x.data.time() {
				b.Notes = append(b.Notes, fmt.Sprintf("alone (%s) the device takes %s: of the %s here %s are waiting inside of the device", name, units.FormatDuration(one.data.time()), units.FormatDuration(x.data.time()), units.FormatDuration(x.data.time()-one.data.time())))
			}
		}
	}
}

// cores is how many processors the load tool kept busy.
func (ev Evidence) cores(name string) float64 {
	var sum, seconds float64
	for _, s := range ev.steps(name) {
		sum, seconds = sum+(s.UserCPU+s.SystemCPU)*s.Step.Seconds, seconds+s.Step.Seconds
	}
	if seconds == 0 {
		return 0
	}
	return sum / seconds
}

// workload is the workload with the given name.
func (ev Evidence) workload(name string) (model.Workload, bool) {
	return ev.Recorded.Plan.Workload(name)
}
