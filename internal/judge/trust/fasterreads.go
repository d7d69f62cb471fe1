package trust

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleFasterReads = Rule{
	Name:     "faster-reads",
	Checks:   "a single read is no faster than on the underlying storage",
	Evidence: "the median (or mean) latency at depth 1 of target and baseline; the number of replicas (`--replicas`, or what the storage system says), and the rate of a deeper read of the baseline",
	Severity: "invalid if the number of replicas is known and no nearer disk among them explains it; a warning if it is not known, if several disks are combined (md, device mapper), or if a rate limit may slow the baseline down; a note if one does, and the replicas share it",
	Advice:   "use a larger `--size`, and `--check-cache`",
	check:    checkFasterReads,
}

// checkFasterReads reports reads that are faster than the disk they go to: a cache answered, or the
// space was never written. A rate limit on each disk is the exception: several disks share the load, so
// with a declared cap on the baseline, or an unknown number of replicas, it is a warning. With n
// replicas that read no more than n times as often as one disk, it depends on what limits that disk: if
// deeper reads gain nothing, its rate does, and the finding is a note. If reads go to the nearest of
// several heads (RAID 1), one disk is slower than all of them even without a cache: also a warning.
//
// Evidence: paired results at depth 1; bounds are compared.
func checkFasterReads(ev Evidence) []model.Finding {
	if ev.Baseline == nil {
		return notChecked(noBaseline)
	}
	var o outcome
	for _, r := range ev.Results {
		w, known := ev.Recorded.Plan.Workload(r.Workload)
		if !known || r.Direction != model.Read || w.Direction != model.Read || w.Depth*w.JobCount() != 1 {
			continue
		}
		b, ok := ev.Baseline.below(r)
		m := model.P50
		if _, has := r.Metrics[m]; !has {
			m = model.Latency
		}
		here, hasHere := r.Metrics[m]
		there, hasThere := b.Metrics[m]
		switch {
		case !ok || !hasHere || !hasThere:
			o.miss(r.Workload, "the baseline has no valid result to compare it with")
			continue
		case !beats(m, here, there):
			o.pass(r.Workload)
			continue
		}
		f := model.Finding{Severity: model.SeverityInvalid, Results: []string{r.Workload},
			Message: fmt.Sprintf("faster than its disk: a read takes %s, and on %s it takes %s: a cache answered, or the space was never written",
				units.FormatDuration(here.Value), ev.Baseline.Name, units.FormatDuration(there.Value)),
			Evidence: map[string]any{"metric": string(m), "here_high": here.High, "baseline_low": there.Low, "replicas": ev.replicas()},
			Next:     ev.beyondMemory()}
		several := ev.severalDisks()
		switch at, known := ev.paced(w, b); {
		case several != "":
			f.Severity = model.SeverityWarning
			f.Message += fmt.Sprintf(", or it has several disks (%s), of which the nearest or fastest answers", several)
			f.Evidence["several_disks"] = several
		case ev.replicas() == 0 || ev.Baseline.Cap != (model.Cap{}):
			f.Severity = model.SeverityWarning
			f.Message += ", or it has disks that the baseline does not have, of which the nearest answers"
		case (!ev.shared(r, b) || known && at == 0) && ev.nearest(here, there):
			f.Severity = model.SeverityWarning
			f.Message += fmt.Sprintf(", or of %d replicas the one whose disk is nearest answers", ev.replicas())
		case !ev.shared(r, b), known && at == 0:
		case known:
			f.Severity = model.SeverityNote
			f.Message = fmt.Sprintf("a read takes %s, and on %s it takes %s: that disk's rate is limited (%s, even at greater depth), and %d replicas share the load",
				units.FormatDuration(here.Value), ev.Baseline.Name, units.FormatDuration(there.Value), model.IOPS.Format(at), ev.replicas())
			f.Evidence["baseline_iops"] = at
			f.Next = "compare them below that rate: " + ev.sweeping("--load")
		default:
			f.Severity = model.SeverityWarning
			f.Message += fmt.Sprintf(", or the rate of its disks is limited, and %d replicas share the load", ev.replicas())
			f.Next = "measure a deeper read of the same kind as well, such as rand-read-iops beside rand-read-lat"
		}
		o.fault(f)
	}
	return o.findings("no single read is faster than on the baseline", "no workload reads at depth 1")
}

// severalDisks names what combines several disks on this machine (md, device mapper, a filesystem on
// several devices); "" if there is no such thing.
func (ev Evidence) severalDisks() string {
	s := ev.Recorded.Environment.Storage
	var mapper string
	var disks []string
	for _, name := range s.DeviceChain {
		switch {
		case strings.HasPrefix(name, "md"):
			return name
		case strings.HasPrefix(name, "dm-"):
			mapper = cmp.Or(mapper, name)
		case !slices.ContainsFunc(s.DeviceChain, func(whole string) bool { return whole != name && strings.HasPrefix(name, whole) }):
			// It is not a partition of another one in the list.
			disks = append(disks, name)
		}
	}
	switch {
	case len(disks) > 1 && mapper != "":
		return mapper
	case len(disks) > 1 && s.Device == "":
		return strings.Join(disks, ", ")
	}
	return ""
}

// nearest reports whether the replicas' disks explain a read that is faster than one disk's by this
// much: the nearest of n heads is up to n times as near, in rotation and in track, as a single one.
// This does not apply to disks without heads.
func (ev Evidence) nearest(here, there model.Estimate) bool {
	rotates := ev.Baseline.Storage.Rotational
	n := float64(ev.replicas())
	return n > 1 && (rotates == nil || *rotates) && there.Low <= n*here.High*(1+beyond)
}

// replicas is the number of copies that the target keeps: as given by the user, otherwise as reported
// by the storage system; 0 if unknown.
func (ev Evidence) replicas() int {
	if said := ev.Recorded.Plan.Experiment.Replicas; said > 0 {
		return said
	}
	return ev.Recorded.Environment.Replicas()
}

// pacedWithin is the largest gain from deeper reads for a disk to count as limited by its rate and not
// by its latency.
const pacedWithin = 1.15

// paced is the baseline's rate if it is the same at depth 1 and deeper, and 0 if depth helps; known is
// false if no deeper read of the same kind was measured.
func (ev Evidence) paced(w model.Workload, alone model.Result) (rate float64, known bool) {
	one, ok := alone.Metrics[model.IOPS]
	if !ok {
		return 0, false
	}
	for _, b := range ev.Baseline.Results {
		d, planned := ev.Recorded.Plan.Workload(b.Workload)
		deep, measured := b.Metrics[model.IOPS]
		if !planned || !measured || b.Direction != model.Read || d.Direction != model.Read || d.Access != w.Access || d.BlockSize != w.BlockSize ||
			d.Depth*d.JobCount() == 1 || d.RateIOPS != 0 || d.RateBandwidth != 0 || b.Verdict == model.Invalid {
			continue
		}
		if known = true; deep.Low > one.High*pacedWithin {
			return 0, true
		}
		rate = deep.Value
	}
	return rate, known
}

// shared reports whether several replicas together could reach that read rate.
func (ev Evidence) shared(r, b model.Result) bool {
	here, hasHere := r.Metrics[model.IOPS]
	there, hasThere := b.Metrics[model.IOPS]
	n := float64(ev.replicas())
	return n > 1 && hasHere && hasThere && here.Low <= n*there.High*(1+beyond)
}
