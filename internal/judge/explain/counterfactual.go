package explain

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
)

// The laws, by their printed names.
const (
	serialLaw  = "serial: L = sum of its parts, X = 1/L"
	rowLaw     = "one row: X = 1/time that a transaction holds it"
	commitLaw  = "group commit: X = N/2F"
	boundLaw   = "saturation: X = k/S, k served at once"
	processLaw = "full processors: X = processors / time on one"
)

// changes are the questions asked of a law: half the time of something, and a round amount less if it
// is more than that.
func changes(what string, each float64) (list []change) {
	list = append(list, change{fmt.Sprintf("%s in half the time (%s instead of %s)", what, units.FormatDuration(each/2), units.FormatDuration(each)), each / 2})
	for _, round := range []float64{1e-3, 100e-6} {
		if each > 1.5*round {
			return append(list, change{fmt.Sprintf("%s %s faster", what, map[float64]string{1e-3: "1 ms", 100e-6: "100 µs"}[round]), round})
		}
	}
	return list
}

// change is a question in words, and how many seconds it saves each time.
type change struct {
	words string
	saved float64
}

// counterfactual adds an answer to a budget, unless the law has none: where more time would be saved than
// there is, the rate would be infinite or negative.
func counterfactual(b *budget.Budget, c change, part budget.Part, rate float64, law string, assumes ...string) {
	if !(rate > 0) || !finite(rate, rate/b.Rate) {
		return
	}
	b.Counterfactuals = append(b.Counterfactuals, budget.Counterfactual{Change: c.words, Part: part, Saved: c.saved, Rate: rate, Gain: rate/b.Rate - 1, Law: law, Assumes: assumes})
}

// storageCounterfactuals computes the effect of faster storage. With one I/O after the other, whatever
// is saved per I/O is saved of its time. With several that wait for the storage, the rate is k/S, so it
// rises as the service time falls, and a deeper queue only waits longer.
func (ev Evidence) storageCounterfactuals(b *budget.Budget, w model.Workload, f flow) {
	const elseSame = "nothing else of it takes longer or shorter"
	if b.InFlight == 1 {
		part, name, time, times := budget.Service, "the storage", f.latency-f.submission, 1.0
		if d, ok := b.Row(budget.Device); ok {
			part, name, time = budget.Device, "the device", d.Seconds
		}
		if f.flushes > 0 {
			part, name, time, times = budget.Flush, "a flush", f.flush, f.flushes
		}
		for _, c := range changes(name, time) {
			counterfactual(b, c, part, 1/(b.Seen-c.saved*times), serialLaw, elseSame)
		}
		return
	}
	alone, _, known := ev.alone(w)
	if !known || w.Sync != "" {
		return
	}
	if idle, counted := ev.idle(w.Name); counted && idle < fullShare {
		b.Notes = append(b.Notes, fmt.Sprintf("only %s of the processors was idle, so no prediction is made for faster storage", percent(idle)))
		return
	}
	// If half of them wait, an I/O's time is dominated by the queue.
	served := f.rate * alone.latency
	if served > b.InFlight/2 {
		return
	}
	c := changes("the service", alone.latency)[0]
	counterfactual(b, c, budget.Service, served/(alone.latency-c.saved), boundLaw, "as many are served at once as now ("+few(served)+")", "the load tool keeps up")
	counterfactual(b, change{fmt.Sprintf("twice the depth (%s in flight)", few(2*b.InFlight)), 0}, budget.Queueing, b.Rate, boundLaw, "as many are served at once as now ("+few(served)+"), and each waits twice as long")
}
