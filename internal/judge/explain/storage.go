package explain

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
)

// flow is the load tool's measurement of a workload: I/Os in 1/s, mean latency and submission in
// seconds, both directions together.
type flow struct {
	rate, latency, submission float64
	// flushes is the number of flushes per I/O, flush the mean latency of one.
	flushes, flush float64
}

// flow sums up the results of a workload; ok is false if a rate or a latency is missing.
func (ev Evidence) flow(w model.Workload) (f flow, ok bool) {
	results := ev.results(w.Name)
	for _, d := range w.Directions() {
		r, there := results[d]
		rate := r.Metrics[model.IOPS].Value
		if !there || r.Latency == nil || r.Latency.Mean <= 0 || rate <= 0 {
			return f, false
		}
		f.rate += rate
		f.latency += rate * r.Latency.Mean
		f.submission += rate * ev.submission(w.Name, d)
	}
	f.latency, f.submission = f.latency/f.rate, f.submission/f.rate
	if w.Sync != "" {
		r, there := results[model.Sync]
		if !there || r.Latency == nil {
			return f, false
		}
		f.flushes, f.flush = r.Metrics[model.IOPS].Value/f.rate, r.Latency.Mean
	}
	return f, true
}

// submission is the mean over the steps, weighted by their length.
func (ev Evidence) submission(name string, d model.Direction) float64 {
	var sum, seconds float64
	for _, s := range ev.steps(name) {
		if v, known := s.Submission[d]; known {
			sum, seconds = sum+v*s.Step.Seconds, seconds+s.Step.Seconds
		}
	}
	if seconds == 0 {
		return 0
	}
	return sum / seconds
}

// The names of the remainders.
const (
	betweenIOs = "the load tool, between two I/Os"
	completion = "completion (interrupt, wake-up, filesystem), and the load tool between two I/Os"
)

// storage makes the budget of a workload of a storage. N slots that each do one I/O after the other do
// X of them per second: each I/O takes N/X of a slot's time (Little's law), which is what the client
// sees; fio's latencies are measured differently, and the kernel's differently again.
func (ev Evidence) storage(w model.Workload) (b budget.Budget, why string) {
	f, ok := ev.flow(w)
	slots := float64(w.Depth * w.JobCount())
	if !ok || slots <= 0 {
		return b, "its rate or its mean latency is not known"
	}
	b = budget.Budget{Workload: w.Name, Description: w.Describe(), Operation: operation(w), InFlight: slots, Rate: f.rate, Seen: slots / f.rate}
	b.SeenBy = fmt.Sprintf("%s in flight at %s IOPS, by Little's law", few(slots), units.FormatRate(f.rate))
	residual := betweenIOs
	below, traced := ev.below(w, f.rate)
	switch {
	case traced:
		residual = completion
		ev.tracedRows(&b, w, f, below)
	case slots > 1 && w.Sync == "":
		ev.queueRows(&b, w, f)
	default:
		b.Rows = append(b.Rows, latencyRows(w, f)...)
	}
	if f.flushes > 0 {
		row := budget.Row{Part: budget.Flush, Name: w.Sync, Seconds: f.flushes * f.flush, Source: "fio"}
		if f.flushes < 0.99 || f.flushes > 1.01 {
			row.Of = times(f.flushes, "flush", "flushes") + units.FormatDuration(f.flush)
		}
		b.Rows = append(b.Rows, row)
		if traced && below.flush.n > 0 {
			b.Notes = append(b.Notes, fmt.Sprintf("of the %s the device itself took %s (%s flushes × %s, block trace); the rest is the filesystem's and the kernel's", w.Sync,
				units.FormatDuration(below.flush.time()), few(below.flush.n), units.FormatDuration(below.flush.each)))
		}
	}
	if len(ev.Trace) > 0 && ev.Recorded.Run.Clock.IsZero() {
		b.Notes = append(b.Notes, "there is a trace beside it, which cannot be used: an older version did not note when the run's seconds began")
	}
	if traced {
		b.Missing = append(b.Missing, budget.Missing{What: "how long fio waited for a processor, and completed I/Os for fio",
			Measure: "measure while nothing else runs on this machine, with a processor to spare"})
		if idle, counted := ev.idle(w.Name); counted && idle < 0.5 {
			b.Notes = append(b.Notes, fmt.Sprintf("only %s of the processors was idle: what is left over may be waiting for one", percent(idle)))
		}
	}
	if !traced {
		b.Missing = append(b.Missing, budget.Missing{What: "what the device took of it", Measure: "measure it again with a trace of the device: loadline run TARGET --trace"})
	}
	ev.storageCounterfactuals(&b, w, f)
	judge(&b, residual)
	return b, ""
}

