package analyze

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/stats"
)

// Decide decides goals on the intervals of the results: met or missed when the
// whole interval lies on one side of the bound, else undecided. A number that is
// invalid decides nothing. Percentiles that the results do not hold are computed
// from the samples.
func Decide(rec *model.Recorded, results []model.Result, goals []model.Goal) []model.Goal {
	decided := make([]model.Goal, len(goals))
	for i, g := range goals {
		decided[i] = decide(rec, find(results, g.Workload, g.Direction), g)
	}
	return decided
}

func decide(rec *model.Recorded, r *model.Result, g model.Goal) model.Goal {
	g.Outcome = model.Undecided
	g.Estimate = model.Estimate{Unit: g.Metric.Unit()}
	if r == nil {
		g.Message = "it was not measured"
		return g
	}
	e, known := goalEstimate(rec, r, g)
	g.Estimate = e
	what := fmt.Sprintf("%s %s", model.FormatMetric(g.Metric, e.Value), interval(g.Metric, e))
	switch {
	case !known:
		g.Message = fmt.Sprintf("too few independent I/Os for %s: it needs %.0f", g.Metric, stats.PercentileNeeds(percentiles[g.Metric]))
		g.Next = "measure longer with --repeat or --max-time"
		return g
	case r.Verdict == model.Invalid:
		g.Message = what + ", but that number is invalid"
		return g
	case e.Confidence == 0:
		g.Message = what + ": one visit says nothing about the next"
		g.Next = "measure in rounds, with --repeat 3 or more"
		return g
	case e.Low > g.Bound:
		g.Outcome = met(g.Above)
	case e.High < g.Bound:
		g.Outcome = met(!g.Above)
	}
	g.Message = what
	if g.Outcome == model.Undecided {
		g.Message += " holds the bound"
		g.Next = settle(e, r.Repeats, g.Bound)
	}
	return g
}

func met(yes bool) model.Outcome {
	if yes {
		return model.Met
	}
	return model.Missed
}

// interval is "[20.9k/s, 22.1k/s]".
func interval(m model.Metric, e model.Estimate) string {
	if e.Confidence == 0 {
		return "without an interval"
	}
	return fmt.Sprintf("[%s, %s]", model.FormatMetric(m, e.Low), model.FormatMetric(m, e.High))
}

// settle tells how many visits would probably end the interval before the bound:
// half-widths shrink as 1/√n.
func settle(e model.Estimate, visits int, bound float64) string {
	distance := math.Abs(bound - e.Value)
	side := e.High - e.Value
	if bound < e.Value {
		side = e.Value - e.Low
	}
	if visits < 2 || !(distance > 0) || side/distance > 20 {
		return "the value is so close to the bound that measuring longer may not settle it"
	}
	n := int(math.Ceil(float64(visits) * (side / distance) * (side / distance) * 1.1))
	return fmt.Sprintf("about %d visits instead of %d would settle it: add --repeat %d and a longer --max-time", n, visits, n)
}

// goalEstimate is the metric with its interval; false when there are too few I/Os.
func goalEstimate(rec *model.Recorded, r *model.Result, g model.Goal) (model.Estimate, bool) {
	if e, ok := r.Metrics[g.Metric]; ok {
		return e, true
	}
	found := sustain(rec)
	f := peersOf(&rec.Plan, counted(rec, found), found).find(g.Workload, g.Direction)
	if f == nil || !f.has(g.Metric) {
		return model.Estimate{Unit: g.Metric.Unit()}, false
	}
	e, _ := f.estimate(g.Metric)
	return e, true
}
