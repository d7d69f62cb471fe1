package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleMerge = Rule{
	Name:     "merge",
	Checks:   "the kernel did not merge I/Os before the device",
	Evidence: "the merges and I/Os that the block device counted (more than 5 % merged)",
	Severity: "note: I/Os per second are counted before merging, so the device did fewer",
	Advice:   "compare bandwidth, or random I/O, which cannot be merged",
	check:    checkMerge,
}

// mergedMost is the share of I/Os that may have been merged.
const mergedMost = 0.05

// checkMerge reports merged I/Os: the kernel merges small sequential I/Os into larger ones, so the
// device did fewer than the IOPS counted above it.
//
// Evidence: /sys/class/block/DEV/stat over each repeat, in the direction of the workload.
func checkMerge(ev Evidence) []model.Finding {
	if why := ev.noDevice(); why != "" {
		return notChecked(why)
	}
	var o outcome
	var merged limit
	for _, name := range ev.workloads() {
		w, known := ev.Recorded.Plan.Workload(name)
		var ios, merges uint64
		for _, s := range ev.good(name) {
			c := s.Counters
			if c == nil || !known {
				continue
			}
			if w.Reads() {
				ios, merges = ios+c.DeviceReads, merges+c.ReadMerges
			}
			if w.Writes() {
				ios, merges = ios+c.DeviceWrites, merges+c.WriteMerges
			}
		}
		switch share := float64(merges) / float64(ios+merges); {
		case ios == 0:
			o.miss(name, "the device counted no I/O of this workload")
		case share > mergedMost:
			merged.add(name, share)
		default:
			o.pass(name)
		}
	}
	if len(merged.names) > 0 {
		o.fault(model.Finding{Severity: model.SeverityNote, Results: merged.names,
			Message: fmt.Sprintf("counted before merging: the kernel merged %s of the I/Os into larger ones, so the device did fewer I/Os than this rate says",
				percent(merged.most)),
			Evidence: map[string]any{"merged": merged.most, "allowed": mergedMost, "device": ev.Recorded.Environment.Storage.Device},
			Next:     "compare the bandwidth, or a random workload, whose I/Os cannot be merged"})
	}
	return o.findings("the kernel merged no I/Os", "there is no result to judge")
}
