package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

var ruleClient = Rule{
	Name:     "client",
	Checks:   "the storage was the limit, not the load generator",
	Evidence: "the load generator's CPU use (more than 90 % of a core for each job), and its maximum rate without storage (fio's null engine: less than twice the result)",
	Severity: "invalid: the load generator was saturated",
	Advice:   "use a faster CPU, larger blocks, or more jobs in a profile of your own",
	check:    checkClient,
}

const (
	// coreMost is the maximum use of a core.
	coreMost = 0.90
	// idleGenerator is the use of a core below which no ceiling is needed: a load generator that is
	// idle for two thirds of the time is not the limit.
	idleGenerator = 0.3
	// ceilingNeeded is how many times the result the load generator must reach without storage.
	ceilingNeeded = 2.0
)

// checkClient reports that the load generator is the limit: its own thread is busy all the time, or it
// does not even reach twice the result without any storage. A busy core of the machine says nothing: it
// may be the storage's own, such as that of a polling user-space driver (SPDK).
//
// Evidence: the tool's CPU time, and a second of the null engine, which is required only if the tool
// used 30 % of a core.
func checkClient(ev Evidence) []model.Finding {
	ceilings := map[string]float64{}
	for _, c := range ev.Recorded.Run.Beside.Ceilings {
		ceilings[c.Workload] = c.IOPS
	}
	var o outcome
	for _, name := range ev.workloads() {
		w, _ := ev.Recorded.Plan.Workload(name)
		cores, ok := ev.generator(name)
		if !ok {
			o.miss(name, "the load generator's CPU time was not recorded")
			continue
		}
		jobs := float64(max(w.JobCount(), w.App.Threads))
		finding := model.Finding{Severity: model.SeverityInvalid, Results: []string{name},
			Next: "give it a faster CPU, or spread it over more jobs (jobs: 4) in a profile of your own"}
		e, known := ev.both(name, model.IOPS)
		ceiling := ceilings[name]
		switch {
		case cores > coreMost*jobs:
			finding.Message = fmt.Sprintf("load generator saturated: it used %s of its core, so it was the limit, not the storage",
				percent(cores/jobs))
			finding.Evidence = map[string]any{"cores": cores, "jobs": int(jobs), "allowed": coreMost}
		case ceiling > 0 && known && ceiling < ceilingNeeded*e.Low/float64(w.VolumeCount()):
			finding.Message = fmt.Sprintf("load generator saturated: without any storage it reaches %s, less than twice the result",
				model.IOPS.Format(ceiling))
			finding.Evidence = map[string]any{"ceiling": ceiling, "result_low": e.Low, "needed": ceilingNeeded}
		case w.Loads():
			// It has no ceiling without a server.
			o.pass(name)
			continue
		case ceiling == 0 && cores >= idleGenerator:
			o.miss(name, "the load generator was busy, and its maximum rate without storage was not measured")
			continue
		default:
			o.pass(name)
			continue
		}
		o.fault(finding)
	}
	return o.findings("the load generator was not the limit", "there is no result to judge")
}

// generator is the load generator's use of the CPU in cores, at the median repeat: a single repeat may
// be an outlier. ok is false if no repeat recorded it.
func (ev Evidence) generator(workload string) (inUse float64, ok bool) {
	var cores []float64
	for _, s := range ev.good(workload) {
		if s.UserCPU+s.SystemCPU <= 0 {
			continue
		}
		cores = append(cores, s.UserCPU+s.SystemCPU)
	}
	if len(cores) == 0 {
		return 0, false
	}
	return stats.Median(cores), true
}
