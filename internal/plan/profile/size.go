package profile

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// ruleSeconds is Kbench's rule: a volume smaller than what is transferred in 25 s at its bandwidth
	// is soon re-read, possibly from a cache.
	ruleSeconds = 25
	// sizeStep is the granularity to which an automatic size is rounded down.
	sizeStep = 1 << 20
	// sector is the granularity to which a size given by the user is rounded down: the largest logical
	// block size in use.
	sector = 4 << 10
	// unprobed is the size if no bandwidth is known; Kbench's default.
	unprobed = 10 << 30
	// defaultMaxPrefill is in seconds.
	defaultMaxPrefill = 30.0
)

// MaxPrefill returns the default time limit, in seconds, for the prefill of an automatic size: that of
// a built-in profile, by name, or of any other.
func MaxPrefill(name string) float64 {
	if name == quick().Name {
		return quickPrefill
	}
	return defaultMaxPrefill
}

// chooseSize returns the number of bytes for the workloads to cover and a phrase that says how it was
// chosen.
func chooseSize(exp model.Experiment, p Profile, v model.Volume, probe model.ProbeResult) (int64, string, error) {
	least := model.LeastSize(p.Workloads)
	room := roomPhrase(v, probe.Capacity)
	if probe.Capacity < least {
		return 0, "", noRoom{model.RefusedError(
			fmt.Sprintf("the smallest sensible size for these workloads is %s, and %s", units.FormatSize(least), room),
			"choose a larger target, or workloads with smaller blocks, depths and job counts")}
	}
	if exp.Size > 0 {
		if exp.Size > probe.Capacity {
			return 0, "", noRoom{model.RefusedError(
				fmt.Sprintf("--size %s does not fit: %s", units.FormatSize(exp.Size), room),
				fmt.Sprintf("use --size %s or less, or leave it out", units.TypedSize(alignDown(probe.Capacity, sector))))}
		}
		if err := checkSize(exp.Size, p.Workloads); err != nil {
			return 0, "", err
		}
		return alignDown(exp.Size, sector), "as asked by --size", nil
	}
	if !v.Prefill {
		return alignDown(probe.Capacity, sector), "all of it: nothing is written", nil
	}
	size, reason := automaticSize(exp, p, v, probe, least)
	return size, reason, nil
}

// automaticSize returns the profile's size, else that of Kbench's rule, within limits. The tightest
// limit is named.
func automaticSize(exp model.Experiment, p Profile, v model.Volume, probe model.ProbeResult, least int64) (int64, string) {
	bandwidth := max(probe.ReadBandwidth, probe.WriteBandwidth)
	// whole is the reason for a size that is not cut, which stands behind that size.
	size, whole := int64(unprobed), "until a probe of the bandwidth decides"
	reason := units.FormatSize(unprobed) + " " + whole
	if bandwidth > 0 {
		size = int64(ruleSeconds * bandwidth)
		reason = fmt.Sprintf("%d s × %s = %s", ruleSeconds, units.FormatBandwidth(bandwidth), units.FormatSize(alignDown(size, sizeStep)))
		whole = reason
	}
	if p.Size > 0 {
		size, whole = p.Size, "as the profile says"
		reason = units.FormatSize(p.Size) + ", " + whole
	}
	type bound struct {
		size int64
		why  string
	}
	bounds := []bound{{probe.Capacity, "all there is"}}
	if v.Owned {
		bounds[0].why = "the filesystem is kept below 95 %"
		// The filesystem has other users: half of the free space is left unless the user asks for more.
		if free := probe.Environment.Storage.Free; free > 0 {
			bounds = append(bounds, bound{free / 2, "half of the free space"})
		}
	}
	if rate := prefillRate(probe); rate > 0 {
		seconds := orDefault(exp.MaxPrefill, defaultMaxPrefill)
		bounds = append(bounds, bound{int64(seconds * rate), "prefill limit " + units.FormatSpan(seconds)})
	}
	cut := bound{size: size}
	for _, b := range bounds {
		if b.size < cut.size {
			cut = b
		}
	}
	if cut.size < least {
		if cut.why != "" {
			reason += ", cut to " + units.FormatSize(cut.size) + ": " + cut.why
		}
		return least, reason + ", raised to " + units.FormatSize(least) + ": the smallest for these workloads"
	}
	size = alignDown(cut.size, sizeStep)
	if cut.why == "" {
		return size, whole
	}
	return size, reason + ", cut to " + units.FormatSize(size) + ": " + cut.why
}

// checkSize refuses a requested size in bytes that is too small for the workloads; 0 means none was
// requested. This is known before anything is created.
func checkSize(size int64, workloads []model.Workload) error {
	least := model.LeastSize(workloads)
	if size <= 0 || size >= least {
		return nil
	}
	typed := units.FormatSize(size)
	if size < 1<<10 {
		// A number without a unit is a number of bytes, which is seldom meant.
		typed = fmt.Sprintf("%d (bytes)", size)
	}
	return model.RefusedError(
		fmt.Sprintf("--size %s is too small: these workloads need at least %s (block size × depth × jobs, and never less than %s)",
			typed, units.FormatSize(least), units.FormatSize(model.LeastSize(nil))),
		fmt.Sprintf("use --size %s or more, or leave it out", units.TypedSize(least)))
}

// noRoom is a refusal because a target has too little room.
type noRoom struct{ error }

func (n noRoom) Unwrap() error { return n.error }

// roomPhrase says how much space there is and why.
func roomPhrase(v model.Volume, capacity int64) string {
	if v.Owned {
		return fmt.Sprintf("%s can spare %s (its filesystem is kept below 95 %%)", v.Target.Name, units.FormatSize(capacity))
	}
	return fmt.Sprintf("%s holds %s", v.Target.Name, units.FormatSize(capacity))
}

func alignDown(n, step int64) int64 { return n / step * step }
