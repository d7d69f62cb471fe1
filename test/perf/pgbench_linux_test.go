package perf

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/model"
)

// BenchmarkPgbenchLog reads a million transactions of pgbench's log through a pipe, timestamped
// at 5,000 per second, and prints how much of a core and how much memory that takes. They
// arrive faster here: what matters is the processor time per transaction.
func BenchmarkPgbenchLog(b *testing.B) {
	const transactions, rate = 1_000_000, 5000
	for range b.N {
		read, write, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		begin := time.Unix(1_700_000_000, 0)
		// Writing the log is pgbench's part: it is measured alone and subtracted.
		alone := cpuOf(func() { logTo(b, devNull(b), begin, transactions, rate) })
		var samples int
		var most uint64
		both := cpuOf(func() {
			go func() {
				logTo(b, write, begin, transactions, rate)
				_ = write.Close()
			}()
			counts, err := postgres.ReadLog(read, begin, 0, transactions/rate, func(model.Sample) {
				if samples++; samples%20 == 0 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
				}
			})
			if err != nil || counts.Transactions != transactions {
				b.Errorf("%v: %d of %d transactions", err, counts.Transactions, transactions)
			}
		})
		_ = read.Close()
		core := 100 * (both - alone).Seconds() / (transactions / rate)
		fmt.Printf("\npgbench's log at %d transactions/s: %.2f %% of a core (goal < 3 %%), %.1f MiB of heap after a million (goal < 100 MB), %d samples\n\n",
			rate, core, float64(most)/(1<<20), samples)
		b.ReportMetric(core, "%core")
		b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
	}
}

func devNull(b *testing.B) *os.File {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// logTo writes a log as pgbench does, 4 KiB at a time.
func logTo(b *testing.B, to *os.File, begin time.Time, transactions, rate int) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := bufio.NewWriterSize(to, 4096)
	for i := range transactions {
		at := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		fmt.Fprintf(w, "%d %d %d 0 %d %d\n", i%16, i/16, 500+rng.IntN(20000), at.Unix(), at.Nanosecond()/1000)
	}
	if err := w.Flush(); err != nil {
		b.Error(err)
	}
}

// cpuOf returns the processor time that work takes, of all threads of this process.
func cpuOf(work func()) time.Duration {
	spent := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := spent()
	work()
	return spent() - before
}
