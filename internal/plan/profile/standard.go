package profile

import "github.com/loadline/loadline/internal/model"

// standard is the default: Kbench's twelve, plus two database loads that Kbench lacks.
func standard() Profile {
	return Profile{
		Name:  Default,
		Title: "Kbench's twelve, a database log (8k write + fdatasync) and a 70/30 mix; the default",
		Workloads: append(kbenchWorkloads(),
			// A database appends to its log and waits for the flush before it acknowledges a commit:
			// commits per second of one client. 8k is PostgreSQL's page size and the usual size of a
			// small log write; no other workload here flushes, so no other one exercises the storage's
			// durable path.
			model.Workload{Name: "log-write-fdatasync", Access: model.Sequential, Direction: model.Write,
				BlockSize: 8 << 10, Depth: 1, Sync: "fdatasync", Metric: model.IOPS},
			// Seven reads to three writes is the usual model of transaction processing. Block size and
			// depth are those of rand-read-iops and rand-write-iops, so that only the mix differs: the
			// three together show how much writes slow down reads.
			model.Workload{Name: "rand-mix-iops", Access: model.Random, Direction: model.Mixed, ReadPercent: 70,
				BlockSize: 4 << 10, Depth: 64, Metric: model.IOPS},
		),
	}
}
