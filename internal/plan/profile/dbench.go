package profile

import "github.com/loadline/loadline/internal/model"

// dbench has the nine tests of dbench and of the white paper that used it, with their names. Its
// "latency" pair has depth 4, and its "bandwidth" pair is random.
func dbench() Profile {
	random := func(name string, d model.Direction, block int64, depth int, m model.Metric) model.Workload {
		return model.Workload{Name: name, Access: model.Random, Direction: d, BlockSize: block, Depth: depth, Metric: m}
	}
	// Four threads, each starting at its own offset; the increment is reduced if the volume is too
	// small for it (see fitOffsets).
	sequential := func(name string, d model.Direction) model.Workload {
		return model.Workload{Name: name, Access: model.Sequential, Direction: d, BlockSize: 1 << 20, Depth: 16,
			Jobs: 4, Threads: true, OffsetIncrement: 500 << 20, Metric: model.Bandwidth}
	}
	mix := random("rw_mix", model.Mixed, 4<<10, 64, model.IOPS)
	mix.ReadPercent = 75
	return Profile{
		Name:   "dbench",
		Engine: "libaio",
		Title:  "dbench's nine: random 4k and 128k, sequential 1M on four threads, and a 75/25 mix",
		Workloads: []model.Workload{
			random("read_iops", model.Read, 4<<10, 64, model.IOPS),
			random("write_iops", model.Write, 4<<10, 64, model.IOPS),
			random("read_bw", model.Read, 128<<10, 64, model.Bandwidth),
			random("write_bw", model.Write, 128<<10, 64, model.Bandwidth),
			random("read_latency", model.Read, 4<<10, 4, model.Latency),
			random("write_latency", model.Write, 4<<10, 4, model.Latency),
			sequential("read_seq", model.Read),
			sequential("write_seq", model.Write),
			mix,
		},
	}
}