// operation is the name of one I/O of a workload.
func operation(w model.Workload) string {
	switch {
	case w.Sync != "":
		return "write with its flush"
	case w.Direction == model.Mixed:
		return "read or write"
	}
	return string(w.Direction)
}

// latencyRows are the parts of a latency that fio itself distinguishes.
func latencyRows(w model.Workload, f flow) (rows []budget.Row) {
	if f.submission > 0 && f.submission < f.latency {
		rows = append(rows, budget.Row{Part: budget.Submission, Name: "submission", Seconds: f.submission, Source: "fio"})
		return append(rows, budget.Row{Part: budget.Service, Name: "kernel and device", Seconds: f.latency - f.submission, Source: "fio"})
	}
	return append(rows, budget.Row{Part: budget.Service, Name: operation(model.Workload{Direction: w.Direction}) + ", kernel and device", Seconds: f.latency, Source: "fio"})
}

// queueRows separates service from waiting at a depth beyond 1: the same pattern with one I/O in flight
// does not wait for others. Without such a workload in the run this is unknown.
func (ev Evidence) queueRows(b *budget.Budget, w model.Workload, f flow) {
	alone, name, known := ev.alone(w)
	if !known {
		b.Rows = append(b.Rows, latencyRows(w, f)...)
		b.Missing = append(b.Missing, budget.Missing{What: "how much of it is waiting for other I/Os of the same load", Measure: "measure the same pattern at depth 1 in the same run (loadline sweep TARGET --depth 1," + fmt.Sprint(w.Depth) + ")"})
		return
	}
	b.Rows = append(b.Rows,
		budget.Row{Part: budget.Queueing, Name: "waiting behind other I/Os", Seconds: max(0, f.latency-alone.latency), Source: "Little's law, " + name},
		budget.Row{Part: budget.Service, Name: "the same I/O at depth 1", Seconds: min(alone.latency, f.latency), Source: "fio, " + name})
	if served := f.rate * alone.latency; served < float64(w.Depth*w.JobCount()) {
		b.Notes = append(b.Notes, fmt.Sprintf("%s IOPS × %s alone: fio, kernel and storage together serve %s at once, of the %s in flight", units.FormatRate(f.rate), units.FormatDuration(alone.latency), few(served), few(b.InFlight)))
	} else {
		b.Notes = append(b.Notes, fmt.Sprintf("in flight with others an I/O takes no longer than alone (%s)", units.FormatDuration(alone.latency)))
	}
}

// alone is the flow of the same pattern with one I/O in flight.
func (ev Evidence) alone(w model.Workload) (f flow, name string, ok bool) {
	for _, v := range ev.Recorded.Plan.Workloads {
		if v.Depth != 1 || v.JobCount() != 1 || v.Name == w.Name || v.Access != w.Access || v.Direction != w.Direction || v.ReadPercent != w.ReadPercent ||
			v.BlockSize != w.BlockSize || v.Sync != w.Sync || ev.withoutBudget(v) != "" {
			continue
		}
		if f, ok = ev.flow(v); ok {
			return f, v.Name, true
		}
	}
	return flow{}, "", false
}
