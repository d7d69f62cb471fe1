package profile

import "github.com/loadline/loadline/internal/model"

// postgres is what PostgreSQL does to its disk, without the PostgreSQL: its log is written in
// pages of 8 KiB and flushed, by one process at a time, over files that were filled when they
// were made; what is not in memory is read a page at a time, by each of its clients. A group of
// clients that commit together writes more at once. loadline predict says what it comes to.
func postgres() Profile {
	log := func(name string, block int64) model.Workload {
		return model.Workload{Name: name, Access: model.Sequential, Direction: model.Write, BlockSize: block, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
	}
	read := func(name string, depth int, m model.Metric) model.Workload {
		return model.Workload{Name: name, Access: model.Random, Direction: model.Read, BlockSize: 8 << 10, Depth: depth, Metric: m}
	}
	return Profile{
		Name:   "postgres",
		Title:  "PostgreSQL's log (8k and 64k writes, each with fdatasync) and its reads (8k): what loadline predict needs",
		Repeat: defaultRepeat, MaxTime: 90,
		Workloads: []model.Workload{
			log("wal-8k", 8<<10), log("wal-64k", 64<<10),
			read("page-read", 1, model.Latency), read("page-read-16", 16, model.IOPS),
		},
	}
}
