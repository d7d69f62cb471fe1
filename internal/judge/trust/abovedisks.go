package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
)

var ruleAboveDisks = Rule{
	Name:     "above-disks",
	Checks:   "reads are no faster than all backing disks together",
	Evidence: "the IOPS and bandwidth of reads of target and baseline; the number of replicas (`--replicas`, or what the storage system says)",
	Severity: "warning: the rate exceeds all backing disks, so a cache answers part of the reads; if the number of replicas is not known, a note that says how many disks it would take",
	Advice:   "use a larger `--size`, and `--check-cache`",
	check:    checkAboveDisks,
}

// checkAboveDisks judges reads from several replicas, which can share them: a volume reads up to
// replicas times as fast as one disk, and no faster. If the number of replicas is unknown, anything up
// to the speed of one disk passes; for anything faster, only the number of disks that it takes can be
// stated.
//
// Evidence: paired results and the number of replicas; the lower bound here is compared with replicas ×
// the baseline's upper bound × 1.05.
func checkAboveDisks(ev Evidence) []model.Finding {
	switch {
	case ev.Baseline == nil:
		return notChecked(noBaseline)
	}
	// If the number is unknown, there is at least one.
	n, known := float64(max(1, ev.replicas())), ev.replicas() > 0
	var o outcome
	for _, r := range ev.Results {
		if r.Direction != model.Read {
			continue
		}
		b, ok := ev.Baseline.below(r)
		compared, fault := false, false
		for _, m := range []model.Metric{model.IOPS, model.Bandwidth} {
			here, hasHere := r.Metrics[m]
			there, hasThere := b.Metrics[m]
			if !ok || !hasHere || !hasThere || here.Confidence == 0 || there.Confidence == 0 {
				continue
			}
			compared = true
			if fault || here.Low <= n*there.High*(1+beyond) {
				continue
			}
			fault = true
			if !known {
				o.fault(ev.asManyDisks(r, m, here, there))
				continue
			}
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message: fmt.Sprintf("exceeds all backing disks: %s, where %d × %s give %s at most",
					m.Format(here.Value), ev.replicas(), ev.Baseline.Name, m.Format(n*there.High)),
				Evidence: map[string]any{"metric": string(m), "here_low": here.Low, "baseline_high": there.High, "replicas": ev.replicas()},
				Next:     ev.beyondMemory()})
		}
		switch {
		case fault:
		case compared:
			o.pass(r.Workload)
		default:
			o.miss(r.Workload, "the baseline has no valid result to compare it with")
		}
	}
	return o.findings("no read rate exceeds that of all backing disks", "no workload reads")
}

// asManyDisks says how many disks like the baseline's it takes to read that fast.
func (ev Evidence) asManyDisks(r model.Result, m model.Metric, here, there model.Estimate) model.Finding {
	disks := int(math.Ceil(here.Low / (there.High * (1 + beyond))))
	return model.Finding{Severity: model.SeverityNote, Results: []string{r.Workload},
		Message: fmt.Sprintf("%s take at least %d disks like %s: if there are fewer, a cache answered part of the reads",
			m.Format(here.Value), disks, ev.Baseline.Name),
		Evidence: map[string]any{"metric": string(m), "here_low": here.Low, "baseline_high": there.High, "disks": disks},
		Next:     "give --replicas if you know how many there are; otherwise " + ev.beyondMemory()}
}
