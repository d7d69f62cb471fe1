package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleForeign = Rule{
	Name:     "foreign",
	Checks:   "nobody else used the device",
	Evidence: "what the block device counted in an idle second before measuring, and its writes while a workload only read, or its reads while one only wrote (more than 5 % of the workload's I/Os or bytes)",
	Severity: "warning: the numbers are what other users left over",
	Advice:   "stop the other load, or measure when it is quiet",
	check:    checkForeign,
}

// foreignMost is the largest acceptable foreign I/O, as a share of the workload's own I/Os or bytes.
const foreignMost = 0.05

// checkForeign reports foreign I/O on the device. Two sources: the device's I/O during an idle second
// before measuring, and its I/O in the direction that the workload does not use. Lower bounds of the
// counts are compared, so that a journal's commit is not flagged.
func checkForeign(ev Evidence) []model.Finding {
	if why := ev.noDevice(); why != "" {
		return notChecked(why)
	}
	idle := ev.Recorded.Run.Beside.Idle
	var o outcome
	var before, during limit
	for _, name := range ev.workloads() {
		w, _ := ev.Recorded.Plan.Workload(name)
		win, ok := ev.window(name)
		if !ok || idle == nil || idle.Device == "" || idle.Seconds <= 0 || win.Seconds <= 0 {
			o.miss(name, "either the idle second before measuring or "+noWindow)
			continue
		}
		ios, bytes := float64(win.ClientReads+win.ClientWrites), float64(win.ClientRead+win.ClientWritten)
		if bytes < leastBytes {
			o.miss(name, "too little was moved to compare it with the I/O of others")
			continue
		}
		share := func(n, b uint64, seconds float64) float64 {
			if n == 0 {
				return 0
			}
			sure := atLeast(n)
			return max(sure/seconds*win.Seconds/ios, sure/float64(n)*float64(b)/seconds*win.Seconds/bytes)
		}
		quiet := share(idle.DeviceReads+idle.DeviceWrites, idle.DeviceRead+idle.DeviceWritten, idle.Seconds)
		other := 0.0
		switch {
		case !w.Writes():
			other = share(win.DeviceWrites, win.DeviceWritten, win.Seconds)
		case !w.Reads():
			other = share(win.DeviceReads, win.DeviceRead, win.Seconds)
		}
		switch {
		case other > foreignMost:
			during.add(name, other)
		case quiet > foreignMost:
			before.add(name, quiet)
		default:
			o.pass(name)
		}
	}
	device := ev.Recorded.Environment.Storage.Device
	for _, found := range []struct {
		limit
		when string
	}{{during, "while it was measured"}, {before, "before it was measured"}} {
		if len(found.names) == 0 {
			continue
		}
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: found.names,
			Message: fmt.Sprintf("not alone: others used %s %s, up to %s of the measured amount (%s)",
				device, found.when, percent(found.most), few(found.names)),
			Evidence: map[string]any{"share": found.most, "allowed": foreignMost, "device": device},
			Next:     "find and stop the other load (see iotop), then " + ev.command(ev.only(found.names))})
	}
	return o.findings("nobody else used the device", "there is no result to judge")
}
