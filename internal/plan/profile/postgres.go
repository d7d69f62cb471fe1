package profile

import "github.com/loadline/loadline/internal/model"

// postgres is PostgreSQL's disk load without PostgreSQL: the log is written in pages of 8 KiB and
// flushed, by one process at a time, to files that were filled when they were created; what is not in
// memory is read one page at a time, by each client. One client's commit writes one to three pages, and those of clients that
// commit as a group more: where the storage limits bytes per second, the times of large flushes do not tell those of small ones.
// loadline predict combines the results.
func postgres() Profile {
	log := func(name string, block int64) model.Workload {
		return model.Workload{Name: name, Access: model.Sequential, Direction: model.Write, BlockSize: block, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
	}
	read := func(name string, depth int, m model.Metric) model.Workload {
		return model.Workload{Name: name, Access: model.Random, Direction: model.Read, BlockSize: 8 << 10, Depth: depth, Metric: m}
	}
	return Profile{
		Name:   "postgres",
		Title:  "PostgreSQL's log (8k, 16k and 64k writes, each with fdatasync) and its reads (8k): what loadline predict needs",
		Repeat: defaultRepeat, MaxTime: 90,
		Workloads: []model.Workload{
			log("wal-8k", 8<<10), log("wal-16k", 16<<10), log("wal-64k", 64<<10),
			read("page-read", 1, model.Latency), read("page-read-16", 16, model.IOPS),
		},
	}
}
