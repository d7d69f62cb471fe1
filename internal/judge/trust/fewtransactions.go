package trust

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleFewTransactions = Rule{
	Name:     "few-transactions",
	Checks:   "a published test with so few transactions could determine a rate",
	Evidence: "rates computed from that many latencies, drawn from the measured ones (a 95 % range of 10 %); for an imported test, how long it ran (1 s)",
	Severity: "warning for an imported test: it was too short; a note for a load that imitates such a test",
	Advice:   "run the load for a period of time (`pgbench -T 60`), not for ten transactions",
	check:    checkFewTransactions,
}

const (
	// fewSpread is the relative width of the 95 % range from which on a test is inconclusive.
	fewSpread = 0.1
	// fewDraws is the number of simulated tests; fewMost is the maximum number of transactions drawn
	// for each: more are as good as all.
	fewDraws, fewMost = 2000, 1000
	// fewSeconds is the minimum duration of an imported test.
	fewSeconds = 1.0
	// oneSlow is the latency, in seconds, of a transaction that waited for something, to show the
	// effect of a single one.
	oneSlow = 0.010
)

// fewAsked reports whether there is anything to judge: a load that stands for a published test, or an
// imported one that says how many transactions it ran.
func (ev Evidence) fewAsked() bool {
	if im := ev.Recorded.Imported; im != nil {
		return slices.ContainsFunc(im.Figures, func(f model.Figure) bool { return f.Clients != nil && f.Clients.Done > 0 })
	}
	return slices.ContainsFunc(ev.Recorded.Plan.Workloads, func(w model.Workload) bool { return w.App.Published > 0 })
}

// checkFewTransactions reports how little a published test can tell: comparisons have ranked storage
// systems by ten transactions, 21 to 75 ms of measuring. What ten can tell is known once thousands have
// been measured: tests of ten are drawn from their latencies. They are drawn independently, so the true
// range is at least as wide: in ten consecutive transactions, slow ones come together.
func checkFewTransactions(ev Evidence) []model.Finding {
	var o outcome
	if im := ev.Recorded.Imported; im != nil {
		for _, f := range im.Figures {
			if f.Clients != nil && f.Clients.Done > 0 {
				fewImported(&o, f)
			}
		}
		return o.findings("the tests ran long enough to determine a rate", "the source does not say how many transactions ran")
	}
	ev.loads(&o, func(w model.Workload, r model.Result, _ model.AppResult) {
		if w.App.Published < 1 {
			return
		}
		latencies := ev.latencies(w.Name)
		if latencies.Count() < fewMost {
			o.miss(r.Workload, "too few transactions were measured to say what fewer could show")
			return
		}
		low, high := drawn(latencies, min(w.App.Published, fewMost), max(1, w.Depth))
		if high/low-1 <= fewSpread || w.App.Published > fewMost {
			o.pass(r.Workload)
			return
		}
		o.fault(model.Finding{Severity: model.SeverityNote, Results: []string{r.Workload},
			Message: fmt.Sprintf("a published test of %s had %d transactions: that many, drawn from the %d measured here, give anything from %s to %s tps (95 %%), so they cannot distinguish systems that differ by less than %s",
				r.Workload, w.App.Published, latencies.Count(), units.FormatRate(low), units.FormatRate(high), percent(high/low-1)),
			Evidence: map[string]any{"transactions": w.App.Published, "measured": latencies.Count(), "low": low, "high": high, "allowed": fewSpread}})
	})
	return o.findings("that many transactions could determine a rate", noLoad)
}

// latencies are those of a workload's transactions, in all counted repeats.
func (ev Evidence) latencies(workload string) (all histogram.Histogram) {
	steps := map[int]bool{}
	for _, s := range ev.good(workload) {
		steps[s.Step.Number] = true
	}
	for i := range ev.Recorded.Samples {
		s := &ev.Recorded.Samples[i]
		for _, f := range []*model.Flow{s.Read, s.Write} {
			if steps[s.Step] && f != nil {
				all.Merge(f.Histogram)
			}
		}
	}
	return all
}

// drawn is the range that contains 95 % of the rates of simulated tests of n transactions by the given
// number of clients, with latencies drawn from these. It is deterministic.
func drawn(from histogram.Histogram, n, clients int) (low, high float64) {
	var seconds []float64
	var upTo []uint64
	total := uint64(0)
	for s, count := range from.Buckets {
		total += count
		seconds, upTo = append(seconds, s), append(upTo, total)
	}
	random := rand.New(rand.NewPCG(1, 2))
	rates := make([]float64, fewDraws)
	for i := range rates {
		sum := 0.0
		for range n {
			k, _ := slices.BinarySearch(upTo, 1+random.Uint64N(total))
			sum += seconds[k]
		}
		rates[i] = float64(n) * float64(clients) / sum
	}
	slices.Sort(rates)
	return rates[fewDraws*25/1000], rates[fewDraws*975/1000]
}

// fewImported judges an imported test by its duration.
func fewImported(o *outcome, f model.Figure) {
	ran := f.Seconds
	switch {
	case ran <= 0:
		o.miss(f.Workload, "the source does not say how long it ran")
	case ran < fewSeconds:
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{f.Workload},
			Message: fmt.Sprintf("too short: %s ran %d transactions in %s; if a single one had taken %s longer, the rate would have been %s lower",
				f.Workload, f.Clients.Done, units.FormatDuration(ran), units.FormatDuration(oneSlow), percent(oneSlow/(ran+oneSlow))),
			Evidence: map[string]any{"transactions": f.Clients.Done, "seconds": ran, "needed": fewSeconds},
			Next:     "run it for a time: pgbench -T 60"})
	default:
		o.pass(f.Workload)
	}
}
