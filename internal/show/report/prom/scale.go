package prom

import (
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// scale adds the chosen law of a scale. Its totals are results, and written as those.
// A law's verdict is the worst of the points that it may be made of.
func (e exposition) scale(run *model.RunInfo, s *model.Scale) {
	worst := model.Valid
	for _, p := range s.Points {
		if p.Verdict == model.Suspect {
			// An invalid point is no part of any law.
			worst = model.Suspect
		}
		if p.Fairness > 0 {
			e.put("loadline_scaling_fairness_ratio", p.Fairness, run.ID, run.Target.Name, s.Workload, string(s.Direction), strconv.Itoa(p.Volumes), string(p.Verdict))
		}
	}
	l := s.Law()
	if l == nil {
		return
	}
	labels := []string{run.ID, run.Target.Name, s.Workload, string(s.Direction), string(l.Kind), string(worst)}
	name, bound := "loadline_scaling_operations_per_second", "loadline_scaling_operations_per_second_bound"
	if s.Metric == model.Bandwidth {
		name, bound = "loadline_scaling_throughput_bytes_per_second", "loadline_scaling_throughput_bound_bytes_per_second"
	}
	if !l.AllSaturated {
		// Otherwise it is only the least that it can be.
		e.estimate(name, bound, l.First, append(slices.Clone(labels), "first")...)
	}
	if l.Capacity == nil || l.CapacityExtrapolated {
		// What was not reached is no number for a dashboard.
		return
	}
	e.estimate(name, bound, *l.Capacity, append(slices.Clone(labels), "capacity")...)
	if l.Knee > 0 && !l.AllSaturated {
		e.put("loadline_scaling_knee_volumes", l.Knee, labels...)
	}
}
