package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// lowIdle sorts the workloads whose latency was measured with little idle time by who lacked a processor.
//
// A busy processor lengthens a latency only if something waits for it: the load generator, whose waiting
// the kernel counts, or the program that serves the storage on this machine, whose waiting is not counted. A driver
// that polls (SPDK) keeps a processor busy and delays nothing. So little idle time is only a warning if
// the load generator hardly waited and some idle time was left. With less than 5 % left the result is invalid:
// on a device of 1 ms that a process of this machine served, four busy threads on two processors raised the latency
// to 6 ms, although the load generator waited for a processor for only 9 % of that.
type lowIdle struct {
	// waited are the workloads whose load generator waited too long, with the share of the latency; unproven are those
	// whose latency the processors may or may not have lengthened; others are those whose load generator hardly waited.
	waited, unproven, others limit
	// idle is the idle time of the workload that waited longest; worst describes the one of others with the least.
	idle  float64
	worst struct{ idle, own, waited float64 }
}

// add judges a workload whose metric is a latency, with less idle time than that needs.
func (x *lowIdle) add(ev Evidence, w model.Workload, c model.Counters) {
	share, known := ev.waitShare(w)
	switch {
	case known && share > waitAllowed:
		if share > x.waited.most {
			x.idle = c.Idle
		}
		x.waited.add(w.Name, share)
	case !known || c.Idle < idleLeft:
		x.unproven.add(w.Name, 1-c.Idle)
	default:
		if 1-c.Idle > x.others.most {
			own, _ := ev.generator(w.Name)
			x.worst.idle, x.worst.own, x.worst.waited = c.Idle, own/float64(max(1, ev.Recorded.Environment.CPUs)), share
		}
		x.others.add(w.Name, 1-c.Idle)
	}
}

// report adds what was found.
func (x *lowIdle) report(ev Evidence, o *outcome) {
	stop := "stop other programs on this machine (see top), then "
	if n := x.waited.names; len(n) > 0 {
		o.fault(model.Finding{Severity: model.SeverityInvalid, Results: n,
			Message: fmt.Sprintf("CPU-bound: only %s of the CPU was idle, and for %s of the latency the load generator waited for a processor, not for the storage",
				percent(x.idle), percent(x.waited.most)),
			Evidence: map[string]any{"idle": x.idle, "needed": idleNeeded, "waited": x.waited.most, "allowed": waitAllowed},
			Next:     stop + ev.command(ev.only(n))})
	}
	if n := x.unproven.names; len(n) > 0 {
		o.fault(model.Finding{Severity: model.SeverityInvalid, Results: n,
			Message:  fmt.Sprintf("CPU-bound: only %s of the CPU was idle, and a latency needs 40 %%", percent(1-x.unproven.most)),
			Evidence: map[string]any{"idle": 1 - x.unproven.most, "needed": idleNeeded},
			Next:     stop + ev.command(ev.only(n))})
	}
	if n := x.others.names; len(n) > 0 {
		c := x.worst
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: n,
			Message: fmt.Sprintf("little CPU time left: %s was idle, and a latency should have 40 %%; the load generator used %s and waited for a processor for %s of the latency. "+
				"Other programs used the rest (a polling driver, perhaps), and can only have slowed down what serves the storage on this machine",
				percent(c.idle), percent(c.own), percent(c.waited)),
			Evidence: map[string]any{"idle": c.idle, "needed": idleNeeded, "own": c.own, "waited": c.waited, "allowed": waitAllowed},
			Next:     "if it is not the storage's own driver: " + stop + ev.command(ev.only(n))})
	}
}

// waitShare returns what share of its mean latency a workload's load generator spent waiting for a
// processor: at most the waiting of its jobs, divided by the time in which they had I/O in flight. A
// job that has several in flight delays all of them. known is false if it was not recorded, and for
// percentiles: a mean says nothing about the waiting of the slowest I/Os.
//
// Evidence: the run-queue wait of the load generator's threads over each repeat, and the latencies.
func (ev Evidence) waitShare(w model.Workload) (share float64, known bool) {
	if w.Metric != model.Latency {
		return 0, false
	}
	type part struct{ step, worker int }
	latency, seconds := map[part]float64{}, map[part]float64{}
	for i := range ev.Recorded.Samples {
		s := &ev.Recorded.Samples[i]
		of := part{s.Step, s.Worker}
		seconds[of] += s.Seconds
		for _, f := range []*model.Flow{s.Read, s.Write, s.Sync} {
			if f != nil {
				latency[of] += f.LatencySum
			}
		}
	}
	var waited, flying float64
	for _, s := range ev.good(w.Name) {
		of := part{s.Step.Number, s.Worker}
		if s.CPUWait == nil || latency[of] <= 0 {
			return 0, false
		}
		waited += *s.CPUWait * seconds[of]
		flying += min(latency[of], float64(w.JobCount())*seconds[of])
	}
	return waited / flying, flying > 0
}
