package scale

import "github.com/loadline/loadline/internal/model"

// The CPU time of starting fio, in seconds (fio 3.33), including its shells and an allowance for other
// activity on the machine: 0.07 of it is the calibration of a fast clock, which slow workloads do
// without.
const (
	fioStart     = 0.17
	slowFioStart = 0.10
)

// lead returns how long, in seconds, it takes to start fio for all volumes: those on one machine share
// its processors. Nodes that run on the same kernel (cluster nodes in containers) count as one machine.
// spread is the part of it over which the starts can be spread so that none waits for another: the rest
// is the time of the slowest start, which a limit may leave less than one processor.
func lead(places []Place, workloads []model.Workload) (lead, spread float64) {
	each := slowFioStart
	for _, w := range workloads {
		if !w.Slow() {
			each = fioStart
		}
	}
	starts, alone := map[string]float64{}, 0.0
	for _, p := range places {
		if p.Target.Kind == model.Fake {
			continue
		}
		machine := p.Found.Boot
		if machine == "" {
			machine = p.Node
		}
		cores := float64(max(1, p.Found.Environment.CPUs))
		starts[machine] += each / cores
		spread = max(spread, starts[machine])
		if limit := p.Found.Environment.CgroupCPU; limit > 0 && limit < 1 {
			alone = max(alone, each/limit)
		}
	}
	return spread + alone, spread
}
