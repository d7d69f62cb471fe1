package engine

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// offer sets the rates that are shares of a capacity before the first repeat that needs one. They do not
// change afterwards, so that the repeats at a rate belong together; the plan measures the closed loop
// first.
func (r *run) offer(step model.Step) error {
	w, _ := r.plan.Workload(step.Workload)
	if w.OfCapacity == 0 || w.RateIOPS > 0 {
		return nil
	}
	closed, known := r.plan.Workload(model.CapacityWorkload)
	samples := r.samples[model.CapacityWorkload]
	if !known || len(samples) == 0 {
		return fmt.Errorf("no rate can be offered: the closed loop %q yielded no capacity to take a share of", model.CapacityWorkload)
	}
	if r.looks() {
		// A look has measured the sustained rate, not that of a burst. All of it counts.
		samples = r.looking.looker.Counted(&r.looking.rec, closed.Name)
		for i := range samples {
			samples[i].Look = false
		}
	}
	capacity := r.judge.Judge(&r.plan, closed, map[string][]model.Sample{closed.Name: samples}).Value
	if !(capacity > 0) {
		return fmt.Errorf("no rate can be offered: the closed loop %q did no I/O", model.CapacityWorkload)
	}
	r.plan.Workloads = slices.Clone(r.plan.Workloads)
	for i := range r.plan.Workloads {
		w := &r.plan.Workloads[i]
		w.RateIOPS = max(w.RateIOPS, w.OfCapacity*capacity)
	}
	return nil
}
