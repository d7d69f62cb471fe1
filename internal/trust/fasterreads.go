package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleFasterReads = Rule{
	Name:     "faster-reads",
	Checks:   "a single read is no faster than on the storage below",
	Evidence: "the median (or mean) latency at depth 1 of target and baseline; `--replicas`",
	Severity: "invalid where the number of replicas is known, a warning where it is not, or where a declared cap slows the baseline down",
	Advice:   "use a larger `--size`, and `--check-cache`",
	check:    checkFasterReads,
}

// checkFasterReads: a read that goes to a disk cannot be faster than the disk.
// Faster means that a cache answered, or that the space was never written. A
// rate limit on each disk is the exception: several disks share the load, so
// with a declared cap on the baseline, or an unknown number of replicas, it is a
// warning.
//
// Evidence: paired results at depth 1; bounds are compared. Source: methodology's
// "Read latency"; seed 002's "Something is wrong when", 1.
func checkFasterReads(ev Evidence) []model.Finding {
	if ev.Baseline == nil {
		return notChecked(noBaseline)
	}
	var o outcome
	for _, r := range ev.Results {
		w, known := ev.Recorded.Plan.Workload(r.Workload)
		if !known || r.Direction != model.Read || w.Direction != model.Read || w.Depth*w.JobCount() != 1 {
			continue
		}
		b, ok := ev.Baseline.below(r)
		m := model.P50
		if _, has := r.Metrics[m]; !has {
			m = model.Latency
		}
		here, hasHere := r.Metrics[m]
		there, hasThere := b.Metrics[m]
		switch {
		case !ok || !hasHere || !hasThere:
			o.miss(r.Workload, "the baseline has no valid result to compare it with")
			continue
		case !beats(m, here, there):
			o.pass(r.Workload)
			continue
		}
		f := model.Finding{Severity: model.SeverityInvalid, Results: []string{r.Workload},
			Message: fmt.Sprintf("faster than its disk: a read takes %s and on %s %s: a cache answered, or the space was never written",
				model.FormatDuration(here.Value), ev.Baseline.Name, model.FormatDuration(there.Value)),
			Evidence: map[string]any{"metric": string(m), "here_high": here.High, "baseline_low": there.Low, "replicas": ev.replicas()},
			Next:     ev.command("--size", ev.large(), "--check-cache")}
		if ev.replicas() == 0 || ev.Baseline.Cap != (model.Cap{}) {
			f.Severity = model.SeverityWarning
			f.Message += ", or it has disks that the baseline does not have"
		}
		o.fault(f)
	}
	return o.findings("no single read is faster than on the baseline", "no workload reads at depth 1")
}

// replicas is the number of copies that the target keeps; 0 when unknown.
func (ev Evidence) replicas() int { return ev.Recorded.Plan.Experiment.Replicas }
