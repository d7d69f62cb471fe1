package sweep

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Times in seconds. Many cells share the time, so a repeat is shorter than in a profile; the limit
// grows with the number of cells, so that three rounds and the looks always fit.
const (
	gridRepeat = 2.0
	gridSlot   = 3.0
	leastTime  = 300.0
	rounds     = 3
)

// GridDefaults returns what a grid varies by default: depths in powers of two up to 64, and small to
// large blocks, with one job.
func GridDefaults() model.SweepRequest {
	return model.SweepRequest{
		Pattern: "randread", Depths: []int{1, 2, 4, 8, 16, 32, 64},
		BlockSizes: []int64{4 << 10, 16 << 10, 64 << 10, 256 << 10}, Jobs: []int{1},
	}
}

// grid returns one workload for each cell.
func grid(r model.SweepRequest) profile.Profile {
	p := profile.Profile{
		Name:   Name,
		Title:  fmt.Sprintf("%s: %d depths × %d block sizes × %d jobs", r.Pattern, len(r.Depths), len(r.BlockSizes), len(r.Jobs)),
		Repeat: gridRepeat,
	}
	for _, jobs := range r.Jobs {
		for _, block := range r.BlockSizes {
			for _, depth := range r.Depths {
				w := workload(r.Pattern, block)
				w.Name = fmt.Sprintf("%s-%s-qd%d-j%d", r.Pattern, units.FormatBlock(block), depth, jobs)
				w.Depth, w.Jobs = depth, jobs
				if w.Access == model.Sequential && jobs > 1 {
					// Jobs that access the same bytes would read what the first has just brought into a
					// cache. Planning reduces the increment to a fraction of the volume.
					w.OffsetIncrement = math.MaxInt64
				}
				p.Workloads = append(p.Workloads, w)
			}
		}
	}
	p.MaxTime = max(leastTime, gridSlot*rounds*float64(len(p.Workloads))+profile.LookTime(p.Workloads))
	return p
}
