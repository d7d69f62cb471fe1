package trust

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// ruleSeconds is Kbench's rule: the size should be at least the bandwidth × 25 s (its ramp and run
// time), otherwise a test may read the same data again.
const ruleSeconds = 25.0

// sizeSlack is the part of the rule's size that still passes, because a rule of thumb is not precise to two
// digits, and chosenSlack that of a size that was chosen by this very rule: quick writes for 22 s at the
// rate of a short probe, which is 0.88 of it, and where the rate of repeats varies by 6 %, both errors
// together reach a fifth.
const sizeSlack, chosenSlack = 0.85, 0.7

var ruleSize = Rule{
	Name:     "size",
	Checks:   "the volume is about as large as 25 s of the measured bandwidth, or larger (Kbench's rule)",
	Evidence: "the size (below 85 % of that, or 70 % if it was chosen automatically) and the lower bound of the bandwidth",
	Severity: "warning: a cache below may have answered; a note if writing became so slow that the measured volume is smaller than requested",
	Advice:   "use the `--size` given in the finding",
	check:    checkSize,
}

// checkSize reports a volume smaller than 25 s × the measured bandwidth, which may have been read again
// from a cache below us. The lower bound of the bandwidth is compared, so that noise alone is not
// flagged. The directions of a mixed workload are added up.
//
// Evidence: the size accessed and the bandwidth of the results. Source: Kbench's README.
func checkSize(ev Evidence) []model.Finding {
	size := float64(ev.Recorded.Plan.Volume.Size)
	if size <= 0 {
		return notChecked("the size of the volume is not known")
	}
	slack := sizeSlack
	if ev.Recorded.Plan.Experiment.Size == 0 {
		slack = chosenSlack
	}
	var o outcome
	var small []string
	worst, need := "", 0.0
	for _, name := range ev.workloads() {
		w, _ := ev.Recorded.Plan.Workload(name)
		size := ev.walked(w)
		low := ev.bandwidthLow(name)
		switch {
		case w.Append:
		case math.IsNaN(low):
			o.miss(name, "there is no bandwidth to compare the size with")
		case size >= slack*ruleSeconds*low:
			o.pass(name)
		default:
			small = append(small, name)
			if ruleSeconds*low > need {
				worst, need = name, ruleSeconds*low
			}
		}
	}
	if len(small) > 0 {
		w, _ := ev.Recorded.Plan.Workload(worst)
		size = ev.walked(w)
		// Whether or not volumes share their bytes, each needs the same size.
		each := need * float64(ev.Recorded.Plan.Volume.Size) / size
		enough := int64(math.Ceil(each/(1<<30))) << 30
		o.fault(model.Finding{
			Severity: model.SeverityWarning,
			Results:  small,
			Message: fmt.Sprintf("may re-read: %s did %s, and %s is less than 25 s of that, so a cache below may have answered; the rule asks for %s",
				worst, ev.atLeast(worst, need/ruleSeconds), units.FormatSize(int64(size)), inWhole(each, enough)),
			Evidence: map[string]any{"size": int64(size), "needed": int64(need), "bandwidth_low": need / ruleSeconds},
			Next:     ev.larger(enough, int64(size)),
		})
	}
	if f := ev.shrunk(); f != nil {
		o.fault(*f)
	}
	return o.findings("the volume is about as large as 25 s of each workload's bandwidth, or larger", ev.nothingRead("there is no result to judge"))
}

// atLeast says what a workload's lower bound of the bandwidth is: the table shows the value, which is higher.
func (ev Evidence) atLeast(workload string, low float64) string {
	for _, r := range ev.Results {
		e, ok := r.Metrics[model.Bandwidth]
		if !ok {
			e = r.Metrics[model.IOPS]
		}
		if r.Workload == workload && r.Direction != model.Sync && bound(e) < e.Value {
			return "at least " + units.FormatBandwidth(low) + " (the low end of the interval)"
		}
	}
	return units.FormatBandwidth(low)
}

// inWhole names the exact size in bytes and, if that is another one, the whole GiB to which it is rounded up.
func inWhole(exact float64, whole int64) string {
	if said := units.FormatSize(int64(math.Ceil(exact))); said != units.FormatSize(whole) {
		return said + ", rounded up to " + units.FormatSize(whole)
	}
	return units.FormatSize(whole)
}

const (
	// muchMore is the minimum factor by which an advised size below the rule's must exceed the measured
	// one.
	muchMore = 1.5
)

