package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// widerIsWarning is the multiple of the requested precision beyond which a wide interval is more than a
// note.
const widerIsWarning = 2.0

var rulePrecision = Rule{
	Name:     "precision",
	Checks:   "the interval is as narrow as requested",
	Evidence: "the interval of the headline metric",
	Severity: "note up to twice the requested width, then a warning: the number is less certain than requested; a note too if the interval is that of a single repeat whose seconds vary",
	Advice:   "allow more time; `--repeat 5` after `--time` or `--until-steady`",
	check:    checkPrecision,
}

// lookedFor is the time over which the named workloads were measured, from the first repeat to the end
// of the last; the shortest of them.
func (ev Evidence) lookedFor(names []string) string {
	shortest := math.Inf(1)
	for _, r := range ev.Results {
		if slices.Contains(names, r.Workload) {
			shortest = min(shortest, r.Span)
		}
	}
	return units.FormatSpan(shortest)
}

// widest is the widest of several intervals.
type widest struct {
	of   model.Result
	half float64
}

func (w widest) or(r model.Result) widest {
	if h := r.HalfWidth(); h > w.half {
		return widest{of: r, half: h}
	}
	return w
}

// words formats the interval as the table does: with its ends if it is wide, followed by the workload
// that it belongs to.
func (w widest) words() string {
	text := w.of.Metric.FormatWidth(w.of.Direction, w.of.Estimate)
	if strings.HasPrefix(text, "±") {
		return plusMinus(w.half)
	}
	return text + " (" + w.of.Workload + ")"
}

// steadySeconds is the standard deviation of seconds, as a share of their mean, up to which storage is taken to be as fast
// in its next repeat: a throttled volume.
const steadySeconds = 0.005

// variesInOneRepeat returns the workloads that were measured in one repeat, as --time and --until-steady do, and whose
// seconds vary.
func (ev Evidence) variesInOneRepeat() map[string]bool {
	found := map[string]bool{}
	if ev.Recorded.Plan.Schedule.Mode == model.Rounds {
		return found
	}
	for _, s := range ev.allSeries() {
		if s.repeats == 1 && len(s.rate) > 1 && math.Sqrt(stats.Variance(s.rate)) > steadySeconds*stats.Mean(s.rate) {
			found[s.workload] = true
		}
	}
	return found
}

// repeated is the command that repeats the named workloads often enough to show how repeats differ, each for the profile's time,
// with the long repeats.
func (ev Evidence) repeated(names []string) string {
	const times, each, long = 5, 5.0, 60.0
	return ev.command(ev.only(names), "--repeat", fmt.Sprint(times), "--max-time", span(math.Max(usualTime, times*each*float64(len(names))+long)))
}

// usualTime is the default of --max-time, in seconds.
const usualTime = 300.0

// checkPrecision reports an interval wider than requested. A wide interval is visible as such, so up to
// twice the requested width it is a note and the number stays valid. Beyond that, people read the
// number and not its interval, and something is probably not steady: a warning. A number without any
// interval is a warning too. An interval from a single repeat knows nothing of how repeats differ: a note, unless
// the seconds do not vary either.
//
// Evidence: the headline's interval. A precision is promised only for the headline.
func checkPrecision(ev Evidence) []model.Finding {
	asked := ev.Recorded.Plan.Schedule.Precision
	if asked <= 0 {
		return notChecked("no precision was requested")
	}
	var o outcome
	var near, far, brief, bare, single []string
	var nearMost, farMost, briefMost, singleMost widest
	once := ev.variesInOneRepeat()
	for _, r := range ev.Results {
		if r.Direction == model.Sync {
			continue
		}
		h := r.HalfWidth()
		switch {
		case r.Confidence == 0 || math.IsNaN(h):
			bare = add(bare, r.Workload)
		case r.Converged && once[r.Workload]:
			single, singleMost = add(single, r.Workload), singleMost.or(r)
		case r.Converged:
			o.pass(r.Workload)
		case h <= asked:
			brief, briefMost = add(brief, r.Workload), briefMost.or(r)
		case h <= widerIsWarning*asked:
			near, nearMost = add(near, r.Workload), nearMost.or(r)
		default:
			far, farMost = add(far, r.Workload), farMost.or(r)
		}
	}
	report := func(severity model.Severity, names []string, w widest) {
		if len(names) == 0 {
			return
		}
		message := fmt.Sprintf("not converged: the interval is %s, but %s was requested", w.words(), plusMinus(asked))
		if len(names) > 1 {
			message = fmt.Sprintf("not converged: the widest interval is %s, but %s was requested", w.words(), plusMinus(asked))
		}
		if w.half <= asked {
			message = fmt.Sprintf("not settled: the interval is %s, but the storage is not clearly steady and was observed too briefly (%s) to rely on that: it may have slower and faster minutes", w.words(), ev.lookedFor(names))
		}
		o.fault(model.Finding{Severity: severity, Results: names, Message: message, Next: ev.longer(names),
			Evidence: map[string]any{"half_width": w.half, "asked": asked}})
	}
	report(model.SeverityWarning, far, farMost)
	report(model.SeverityNote, near, nearMost)
	report(model.SeverityNote, brief, briefMost)
	// One direction of a mix may have converged while the other has not.
	single = slices.DeleteFunc(single, func(name string) bool { return slices.Contains(slices.Concat(near, far, brief, bare), name) })
	if len(single) > 0 {
		o.fault(model.Finding{Severity: model.SeverityNote, Results: single, Next: ev.repeated(single),
			Evidence: map[string]any{"half_width": singleMost.half, "asked": asked},
			Message:  fmt.Sprintf("one repeat: the interval (%s at most) comes from how its seconds vary; a repeat some minutes later may lie outside it", singleMost.words())})
	}
	if len(bare) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: bare, Next: ev.longer(bare),
			Message:  "no interval: too little was measured to say how far the number can be trusted",
			Evidence: map[string]any{"asked": asked}})
	}
	return o.findings(fmt.Sprintf("the interval is within %s", plusMinus(asked)), "there is no result to judge")
}
