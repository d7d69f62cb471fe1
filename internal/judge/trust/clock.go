package trust

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// fastestMedian is the shortest possible median latency, in seconds, of an I/O through a kernel: a
// system call alone takes about this long.
const fastestMedian = 100e-9

// goodClocks are the clocksources that are read without leaving user space, on x86, Arm, KVM and
// Hyper-V guests, POWER, z and RISC-V. Others cost about a microsecond per reading, and fio reads the
// clock twice per I/O.
var goodClocks = []string{"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase", "tod", "riscv_clocksource"}

var ruleClock = Rule{
	Name:     "clock",
	Checks:   "the latencies are plausible, and the clock is fast",
	Evidence: "the median latency (never below 100 ns) and the kernel's clocksource",
	Severity: "invalid for an impossible latency, a note for a slow clock",
	Advice:   "`loadline doctor`; select the fast clocksource",
	check:    checkClock,
}

// checkClock judges the clock: a median latency of nothing means a broken clock (or no I/O at all) and
// is invalid; a slow clocksource adds to short latencies and is a note.
//
// Evidence: the p50 of each result and the kernel's clocksource. Source: fio's issue 630 (latencies of
// 0 ns).
func checkClock(ev Evidence) []model.Finding {
	var o outcome
	var broken []string
	fastest, what := fastestMedian, "median"
	for _, r := range ev.Results {
		switch {
		case noMedian(r) && impossibleMean(r):
			broken, fastest, what = add(broken, r.Workload), min(fastest, r.Metrics[model.Latency].Value), "mean"
		case noMedian(r):
			o.miss(r.Workload, "there are too few latencies for a median")
		case *r.Latency.P50 < fastestMedian:
			broken, fastest = add(broken, r.Workload), min(fastest, *r.Latency.P50)
		default:
			o.pass(r.Workload)
		}
	}
	source := ev.Recorded.Environment.Clocksource
	if len(broken) > 0 {
		o.fault(model.Finding{
			Severity: model.SeverityInvalid,
			Results:  broken,
			Message: fmt.Sprintf("impossible latency: a %s of %s is shorter than a system call: the clock or the load is broken",
				what, units.FormatDuration(fastest)),
			Evidence: map[string]any{"p50": fastest, "clocksource": source},
			Next:     "loadline doctor",
		})
	}
	if source != "" && !slices.Contains(goodClocks, source) {
		o.fault(model.Finding{
			Severity: model.SeverityNote,
			Message:  fmt.Sprintf("slow clock: the clocksource is %s, which adds about a microsecond to each latency", source),
			Evidence: map[string]any{"clocksource": source},
			Next:     "cat /sys/devices/system/clocksource/clocksource0/available_clocksource   (tsc is the fast one on x86)",
		})
	}
	findings := o.findings("every median latency is possible", "there is no latency to judge")
	if source == "" {
		findings = append(findings, notChecked("the clocksource is not known")...)
	}
	return findings
}

// noMedian reports whether the result has no median latency.
func noMedian(r model.Result) bool { return r.Latency == nil || r.Latency.P50 == nil }

// impossibleMean reports whether the mean latency is shorter than any I/O, the only check possible if
// only a mean is known.
func impossibleMean(r model.Result) bool {
	e, ok := r.Metrics[model.Latency]
	return ok && e.Value > 0 && e.Value < fastestMedian
}