// larger is the advice, a command with these options as well, for when the given number of bytes is needed and
// size was measured: no size is advised that the target would refuse.
func (ev Evidence) larger(enough, size int64, options ...string) string {
	room := ev.room()
	switch {
	case room <= 0 || enough <= room:
		return ev.command(append([]string{"--size", units.TypedSize(enough)}, options...)...)
	case float64(room) >= muchMore*float64(size):
		return "no more than " + units.FormatSize(room) + " fits " + ev.here() + ": " + ev.command(append([]string{"--size", units.TypedSize(room >> 20 << 20)}, options...)...)
	}
	return fmt.Sprintf("nothing much larger fits %s (%s): measure a larger volume of the same storage", ev.here(), units.FormatSize(room))
}

// here returns the words for the place whose free space is known. If several volumes or both sides of a comparison may share
// that space, they say so.
func (ev Evidence) here() string {
	switch kind := ev.Recorded.Plan.Volume.Target.Kind; {
	case kind != model.File && kind != model.Directory, kind == model.File && !ev.Recorded.Plan.Volume.Owned:
	case ev.Recorded.Run.Comparison != "":
		return "here if both sides share one filesystem"
	case len(ev.Recorded.Plan.Volumes) > 1:
		return "here for each if the volumes share one filesystem"
	}
	return "here"
}

// beyondMemory is the advice to read from more than the machine's memory can hold.
func (ev Evidence) beyondMemory() string {
	return ev.larger(ev.large(), ev.Recorded.Plan.Volume.Size, "--check-cache")
}

// room is the maximum size of a volume on the target, in bytes; 0 if unknown. The volumes of a directory, and the
// two sides of a comparison, may have to share its space.
func (ev Evidence) room() int64 {
	s := ev.Recorded.Environment.Storage
	switch v := ev.Recorded.Plan.Volume; v.Target.Kind {
	case model.File, model.Directory:
		if v.Target.Kind == model.File && !v.Owned {
			return v.Size
		}
		n := max(1, len(ev.Recorded.Plan.Volumes))
		if ev.Recorded.Run.Comparison != "" {
			n = 2
		}
		if s.Usable() > 0 {
			return max(1, s.Spare()/int64(n))
		}
	case model.BlockDevice, model.NBD, model.RBD:
		return s.DeviceSize
	}
	return 0
}

// shrunk reports that a requested size is not the one that was measured; nil if it is.
func (ev Evidence) shrunk() *model.Finding {
	asked, done := ev.Recorded.Plan.Experiment.Size, ev.Recorded.Run.Prepare
	if asked <= 0 || done == nil || done.Size <= 0 || done.Size >= asked {
		return nil
	}
	return &model.Finding{
		Severity: model.SeverityNote,
		Message: fmt.Sprintf("shrunk: --size %s was requested, but only %s were measured: that much was written in %s",
			units.FormatSize(asked), units.FormatSize(done.Size), units.FormatSpan(done.Seconds)),
		Evidence: map[string]any{"asked": asked, "measured": done.Size, "seconds": done.Seconds},
		Next:     ev.command("--size", units.TypedSize(asked), "--max-prefill", fmt.Sprintf("%.0fs", min(units.LongestTime, done.Seconds*float64(asked)/float64(done.Size)))),
	}
}

// walked is the total number of bytes that a workload's volumes hold.
func (ev Evidence) walked(w model.Workload) float64 {
	seen := map[string]bool{}
	sum := 0.0
	for _, v := range ev.Recorded.Plan.VolumesOf(w) {
		if name := v.SharedAs(); name != "" {
			if seen[name] {
				continue
			}
			seen[name] = true
		}
		sum += float64(v.Size)
	}
	return sum
}

// bandwidthLow is the lower bound of a workload's bandwidth in bytes/s, both directions together; NaN
// if unknown.
func (ev Evidence) bandwidthLow(workload string) float64 {
	w, known := ev.Recorded.Plan.Workload(workload)
	sum, found := 0.0, false
	for _, r := range ev.Results {
		if r.Workload != workload || r.Direction == model.Sync {
			continue
		}
		if bw, ok := r.Metrics[model.Bandwidth]; ok {
			sum, found = sum+bound(bw), true
		} else if iops, ok := r.Metrics[model.IOPS]; ok && known && w.Job == "" {
			sum, found = sum+bound(iops)*float64(w.BlockSize), true
		}
	}
	if !found || math.IsNaN(sum) {
		return math.NaN()
	}
	return sum
}

// bound is the lower bound of an estimate, at least 0; the value itself if there is no interval.
func bound(e model.Estimate) float64 {
	if e.Confidence == 0 || math.IsNaN(e.Low) || math.IsInf(e.Low, 0) {
		return e.Value
	}
	return max(0, e.Low)
}
