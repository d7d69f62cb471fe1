package profile

import "github.com/loadline/loadline/internal/model"

const (
	// etcdWrite is the size of a write of etcd's log in bytes, as in the fio command by which
	// disks are commonly tried for etcd: --rw=write --ioengine=sync --fdatasync=1 --bs=2300.
	// It is what strace saw etcd write on average.
	etcdWrite = 2300
	// etcdSegments of etcd's log, each of 64 MiB (SegmentSizeBytes in etcd's server/storage/wal),
	// are more than a disk that takes 23,000 flushes per second writes in lookSeconds.
	etcdSegments = 16
)

// etcd is the log of an etcd without the etcd: one writer, a flush after each write, and
// what etcd asks of its disk as the goal.
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
