package results

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// p99 is the share of the flushes that a goal about them refers to.
const p99 = 0.99

// decideFlushes decides a goal on the p99 of the flushes of an application's log, of which only the
// counts up to certain times are known (etcd: 1 ms, 2 ms, 4 ms …). In each repeat the p99 lies between
// two of those times: if the upper one is within the bound in all of them the goal is met; if the lower
// one exceeds it in all of them, it is missed.
func decideFlushes(rec *model.Recorded, w model.Workload, g model.Goal) model.Goal {
	g.Outcome, g.Estimate = model.Undecided, model.Estimate{Unit: g.Metric.Unit()}
	if g.Metric != model.P99 || g.Above {
		g.Message = "of an application's flushes only a p99 under a bound can be decided"
		return g
	}
	repeats, under, over := 0, 0, 0
	low, high := math.Inf(1), 0.0
	for _, s := range rec.Run.Steps {
		if s.Step.Workload != w.Name || s.Error != "" || s.App == nil {
			continue
		}
		from, to, known := percentile(s.App, p99)
		if !known {
			continue
		}
		repeats++
		low, high = min(low, from), max(high, to)
		switch {
		case to <= g.Bound:
			under++
		case from >= g.Bound:
			over++
		}
	}
	if repeats == 0 {
		g.Message = "the times of its flushes were not counted, or too few of them"
		return g
	}
	g.Estimate.Value, g.Estimate.Low, g.Estimate.High = high, low, high
	g.Message = fmt.Sprintf("between %s and %s in %d repeats, as the server counts them", g.Metric.Format(low), g.Metric.Format(high), repeats)
	if math.IsInf(high, 1) {
		g.Estimate.Value, g.Estimate.High = low, low
		g.Message = fmt.Sprintf("%s and more in %d repeats, as the server counts them", g.Metric.Format(low), repeats)
	}
	switch {
	case under == repeats:
		g.Outcome = model.Met
	case over == repeats:
		g.Outcome = model.Missed
	default:
		g.Message += ", and the bound lies in between"
		g.Next = "measure the flushes one by one: loadline run " + safetext.ShellWord(rec.Plan.Volume.Target.Name) + " --profile etcd"
	}
	return g
}

// leastFlushes is the minimum number of flushes for a p99, so that ten are slower.
const leastFlushes = 1000

// percentile returns the two bucket limits between which a percentile of an application's flushes lies;
// the upper one is infinite if none is known. False if too few were counted.
func percentile(c *model.AppCounts, share float64) (low, high float64, known bool) {
	if c.Flushes == nil || len(c.FlushTimes) == 0 || *c.Flushes < leastFlushes {
		return 0, 0, false
	}
	for _, t := range c.FlushTimes {
		within, count := t[0], t[1]
		if count >= share**c.Flushes {
			return low, within, true
		}
		low = within
	}
	return low, math.Inf(1), true
}

// loadsEtcd reports whether the workload loads etcd, which counts how long flushes take.
func loadsEtcd(w model.Workload) bool { return w.App.Tool == string(model.Etcd) }

func clients(n int) string {
	if n <= 1 {
		return "one client"
	}
	return fmt.Sprintf("%d clients", n)
}
