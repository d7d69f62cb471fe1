package trust

import (
	"fmt"
	"maps"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// The limits of checkCPU, as shares of time.
const (
	idleNeeded     = 0.40
	stealAllowed   = 0.05
	throttledLimit = 0.01
	// idleLeft is the idle time below which the processors are full. ownHalf is the share of their work
	// that must be the load generator's own to rule out that something else slowed it down.
	idleLeft = 0.05
	ownHalf  = 0.5
	// waitAllowed is the load generator's own waiting for a processor as a share of the latency: as
	// much as the rule late allows.
	waitAllowed = lateAllowed
)

var ruleCPU = Rule{
	Name:     "cpu",
	Checks:   "the CPU was not the limit",
	Evidence: "idle time (a latency needs 40 %, a rate 5 % unless the load generator itself fills the processors), how long the load generator waited for a processor (10 % of a mean latency), stolen time (5 %), throttling by a cgroup (1 %), over each repeat",
	Severity: "invalid for a latency without idle time; a warning if at least 5 % is idle and the load generator hardly waited (a driver that polls fills a processor and slows nothing down), for a rate with full processors, and for stolen or throttled time",
	Advice:   "stop other programs, or raise the limit",
	check:    checkCPU,
}

// checkCPU judges the processors. A latency needs 40 % idle time, or the evidence that it was not the
// load generator that lacked the rest (latencyCPU). A rate may be the CPU's if less than 5 % is idle and
// the load generator did less than half of the work, because then it and the storage's own threads waited
// for a processor (a warning: what filled them may be the storage's own driver). A hypervisor that steals
// more than 5 %, or a cgroup limit that throttled us for more than 1 % of the time, is a warning on any
// number.
//
// Evidence: /proc/stat and the cgroup's cpu.stat over each repeat, and the schedstat of the load
// generator's threads. Waiting for I/O counts as idle: the CPU would be free. Source: Kbench's rule for
// its latency tests (40 % idle).
func checkCPU(ev Evidence) []model.Finding {
	var o outcome
	var busy lowIdle
	var full, stolen, held limit
	for _, name := range ev.workloads() {
		c, ok := ev.counters(name)
		if !ok {
			o.miss(name, "the CPU's counters were not recorded")
			continue
		}
		w, known := ev.Recorded.Plan.Workload(name)
		good := true
		if known && w.Metric.LowerIsBetter() && c.Idle < idleNeeded {
			busy.add(ev, w, c)
			good = false
		}
		if known && !w.Metric.LowerIsBetter() && !w.Loads() && c.Idle < idleLeft && ev.othersFill(name, 1-c.Idle) {
			full.add(name, 1-c.Idle)
			good = false
		}
		if c.Steal > stealAllowed {
			stolen.add(name, c.Steal)
			good = false
		}
		if c.Throttled > throttledLimit {
			held.add(name, c.Throttled)
			good = false
		}
		if good {
			o.pass(name)
		}
	}
	busy.report(ev, &o)
	if len(full.names) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: full.names,
			Message:  fmt.Sprintf("no CPU time left: %s of the CPU was busy, mostly with other work than this load, so the storage may carry more", percent(full.most)),
			Evidence: map[string]any{"idle": 1 - full.most, "needed": idleLeft},
			Next:     "stop other programs on this machine (see top), then " + ev.command(ev.only(full.names))})
	}
	if len(stolen.names) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: stolen.names,
			Message:  fmt.Sprintf("stolen time: the hypervisor gave %s of the CPU to others", percent(stolen.most)),
			Evidence: map[string]any{"steal": stolen.most, "allowed": stealAllowed},
			Next:     "measure when the host is quiet, or on a machine with dedicated CPUs"})
	}
	if len(held.names) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: held.names,
			Message:  fmt.Sprintf("CPU limit: the cgroup throttled the load for %s of the time", percent(held.most)),
			Evidence: map[string]any{"throttled": held.most, "allowed": throttledLimit, "cgroup_cpu": ev.Recorded.Environment.CgroupCPU},
			Next:     "raise the container's CPU limit, or remove it"})
	}
	return o.findings("the CPU was not the limit", "there is no result to judge")
}

// othersFill reports whether the load generators of a machine did less than half of its processors' work; busy
// is the share of their time in use. Unknown counts as no.
func (ev Evidence) othersFill(workload string, busy float64) bool {
	own, ok := ev.generators(workload)
	cpus := float64(ev.Recorded.Environment.CPUs)
	return ok && cpus > 0 && own < ownHalf*busy*cpus
}

// generators is the use of the CPU, in cores, by all load generators of one machine together, at the median of
// machines and repeats. ok is false if no repeat recorded it.
func (ev Evidence) generators(workload string) (inUse float64, ok bool) {
	type repeat struct {
		node   string
		number int
	}
	sums := map[repeat]float64{}
	for _, s := range ev.good(workload) {
		if used := s.UserCPU + s.SystemCPU; used > 0 {
			sums[repeat{ev.Recorded.Plan.NodeOf(s.Worker), s.Step.Number}] += used
		}
	}
	if len(sums) == 0 {
		return 0, false
	}
	return stats.Median(slices.Collect(maps.Values(sums))), true
}

// limit collects the workloads that exceeded a limit, and the largest excess.
type limit struct {
	names []string
	most  float64
}

func (l *limit) add(name string, v float64) {
	l.names, l.most = add(l.names, name), max(l.most, v)
}

// counters are the time-weighted means over a workload's repeats: Idle (waiting for I/O included) and
// Steal as shares of all CPU time, Throttled as a share of the time. ok is false if no repeat has
// counters.
func (ev Evidence) counters(workload string) (mean model.Counters, ok bool) {
	for _, s := range ev.good(workload) {
		c := s.Counters
		// Without /proc/stat every share is 0; a machine that is never idle still has a busiest core.
		if c == nil || c.Seconds <= 0 || c.Idle+c.IOWait+c.BusiestCPU == 0 {
			continue
		}
		mean.Seconds += c.Seconds
		mean.Idle += (c.Idle + c.IOWait) * c.Seconds
		mean.Steal += c.Steal * c.Seconds
		mean.Throttled += c.Throttled
	}
	if mean.Seconds == 0 {
		return mean, false
	}
	mean.Idle /= mean.Seconds
	mean.Steal /= mean.Seconds
	mean.Throttled /= mean.Seconds
	return mean, true
}
