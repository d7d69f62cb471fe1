package analyze

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/judge/timeline"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Decide decides goals on the intervals of the results: met or missed when the
// whole interval lies on one side of the bound, else undecided. After a short look at
// storage that is not plainly steady, a goal is met only well inside its bound. A number that is
// invalid decides nothing. Percentiles that the results do not hold are computed
// from the samples.
func Decide(rec *model.Recorded, results []model.Result, goals []model.Goal) []model.Goal {
	decided := make([]model.Goal, len(goals))
	var all *peers
	if len(goals) > 0 {
		looked := sustain(rec)
		all = peersOf(&rec.Plan, counted(rec, looked), looked)
	}
	for i, g := range goals {
		decided[i] = decide(all.find(g.Workload, g.Direction), find(results, g.Workload, g.Direction), g)
	}
	return decided
}

func decide(f *flow, r *model.Result, g model.Goal) model.Goal {
	g.Outcome = model.Undecided
	g.Estimate = model.Estimate{Unit: g.Metric.Unit()}
	if r == nil {
		g.Message = "it was not measured"
		return g
	}
	e, known := goalEstimate(f, r, g)
	g.Estimate = e
	what := fmt.Sprintf("%s %s", g.Metric.Format(e.Value), interval(g.Metric, e))
	switch {
	case !known:
		g.Message = fmt.Sprintf("too few independent I/Os for %s: it needs %.0f", g.Metric, stats.PercentileNeeds(timeline.Percentiles[g.Metric]))
		g.Next = "measure longer with --repeat or --max-time"
		return g
	case r.Verdict == model.Invalid:
		g.Message = what + ", but that number is invalid"
		return g
	case e.Confidence == 0:
		g.Message = what + ": one repeat says nothing about the next"
		g.Next = "measure in rounds, with --repeat 3 or more"
		return g
	case e.Low > g.Bound:
		g.Outcome = met(g.Above)
	case e.High < g.Bound:
		g.Outcome = met(!g.Above)
	}
	g.Message = what
	unseen, enough := f.unseen(g.Metric)
	if e.Open {
		// What is slow was met, and its slowest bounds the percentile.
		unseen = 1
	}
	switch {
	case g.Outcome == model.Met && (g.Above && e.Low < g.Bound*unseen || !g.Above && e.High > g.Bound/unseen):
		g.Outcome = model.Undecided
		g.Message += fmt.Sprintf(" keeps the bound, but in %s storage may hide slow spells and bursts that would not", units.FormatSpan(f.peers.span()))
		g.Next = fmt.Sprintf("look at it for longer: --max-time %.0fs and --repeat until then", math.Ceil(enough/60)*60)
	case g.Outcome == model.Undecided && e.Open:
		g.Message += ": what is slow came too rarely to tell how often it comes"
		g.Next = "measure longer with --repeat or --max-time, until it came often"
	case g.Outcome == model.Undecided:
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
	if e.Open {
		return fmt.Sprintf("[%s, no upper end]", m.Format(e.Low))
	}
	return fmt.Sprintf("[%s, %s]", m.Format(e.Low), m.Format(e.High))
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
	return fmt.Sprintf("about %d repeats instead of %d would settle it: add --repeat %d and a longer --max-time", n, visits, n)
}

// goalEstimate is the metric with its interval; false when there are too few I/Os.
func goalEstimate(f *flow, r *model.Result, g model.Goal) (model.Estimate, bool) {
	if e, ok := r.Metrics[g.Metric]; ok {
		return e, true
	}
	if f == nil || !f.has(g.Metric) {
		return model.Estimate{Unit: g.Metric.Unit()}, false
	}
	e, _ := f.estimate(g.Metric)
	return e, true
}

const (
	// unseenBursts is by what factor bursts and slow spells that a short look did not meet may
	// change the p99: storage at a third of its speed; and unseenSpell after burstLook
	// seconds, which have met bursts and perhaps not a slow spell: half its speed.
	unseenBursts, unseenSpell = 3.0, 2.0
	burstLook                 = 9 * spellSeconds
	// spellLook is the look in seconds that has met that spell, too, in 95 % of the cases,
	// when it lasts spellSeconds on average, for a tenth of the time: ln 20 × 9 × spellSeconds.
	spellLook = 27 * spellSeconds
)

// unseen is the factor by which what a look did not meet may move a metric, and the
// look in seconds from which on it is 1, as it is where the storage is plainly steady.
// A rate or a mean hardly moves: bursts in a tenth of the seconds cost it a few percent.
func (f *flow) unseen(m model.Metric) (factor, enough float64) {
	if p, ok := timeline.Percentiles[m]; f == nil || !ok || p < tail {
		return 1, 0
	}
	visits, at := f.visitModel(model.Latency)
	span := f.peers.span()
	switch {
	case visits.SteadyAt(at) || span >= spellLook:
		return 1, spellLook
	case span >= burstLook:
		return unseenSpell, spellLook
	}
	return unseenBursts, spellLook
}
