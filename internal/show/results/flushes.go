package results

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
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
	where := fmt.Sprintf("%d repeats", repeats)
	if repeats == 0 {
		all := flushesOf(rec, w.Name)
		from, to, known := percentile(all, p99)
		if !known {
			return decideFew(rec, w, all, g)
		}
		repeats, low, high, where = 1, from, to, "all repeats together"
		switch {
		case to <= g.Bound:
			under = 1
		case from >= g.Bound:
			over = 1
		}
	}
	g.Estimate.Value, g.Estimate.Low, g.Estimate.High = high, low, high
	g.Message = fmt.Sprintf("between %s and %s in %s, as the server counts them", g.Metric.Format(low), g.Metric.Format(high), where)
	if math.IsInf(high, 1) {
		g.Estimate.Value, g.Estimate.High = low, low
		g.Message = fmt.Sprintf("%s and more in %s, as the server counts them", g.Metric.Format(low), where)
	}
	switch {
	case under == repeats:
		g.Outcome = model.Met
	case over == repeats:
		g.Outcome = model.Missed
	default:
		g.Message += ", and the bound lies in between"
		g.Next = oneByOne(rec, w)
	}
	return g
}

// oneByOne is the advice to measure how long each flush takes.
func oneByOne(rec *model.Recorded, w model.Workload) string {
	return "measure the flushes one by one: loadline run " + safetext.ShellWord(rec.Plan.Volume.Target.InCommand()) + " --profile " + apps.Of(w).LogProfile
}

// flushesOf adds up the flushes of a workload's repeats.
func flushesOf(rec *model.Recorded, workload string) *model.AppCounts {
	sum, n := &model.AppCounts{}, 0.0
	for _, s := range rec.Run.Steps {
		if s.Step.Workload != workload || s.Error != "" || s.App == nil || s.App.Flushes == nil || len(s.App.FlushTimes) == 0 {
			continue
		}
		if sum.FlushTimes == nil {
			sum.FlushTimes = slices.Repeat([][2]float64{{}}, len(s.App.FlushTimes))
		}
		if len(s.App.FlushTimes) != len(sum.FlushTimes) {
			return &model.AppCounts{}
		}
		n += *s.App.Flushes
		sum.Flushes = &n
		for i, t := range s.App.FlushTimes {
			sum.FlushTimes[i] = [2]float64{t[0], sum.FlushTimes[i][1] + t[1]}
		}
	}
	return sum
}

// decideFew decides a goal on the p99 of too few flushes for one: it is missed if clearly more than one in a hundred took
// longer than a time that is no shorter than the bound.
func decideFew(rec *model.Recorded, w model.Workload, all *model.AppCounts, g model.Goal) model.Goal {
	g.Message, g.Next = "the times of its flushes were not counted, or too few of them", oneByOne(rec, w)
	if all.Flushes == nil {
		return g
	}
	n := *all.Flushes
	for _, t := range all.FlushTimes {
		if t[0] < g.Bound {
			continue
		}
		expected := (1 - p99) * n
		if longer := n - t[1]; longer >= leastLonger && longer > expected+sureDeviations*math.Sqrt(expected) {
			g.Outcome, g.Next = model.Missed, ""
			g.Estimate.Value, g.Estimate.Low, g.Estimate.High = t[0], t[0], t[0]
			g.Message = fmt.Sprintf("%.0f of %.0f flushes took longer than %s, as the server counts them", longer, n, g.Metric.Format(t[0]))
		}
		break
	}
	return g
}

// leastLonger is the number of longer flushes, and sureDeviations by how many standard deviations they must exceed those of
// a p99 at the bound, from which on it is certain that it is above.
const leastLonger, sureDeviations = 10, 3.0

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

func clients(n int) string {
	if n <= 1 {
		return "one client"
	}
	return fmt.Sprintf("%d clients", n)
}
