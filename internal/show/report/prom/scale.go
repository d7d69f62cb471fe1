package prom

import (
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// scale adds the chosen law of a scale. Its totals are results, and written as such. A law's
// verdict is the worst of the points on which it may be based.
func (e exposition) scale(run *model.RunInfo, s *model.Scale) {
	worst := model.Valid
	for _, p := range s.Points {
		if p.Verdict == model.Suspect {
			// No law is based on an invalid point.
			worst = model.Suspect
		}
		if p.Fairness > 0 {
			e.put("loadline_scaling_fairness_ratio", p.Fairness, run.ID, run.Target.Place(), s.Workload, string(s.Direction), strconv.Itoa(p.Volumes), string(p.Verdict))
		}
	}
	l := s.Law()
	if l == nil {
		return
	}
	labels := []string{run.ID, run.Target.Place(), s.Workload, string(s.Direction), string(l.Kind), string(worst)}
	name, bound := "loadline_scaling_operations_per_second", "loadline_scaling_operations_per_second_bound"
	if s.Metric == model.Bandwidth {
		name, bound = "loadline_scaling_throughput_bytes_per_second", "loadline_scaling_throughput_bound_bytes_per_second"
	}
	if !l.AllSaturated {
		// Otherwise it is only a lower bound.
		e.estimate(name, bound, l.First, append(slices.Clone(labels), "first")...)
	}
	if l.Capacity == nil || l.CapacityExtrapolated {
		// A limit that was not reached is not a number for a dashboard.
		return
	}
	e.estimate(name, bound, *l.Capacity, append(slices.Clone(labels), "capacity")...)
	if l.Knee > 0 && !l.AllSaturated {
		e.put("loadline_scaling_knee_volumes", l.Knee, labels...)
	}
}
