package capacity

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// contradiction is the factor by which a measurement on the bare disk may exceed the disk's cap before
// one of the two must be wrong.
const contradiction = 1.10

// checkPublished refuses a system whose figures contradict each other or the measurements on its bare
// disk.
func checkPublished(p *study.Published) error {
	d := p.System.Disk
	if p.System.RebuildReserve > 0 && p.System.RebuildReserve >= d.Bandwidth*p.System.Disks() && d.Bandwidth > 0 {
		return model.RefusedError(fmt.Sprintf("rebuilding is to keep %s of a node's disks, which have %s", units.FormatBandwidth(p.System.RebuildReserve),
			units.FormatBandwidth(d.Bandwidth*p.System.Disks())), "")
	}
	for i := range p.Scales {
		s := &p.Scales[i]
		latency := len(s.Points) > 0 && s.Points[0].Mean != nil
		if s.Local == 0 || latency {
			continue
		}
		ios, bytes := s.Local, s.Local*float64(s.BlockSize)
		if s.Metric == model.Bandwidth {
			ios, bytes = s.Local/float64(s.BlockSize), s.Local
		}
		merge := max(1, s.Merge)
		if d.IOPS > 0 && ios > d.IOPS*merge*contradiction {
			return model.RefusedError(fmt.Sprintf("%s reached %s on the bare disk, but the disk is said to allow %s I/Os per second: one of the two is wrong",
				s.Workload, s.Metric.FormatTotal(s.Local), number(d.IOPS)), "correct system.disk.iops, or local")
		}
		if d.Bandwidth > 0 && bytes > d.Bandwidth*contradiction {
			return model.RefusedError(fmt.Sprintf("%s reached %s on the bare disk, but the disk is said to allow %s: one of the two is wrong",
				s.Workload, s.Metric.FormatTotal(s.Local), units.FormatBandwidth(d.Bandwidth)), "correct system.disk.bandwidth, or local")
		}
	}
	return nil
}
