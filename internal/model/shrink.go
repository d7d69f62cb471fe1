package model

import (
	"fmt"

	"github.com/loadline/loadline/internal/model/units"
)

const (
	// leastVolume is the smallest volume, in bytes, from which anything can be learned about a storage
	// system.
	leastVolume = 16 << 20
	// sizeStep is the granularity of sizes that Loadline chooses itself.
	sizeStep = 1 << 20
)

// LeastSize returns the smallest volume, in bytes, in which each I/O in flight of the workloads has its
// own block.
func LeastSize(workloads []Workload) int64 {
	least := int64(leastVolume)
	for _, w := range workloads {
		least = max(least, w.BlockSize*int64(w.Depth)*int64(w.JobCount()))
	}
	return (least + sizeStep - 1) / sizeStep * sizeStep
}

// Fit reduces the offset increment between a workload's jobs so that the last job begins inside a
// volume of that size, with as much space after it as the others have.
func (w Workload) Fit(size int64) Workload {
	step := max(w.BlockSize, sizeStep)
	if share := size / int64(w.JobCount()) / step * step; w.OffsetIncrement > share {
		w.OffsetIncrement = share
	}
	return w
}

// Shrink adapts the plan to the actual size of the volumes when writing them took so long that it was
// ended: all get the size of the volume of which the least was written, so that they remain equal. A
// plan that is no larger is left unchanged.
func (p *Plan) Shrink(done *Preparation) {
	if done == nil || done.Size <= 0 || done.Size >= p.Volume.Size {
		return
	}
	reason := "cut to " + units.FormatSize(done.Size) + ": "
	if done.Slow > 0 {
		reason += fmt.Sprintf("the prefill was slower than expected (%s at its end) and was ended after %s", units.FormatBandwidth(done.Slow), units.FormatSpan(done.Seconds))
	} else {
		reason += "as much as was written of the other side"
	}
	cut := func(v Volume) Volume {
		if v.SizeReason != "" {
			v.SizeReason += ", "
		}
		v.Size, v.SizeReason = done.Size, v.SizeReason+reason
		return v
	}
	p.Volume = cut(p.Volume)
	volumes := make([]Volume, 0, len(p.Volumes))
	for _, v := range p.Volumes {
		volumes = append(volumes, cut(v))
	}
	if p.Volumes != nil {
		p.Volumes = volumes
	}
	workloads := make([]Workload, 0, len(p.Workloads))
	for _, w := range p.Workloads {
		workloads = append(workloads, w.Fit(done.Size))
	}
	p.Workloads = workloads
}

// SlowFill is the error of a prefill that was ended because it took too long: everything from the
// beginning of the volume up to that point has been written.
type SlowFill struct{ *WorkerError }

// Unwrap makes it a WorkerError for callers that do not continue with what was written.
func (e SlowFill) Unwrap() error { return e.WorkerError }
