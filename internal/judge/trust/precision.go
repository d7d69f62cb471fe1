package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// widerIsWarning is how many times the precision asked for an interval may be
// wide before it is more than a note.
const widerIsWarning = 2.0

var rulePrecision = Rule{
	Name:     "precision",
	Checks:   "the interval is as narrow as was asked",
	Evidence: "the interval of the headline",
	Severity: "note up to twice as wide, then a warning: the number is less sure than was asked for",
	Advice:   "give it more time",
	check:    checkPrecision,
}

// lookedFor is over how long the named workloads were looked at, from the first visit to
// the end of the last; the shortest of them.
func (ev Evidence) lookedFor(names []string) string {
	shortest := math.Inf(1)
	for _, r := range ev.Results {
		if slices.Contains(names, r.Workload) {
			shortest = min(shortest, r.Span)
		}
	}
	return units.FormatSpan(shortest)
}

// checkPrecision: an interval wider than what was asked for. A wide interval
// shows itself that it is wide, so up to twice the width it is a note and the number stays
// valid. Beyond that, people read the number and not its interval, and something
// not steady is likely: a warning. A number without any interval is a warning too.
//
// Evidence: the headline's interval. Only the headline is promised a precision.
func checkPrecision(ev Evidence) []model.Finding {
	asked := ev.Recorded.Plan.Schedule.Precision
	if asked <= 0 {
		return notChecked("no precision was asked for")
	}
	var o outcome
	var near, far, brief, bare []string
	var nearMost, farMost, briefMost float64
	for _, r := range ev.Results {
		if r.Direction == model.Sync {
			continue
		}
		h := r.HalfWidth()
		switch {
		case r.Confidence == 0 || math.IsNaN(h):
			bare = add(bare, r.Workload)
		case r.Converged:
			o.pass(r.Workload)
		case h <= asked:
			brief, briefMost = add(brief, r.Workload), max(briefMost, h)
		case h <= widerIsWarning*asked:
			near, nearMost = add(near, r.Workload), max(nearMost, h)
		default:
			far, farMost = add(far, r.Workload), max(farMost, h)
		}
	}
	report := func(severity model.Severity, names []string, widest float64) {
		if len(names) == 0 {
			return
		}
		message := fmt.Sprintf("not converged: the interval is ±%s where ±%s was asked for", percent(widest), percent(asked))
		if len(names) > 1 {
			message = fmt.Sprintf("not converged: the widest interval is ±%s where ±%s was asked for", percent(widest), percent(asked))
		}
		if widest <= asked {
			message = fmt.Sprintf("not settled: the interval is ±%s, but storage that varies was looked at too briefly (%s) to rely on that: it may have slower and faster minutes", percent(widest), ev.lookedFor(names))
		}
		o.fault(model.Finding{Severity: severity, Results: names, Message: message, Next: ev.longer(names),
			Evidence: map[string]any{"half_width": widest, "asked": asked}})
	}
	report(model.SeverityWarning, far, farMost)
	report(model.SeverityNote, near, nearMost)
	report(model.SeverityNote, brief, briefMost)
	if len(bare) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: bare, Next: ev.longer(bare),
			Message:  "no interval: too little was measured to tell how far the number can be trusted",
			Evidence: map[string]any{"asked": asked}})
	}
	return o.findings(fmt.Sprintf("the interval is within ±%s", percent(asked)), "there is no result to judge")
}
