package trust

import (
	"math"

	"github.com/loadline/loadline/internal/model"
)

const (
	// mostlyCounting is how much wider than counting alone makes it an interval may be that counting limits.
	mostlyCounting = 1.3
	// shortestCount is the shortest repeat, in seconds, that is advised for counting more I/Os.
	shortestCount = 60.0
)

// countLimit returns the relative half-width that counting whole I/Os leaves the interval of a rate: one I/O for each
// repeat, however many there are (see package analyze). 0 for a latency, and where it is much less than the interval.
func countLimit(r model.Result) float64 {
	rate := ioRate(r)
	if r.Metric.Unit() == "s" || r.Confidence == 0 || !(rate*r.Seconds > 0) {
		return 0
	}
	limit, half := float64(r.Repeats)/(rate*r.Seconds), r.HalfWidth()
	if half > wideInterval {
		half = math.Log1p(half) // beyond that, it is symmetric in the logarithm
	}
	if half > mostlyCounting*limit {
		return 0
	}
	return limit
}

// wideInterval is the half-width beyond which the interval of a rate is symmetric in the logarithm.
const wideInterval = 0.3

// ioRate is the I/Os or transactions per second of a result; 0 if unknown.
func ioRate(r model.Result) float64 {
	for _, m := range []model.Metric{model.IOPS, model.Transactions} {
		if e, known := r.Metrics[m]; known {
			return e.Value
		}
	}
	if r.Metric == model.IOPS || r.Metric == model.Transactions {
		return r.Value
	}
	return 0
}

// countFor returns the length in seconds of a single repeat that counts enough I/Os for the requested precision, if
// counting whole I/Os is what makes the interval of one of the named workloads wide; otherwise 0. In a single repeat, the
// interval comes from its seconds, each of which is counted to within an I/O.
func (ev Evidence) countFor(names []string, precision float64) (seconds float64) {
	for _, name := range names {
		for _, r := range ev.Results {
			if r.Workload != name || r.Direction == model.Sync || r.Converged || countLimit(r) <= precision {
				continue
			}
			enough := 1 / (ioRate(r) * precision)
			seconds = max(seconds, shortestCount, spare*enough, enough*enough)
		}
	}
	return seconds
}

// uncounted is the advice where counting whole I/Os limits the interval: more repeats would not change that, longer ones do.
func (ev Evidence) uncounted(only []string, seconds float64) string {
	const why = "each repeat counts so few I/Os that one more or less matters, and more repeats do not change that: "
	exp := ev.Recorded.Plan.Experiment
	switch {
	case exp.Scale != nil && exp.Scale.Rate > 0:
		return why + "use a higher --rate"
	case seconds > longestAdvised:
		return why + "a repeat that counts enough would take " + about(seconds)
	case ev.Recorded.Imported != nil || ev.cells() || exp.App != nil || ev.Recorded.Run.Comparison != "":
		return why + "measure without a pause, with loadline run --time " + span(seconds)
	}
	return why + "measure without a pause: " + ev.command(ev.only(only), "--time", span(seconds))
}
