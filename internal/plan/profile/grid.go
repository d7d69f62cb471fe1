package profile

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// grid is the table on Longhorn's performance page: four block sizes with their depths × random
// half-and-half, sequential read, sequential write, with 8 jobs. As on that page, all eight jobs of a
// sequential workload access the same bytes.
func grid() Profile {
	cells := []struct {
		block int64
		depth int
	}{{4 << 10, 32}, {8 << 10, 32}, {64 << 10, 16}, {1 << 20, 8}}
	patterns := []struct {
		name      string
		access    model.Access
		direction model.Direction
		reads     int
	}{
		{"randrw", model.Random, model.Mixed, 50},
		{"read", model.Sequential, model.Read, 0},
		{"write", model.Sequential, model.Write, 0},
	}
	p := Profile{Name: "grid", Engine: "libaio", Title: "Block sizes 4k to 1024k × random 50/50, sequential read, sequential write, 8 jobs"}
	for _, pattern := range patterns {
		for _, c := range cells {
			metric, label := model.IOPS, units.FormatBlock(c.block)
			if c.block >= 64<<10 {
				metric = model.Bandwidth
			}
			if c.block == 1<<20 {
				label = "1024k" // as on that page
			}
			p.Workloads = append(p.Workloads, model.Workload{
				Name: pattern.name + "-" + label, Access: pattern.access, Direction: pattern.direction,
				ReadPercent: pattern.reads, BlockSize: c.block, Depth: c.depth, Jobs: 8, Metric: metric,
			})
		}
	}
	return p
}
