package analyze

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Decided is a goal, decided as far as that can be.
type Decided struct {
	model.Goal
	// Needs is for how many seconds the workload would have to be measured to probably decide a
	// goal that is undecided: +Inf where no time would do, 0 where it is not known.
	Needs float64
}

// Decide decides goals on the intervals of the results: met or missed when the
// whole interval lies on one side of the bound, else undecided. After a short look at
// storage that is not plainly steady, a goal is met only well inside its bound. A number that is
// invalid decides nothing. Percentiles that the results do not hold are computed
// from the samples.
func Decide(rec *model.Recorded, results []model.Result, goals []model.Goal) []Decided {
	decided := make([]Decided, len(goals))
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

func decide(f *flow, r *model.Result, goal model.Goal) Decided {
	g := Decided{Goal: goal}
	g.Outcome = model.Undecided
	g.Estimate = model.Estimate{Unit: g.Metric.Unit()}
	if r == nil {
		g.Message = "it was not measured"
		return g
	}
	e, known := goalEstimate(f, r, goal)
	g.Estimate = e
	what := fmt.Sprintf("%s %s", g.Metric.Format(e.Value), interval(g.Metric, e))
	median := r.Metrics[model.P50]
	p, _ := g.Metric.Percentile()
	switch {
	case !known && !g.Above && r.Verdict != model.Invalid && p > 50 && median.Confidence > 0 && median.Low > g.Bound:
		// No percentile is below the median.
		g.Outcome = model.Missed
		g.Message = fmt.Sprintf("the %s is not known, and the p50 alone is %s %s", g.Metric, model.P50.Format(median.Value), interval(model.P50, median))
		return g
	case !known:
		g.Message = fmt.Sprintf("too few independent I/Os for %s: it needs %.0f", g.Metric, stats.PercentileNeeds(p))
		g.Needs = f.untilSupported(g.Metric)
		return g
	case r.Verdict == model.Invalid:
		g.Message = what + ", but that number is invalid"
		return g
	case e.Confidence == 0:
		g.Message = what + ": one repeat says nothing about the next"
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
		g.Message += fmt.Sprintf(" meets the bound, but in %s storage may hide slow periods and bursts that do not", units.FormatSpan(f.peers.span()))
		g.Needs = enough
	case g.Outcome == model.Undecided && e.Open:
		g.Message += ": what is slow came too rarely to tell how often it comes"
		g.Needs = rare * r.Seconds
	case g.Outcome == model.Undecided:
		g.Message += " contains the bound"
		g.Needs = settle(e, r.Seconds, g.Bound)
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

const (
	// rare is how many times as long storage is looked at whose slow I/Os came so rarely that
	// they bound nothing: the few that came then come a few times as often.
	rare = 4.0
	// settleSpare is how much longer than the computed time is asked for: the width of an
	// interval is itself known only roughly.
	settleSpare = 1.1
)

// settle is for how many seconds to measure until the interval probably ends before the
// bound, when it is as wide as e after so many seconds: half-widths shrink with the root of
// the time.
func settle(e model.Estimate, seconds, bound float64) float64 {
	distance := math.Abs(bound - e.Value)
	side := e.High - e.Value
	if bound < e.Value {
		side = e.Value - e.Low
	}
	if !(distance > 0) {
		return math.Inf(1)
	}
	return settleSpare * seconds * (side / distance) * (side / distance)
}

// untilSupported is for how many seconds to measure until there are enough I/Os to speak of a
// percentile; 0 when that cannot be told.
func (f *flow) untilSupported(m model.Metric) float64 {
	p, ok := m.Percentile()
	if f == nil || !ok {
		return 0
	}
	n := float64(f.histogram().Count()) * f.independent()
	if !(n > 0) {
		return 0
	}
	return settleSpare * f.seconds() * stats.PercentileNeeds(p) / n
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
	if p, ok := m.Percentile(); f == nil || !ok || p < tail {
		return 1, 0
	}
	repeats, at := f.repeatModel(model.Latency)
	span := f.peers.span()
	switch {
	case repeats.SteadyAt(at) || span >= spellLook:
		return 1, spellLook
	case span >= burstLook:
		return unseenSpell, spellLook
	}
	return unseenBursts, spellLook
}
