package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
)

// Evidence is what is known of one run.
type Evidence struct {
	Recorded *model.Recorded
	Report   *model.Report
	// Trace is what was traced beside it; nil if nothing was. Its samples begin at TraceBegan.
	Trace      []iotrace.Sample
	TraceBegan time.Time
	// Disks is what the disks behind replicated volumes counted; nil if nothing was counted.
	Disks *Disks
	// TraceSeconds is the length of the traces of an imported document that does not say it; 0 if
	// unknown.
	TraceSeconds float64
	// Only names the requested workloads; empty means all.
	Only []string
	// undisturbed leaves out steps during which the hypervisor took processors away, unless no other step of the
	// workload is left.
	undisturbed bool
}

// Run makes the budgets of a run, for each workload about which enough is known.
func Run(ev Evidence) budget.Side {
	info := &ev.Report.Run
	side := budget.Side{ID: info.ID, Target: info.Target.Place(), Directory: info.Directory, Imported: info.Imported != nil, Budgets: []budget.Budget{}}
	if ev.Recorded.Imported != nil {
		ev.imported(&side)
	}
	for _, w := range ev.Recorded.Plan.Workloads {
		if len(ev.Only) > 0 && !slices.Contains(ev.Only, w.Name) || slices.ContainsFunc(side.Budgets, func(b budget.Budget) bool { return b.Workload == w.Name }) {
			continue
		}
		if why := ev.withoutBudget(w); why != "" {
			if why != silent {
				side.LeftOut = append(side.LeftOut, w.Name+": "+why)
			}
			continue
		}
		explain := ev.storage
		if w.Loads() {
			explain = ev.application
		}
		b, why := explain(w)
		if why != "" {
			side.LeftOut = append(side.LeftOut, w.Name+": "+why)
			continue
		}
		if !finite(b.Seen, b.Rate, b.Closure) {
			side.LeftOut = append(side.LeftOut, w.Name+": no usable times were recorded for it")
			continue
		}
		b.Amplification = ev.Amplification(w)
		ev.doubts(&b)
		side.Budgets = append(side.Budgets, b)
	}
	return side
}

// finite reports whether all are finite numbers.
func finite(list ...float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// silent is the reason for workloads that are not expected to have a budget.
const silent = "silent"

// withoutBudget is why a workload has no budget; "" if it can have one.
func (ev Evidence) withoutBudget(w model.Workload) string {
	switch {
	case len(ev.results(w.Name)) == 0 && ev.Recorded.Imported != nil:
		return silent
	case len(ev.results(w.Name)) == 0:
		return "it was not measured"
	case w.VolumeCount() > 1:
		return fmt.Sprintf("it loads %d volumes at once, whose I/Os are not one client's", w.VolumeCount())
	case w.OpenLoop:
		return "operations are due at a rate, so that how long they wait depends on the rate: explain a load that goes as fast as it can"
	case w.Job != "":
		return "it is a fio job of your own, and what one of its operations is cannot be known"
	case w.Limit() > 0:
		return "its rate is limited, so that the time between two operations is the limit's"
	case ev.Recorded.Imported != nil && w.Words != "":
		return silent
	}
	return ""
}

// results are those of a workload, by direction.
func (ev Evidence) results(name string) map[model.Direction]model.Result {
	found := map[model.Direction]model.Result{}
	for _, r := range ev.Report.Results {
		if r.Workload == name {
			found[r.Direction] = r
		}
	}
	return found
}

// doubts notes that a rule calls the numbers of a budget invalid; nothing is concluded from such
// numbers.
func (ev Evidence) doubts(b *budget.Budget) {
	invalid := false
	for _, r := range ev.results(b.Workload) {
		invalid = invalid || r.Verdict == model.Invalid
	}
	if !invalid {
		return
	}
	var rules []string
	for _, f := range ev.Report.Findings {
		if f.Severity == model.SeverityInvalid && (len(f.Results) == 0 || slices.Contains(f.Results, b.Workload)) {
			rules = append(rules, f.Rule)
		}
	}
	b.Notes = append(b.Notes, "its numbers are invalid ("+strings.Join(rules, ", ")+"): the breakdown may be wrong, and nothing is concluded from it")
	b.Counterfactuals = nil
}

// steps are the counted steps of a workload.
func (ev Evidence) steps(name string) (list []model.StepResult) {
	out := map[int]bool{}
	for _, r := range ev.results(name) {
		for _, n := range r.LeftOut {
			out[n] = true
		}
	}
	for _, s := range ev.Recorded.Run.Steps {
		if s.Step.Workload == name && s.Error == "" && !out[s.Step.Number] {
			list = append(list, s)
		}
	}
	if quiet := slices.DeleteFunc(slices.Clone(list), stolen); ev.undisturbed && len(quiet) > 0 {
		return quiet
	}
	return list
}

// mostStolen is the share of the processors' time that a hypervisor may take away during a step before its costs count as
// disturbed: that of the rule cpu.
const mostStolen = 0.05

// stolen reports whether the hypervisor took away more than that.
func stolen(s model.StepResult) bool { return s.Counters != nil && s.Counters.Steal > mostStolen }

// idle is the share of all processors' time that was idle while a workload ran, waiting for I/O included; ok
// is false if it was not counted.
func (ev Evidence) idle(name string) (share float64, ok bool) {
	var idle, seconds float64
	for _, s := range ev.steps(name) {
		if s.Counters != nil {
			idle, seconds = idle+(s.Counters.Idle+s.Counters.IOWait)*s.Counters.Seconds, seconds+s.Counters.Seconds
		}
	}
	if seconds <= 0 {
		return 0, false
	}
	return idle / seconds, true
}

// mostThrottled is the share of the time for which a limit of processors may hold the load back: that of the rule cpu.
const mostThrottled = 0.01

// throttled is the share of the time in which a limit of processors held a workload back.
func (ev Evidence) throttled(name string) float64 {
	var held, seconds float64
	for _, s := range ev.steps(name) {
		if s.Counters != nil {
			held, seconds = held+s.Counters.Throttled, seconds+s.Counters.Seconds
		}
	}
	if seconds <= 0 {
		return 0
	}
	return held / seconds
}

// judge adds up a budget, and refuses to conclude anything from it if the sum is too far off.
func judge(b *budget.Budget, residual string) {
	b.Close(residual)
	if !b.Off() {
		b.Missing = nil
		return
	}
	switch {
	case len(b.Rows) == 0:
		b.Refused = fmt.Sprintf("no part of the %s of a %s was measured", units.FormatDuration(b.Seen), b.Operation)
	case b.Closure < 1:
		b.Refused = fmt.Sprintf("only %s of the %s of a %s is accounted for", percent(b.Closure), units.FormatDuration(b.Seen), b.Operation)
	default:
		b.Refused = fmt.Sprintf("the parts of a %s come to %s of the %s that the client saw, so some are counted twice or were not measured in the same time", b.Operation, percent(b.Closure), units.FormatDuration(b.Seen))
	}
	b.Counterfactuals = nil
}

// percent formats a share.
func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// times is "2.29 I/Os × ", a prefix to the time of each.
func times(n float64, one, several string) string {
	if v := few(n); v != "1" {
		return v + " " + several + " × "
	}
	return "1 " + one + " × "
}

// few formats a number of about one.
func few(v float64) string {
	if v >= 100 {
		return units.FormatNumber(v)
	}
	return units.TrimZeros(fmt.Sprintf("%.2f", v))
}
