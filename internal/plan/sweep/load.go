package sweep

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Fractions are the offered rates as fractions of the capacity: few where the curve is flat, many where
// it bends.
var Fractions = []float64{.1, .3, .5, .7, .8, .9, .95}

// openTargets are the kinds of target that support an open loop.
var openTargets = []model.TargetKind{model.Directory, model.File, model.BlockDevice, model.NBD, model.Fake}

const (
	// capacityDepth is the depth of the closed loop that measures the capacity.
	capacityDepth = 64
	// loadDepth limits the I/Os in flight of an open loop. The capacity was reached with 64 in flight,
	// so below it 64 suffice on average; four times as many leave room for bursts. I/Os waiting beyond
	// that still count as late: latencies count from when an I/O was due.
	loadDepth = 4 * capacityDepth
	// A repeat must be long enough for a queue to build up and drain, and the ramp long enough to
	// outlast what the previous repeat left queued. Times in seconds.
	loadRepeat, loadRamp = 5.0, 1.0
	// loadPrecision is the target relative half-width for the mean latency, which inherently varies
	// near the capacity.
	loadPrecision = 0.1
)

// LoadDefaults returns what a load sweep does by default.
func LoadDefaults() model.SweepRequest {
	return model.SweepRequest{Pattern: "randread", BlockSizes: []int64{4 << 10}, Load: true}
}

// load returns the closed loop and one open loop for each offered rate.
func load(r model.SweepRequest) profile.Profile {
	p := profile.Profile{
		Name: Name, Title: "latency against offered rate: " + r.Pattern,
		Repeat: loadRepeat, Ramp: loadRamp, Precision: loadPrecision, MaxTime: leastTime,
	}
	w := workload(r.Pattern, r.BlockSizes[0])
	w.Name, w.Depth = model.CapacityWorkload, capacityDepth
	p.Workloads = append(p.Workloads, w)
	for _, f := range Fractions {
		w := workload(r.Pattern, r.BlockSizes[0])
		w.Name, w.Depth = fmt.Sprintf("load-%.0f", f*100), loadDepth
		w.OpenLoop, w.OfCapacity, w.Metric = true, f, model.Latency
		p.Workloads = append(p.Workloads, w)
	}
	return p
}

// capacityFirst moves the first repeat of the closed loop to the front and adds a second one there,
// because the rates are derived from the results of the two. The second is a look, if there is time for
// one: rates are fractions of what the storage sustains.
func capacityFirst(p *model.Plan) {
	var first model.Step
	steps := p.Steps
	for i, s := range steps {
		if s.Workload == model.CapacityWorkload {
			first = s
			steps = append(steps[:i:i], steps[i+1:]...)
			break
		}
	}
	second := first
	if p.Schedule.Looks > 0 {
		// The schedule's own look would come after the rates were determined.
		second.Look, second.Seconds, p.Schedule.Looks = true, p.Schedule.Look, 0
	}
	p.Steps = append([]model.Step{first, second}, steps...)
	for i := range p.Steps {
		p.Steps[i].Number = i + 1
	}
	p.MeasureSeconds += first.Ramp + first.Seconds + p.Schedule.Overhead
}

// checkLoad rejects what a load sweep cannot vary.
func checkLoad(r model.SweepRequest) error {
	switch {
	case len(r.Depths) > 0 || len(r.Jobs) > 0:
		return model.RefusedError("--load offers I/Os at a rate, so the depth follows from the storage: --depth and --jobs do not go with it",
			"leave them out, or leave --load out for a grid")
	case len(r.BlockSizes) != 1:
		return model.RefusedError(fmt.Sprintf("--load draws one curve, but --bs contains %d block sizes", len(r.BlockSizes)), "give one of them")
	case r.Pattern == "randrw":
		return model.RefusedError("--load offers one rate in one direction, and randrw has two", "use --rw randread or --rw randwrite")
	}
	return nil
}
