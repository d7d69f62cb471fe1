package profile

import "github.com/loadline/loadline/internal/model"

// kbench has the twelve jobs of Kbench, with its names, sizes, depths and order: IOPS, bandwidth,
// latency × random, sequential × read, write. Each repeat is as short as in quick, because twelve
// workloads pool their information on the variance between repeats: on steady storage the whole profile
// takes less time than one pass of Kbench itself, 300 s.
func kbench() Profile {
	return Profile{
		Name:      "kbench",
		Engine:    "libaio",
		Repeat:    2,
		Ramp:      briefRamp,
		Title:     "Kbench's twelve: IOPS, bandwidth and latency × random, sequential × read, write",
		Workloads: kbenchWorkloads(),
		// Twelve workloads take long enough.
		ShortWriteLook: true,
	}
}

func kbenchWorkloads() []model.Workload {
	aspects := []struct {
		suffix string
		metric model.Metric
		block  int64
		depth  int
	}{
		{"iops", model.IOPS, 4 << 10, 64},
		{"bw", model.Bandwidth, 128 << 10, 64},
		{"lat", model.Latency, 4 << 10, 1},
	}
	var list []model.Workload
	for _, a := range aspects {
		for _, access := range []model.Access{model.Random, model.Sequential} {
			for _, direction := range []model.Direction{model.Read, model.Write} {
				list = append(list, model.Workload{
					Name:   string(access) + "-" + string(direction) + "-" + a.suffix,
					Access: access, Direction: direction,
					BlockSize: a.block, Depth: a.depth, Metric: a.metric,
				})
			}
		}
	}
	return list
}
