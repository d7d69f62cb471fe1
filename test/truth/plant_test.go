package truth

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/env/envtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// changing runs one repeat of some seconds on a device that starts with a rate and is
// set to another one at the start of later seconds, in the time of the samples.
func changing(first float64, seconds int, rate func(second int) float64) func(t testing.TB) (string, []string) {
	return func(t testing.TB) (string, []string) {
		device := lab.Adjustable(t, first)
		results := t.TempDir()
		// The first second has just ended.
		meanwhile(t, results, 1, func(pause func(time.Duration) bool) {
			begin := time.Now()
			for second := 1; second < seconds; second++ {
				device.Set(t, rate(second))
				if !pause(time.Until(begin.Add(time.Duration(second) * time.Second))) {
					return
				}
			}
		})
		return device.Target(), reads("--time", fmt.Sprintf("%ds", seconds), "--ramp-time", "1s", "--results", results)
	}
}

// meanwhile does something to a device once the run has saved that many samples. It ends
// with the test: pause then returns false at once.
func meanwhile(t testing.TB, results string, samplesBefore int, do func(pause func(time.Duration) bool)) {
	over, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(over); <-ended })
	pause := func(d time.Duration) bool {
		select {
		case <-over:
			return false
		case <-time.After(d):
			return true
		}
	}
	go func() {
		defer close(ended)
		for samples(results) < samplesBefore {
			if !pause(20 * time.Millisecond) {
				return
			}
		}
		do(pause)
	}()
}

// freezing returns a device of 1 ms that freezes for some seconds once the run has saved
// that many samples. wrap may expose it as another kind of device.
func freezing(samplesBefore int, long time.Duration, wrap func(t testing.TB, d lab.Device) string, args ...string) func(t testing.TB) (string, []string) {
	return func(t testing.TB) (string, []string) {
		device := lab.Freezable(t, time.Millisecond)
		results := t.TempDir()
		target := device.Target()
		if wrap != nil {
			target = wrap(t, device.Device)
		}
		meanwhile(t, results, samplesBefore, func(pause func(time.Duration) bool) {
			device.Freeze()
			defer device.Thaw()
			pause(long)
		})
		return target, append(args, "--results", results)
	}
}

// after changes the rate at a second.
func after(at int, rate float64) func(second int) float64 {
	return func(second int) float64 {
		if second < at {
			return rate / 2
		}
		return rate
	}
}

// rival starts another load on the device after some time, for some time. It ends
// with the test.
func rival(t testing.TB, d lab.Device, after, long time.Duration, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	dir := t.TempDir()
	all := append([]string{"--name=rival", "--bs=4k", fmt.Sprintf("--size=%d", d.Size), "--time_based", "--thread",
		fmt.Sprintf("--runtime=%dms", long.Milliseconds()), "--ioengine=libaio", "--direct=1", "--filename=" + d.Path}, args...)
	go func() {
		defer close(ended)
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return
		}
		cmd := exec.CommandContext(ctx, "fio", all...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil && ctx.Err() == nil {
			t.Errorf("the rival ended with %v: %s", err, out)
		}
	}()
}

// occupy keeps all processors busy until the test ends.
func occupy(t testing.TB) {
	var over atomic.Bool
	t.Cleanup(func() { over.Store(true) })
	for range 2 * runtime.NumCPU() {
		go func() {
			for !over.Load() {
			}
		}()
	}
}

// otherLoad returns an environment with a fio that first changes its job by sed, so that the load
// is not the requested one.
func otherLoad(t testing.TB, change string) *env.Env {
	t.Helper()
	real, err := exec.LookPath("fio")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n[ -f job.fio ] && sed -i '" + change + "' job.fio\nexec " + real + " \"$@\"\n"
	envtest.Program(t, filepath.Join(dir, "fio"), script)
	e := env.OS()
	e.LookPath = func(name string) (string, error) {
		if name == "fio" {
			return filepath.Join(dir, name), nil
		}
		return exec.LookPath(name)
	}
	return e
}

// watchStalls counts how often this machine stalls: a thread
// sleeps 5 ms and wakes up 15 ms late. Calling count ends the watch.
func watchStalls(t testing.TB) (count func() int) {
	over, counted := make(chan struct{}), make(chan int, 1)
	end := sync.OnceFunc(func() { close(over) })
	t.Cleanup(end)
	go func() {
		n := 0
		for {
			asleep := time.Now()
			select {
			case <-over:
				counted <- n
				return
			case <-time.After(5 * time.Millisecond):
			}
			if time.Since(asleep) > 20*time.Millisecond {
				n++
			}
		}
	}()
	return func() int { end(); return <-counted }
}

// watchSteal begins to count the processor time that the hypervisor gives to other machines. excuseStolen ends a try, or skips
// the test, if a rule has found stolen time and the kernel has counted some too: a rule that made it up would still fail.
func watchSteal(t testing.TB) (excuseStolen func(o outcome)) {
	t.Helper()
	before := stealTicks()
	return func(o outcome) {
		t.Helper()
		if taken := stealTicks() - before; o.stolen(taken) {
			busy(t, "the hypervisor gave the processors to others: %d ticks of 10 ms", taken)
		}
	}
}

// stolen reports that rule cpu has found stolen time, where the kernel has counted as many ticks (of 10 ms) as the rule
// allows in a repeat of one second.
func (o outcome) stolen(ticks int) bool {
	allowed := 5 * runtime.NumCPU()
	return ticks >= allowed && slices.ContainsFunc(o.report.Findings, func(f model.Finding) bool {
		return f.Rule == "cpu" && f.Severity == model.SeverityWarning && strings.HasPrefix(f.Message, "stolen time")
	})
}

// stealTicks returns how much time the hypervisor has given to others since the machine started; 0 if the kernel does not count it.
func stealTicks() int { return processorTicks()[7] }

// processorTicks returns, in ticks of 10 ms since the machine started, the time of all processors by what they did: user, nice, system, idle, iowait,
// irq, softirq, steal. What the kernel does not count is 0.
func processorTicks() []int {
	text, _ := os.ReadFile("/proc/stat")
	all, _, _ := strings.Cut(string(text), "\n")
	ticks := make([]int, 8)
	for i, field := range strings.Fields(all) {
		if i > 0 && i <= len(ticks) {
			ticks[i-1], _ = strconv.Atoi(field)
		}
	}
	return ticks
}

// A finding of stolen time excuses nothing unless the kernel has counted it, and nothing else is an excuse.
func TestStolenTimeIsNotTakenOnTrust(t *testing.T) {
	with := func(rule, message string) (o outcome) {
		o.report.Findings = []model.Finding{{Rule: rule, Severity: model.SeverityWarning, Message: message}}
		return o
	}
	const message = "stolen time: the hypervisor gave 9 % of the CPU to others"
	for _, c := range []struct {
		o     outcome
		ticks int
		want  bool
	}{
		{with("cpu", message), 1000, true},
		{with("cpu", message), 0, false},
		{with("cpu", "the processors were busy"), 1000, false},
		{with("tail", message), 1000, false},
		{outcome{}, 1000, false},
	} {
		if got := c.o.stolen(c.ticks); got != c.want {
			t.Errorf("%+v with %d ticks: %v", c.o.report.Findings, c.ticks, got)
		}
	}
}
