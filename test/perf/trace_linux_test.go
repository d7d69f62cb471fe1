package perf

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/test/lab"
)

// tracePairs is the number of pairs of fio alone and fio beside a trace.
const tracePairs = 20

// traceRunning starts a trace of the device, and returns what ends it when it has begun.
func traceRunning(b *testing.B, loadline, dev string) (end func()) {
	b.Helper()
	dir := b.TempDir()
	cmd := exec.Command(loadline, "trace", "--device", dev, "--time", "0", "--quiet", "--method", "bpf", "--results", dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if begun, _ := filepath.Glob(filepath.Join(dir, "*", "trace.json")); len(begun) > 0 {
			break
		}
		if time.Now().After(until) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			lab.Unavailable(b, "the kernel cannot be traced here: %s", stderr.String())
		}
	}
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			b.Fatalf("the trace failed: %v: %s", err, stderr.String())
		}
	}
}

// inPrograms is the time that our programs in the kernel have taken until now, and how often
// they were run. The kernel counts while somebody asks it to (BPF_STATS_RUN_TIME), which
// itself costs some 20 ns each time.
func inPrograms(b *testing.B) (spent time.Duration, runs uint64) {
	b.Helper()
	for id := ebpf.ProgramID(0); ; {
		next, err := ebpf.ProgramGetNextID(id)
		if errors.Is(err, fs.ErrNotExist) {
			return spent, runs
		}
		if err != nil {
			lab.Unavailable(b, "the kernel's programs cannot be listed: %v", err)
		}
		id = next
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // it has gone meanwhile
		}
		info, err := p.Info()
		stats, statsErr := p.Stats()
		if err == nil && statsErr == nil && strings.HasPrefix(info.Name, "loadline_") {
			spent, runs = spent+stats.Runtime, runs+stats.RunCount
		}
		p.Close()
	}
}

// BenchmarkTrace says what a trace takes from the load that it looks at: the ratio of fio's
// IOPS beside a trace and alone, in pairs of random order on the fastest device that there
// is, and the time in the kernel for each I/O.
func BenchmarkTrace(b *testing.B) {
	lab.Need(b, "taskset")
	for range b.N {
		loadline, dev := program(b), lab.LoopOnMemory(b, 256<<20)
		job := fmt.Sprintf("[trace]\nfilename=%s\ndirect=1\nioengine=libaio\nrw=randread\nbs=4k\niodepth=16\nnorandommap=1\ntime_based=1\nruntime=2\nramp_time=500ms\n", dev)
		var alone, beside, ratios []float64
		for range tracePairs {
			var a, t float64
			order := []func(){func() { a = bareIOPS(b, job) }, func() {
				end := traceRunning(b, loadline, dev)
				defer end()
				t = bareIOPS(b, job)
			}}
			rand.Shuffle(2, func(i, j int) { order[i], order[j] = order[j], order[i] })
			order[0]()
			order[1]()
			alone, beside, ratios = append(alone, a), append(beside, t), append(ratios, t/a)
		}
		counting, err := ebpf.EnableStats(0) // BPF_STATS_RUN_TIME
		if err != nil {
			lab.Unavailable(b, "the kernel does not count the time of programs: %v", err)
		}
		end := traceRunning(b, loadline, dev)
		before := deviceReads(b, dev)
		bareIOPS(b, job)
		ios := deviceReads(b, dev) - before
		spent, runs := inPrograms(b)
		end()
		counting.Close()
		each := float64(spent.Nanoseconds()) / float64(ios)
		ratio, low, high := logMean(ratios)
		t := columns()
		fmt.Fprintf(t, "\n4k random reads, 16 in flight, %d pairs of 2 s\tlowest\tmedian\thighest\t\n", tracePairs)
		for _, row := range []struct {
			name   string
			values []float64
		}{{"alone, IOPS", alone}, {"beside a trace, IOPS", beside}} {
			slices.Sort(row.values)
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", row.name, units.FormatRate(row.values[0]), units.FormatRate(row.values[len(row.values)/2]), units.FormatRate(row.values[len(row.values)-1]))
		}
		t.Flush()
		fmt.Printf("IOPS, beside a trace / alone: %.4f (95 %%: %.4f to %.4f)\n", ratio, low, high)
		fmt.Printf("in the kernel: %.0f ns for each I/O in %.1f runs of a program\n\n", each, float64(runs)/float64(ios))
		b.ReportMetric(ratio, "IOPS-ratio")
		b.ReportMetric(each, "ns/IO")
	}
}

// deviceReads is how many reads a device has counted.
func deviceReads(b *testing.B, dev string) (n uint64) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(dev), "stat"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &n)
	}
	if err != nil {
		b.Fatal(err)
	}
	return n
}
