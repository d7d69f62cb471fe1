package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

// Decided is a goal with its outcome, as far as it can be decided.
type Decided struct {
	model.Goal
	// Needs is how long the workload would have to be measured to probably decide an undecided goal.
	Needs stats.Needs
}

// Decide decides goals by the intervals of the results: met or missed if the whole interval lies on one
// side of the bound, otherwise undecided. After a short measurement of storage that is not clearly
// steady, a goal is met only if the interval is well inside the bound. An invalid number decides
// nothing. Percentiles that the results do not contain are computed from the samples.
func Decide(rec *model.Recorded, results []model.Result, goals []model.Goal) []Decided {
	decided := make([]Decided, len(goals))
	var all *peers
	if len(goals) > 0 {
		looked := sustain(rec)
		all = peersOf(&rec.Plan, counted(rec, looked), beyond(rec), looked)
	}
	for i, g := range goals {
		w, _ := rec.Plan.Workload(g.Workload)
		decided[i] = decide(all.find(g.Workload, g.Direction), find(results, g.Workload, g.Direction), g, w.App.Limit > 0)
	}
	return decided
}

// decide decides one goal; limited is set if the load has a latency limit.
func decide(f *flow, r *model.Result, goal model.Goal, limited bool) Decided {
	g := Decided{Goal: goal}
	g.Outcome = model.Undecided
	g.Estimate = model.Estimate{Unit: g.Metric.Unit()}
	if r == nil {
		g.Message = "it was not measured"
		return g
	}
	e, known := goalEstimate(f, r, goal)
	g.Estimate = e
	what := fmt.Sprintf("%s %s", g.Metric.FormatOf(g.Direction, e.Value), interval(g.Metric, g.Direction, e))
	median := r.Metrics[model.P50]
	p, _ := g.Metric.Percentile()
	switch {
	case !known && !g.Above && r.Verdict != model.Invalid && p > 50 && median.Confidence > 0 && median.Low > g.Bound:
		// No percentile is below the median.
		g.Outcome = model.Missed
		g.Message = fmt.Sprintf("the %s is not known, and the p50 alone is %s %s", g.Metric, model.P50.Format(median.Value), interval(model.P50, g.Direction, median))
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
	if skipped := skippedShare(r); g.Outcome == model.Met && !g.Above && g.Metric.Unit() == "s" && skipped > mostSkipped(p) {
		g.Outcome = model.Undecided
		g.Message += fmt.Sprintf(" meets the bound, but %.2g %% of the transactions were skipped: %s", 100*skipped, tooLate(limited))
		return g
	}
	unseen, enough := f.unseen(g.Metric)
	if e.Open && f.sawSlow() {
		// The slow I/Os were observed, and the slowest of them bounds the percentile. Those that only other workloads
		// had do not.
		unseen = 1
	}
	switch {
	case g.Metric.Beyond(e.Value) && e.Low <= g.Bound:
		g.Outcome = model.Undecided
		g.Message += ": longer waits are counted together, so it is not known how long they are"
		g.Needs = stats.Needs{Never: true}
	case g.Outcome == model.Met && (g.Above && e.Low < g.Bound*unseen || !g.Above && e.High > g.Bound/unseen):
		g.Outcome = model.Undecided
		g.Message += fmt.Sprintf(" meets the bound, but in %s storage may hide slow periods and bursts that do not", units.FormatSpan(f.peers.span()))
		g.Needs = stats.Needs{Known: true, Seconds: enough}
	case g.Outcome == model.Undecided && e.Open:
		g.Message += ": what is slow came too rarely to tell how often it comes"
		g.Needs = stats.Needs{Known: true, Seconds: rare * r.Seconds}
	case g.Outcome == model.Undecided:
		g.Message += " contains the bound"
		g.Needs = settle(e, r.Seconds, g.Bound)
	}
	return g
}

// tooLate says what is known of skipped transactions.
func tooLate(limited bool) string {
	if limited {
		return "they were slower than the latency limit, by an unknown time"
	}
	return "they had not started by the end of their repeat"
}

// skippedShare is the share of a load's transactions that were due and not executed, or not counted, because they
// were too late: their latency is only known to be larger than the limit.
func skippedShare(r *model.Result) float64 {
	a := r.App
	if a == nil || a.Skipped == 0 {
		return 0
	}
	return float64(a.Skipped) / float64(a.Transactions+a.Skipped+a.Failed)
}

// mostSkipped is the largest share of skipped transactions with which a percentile, or for 0 the mean, is known: a
// percentile does not change with what is above it.
func mostSkipped(percentile float64) float64 {
	if percentile == 0 {
		return 0.001
	}
	return 1 - percentile/100
}

func met(yes bool) model.Outcome {
	if yes {
		return model.Met
	}
	return model.Missed
}

// interval formats an interval as the tables do, "[20.9k, 22.1k IOPS]", but always with its bounds: a goal is decided by them.
func interval(m model.Metric, d model.Direction, e model.Estimate) string {
	if e.Confidence == 0 {
		return "without an interval"
	}
	if e.Open {
		return fmt.Sprintf("[%s, no upper end]", m.FormatOf(d, e.Low))
	}
	return m.FormatBounds(d, e)
}

const (
	// rare is the factor by which the measurement is extended if slow I/Os were so rare that they bound
	// nothing: there will then be a few times as many of them.
	rare = 4.0
	// settleSpare is the factor by which the requested time exceeds the computed time: the width of an
	// interval is itself known only roughly.
	settleSpare = 1.1
)

// settle is the measuring time after which the interval probably ends before the bound,
// given its width e after the given seconds: half-widths shrink with the square root of the time.
func settle(e model.Estimate, seconds, bound float64) stats.Needs {
	distance := math.Abs(bound - e.Value)
	side := e.High - e.Value
	if bound < e.Value {
		side = e.Value - e.Low
	}
	needs := settleSpare * seconds * (side / distance) * (side / distance)
	if !(distance > 0) || math.IsInf(needs, 1) {
		return stats.Needs{Never: true}
	}
	return stats.Needs{Known: true, Seconds: needs}
}

// untilSupported is the measuring time until there are enough I/Os to estimate a percentile.
func (f *flow) untilSupported(m model.Metric) (n stats.Needs) {
	p, ok := m.Percentile()
	if f == nil || !ok {
		return n
	}
	if seen := float64(f.histogram().Count()) * f.independent(); seen > 0 {
		n = stats.Needs{Known: true, Seconds: settleSpare * f.seconds() * stats.PercentileNeeds(p) / seen}
	}
	return n
}

// goalEstimate is the metric with its interval; false if there are too few I/Os.
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
	// unseenBursts is the factor by which bursts and slow periods that a short measurement missed may
	// change the p99: storage at a third of its speed. unseenSpell applies after burstLook seconds,
	// which have contained bursts but perhaps no slow period: half its speed.
	unseenBursts, unseenSpell = 3.0, 2.0
	burstLook                 = 9 * spellSeconds
	// spellLook is the measuring time, in seconds, that includes a slow period with 95 % probability if
	// spells last spellSeconds on average and take a tenth of the time: ln 20 × 9 × spellSeconds.
	spellLook = 27 * spellSeconds
)

// sawSlow reports whether the workload itself had a slow second.
func (f *flow) sawSlow() bool {
	if f == nil {
		return false
	}
	var all []float64
	for _, r := range f.repeats {
		all = append(all, timeline.Series(r.Seconds, model.Latency)...)
	}
	return len(all) > 0 && slices.Max(all) > stats.Median(all)*math.Exp(slowMatters)
}

// unseen is the factor by which events outside the measured time may move a metric, and the measuring
// time in seconds from which on it is 1. It is also 1 if the storage is clearly steady. A rate or a
// mean hardly moves: bursts in a tenth of the seconds change it by a few percent.
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
