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
	"github.com/loadline/loadline/test/lab"
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

// BenchmarkPostgresCost runs 16 clients of "loadline app postgres" that do a million transactions at 5,000 per
// second, in repeats of 10 s, and prints what the process itself needs for everything that it does meanwhile:
// starting pgbench, reading its log, the server's counts, the judge and the progress. pgbench and the server
// are processes of their own. Transactions that read keep the server from filling the processors.
func BenchmarkPostgresCost(b *testing.B) {
	const transactions, rate, seconds = 1_000_000, 5000, 10
	loadline := program(b)
	lab.Lock(b)
	for range b.N {
		repeats := transactions/rate/seconds + 1
		w := watch(b, loadline, "app", "postgres", lab.ServerDir(b), "--load", "select", "--clients", "16", "--rate", fmt.Sprint(rate), "--scale", "10",
			"--repeat", fmt.Sprint(repeats), "--precision", "50%", "--max-time", "8m")
		var done float64
		for _, r := range w.Results {
			if r.App != nil {
				done += float64(r.App.Transactions)
			}
		}
		core := 100 * w.CPU / w.Wall
		fmt.Printf("\napp postgres at %.0f transactions/s (%.2f million in all, %.0f s): %.2f %% of a core (goal < 3 %%), peak resident memory %.0f MB (goal < 100 MB)\n\n",
			w.Results[0].Metrics[model.Transactions].Value, done/1e6, w.Wall, core, float64(w.Peak)/1e6)
		if got := w.Results[0].Metrics[model.Transactions].Value; got < 0.98*rate || done < transactions {
			b.Errorf("%.0f transactions at %.0f/s: the machine does not carry %d/s", done, got, rate)
		}
		b.ReportMetric(core, "%core")
		b.ReportMetric(float64(w.Peak)/1e6, "MB-peak")
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
