package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleSparse = Rule{
	Name:     "sparse",
	Checks:   "reads were from written space, and the device served them",
	Evidence: "the extents or the read-back taken before measuring; where the content was there before, 64 sampled blocks (more than 5 % only zeros); the reads that the block device counted (below 90 % of the client's), over seconds or over whole repeats",
	Severity: "invalid for reads; a warning for writes into unwritten space, and for reads of a volume with many blocks of zeros",
	Advice:   "let Loadline fill the volume",
	check:    checkSparse,
}

// checkSparse reports unwritten space: reads of space that was never written are answered without a
// disk (measured: 564k IOPS from a sparse file; 188,000 through a 2,000-IOPS throttle), so any
// unwritten byte makes reads invalid. Writes into such space include the cost of the first write: a
// warning.
//
// Evidence: the proof taken before measuring (extents, or read-back), or sampled blocks of content that was
// there before; and the device's counters during the reads: less than 90 % of the client's bytes means that something else answered.
func checkSparse(ev Evidence) []model.Finding {
	if ev.appends() {
		return passedAll("nothing was read, and a log is written to new space")
	}
	unserved, proven := ev.unserved(), ev.unwritten()
	if len(unserved) > 0 && proven[0].Severity == model.SeverityPassed {
		return unserved
	}
	return append(unserved, proven...)
}

// servedLeast is the share of the client's reads that the device must have served.
const servedLeast = 0.90

// unserved finds the workloads whose reads the device did not see.
func (ev Evidence) unserved() []model.Finding {
	var names []string
	least := 1.0
	read := ev.readBytes()
	for _, name := range ev.workloads() {
		w, ok := ev.window(name)
		if !ok {
			w, ok = ev.wholeRepeats(name, read)
		}
		if !ok || w.ClientRead < leastBytes {
			continue
		}
		if share := float64(w.DeviceRead) / float64(w.ClientRead); share < servedLeast {
			names, least = add(names, name), min(least, share)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []model.Finding{{Severity: model.SeverityInvalid, Results: names,
		Message: fmt.Sprintf("read without the disk: the device served only %s of the reads, so holes or a cache above it answered the rest",
			percent(least)),
		Evidence: map[string]any{"served": least, "needed": servedLeast, "device": ev.Recorded.Environment.Storage.Device},
		Next:     "let Loadline fill the volume, and use direct I/O: loadline doctor says what this filesystem supports"}}
}

// readBytes is the bytes read in the samples of each step.
func (ev Evidence) readBytes() map[int]uint64 {
	read := map[int]uint64{}
	for i := range ev.Recorded.Samples {
		if s := &ev.Recorded.Samples[i]; s.Read != nil {
			read[s.Step] += s.Read.Bytes
		}
	}
	return read
}

// wholeRepeats compares the device's counts over whole repeats, including their ramps, with the
// client's reads excluding them: if even that is less, it is certainly too little. It is used if no
// individual seconds can be matched, as when reads go through the page cache and a submission does not
// return. Several workers may count one device.
func (ev Evidence) wholeRepeats(workload string, read map[int]uint64) (sum model.Window, ok bool) {
	if ev.noDevice() != "" || len(ev.Recorded.Plan.Volumes) > 1 {
		return sum, false
	}
	for _, s := range ev.good(workload) {
		if s.Counters == nil || s.Counters.Device == "" {
			return sum, false
		}
		sum.DeviceRead += s.Counters.DeviceRead
		sum.ClientRead += read[s.Step.Number]
		ok = true
	}
	return sum, ok
}

// unwritten judges by the proof taken before measuring.
func (ev Evidence) unwritten() []model.Finding {
	proof := model.Proof{}
	if p := ev.Recorded.Run.Prepare; p != nil {
		proof = p.Proof
	}
	if !proof.Method.Exists() || proof.Checked <= 0 {
		return ev.sampledBlocks(proof)
	}
	if proof.Unwritten == 0 {
		return passedAll(fmt.Sprintf("no unwritten byte in %s (%s)", units.FormatSize(proof.Checked), proof.Method))
	}
	reads, writes := ev.readersAndWriters()
	what := fmt.Sprintf("%s of %s were never written (%s)",
		units.FormatSize(proof.Unwritten), units.FormatSize(proof.Checked), proof.Method)
	evidence := map[string]any{"unwritten": proof.Unwritten, "checked": proof.Checked, "method": string(proof.Method), "detail": proof.Detail}
	next := "let Loadline fill the volume: name a directory, or for a device or file " + ev.fillExisting()
	var o outcome
	if len(reads) > 0 {
		o.fault(model.Finding{Severity: model.SeverityInvalid, Results: reads, Evidence: evidence, Next: next,
			Message: "read holes: " + what + ", and reading those needs no disk"})
	}
	if len(writes) > 0 {
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: writes, Evidence: evidence, Next: next,
			Message: "first writes: " + what + ", and a first write costs more than a later one"})
	}
	return o.findings("", "there is no result to judge")
}

// readersAndWriters are the workloads that read, mixed ones among them, and those that only write.
func (ev Evidence) readersAndWriters() (reads, writes []string) {
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); known && !w.Reads() {
			writes = add(writes, name)
		} else {
			reads = add(reads, name)
		}
	}
	return reads, writes
}

// fillExisting is how an existing device or file is filled: one that is only read is not, even with --destroy-data-on.
func (ev Evidence) fillExisting() string {
	permitted := ev.Recorded.Plan.Experiment.DestroyDataOn != ""
	for _, v := range ev.Recorded.Plan.Volumes {
		permitted = permitted || v.DestroyDataOn != ""
	}
	if permitted {
		return "add a workload that writes (--only)"
	}
	return "add --destroy-data-on, and a workload that writes (--only)"
}

// mostZeros is the share of zero blocks up to which a sample is that of ordinary data.
const mostZeros = 0.05

// sampledBlocks judges a volume whose content was there before, by the blocks that were sampled: where storage holds no data, they
// contain only zeros. The reverse is not true, because zeros can be written, so it is a warning.
func (ev Evidence) sampledBlocks(proof model.Proof) []model.Finding {
	why := "there is no proof that the volume was written before it was measured"
	if proof.Detail != "" {
		why += ": " + proof.Detail
	}
	if proof.Sampled == 0 {
		return notChecked(why)
	}
	found := fmt.Sprintf("%d of %d sampled blocks contain only zeros", proof.Zeros, proof.Sampled)
	reads, _ := ev.readersAndWriters()
	if len(reads) == 0 || float64(proof.Zeros) <= mostZeros*float64(proof.Sampled) {
		return notChecked(why + "; " + found)
	}
	return []model.Finding{{Severity: model.SeverityWarning, Results: reads,
		Message:  "may read unallocated space: " + found + ". Storage that holds no data for a block, as after a discard or where nothing was ever written, answers with zeros and reads nothing",
		Evidence: map[string]any{"sampled": proof.Sampled, "zeros": proof.Zeros, "allowed": mostZeros},
		Next:     "let Loadline fill it, if its data may be lost: " + ev.fillExisting()}}
}
