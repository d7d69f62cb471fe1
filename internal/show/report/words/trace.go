package words

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
)

// TraceOf says what a trace observed: the target, the devices, whose I/O.
func TraceOf(r *iotrace.Request) (of []string) {
	if r.Target != "" {
		of = append(of, r.Target)
	}
	if len(r.Devices) > 0 {
		of = append(of, "on "+strings.Join(r.Devices, ", "))
	} else {
		of = append(of, "all block devices")
	}
	switch {
	case r.Container != "":
		of = append(of, "container "+r.Container)
	case r.Pod != "":
		of = append(of, "pod "+r.Pod)
	case len(r.Cgroups) > 0:
		of = append(of, "cgroup "+strings.Join(r.Cgroups, ", "))
	}
	if r.PID != 0 {
		of = append(of, fmt.Sprintf("process %d", r.PID))
	}
	return of
}

// TraceHow says how long a trace lasted, and by what method it was made.
func TraceHow(r *iotrace.Run) string {
	how := map[iotrace.Method]string{iotrace.ByBPF: " by BPF", iotrace.ByPerf: " by perf events", iotrace.ByCounters: " by the device's counters only"}[r.Method]
	return units.FormatDuration(r.Seconds) + how
}

// TraceWho names the process whose I/O a row of a trace shows.
func TraceWho(r *iotrace.Row) string {
	switch {
	case r.Unowned:
		return "unowned flushes"
	case r.Command == "" && r.PID == 0:
		return "several"
	}
	return r.Command
}
