package profile

import "github.com/loadline/loadline/internal/model"

// standard is the default: Kbench's twelve, and the two loads of a database
// that they miss.
func standard() Profile {
	return Profile{
		Name:  Default,
		Title: "Kbench's twelve, a database log (8k write + fdatasync) and a 70/30 mix; the default",
		Workloads: append(kbenchWorkloads(),
			// A database appends to its log and waits for the flush before it says
			// "committed": commits per second of one client. 8k is PostgreSQL's page
			// and the usual size of a small log write; nothing else here flushes, so
			// nothing else here meets the storage's durable path.
			model.Workload{Name: "log-write-fdatasync", Access: model.Sequential, Direction: model.Write,
				BlockSize: 8 << 10, Depth: 1, Sync: "fdatasync", Metric: model.IOPS},
			// Seven reads to three writes is the usual stand-in for transaction
			// processing. Block size and depth are those of rand-read-iops and
			// rand-write-iops, so that only the mixing differs: the three together
			// tell what writes cost the readers.
			model.Workload{Name: "rand-mix-iops", Access: model.Random, Direction: model.Mixed, ReadPercent: 70,
				BlockSize: 4 << 10, Depth: 64, Metric: model.IOPS},
		),
	}
}
