package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

var ruleBytes = Rule{
	Name:     "bytes",
	Checks:   "the device moved as many bytes as the client",
	Evidence: "the block device's byte counters against fio's, from the end of one sample to the end of another (±5 %)",
	Severity: "warning: I/O amplification, or a layer in between answered; a note if a flush after each write makes the filesystem write its own records",
	Advice:   "find out what adds or answers I/O: journal, copy-on-write, RAID, a cache, another process",
	check:    checkBytes,
}

const (
	// bytesAllowed is how far the device's bytes may differ from the client's.
	bytesAllowed = 0.05
	// readingJitter is the time in seconds between reading the device's and the client's counters at
	// either end of a window. Measured: some 10 ms.
	readingJitter = 0.03
)

// checkBytes checks that each byte that the client moved reached the device once. More is hidden I/O (a
// journal, copy-on-write, RAID, another process); less means that a layer in between answered or kept
// it.
//
// Evidence: both ends over the same window.
func checkBytes(ev Evidence) []model.Finding {
	if why := ev.noDevice(); why != "" {
		return notChecked(why)
	}
	var o outcome
	var faults []bytesOff
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
			faults = append(faults, bytesOff{w, verb, ratio, allowed, win.Seconds})
		}
		switch {
		case fault:
		case max(win.ClientRead, win.ClientWritten) < leastBytes:
			o.miss(name, "too little was moved to compare both ends")
		default:
			o.pass(name)
		}
	}
	for len(faults) > 0 {
		// One cause gets one finding, whichever workloads it appears in.
		cause := faults[0].cause()
		alike := slices.DeleteFunc(slices.Clone(faults), func(f bytesOff) bool { return f.cause() != cause })
		faults = slices.DeleteFunc(faults, func(f bytesOff) bool { return f.cause() == cause })
		o.fault(bytesFault(ev, cause, alike))
	}
	return o.findings("the device moved what the client moved", "there is no result to judge")
}

// bytesOff is a workload whose bytes differ from the device's: the device read or wrote ratio times as
// many.
type bytesOff struct {
	workload                model.Workload
	verb                    string
	ratio, allowed, seconds float64
}

// bytesCause is why they may differ.
type bytesCause int

const (
	answered bytesCause = iota
	amplified
	flushed
	appended
)

func (f bytesOff) cause() bytesCause {
	switch {
	case f.ratio < 1:
		return answered
	case f.workload.Sync == "" || f.verb == "read":
		return amplified // a flush reads nothing
	case f.workload.Append:
		return appended
	}
	return flushed
}

// bytesFault is the finding for all workloads with the same cause, at least one: with the smallest and
// the largest ratio.
func bytesFault(ev Evidence, cause bytesCause, list []bytesOff) model.Finding {
	device := ev.Recorded.Environment.Storage.Device
	first := list[0]
	low, high, verb := first.ratio, first.ratio, first.verb
	var names []string
	ratios := map[string]any{}
	for _, f := range list {
		low, high, names = min(low, f.ratio), max(high, f.ratio), add(names, f.workload.Name)
		key := f.workload.Name
		if _, both := ratios[key]; both {
			key += " " + f.verb
		}
		ratios[key] = f.ratio
		if f.verb != verb {
			verb = "moved"
		}
	}
	f := model.Finding{Severity: model.SeverityWarning, Results: names, Evidence: map[string]any{"ratio": high, "allowed": first.allowed, "seconds": first.seconds, "device": device}}
	of := "the bytes of " + names[0]
	if len(names) > 1 {
		f.Evidence = map[string]any{"ratios": ratios, "device": device}
		of = fmt.Sprintf("the bytes of these %d workloads", len(names))
	}
	// span formats both ends, or just one if they are formatted alike.
	span := func(write func(float64) string, to string) string {
		if write(low) == write(high) {
			return write(low)
		}
		return write(low) + to + write(high)
	}
	if cause == answered {
		f.Message = fmt.Sprintf("not everything reached the disk: %s %s only %s of %s, so a cache or holes answered the rest", device, verb, span(percent, " to "), of)
		f.Next = "loadline doctor   # it says whether direct I/O works here"
		return f
	}
	digits := func(v float64) string { return fmt.Sprintf("%.2f", v) }
	f.Message = fmt.Sprintf("I/O amplification ×%s: %s %s %s times %s", span(digits, " to ×"), device, verb, span(digits, " to "), of)
	if cause == amplified {
		f.Message += ", so something adds I/O: a journal, copy-on-write, RAID, or another process"
		f.Next = "find out what does it: iostat -x 1 " + device + " beside the run, and the filesystem's mount options"
		return f
	}
	f.Severity = model.SeverityNote
	f.Message += ": each flush also writes the filesystem's own records"
	f.Next = "measure the block device itself to leave the filesystem out"
	if cause == appended {
		f.Message += ", and each write to a log rewrites its last page"
		f.Next = "nothing to do: this is what a log costs on this filesystem"
	}
	return f
}
