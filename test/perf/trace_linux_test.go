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

	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/test/lab"
)

// tracePairs is the number of pairs of fio without and with a trace where a goal is decided, and fewPairs
// where there is none.
const tracePairs, fewPairs = 20, 10

// traceRunning starts a trace of the device and waits until it has begun. It returns a function that
// ends it and returns the processor time that it took.
func traceRunning(b *testing.B, loadline, dev string, method iotrace.Method) (end func() time.Duration) {
	b.Helper()
	dir := b.TempDir()
	cmd := exec.Command(loadline, "trace", "--device", dev, "--time", "0", "--quiet", "--method", string(method), "--results", dir)
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
	return func() time.Duration {
		_ = cmd.Process.Signal(os.Interrupt)
		const incomplete = 5 // unseen I/Os do not matter here
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != incomplete {
			b.Fatalf("the trace failed: %v: %s", err, stderr.String())
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
}

// inPrograms returns the time that our programs in the kernel have taken so far, and how often
// they were run. The kernel counts while the statistics are enabled (BPF_STATS_RUN_TIME), which
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
			continue // it has gone in the meantime
		}
		info, err := p.Info()
		stats, statsErr := p.Stats()
		if err == nil && statsErr == nil && strings.HasPrefix(info.Name, "loadline_") {
			spent, runs = spent+stats.Runtime, runs+stats.RunCount
		}
		p.Close()
	}
}

// tracedRate is a requested load, in 1/s, that a trace must not reduce; the lab's
// devices in memory can do more.
const tracedRate = 100_000

// BenchmarkTrace measures what a trace takes from the traced load: the ratio of fio's
// IOPS with a trace and without, in pairs of random order on the fastest device available,
// when fio uses all of the processors and when it requests tracedRate; and the time in the kernel
// per I/O.
//
// For a trace by perf events it is the time of the process that reads them: the kernel's
// time for writing them shows only in fio's IOPS.
func BenchmarkTrace(b *testing.B) {
	lab.Need(b, "taskset")
	for _, method := range []iotrace.Method{iotrace.ByBPF, iotrace.ByPerf} {
		b.Run(string(method), func(b *testing.B) { benchmarkTrace(b, method) })
	}
}

func benchmarkTrace(b *testing.B, method iotrace.Method) {
	for range b.N {
		loadline, dev := program(b), lab.LoopOnMemory(b, 256<<20)
		job := fmt.Sprintf("[trace]\nfilename=%s\ndirect=1\nioengine=libaio\nrw=randread\nbs=4k\niodepth=16\nnorandommap=1\ntime_based=1\nruntime=2\nramp_time=500ms\n", dev)
		pairs := fewPairs
		if method == iotrace.ByBPF {
			pairs = tracePairs
		}
		full := besideTrace(b, loadline, dev, method, fewPairs, job, "as many as the processors give")
		asked := besideTrace(b, loadline, dev, method, pairs, fmt.Sprintf("%srate_iops=%d\n", job, tracedRate), fmt.Sprintf("%s asked for", units.FormatRate(tracedRate)))
		counting, err := ebpf.EnableStats(0) // BPF_STATS_RUN_TIME
		if err != nil {
			lab.Unavailable(b, "the kernel does not count the time of programs: %v", err)
		}
		end := traceRunning(b, loadline, dev, method)
		before := deviceReads(b, dev)
		bareIOPS(b, job)
		ios := deviceReads(b, dev) - before
		spent, runs := inPrograms(b)
		read := end()
		counting.Close()
		where, detail := "in the kernel", fmt.Sprintf(" in %.1f runs of a program", float64(runs)/float64(ios))
		if method == iotrace.ByPerf {
			spent, where, detail = read, "in the trace's process, with what begins and ends it", ""
		}
		each := float64(spent.Nanoseconds()) / float64(ios)
		fmt.Printf("%s: %.0f ns for each I/O%s\n\n", where, each, detail)
		b.ReportMetric(full, "IOPS-ratio")
		b.ReportMetric(asked, "IOPS-ratio-at-100k")
		b.ReportMetric(each, "ns/IO")
	}
}

// besideTrace runs a fio job without and with a trace of the device, in pairs of random order, prints
// both, and returns the ratio of the IOPS, with a trace to without.
func besideTrace(b *testing.B, loadline, dev string, method iotrace.Method, pairs int, job, load string) (ratio float64) {
	b.Helper()
	var alone, beside, ratios []float64
	for range pairs {
		var a, t float64
		order := []func(){func() { a = bareIOPS(b, job) }, func() {
			end := traceRunning(b, loadline, dev, method)
			defer end()
			t = bareIOPS(b, job)
		}}
		rand.Shuffle(2, func(i, j int) { order[i], order[j] = order[j], order[i] })
		order[0]()
		order[1]()
		alone, beside, ratios = append(alone, a), append(beside, t), append(ratios, t/a)
	}
	ratio, low, high := logMean(ratios)
	t := columns()
	fmt.Fprintf(t, "\n4k random reads, 16 in flight, %s, %d pairs of 2 s\tlowest\tmedian\thighest\t\n", load, pairs)
	for _, row := range []struct {
		name   string
		values []float64
	}{{"alone, IOPS", alone}, {"beside a trace by " + string(method) + ", IOPS", beside}} {
		slices.Sort(row.values)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", row.name, units.FormatRate(row.values[0]), units.FormatRate(row.values[len(row.values)/2]), units.FormatRate(row.values[len(row.values)-1]))
	}
	t.Flush()
	fmt.Printf("IOPS, beside a trace / alone: %.4f (95 %%: %.4f to %.4f)\n", ratio, low, high)
	return ratio
}

// deviceReads returns how many reads a device has counted.
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
