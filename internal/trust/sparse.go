package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// checkSparse: reads of space that was never written are answered without a
// disk (measured: 564k IOPS from a sparse file; 188,000 through a 2,000-IOPS
// throttle), so any unwritten byte makes reads invalid. Writes into such space
// carry the cost of the first write: a warning.
//
// Evidence: the proof taken before measuring (extents, or read-back). Source:
// methodology's "Sparse".
func checkSparse(ev Evidence) []model.Finding {
	proof := model.Proof{}
	if p := ev.Recorded.Run.Prepare; p != nil {
		proof = p.Proof
	}
	if proof.Method == "" || proof.Method == "none" || proof.Checked <= 0 {
		why := "nothing proves that the volume was written before it was measured"
		if proof.Detail != "" {
			why += ": " + proof.Detail
		}
		return notChecked(why)
	}
	if proof.Unwritten == 0 {
		return passedAll(fmt.Sprintf("no unwritten byte in %s (%s)", model.FormatSize(proof.Checked), proof.Method))
	}
	var reads, writes []string
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); known && !w.Reads() {
			writes = add(writes, name)
		} else {
			reads = add(reads, name)
		}
	}
	what := fmt.Sprintf("%s of %s were never written (%s)",
		model.FormatSize(proof.Unwritten), model.FormatSize(proof.Checked), proof.Method)
	evidence := map[string]any{"unwritten": proof.Unwritten, "checked": proof.Checked, "method": proof.Method, "detail": proof.Detail}
	next := "let Loadline fill the volume: name a directory, or for a device or file add --destroy-data-on"
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
