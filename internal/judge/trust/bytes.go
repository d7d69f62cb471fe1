package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
)

var ruleBytes = Rule{
	Name:     "bytes",
	Checks:   "the device moved as many bytes as the client",
	Evidence: "the bytes that the block device counted against fio's, from one sample's end to another's (±5 %)",
	Severity: "warning: I/O amplification, or something between answered; a note where a flush after each write makes the filesystem write its own records",
	Advice:   "find out what adds or answers I/O: journal, copy-on-write, RAID, a cache, another process",
	check:    checkBytes,
}

const (
	// bytesAllowed is how far the device's bytes may be from the client's.
	bytesAllowed = 0.05
	// readingJitter is the time in seconds by which the device's counts may be read
	// beside the client's at either end of a window. Measured: some 10 ms.
	readingJitter = 0.03
)

// checkBytes: each byte that the client moved should have reached the device
// once. More is hidden I/O (a journal, copy-on-write, RAID, another process);
// less means that something between answered or kept it.
//
// Evidence: both ends over the same window.
func checkBytes(ev Evidence) []model.Finding {
	if why := ev.noDevice(); why != "" {
		return notChecked(why)
	}
	var o outcome
	for _, name := range ev.workloads() {
		w, _ := ev.Recorded.Plan.Workload(name)
		win, ok := ev.window(name)
		if !ok {
			o.miss(name, noWindow)
			continue
		}
		allowed := bytesAllowed + readingJitter*math.Sqrt(float64(len(ev.good(name))))/win.Seconds
		fault := false
		for _, d := range w.Directions() {
			device, client, verb := win.DeviceRead, win.ClientRead, "read"
			if d == model.Write {
				device, client, verb = win.DeviceWritten, win.ClientWritten, "wrote"
			}
			if client < leastBytes {
				continue
			}
			ratio := float64(device) / float64(client)
			if math.Abs(ratio-1) <= allowed {
				continue
			}
			fault = true
			o.fault(bytesFault(w, ev, name, verb, ratio, allowed, win))
		}
		switch {
		case fault:
		case max(win.ClientRead, win.ClientWritten) < leastBytes:
			o.miss(name, "too little was moved to compare both ends")
		default:
			o.pass(name)
		}
	}
	return o.findings("the device moved what the client moved", "there is no result to judge")
}

func bytesFault(w model.Workload, ev Evidence, name, verb string, ratio, allowed float64, win model.Window) model.Finding {
	device := ev.Recorded.Environment.Storage.Device
	f := model.Finding{Severity: model.SeverityWarning, Results: []string{name},
		Evidence: map[string]any{"ratio": ratio, "allowed": allowed, "seconds": win.Seconds, "device": device},
		Message: fmt.Sprintf("I/O amplification ×%.2f: %s %s %.2f times the bytes of %s, so something adds I/O: a journal, copy-on-write, RAID, or another process",
			ratio, device, verb, ratio, name),
		Next: "find who does it: iostat -x 1 " + device + " beside the run, and the filesystem's mount options",
	}
	switch {
	case ratio < 1:
		f.Message = fmt.Sprintf("not all of it reached the disk: %s %s only %s of the bytes of %s, so a cache or holes between answered the rest",
			device, verb, percent(ratio), name)
		f.Next = "loadline doctor   # it says whether direct I/O works here"
	case w.Sync != "":
		f.Severity = model.SeverityNote
		f.Message = fmt.Sprintf("I/O amplification ×%.2f: %s wrote %.2f times the bytes of %s: each flush also writes the filesystem's own records",
			ratio, device, ratio, name)
		f.Next = "measure the block device itself to leave the filesystem out"
		if w.Append {
			f.Message += ", and a log's last page is written again by each write to it"
			f.Next = "nothing: this is what a log costs on this filesystem"
		}
	}
	return f
}
