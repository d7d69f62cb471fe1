package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleLate = Rule{
	Name:     "late",
	Checks:   "an open loop started its I/Os when they were due",
	Evidence: "the load generator's own mean delay, relative to the mean latency (10 %)",
	Severity: "warning: part of the latency is the load generator's own",
	Advice:   "stop other programs on this machine",
	check:    checkLate,
}

// lateAllowed is the load generator's own share of a latency.
const lateAllowed = 0.1

// checkLate reports a late load generator: latencies of an open loop count from when an I/O was due, so
// a load generator that is late looks like slow storage. Waiting for the storage (no free slot, a
// submission that does not return) is not counted here.
//
// Evidence: the lateness of each repeat, and the mean latency.
func checkLate(ev Evidence) []model.Finding {
	var o outcome
	var names []string
	worst, at := 0.0, model.Result{}
	for _, r := range ev.Results {
		w, known := ev.Recorded.Plan.Workload(r.Workload)
		mean, measured := r.Metrics[model.Latency]
		if !known || !w.OpenLoop || !measured {
			continue
		}
		late, repeats := 0.0, 0.0
		for _, s := range ev.good(r.Workload) {
			late += s.Late
			repeats++
		}
		if repeats == 0 || ev.Recorded.Plan.Volume.Target.Kind == model.Fake {
			o.miss(r.Workload, "the load generator's delay is not known")
			continue
		}
		late /= repeats
		if late <= lateAllowed*mean.Value {
			o.pass(r.Workload)
			continue
		}
		names = add(names, r.Workload)
		if share := late / mean.Value; share > worst {
			worst, at = share, r
		}
	}
	if len(names) > 0 {
		mean := at.Metrics[model.Latency].Value
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: names,
			Message: fmt.Sprintf("late: the load generator itself started the I/Os of %s %s too late on average, which is %s of the mean latency",
				at.Workload, units.FormatDuration(worst*mean), percent(worst)),
			Evidence: map[string]any{"late": worst * mean, "latency": mean, "allowed": lateAllowed},
			Next:     "stop other programs on this machine (see top), then " + ev.command()})
	}
	return o.findings("I/Os were started when they were due", "no workload of this run is an open loop")
}
