package trust

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleTail = Rule{
	Name:     "tail",
	Checks:   "the slow I/Os behind the p99 (and p99.9) come from many seconds",
	Evidence: "the histograms of each second: how many seconds contain the slow I/Os, and what the percentile is without those",
	Severity: "note; a warning if a percentile is the headline metric: the tail latency comes from rare latency spikes, and has no upper bound",
	Advice:   "measure longer, until there are many spikes",
	check:    checkTail,
}

const (
	// tailSeconds is how many independent seconds must contribute to a tail.
	tailSeconds = 20
	// tailShare is the share of all seconds that is sufficient as well.
	tailShare = 1.0 / 3
	// tailMatters is how much the percentile must exceed its value without those seconds. Seconds that
	// vary evenly by 10 % stay below it.
	tailMatters = 0.30
)

// checkTail reports percentiles that depend on few seconds: if slow I/Os come in bursts, a percentile
// rests on as many observations as there were bursts, however many I/Os there were. The effective
// number of contributing seconds is (Σc)²/Σc², where c is a second's number of I/Os beyond the
// percentile.
//
// Evidence: the samples' histograms. Measured: on storage with stalls in one second of twenty, the
// interval of a p99 from a short run contained the true value in 40 to 61 % of the runs.
func checkTail(ev Evidence) []model.Finding {
	var o outcome
	least := math.MaxInt
	tails := ev.tails()
	for i := range ev.series {
		s := &ev.series[i]
		r, found := ev.result(s)
		if !found || r.Latency == nil || r.Latency.P99 == nil {
			o.miss(s.workload, "there are too few independent latencies for a p99")
			continue
		}
		least = min(least, len(s.latencies))
		t, name := tails[i][0], "p99"
		if far := tails[i][1]; r.Latency.P999 != nil && !t.rare(len(s.latencies)) && far.rare(len(s.latencies)) {
			t, name = far, "p99.9"
		}
		if !t.rare(len(s.latencies)) {
			o.pass(s.workload)
			continue
		}
		severity := model.SeverityNote
		if _, percentile := map[model.Metric]bool{model.P99: true, model.P999: true, model.P9999: true}[r.Metric]; percentile {
			severity = model.SeverityWarning
		}
		o.fault(model.Finding{Severity: severity, Results: []string{s.workload},
			Message: fmt.Sprintf("latency spikes: the %s of %s (%s) is due to about %.0f of %d seconds, without which it is %s; how often they occur is not known, so it has no upper bound",
				name, s.workload, units.FormatDuration(t.value), t.seconds, len(s.latencies), units.FormatDuration(t.without)),
			Evidence: map[string]any{"percentile": name, "value": t.value, "without": t.without, "tail_seconds": t.seconds, "seconds": len(s.latencies)},
			Next:     ev.longer([]string{s.workload})})
	}
	passed := "the tail latencies come from many seconds"
	if least < math.MaxInt && least > 0 {
		// With none in n seconds, a share of 3/n is excluded at 95 %.
		passed += fmt.Sprintf("; spikes rarer than one in %d s would not be seen", max(1, least/3))
	}
	return o.findings(passed, "no latency was recorded")
}

// tail describes what a percentile depends on.
type tail struct {
	value float64
	// without is the percentile without the seconds that contribute to it; 0 if these are many.
	without float64
	// seconds is the effective number of seconds that contain the slow I/Os.
	seconds float64
}

// rare reports whether too few of n seconds contribute to the tail, and matter.
func (t tail) rare(n int) bool { return t.few(n) && t.value > (1+tailMatters)*t.without }

// few reports whether too few of n seconds contribute to the tail.
func (t tail) few(n int) bool {
	return t.seconds < tailSeconds && t.seconds < tailShare*float64(n)
}

// tails are those of p99 and p99.9 of each series. Reading the histograms of a long run takes most of
// the time of judging it, so the series are read concurrently.
func (ev Evidence) tails() [][]tail {
	list := make([][]tail, len(ev.series))
	var all sync.WaitGroup
	for i := range ev.series {
		all.Go(func() { list[i] = tailsOf(ev.series[i].latencies, 99, 99.9) })
	}
	all.Wait()
	return list
}

// tailsOf computes the tails at percentiles (in %) of the sum of the seconds, each of which is a list
// of histograms.
func tailsOf(list [][]*histogram.Histogram, percentiles ...float64) []tail {
	all := merged(list)
	tails := make([]tail, len(percentiles))
	slow := make([][]float64, len(percentiles))
	least := math.Inf(1)
	for k, p := range percentiles {
		tails[k].value, slow[k] = all.Percentile(p), make([]float64, len(list))
		least = math.Min(least, tails[k].value)
	}
	for i, second := range list {
		for _, h := range second {
			for seconds, n := range h.Buckets {
				if seconds < least {
					continue
				}
				for k := range tails {
					if seconds >= tails[k].value {
						slow[k][i] += float64(n)
					}
				}
			}
		}
	}
	for k, p := range percentiles {
		tails[k].carriedBy(slow[k], list, p)
	}
	return tails
}

// carriedBy determines how many seconds contribute to the p-th percentile, given each second's number
// of I/Os beyond it, and the percentile without them.
func (t *tail) carriedBy(slow []float64, list [][]*histogram.Histogram, p float64) {
	var sum, square float64
	for _, n := range slow {
		sum, square = sum+n, square+n*n
	}
	if square == 0 {
		return
	}
	t.seconds = sum * sum / square
	if !t.few(len(list)) {
		return
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(slow[b] - slow[a]) })
	var rest [][]*histogram.Histogram
	for _, i := range order[min(len(order), int(math.Ceil(t.seconds))):] {
		rest = append(rest, list[i])
	}
	t.without = merged(rest).Percentile(p)
}

// merged is the sum of the seconds' histograms.
func merged(list [][]*histogram.Histogram) *histogram.Histogram {
	all := &histogram.Histogram{}
	for _, second := range list {
		for _, h := range second {
			all.Merge(*h)
		}
	}
	return all
}

// result is the result that a series belongs to.
func (ev Evidence) result(s *series) (model.Result, bool) {
	for _, r := range ev.Results {
		if r.Workload == s.workload && r.Direction == s.direction {
			return r, true
		}
	}
	return model.Result{}, false
}
