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

// Settle is the advice for a goal that is not met: if undecided, the command that probably decides it;
// if missed, the command that shows where it would be met; "" if nothing is to be done or no
// measurement helps. findings are those of Check, and needs is for how long the workload has to be
// measured.
func Settle(ev Evidence, findings []model.Finding, g model.Goal, needs stats.Needs) string {
	only := []string{g.Workload}
	w, planned := ev.Recorded.Plan.Workload(g.Workload)
	at := slices.IndexFunc(ev.Results, func(r model.Result) bool { return r.Workload == g.Workload && r.Direction == g.Direction })
	switch {
	case g.Outcome == model.Met || !planned:
		return ""
	case at < 0:
		return ev.command(ev.only(only))
	case ev.Results[at].Verdict == model.Invalid:
		return validFirst(findings, g.Workload)
	case g.Outcome == model.Missed:
		return ev.whereMet(w, g)
	case g.Metric.Beyond(g.Estimate.Value):
		return "" // no measurement shows how long a wait beyond the last bucket is
	}
	if r := ev.Results[at]; countLimit(r) > 0 && g.Metric == r.Metric && needs.Known && !r.Converged {
		// The interval shrinks with the length of a repeat, and not with their number.
		return ev.uncounted(only, max(shortestCount, ev.Recorded.Plan.Schedule.Repeat*math.Sqrt(needs.Seconds/r.Seconds)))
	}
	return ev.until(only, needs)
}

// validFirst is the advice of the first finding that makes a workload's number invalid.
func validFirst(findings []model.Finding, workload string) string {
	for _, f := range findings {
		if f.Severity == model.SeverityInvalid && (len(f.Results) == 0 || slices.Contains(f.Results, workload)) && f.Next != "" {
			return f.Next
		}
	}
	return ""
}

// until is the command that measures a workload for as long as it needs, not counting ramps. It does not
// stop when the interval is as narrow as requested: that did not decide the goal.
func (ev Evidence) until(only []string, needs stats.Needs) string {
	s := ev.Recorded.Plan.Schedule
	if s.Repeat <= 0 {
		return ev.command(ev.only(only))
	}
	repeats := math.Ceil(needs.Seconds / s.Repeat)
	whole := repeats*(s.Ramp+s.Repeat+s.Overhead) + s.Look*float64(min(1, s.Looks))
	switch {
	case !needs.Known && !needs.Never:
		return ev.longer(only)
	case needs.Never || whole > 24*longestAdvised:
		return "the value is so close to the limit that measuring longer would not decide it"
	case whole > longestAdvised:
		return fmt.Sprintf("a decision would take about %s on this storage in its present state: find out why it varies", units.FormatSpan(whole))
	case s.Mode != model.Rounds:
		// One repeat of a fixed length: its interval comes from its seconds.
		return ev.command(ev.only(only), "--time", span(needs.Seconds))
	}
	return ev.command(ev.only(only), "--repeat", fmt.Sprintf("%.0f", repeats), "--max-time", span(whole))
}

const (
	// deepest is the largest number of I/Os in flight that is advised.
	deepest = 256
	// sweepTime limits an advised sweep of a few depths, in seconds.
	sweepTime = 180.0
)

// whereMet is the command that shows at which depth a missed goal would be met: more I/Os at once for a
// rate, fewer for a latency. "" if depth does not define the load, or cannot be changed further.
func (ev Evidence) whereMet(w model.Workload, g model.Goal) string {
	exp := ev.Recorded.Plan.Experiment
	depth, jobs := w.Depth, w.JobCount()
	if depth < 1 || w.Direction == model.Mixed || w.Sync != "" || w.Job != "" || w.App.Tool != "" || w.OpenLoop || w.RateIOPS > 0 || w.RateBandwidth > 0 ||
		exp.Sweep != nil || exp.Scale != nil || ev.Recorded.Imported != nil {
		return ""
	}
	rate := g.Metric == model.IOPS || g.Metric == model.Bandwidth
	var depths []int
	words := "test whether more concurrent I/Os reach it: "
	if !rate {
		words = "find the depth at which it is met: "
	}
	switch {
	case rate && g.Above:
		for d := 2 * depth; d*jobs <= deepest && len(depths) < 3; d *= 2 {
			depths = append(depths, d)
		}
	case !rate && !g.Above:
		for d := 1; d < depth; d *= 4 {
			depths = append(depths, d)
		}
	}
	if len(depths) == 0 {
		return ""
	}
	pattern := string(w.Direction)
	if w.Access == model.Random {
		pattern = "rand" + pattern
	}
	return words + ev.sweeping("--rw", pattern, "--bs", units.FormatBlock(w.BlockSize), "--depth", numbers(depths), "--jobs", numbers([]int{jobs}), "--max-time", span(sweepTime)) +
		lasts("at most", sweepTime+ev.prefill())
}

// sweeping is the command that sweeps the run's target with these options.
func (ev Evidence) sweeping(options ...string) string {
	if again := ev.Recorded.Run.Again; again.Verb() == "run" {
		return again.As("sweep", options...).String()
	}
	return strings.Join(append(append([]string{"loadline", "sweep", ev.target()}, ev.making()...), options...), " ")
}
