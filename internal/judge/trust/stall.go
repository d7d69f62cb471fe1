package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleStall = Rule{
	Name:     "stall",
	Checks:   "the storage never stopped answering",
	Evidence: "periods of 2 s or more (and 10 times the median latency) in which the load generator got no answer; what its processes did meanwhile",
	Severity: "warning: the stall affects the rate, the maximum and the tail latency of that repeat (only the maximum if it began in the ramp); how often it occurs is not known",
	Advice:   "look at the storage's log and the kernel's (`dmesg`) for that time: a failover, a lost path, a cache flush",
	check:    checkStall,
}

const (
	// stallBeyond is the minimum length of a stretch without an answer, as a multiple of the median
	// latency: with few I/Os in flight on slow storage there are gaps between them.
	stallBeyond = 10
	// unseenGap is the length of a sample, in seconds, from which on it may hide a stall in records
	// without stall data.
	unseenGap = 2.5
)

// checkStall reports stalls: storage that answers nothing for seconds and then continues has stalled,
// which is a result. The seconds without I/O count in the repeat, so rates and tails include them; the
// stall and its time still have to be reported, because means and percentiles of so rare an event
// depend on the measuring time. If the load generator or the machine was suspended, the storage is not
// blamed.
//
// Evidence: what the driver observed; in records without it, the samples' lengths.
func checkStall(ev Evidence) []model.Finding {
	if ev.Recorded.Imported != nil {
		return notChecked("the imported data does not show what the load generator waited for")
	}
	longest := map[int]float64{}
	for i := range ev.Recorded.Samples {
		s := &ev.Recorded.Samples[i]
		longest[s.Step] = max(longest[s.Step], s.Seconds)
	}
	var o outcome
	for _, name := range ev.workloads() {
		least := max(model.LeastStall, stallBeyond*ev.median(name))
		steps, whole := ev.good(name), true
		stalls := map[model.StallCause]*stalled{}
		for _, s := range steps {
			seconds, known := longest[s.Step.Number]
			whole = whole && known && (seconds < max(unseenGap, least) || len(s.Stalls) > 0)
			for _, x := range s.Stalls {
				if x.Seconds < least {
					continue
				}
				if stalls[x.Cause] == nil {
					stalls[x.Cause] = &stalled{}
				}
				stalls[x.Cause].add(x, s)
			}
		}
		for _, cause := range []model.StallCause{model.StallStorage, model.StallSuspended, model.StallMachine} {
			if x := stalls[cause]; x != nil {
				o.fault(ev.stallFault(name, cause, x))
			}
		}
		switch {
		case len(stalls) > 0 || len(steps) == 0:
		case !whole:
			o.miss(name, "the recording does not distinguish all seconds")
		default:
			o.pass(name)
		}
	}
	return o.findings(fmt.Sprintf("the storage answered at least once in every %d s", model.LeastStall), "there is no result to judge")
}

// stalled sums up the stalls of a workload.
type stalled struct {
	n       int
	longest model.Stall
	// at is when the longest one began, in seconds since the start of the run.
	at     float64
	worker int
	// ramp is set if the longest one began before the measured part of its repeat: a waiting load
	// generator lengthens the ramp, and the measurement begins after it.
	ramp bool
}

func (x *stalled) add(s model.Stall, step model.StepResult) {
	x.n++
	if s.Seconds > x.longest.Seconds {
		x.longest, x.at, x.worker = s, step.Started+step.Delay+s.Begin, step.Worker
		x.ramp = s.Begin < step.Step.Ramp
	}
}

func (ev Evidence) stallFault(name string, cause model.StallCause, x *stalled) model.Finding {
	who, next := "the storage stopped answering", "look at the storage's log and at dmesg for that time"
	if volumes := len(ev.Recorded.Plan.Volumes); volumes > 1 {
		who = fmt.Sprintf("the storage of volume %d stopped answering", x.worker+1)
	}
	if w, known := ev.Recorded.Plan.Workload(name); known && w.Loads() {
		who, next = "the server stopped answering", "look at the storage's log and at dmesg for that time, and at the server's log in the run's raw/ folder"
		if p := ev.Recorded.Run.Prepare; p != nil && p.App != nil && p.App.Server != nil {
			next = "look at the server's log and at its storage's for that time"
		}
	}
	switch cause {
	case model.StallSuspended:
		who, next = "the storage is not the cause: the load generator was suspended by a signal or a debugger", "measure again without stopping it"
	case model.StallMachine:
		who, next = "the storage is not the cause: the whole machine did not run", "check whether it is a virtual machine that was paused or migrated"
	}
	message := fmt.Sprintf("%s for %s, %s into the run, in %s", who, units.FormatDuration(x.longest.Seconds), units.FormatSpan(x.at), name)
	if x.n > 1 {
		message += fmt.Sprintf("; that was the longest of %d times", x.n)
	}
	if x.ramp {
		message += "; it began in the ramp, before the measured time, so it affects only the largest latencies, not the rate"
	}
	return model.Finding{Severity: model.SeverityWarning, Results: []string{name}, Message: message,
		Evidence: map[string]any{"seconds": x.longest.Seconds, "at": x.at, "stalls": x.n, "cause": string(cause)}, Next: next}
}

// median is the longest median latency of a workload's directions, in seconds.
func (ev Evidence) median(workload string) (seconds float64) {
	for _, r := range ev.Results {
		if r.Workload == workload && r.Latency != nil && r.Latency.P50 != nil {
			seconds = max(seconds, *r.Latency.P50)
		}
	}
	return seconds
}
