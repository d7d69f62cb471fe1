package analyze

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Knee's bounds: a p99 of at most this multiple of the p99 at the lowest rate, and at least this share
// of the due I/Os done in time.
const (
	kneeLatency  = 2.0
	kneeAchieved = 0.98
)

// ResolveOffered fills in the rates that the plan of a load sweep could not know, from the repeats that
// offered them.
func ResolveOffered(rec *model.Recorded) {
	rates := map[string]float64{}
	for _, s := range rec.Run.Steps {
		if s.Step.Offered > 0 {
			rates[s.Step.Workload] = s.Step.Offered
		}
	}
	for i := range rec.Plan.Workloads {
		w := &rec.Plan.Workloads[i]
		if w.OpenLoop && w.RateIOPS == 0 {
			w.RateIOPS = rates[w.Name]
		}
	}
}

// Sweep is the outcome of a sweep, from results that have already been judged; nil if the run is not a
// sweep. Cells that were not measured have no point.
func Sweep(rec *model.Recorded, results []model.Result) *model.Sweep {
	asked := rec.Plan.Experiment.Sweep
	if asked == nil {
		return nil
	}
	s := &model.Sweep{Kind: model.SweepGrid, Base: asked.Pattern, Points: []model.SweepPoint{}}
	if asked.Load {
		s.Kind = model.SweepLoad
	}
	for _, r := range results {
		w, known := rec.Plan.Workload(r.Workload)
		switch {
		case !known:
		case w.Name == model.CapacityWorkload && asked.Load:
			s.Capacity = &r.Estimate
		default:
			s.Points = append(s.Points, point(rec, w, r))
		}
	}
	if asked.Load {
		s.Knee = knee(slices.DeleteFunc(slices.Clone(s.Points), func(p model.SweepPoint) bool { return p.Verdict == model.Invalid }))
	}
	return s
}

// point is one cell in one direction.
func point(rec *model.Recorded, w model.Workload, r model.Result) model.SweepPoint {
	p := model.SweepPoint{
		Result: r.Workload, Direction: r.Direction, Depth: w.Depth, Jobs: w.JobCount(), BlockSize: w.BlockSize,
		IOPS: r.Metrics[model.IOPS], Bandwidth: r.Metrics[model.Bandwidth], Verdict: r.Verdict,
		Mean: estimateOf(r, model.Latency), P50: estimateOf(r, model.P50), P99: estimateOf(r, model.P99),
	}
	if r.Latency != nil && r.Latency.P999 != nil {
		// Its interval is not estimated: this far out in the tail there are too few seconds for one.
		v := *r.Latency.P999
		p.P999 = &model.Estimate{Unit: "s", Value: v, Low: v, High: v, Open: model.P999.Beyond(v)}
	}
	if w.OpenLoop {
		p.Offered, p.Fraction, p.Achieved = w.RateIOPS, w.OfCapacity, achieved(rec, r)
	}
	return p
}

func estimateOf(r model.Result, m model.Metric) *model.Estimate {
	if e, ok := r.Metrics[m]; ok {
		return &e
	}
	return nil
}

// achieved is the share of the due I/Os that were done in the same time. The due I/Os are counted,
// because random arrivals are not exactly as many as requested.
func achieved(rec *model.Recorded, r model.Result) float64 {
	var due float64
	good := map[int]bool{}
	for _, s := range rec.Run.Steps {
		if s.Step.Workload == r.Workload && s.Error == "" {
			due += float64(s.Due)
			good[s.Step.Number] = true
		}
	}
	var done float64
	for i := range rec.Samples {
		if f := rec.Samples[i].Flow(r.Direction); f != nil && good[rec.Samples[i].Step] {
			done += float64(f.IOs)
		}
	}
	if due == 0 {
		return 0
	}
	return done / due
}

// knee finds the highest offered rate that the storage sustains at low latency. Points are ordered by increasing
// rate. A rate with too few I/Os for a p99 is inconclusive, unless it was not achieved. Nil if no rate
// is sustained, or none can be judged.
func knee(points []model.SweepPoint) *model.Knee {
	first := slices.IndexFunc(points, func(p model.SweepPoint) bool { return p.P99 != nil })
	if first < 0 {
		return nil
	}
	var told []model.SweepPoint
	var faults []string
	best := -1
	for _, p := range points {
		if p.P99 == nil && p.Achieved >= kneeAchieved {
			continue
		}
		fault := overload(p, points[first])
		if fault == "" {
			best = len(told)
		}
		told, faults = append(told, p), append(faults, fault)
	}
	if best < 0 {
		return nil
	}
	p := told[best]
	k := &model.Knee{Offered: p.Offered, Fraction: p.Fraction, P99: p.P99.Value, Beyond: best+1 < len(told)}
	pauses := paused(told[:min(best+2, len(told))])
	if k.Beyond {
		next := told[best+1]
		k.Why = fmt.Sprintf("at %s (%.0f %% of the capacity) %s", model.IOPS.Format(next.Offered), 100*next.Fraction, faults[best+1]) + pauses
		return k
	}
	k.Why = "every rate that was tried was sustained, so the knee is at or above the last one"
	if p.Offered < points[len(points)-1].Offered {
		k.Why = "higher rates had too few independent I/Os for a p99: allow more time"
	}
	for i := best - 1; i >= 0; i-- {
		if faults[i] != "" {
			k.Why += fmt.Sprintf(", though at the lower rate of %s %s", model.IOPS.Format(told[i].Offered), faults[i])
			break
		}
	}
	k.Why += pauses
	return k
}

// pausedTail is from which multiple of the median on a p99 is that of pauses, and not of a queue.
const pausedTail = 10.0

// paused says that a knee is not reliable because a p99 that decides it, at that rate or below or at the next one, is that of
// pauses of the storage; "" if none is.
func paused(points []model.SweepPoint) string {
	for _, p := range points {
		if p.P50 != nil && p.P99 != nil && p.P99.Value > pausedTail*p.P50.Value {
			return fmt.Sprintf("; but at %s, p99 (%s) is %.0f times the median, as of storage that pauses: another sweep may find another knee",
				model.IOPS.Format(p.Offered), model.P99.Format(p.P99.Value), p.P99.Value/p.P50.Value)
		}
	}
	return ""
}

// overload says why a rate is not sustained at low latency; "" if it is. lowest is the lowest rate that has a p99.
func overload(p, lowest model.SweepPoint) string {
	switch {
	case p.Achieved < kneeAchieved:
		return fmt.Sprintf("only %.1f %% of what was due was done", 100*p.Achieved)
	case p.P99.Value > kneeLatency*lowest.P99.Value:
		return fmt.Sprintf("p99 is %s, more than twice the %s at %s",
			units.FormatDuration(p.P99.Value), units.FormatDuration(lowest.P99.Value), model.IOPS.Format(lowest.Offered))
	}
	return ""
}
