package model

import (
	"fmt"

	"github.com/loadline/loadline/internal/model/units"
)

const (
	// leastVolume is the least volume, in bytes, that says anything about a storage system.
	leastVolume = 16 << 20
	// sizeStep is what a size that Loadline chooses itself is a multiple of.
	sizeStep = 1 << 20
)

// LeastSize is the least volume, in bytes, on which each I/O in flight of the workloads has
// a block of its own.
func LeastSize(workloads []Workload) int64 {
	least := int64(leastVolume)
	for _, w := range workloads {
		least = max(least, w.BlockSize*int64(w.Depth)*int64(w.JobCount()))
	}
	return (least + sizeStep - 1) / sizeStep * sizeStep
}

// Fit cuts the distance between the jobs of a workload so that the last of them begins
// inside a volume of that size, with as much before its end as the others have.
func (w Workload) Fit(size int64) Workload {
	step := max(w.BlockSize, sizeStep)
	if share := size / int64(w.JobCount()) / step * step; w.OffsetIncrement > share {
		w.OffsetIncrement = share
	}
	return w
}

// Shrink makes the plan one of the volumes that there are, where writing them took so long
// that it was ended: all are as large as the one of which the least was written, so that
// they stay alike. A plan that is no larger is left as it is.
func (p *Plan) Shrink(done *Preparation) {
	if done == nil || done.Size <= 0 || done.Size >= p.Volume.Size {
		return
	}
	reason := "cut to " + units.FormatSize(done.Size) + ": "
	if done.Slow > 0 {
		reason += fmt.Sprintf("the prefill had become slow (%s) and was ended after %s", units.FormatBandwidth(done.Slow), units.FormatSpan(done.Seconds))
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

// SlowFill is the error of a prefill that was ended because it took too long: what was
// written until then is written, in order, from the beginning of the volume.
type SlowFill struct{ *WorkerError }

// Unwrap makes it a WorkerError for those who do not go on with what was written.
func (e SlowFill) Unwrap() error { return e.WorkerError }
