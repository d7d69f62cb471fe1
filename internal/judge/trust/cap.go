package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleCap = Rule{
	Name:     "cap",
	Checks:   "which results are at the provisioned limit of the storage",
	Evidence: "`--cap iops=…,bandwidth=…` and the intervals (within ±3 %)",
	Severity: "note: this is the limit, not what the storage could do; a warning if a random workload exceeds the limit",
	Advice:   "to measure the storage itself, remove the limit; if the limit is exceeded, look for a cache, unallocated extents or burst credits",
	check:    checkCap,
}

// capBand is how near a result must be to a limit to count as equal to it.
const capBand = 0.03

// checkCap reports results at a provisioned limit, which say nothing about the storage behind it; a result
// beyond it shows that the limit did not apply. Both directions are added up, as the limit itself does.
// Sequential I/Os may be merged before they are counted, so exceeding the limit with them is only a
// note.
//
// Evidence: the intervals of the results; the whole interval must lie within ±3 % of the limit, or
// above that.
func checkCap(ev Evidence) []model.Finding {
	c := ev.Recorded.Plan.Experiment.Cap
	if c == (model.Cap{}) {
		return notChecked("no provisioned limit was given (--cap iops=3000,bandwidth=125MiB/s)")
	}
	var o outcome
	for _, name := range ev.workloads() {
		w, _ := ev.Recorded.Plan.Workload(name)
		judged, found := false, false
		for _, l := range []struct {
			metric model.Metric
			limit  float64
		}{{model.IOPS, c.IOPS}, {model.Bandwidth, c.Bandwidth}} {
			e, ok := ev.both(name, l.metric)
			if l.limit <= 0 || !ok {
				continue
			}
			judged = true
			f := model.Finding{Results: []string{name}, Evidence: map[string]any{
				"limit": l.limit, "metric": string(l.metric), "low": e.Low, "high": e.High}}
			limit := string(l.metric) + " " + l.metric.Format(l.limit)
			switch {
			case e.Low > (1+capBand)*l.limit:
				f.Severity = model.SeverityWarning
				if w.Access == model.Sequential {
					f.Severity = model.SeverityNote
				}
				f.Message = fmt.Sprintf("beyond the limit: %s reaches %s, more than the provisioned %s: burst credits, merging, a cache or unallocated extents",
					name, l.metric.Format(e.Value), limit)
				f.Next = "measure longer, to use up burst credits: " + ev.command(ev.only([]string{name}), "--until-steady")
			case e.Low >= (1-capBand)*l.limit && e.High <= (1+capBand)*l.limit:
				f.Severity = model.SeverityNote
				f.Message = fmt.Sprintf("this is the limit: %s is the provisioned %s, not what the storage behind it could do", name, limit)
				f.Next = "nothing to do if you wanted to see the limit; otherwise measure without it"
			default:
				continue
			}
			found = true
			o.fault(f)
		}
		switch {
		case found:
		case judged:
			o.pass(name)
		default:
			o.miss(name, "the result has no figure to compare with the provisioned limit")
		}
	}
	return o.findings("no result is at the provisioned limit", "there is no result to judge")
}

// both is the sum over the directions of a workload; the bounds are added up.
func (ev Evidence) both(workload string, m model.Metric) (sum model.Estimate, ok bool) {
	sum.Unit, sum.Confidence = m.Unit(), 1
	for _, r := range ev.Results {
		e, has := r.Metrics[m]
		if r.Workload != workload || r.Direction == model.Sync || !has {
			continue
		}
		ok = true
		sum.Value, sum.Low, sum.High = sum.Value+e.Value, sum.Low+e.Low, sum.High+e.High
		sum.Confidence = min(sum.Confidence, e.Confidence)
	}
	return sum, ok && sum.Confidence > 0
}
