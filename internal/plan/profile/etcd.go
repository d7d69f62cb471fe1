package profile

import "github.com/loadline/loadline/internal/model"

const (
	// etcdWrite is the size of a write to etcd's log in bytes, as in the fio command that is commonly
	// used to test disks for etcd: --rw=write --ioengine=sync --fdatasync=1 --bs=2300. It is the
	// average write size of etcd according to strace.
	etcdWrite = 2300
	// etcdSegments is a number of segments of etcd's log, each of 64 MiB (SegmentSizeBytes in etcd's
	// server/storage/wal), that is more than a disk with 23,000 flushes per second writes in
	// lookSeconds.
	etcdSegments = 16
)

// etcd is the log of an etcd without etcd itself: one writer, a flush after each write, and etcd's disk
// requirement as the goal.
func etcd() Profile {
	return Profile{
		Name:   "etcd",
		Engine: "psync",
		Title:  "etcd's log: 2,300-byte writes, each with fdatasync, p99 against etcd's 10 ms",
		Size:   etcdSegments * 64 << 20,
		Goals:  []string{"wal-fdatasync sync p99 < 10ms"},
		Workloads: []model.Workload{{
			Name: "wal-fdatasync", Access: model.Sequential, Direction: model.Write,
			BlockSize: etcdWrite, Depth: 1, Sync: "fdatasync", Append: true, Metric: model.IOPS,
		}},
	}
}
