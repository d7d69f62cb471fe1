package lab

import (
	"testing"
	"time"
)

// Reads get all of the disk before any write, half of it while the cache drains, and all
// of it again after that: 3,000 writes take 6 s beside reads. The parts follow on each other, so
// each try has all of them, on a device of its own.
func TestBackloggedReadsWaitForWrites(t *testing.T) {
	t.Parallel()
	UpToThree(t, func() []string {
		d := Backlogged(t, Backlog{IOPS: 1000, Cache: 3000, Size: 64 * mebi})
		reads := Job{Depth: 16, Time: 2 * time.Second}
		wrong := off(t, "reads before any write", Fio(t, d, reads).IOPS, 1000, 0.03)
		writes := Job{Pattern: "randwrite", Depth: 64, Ramp: time.Second}
		wrong = append(wrong, off(t, "writes into a full cache", Fio(t, d, writes).IOPS, 1000, 0.05)...)
		wrong = append(wrong, off(t, "reads while it drains", Fio(t, d, reads).IOPS, 500, 0.05)...)
		reads.Ramp = 6 * time.Second
		wrong = append(wrong, off(t, "reads when it has drained", Fio(t, d, reads).IOPS, 1000, 0.03)...)
		Verify(t, d)
		return wrong
	})
}

// Each try has a device of its own, because a try spends the budget.
func TestSlowsDownWhenItsBudgetIsSpent(t *testing.T) {
	t.Parallel()
	UpToThree(t, func() []string {
		d := SlowsDown(t, Slowing{Budget: 100 * mebi, Fast: 50e6, Slow: 10e6, Size: 64 * mebi})
		writes := Job{Pattern: "write", BlockSize: 128 * kibi, Depth: 4, Ramp: 200 * time.Millisecond, Time: time.Second}
		wrong := off(t, "bytes/s at first", Fio(t, d, writes).BytesPerSecond, 50e6, 0.1)
		writes.Ramp, writes.Time = 3*time.Second, 3*time.Second
		wrong = append(wrong, off(t, "bytes/s later", Fio(t, d, writes).BytesPerSecond, 10e6, 0.1)...)
		Verify(t, d)
		return wrong
	})
}
