package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleRate = Rule{
	Name:     "rate",
	Checks:   "a workload with a rate got that rate",
	Evidence: "the interval of the IOPS against the requested rate (0.98 to 1.02 of it); in a load sweep, the capacity over the whole run against that by which the rates were chosen (10 % apart, and outside its interval)",
	Severity: "warning: the storage is saturated, and latencies are those of a growing queue; or the load was higher than requested; or the capacity has changed since the rates of a load sweep were chosen",
	Advice:   "ask for a lower rate",
	check:    checkRate,
}

// rateNeeded is the share of the requested rate that must be achieved, and rateAllowed the share that
// must not be exceeded.
const (
	rateNeeded  = 0.98
	rateAllowed = 1.02
)

// checkRate reports a workload whose rate the storage does not reach, or the load generator exceeds.
// Its latencies are then not those at the requested load. In a mix the rate is that of the more frequent direction; of the other
// one, which has its proportion of it, more than that is another mix than was requested.
//
// Evidence: the IOPS of the results.
func checkRate(ev Evidence) []model.Finding {
	var o outcome
	for _, r := range ev.Results {
		w, known := ev.Recorded.Plan.Workload(r.Workload)
		if r.Workload == model.CapacityWorkload && known {
			ev.checkCapacity(&o, r)
			continue
		}
		if !known || w.Limit() <= 0 || r.Direction == model.Sync || w.Job != "" {
			continue
		}
		e, ok := r.Metrics[model.IOPS]
		if w.Loads() {
			e, ok = r.Metrics[model.Transactions]
		}
		if !ok {
			o.miss(r.Workload, "the achieved rate is not known")
			continue
		}
		asked := w.Limit() * float64(w.VolumeCount()) * w.Proportion(r.Direction)
		if lesser(w, r.Direction) {
			if f := ev.otherMix(w, r, e, asked); f != nil {
				o.fault(*f)
				continue
			}
			o.pass(r.Workload)
			continue
		}
		if e.Low > rateAllowed*asked && e.Confidence > 0 {
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message: fmt.Sprintf("too much load: %s were done, but %s were requested (%s), so the latencies are those of a higher load",
					units.FormatRate(e.Value), units.FormatRate(asked), percent(e.Value/asked)),
				Evidence: map[string]any{"achieved": e.Value, "achieved_low": e.Low, "asked": asked},
				Next:     ev.command()})
			continue
		}
		if upper(e) >= rateNeeded*asked {
			o.pass(r.Workload)
			continue
		}
		if w.OfCapacity > 0 {
			// A load sweep searches for the rate that overloads: finding it is not a fault.
			o.fault(model.Finding{Severity: model.SeverityNote, Results: []string{r.Workload},
				Message: fmt.Sprintf("saturated: %s of the offered %s were achieved (%s), so the latencies grow for as long as the load lasts",
					units.FormatRate(e.Value), units.FormatRate(asked), percent(e.Value/asked)),
				Evidence: map[string]any{"achieved": e.Value, "achieved_high": upper(e), "asked": asked}})
			continue
		}
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
			Message: fmt.Sprintf("saturated: %s of the requested %s were achieved (%s), so the latencies are those of an overload",
				units.FormatRate(e.Value), units.FormatRate(asked), percent(e.Value/asked)),
			Evidence: map[string]any{"achieved": e.Value, "achieved_high": upper(e), "asked": asked},
			Next:     lowerRate(ev, w, e)})
	}
	return o.findings("the requested rates were achieved", "no workload of this run has a rate")
}

// capacityLeast is by how much the capacity must have changed to be reported, as a share of the larger value: it was read
// off a single repeat when the rates were chosen.
const capacityLeast = 0.1

// checkCapacity reports a load sweep whose rates were chosen by a capacity that the storage had only then.
func (ev Evidence) checkCapacity(o *outcome, r model.Result) {
	var chosen float64
	for _, w := range ev.Recorded.Plan.Workloads {
		if w.OpenLoop && w.OfCapacity > 0 && w.RateIOPS > 0 {
			chosen = w.RateIOPS / w.OfCapacity
		}
	}
	change := math.Abs(chosen - r.Value)
	if chosen == 0 || r.Confidence == 0 || chosen >= r.Low && chosen <= r.High || change < capacityLeast*math.Max(chosen, r.Value) {
		return
	}
	o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
		Message: fmt.Sprintf("capacity changed: the rates of this sweep are shares of the %s IOPS that the storage could do when they were chosen; over the whole sweep it could do %s IOPS (%+.0f %%), so neither those shares nor the knee are of its present capacity",
			units.FormatRate(chosen), units.FormatRate(r.Value), 100*(r.Value/chosen-1)),
		Evidence: map[string]any{"chosen": chosen, "capacity": r.Value, "low": r.Low, "high": r.High},
		Next:     "sweep again once the storage is steady: " + ev.command()})
}

// lowerRate is the advised rate instead.
func lowerRate(ev Evidence, w model.Workload, e model.Estimate) string {
	fit := fmt.Sprintf("%.0f", 0.8*e.Value/float64(w.VolumeCount()))
	r := ev.Recorded.Plan.Experiment.Scale
	switch again := ev.Recorded.Run.Again; {
	case again.Verb() == "scale" || again.Application() != "":
		return ev.command("--rate", fit)
	case r != nil:
		lower := *r
		lower.Rate = 0
		return ev.scaleCommand(lower, "--rate", fit)
	}
	return "ask for " + fit + " IOPS or less (rate_iops in a profile of your own)"
}

// otherMix returns the finding that the less frequent direction of a mix did more than its proportion of the rate; nil if it did not. A
// job's limit is a whole number.
func (ev Evidence) otherMix(w model.Workload, r model.Result, e model.Estimate, asked float64) *model.Finding {
	if e.Confidence == 0 || e.Low <= rateAllowed*asked+float64(w.JobCount()*w.VolumeCount()) {
		return nil
	}
	return &model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
		Message: fmt.Sprintf("another mix: %s per second of the less frequent direction were done, but %s belong to the requested %d %% of reads",
			units.FormatRate(e.Value), units.FormatRate(asked), w.ReadPercent),
		Evidence: map[string]any{"achieved": e.Value, "achieved_low": e.Low, "asked": asked}, Next: ev.command()}
}

// lesser reports whether the direction is the less frequent one of a mix.
func lesser(w model.Workload, d model.Direction) bool {
	return w.Direction == model.Mixed && (d == model.Read) != (w.ReadPercent >= 50)
}

// upper is the upper bound of an estimate; the value itself if there is no interval.
func upper(e model.Estimate) float64 {
	if e.Confidence == 0 {
		return e.Value
	}
	return e.High
}
