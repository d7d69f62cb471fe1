package truth

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// A driver that polls keeps processors busy and slows nothing down: with little idle time, a latency for
// which fio never waited for a processor is not invalid. The warning says whose time it is.
func TestAPollingDriverIsNotAccused(t *testing.T) {
	lab.Need(t, "fio")
	device := lab.Delayed(t, 100*time.Millisecond, 100*time.Millisecond)
	// Two thirds of the processors' time, most of it by processes that never sleep.
	share := 0.66 * float64(runtime.NumCPU())
	for cpu := range int(share) {
		spin(t, cpu, 0)
	}
	spinPartly(t, share-float64(int(share)))
	for range 3 {
		before := processorTicks()
		o := measure(t.Context(), t, device.Target(), readLatency...)
		left := idleSince(before)
		f := cpuFinding(o)
		switch r := o.result(t, "rand-read-lat"); {
		case f.Severity == model.SeverityWarning && r.Verdict == model.Suspect && o.code != 5:
			t.Log(f.Message)
			return
		case f.Severity == model.SeverityInvalid && left < 0.25:
			// Without others a third is idle. With them fio may begin so late that its waiting is not known.
			t.Logf("others left %.2f of the processors idle by the kernel's count: %s", left, f.Message)
		default:
			t.Fatalf("exit code %d, verdict %s of %v, the rule cpu: %s: %s", o.code, r.Verdict, r.Findings, f.Severity, f.Message)
		}
	}
	busy(t, "other programs fill the processors of this machine")
}

// Without any idle time a latency is invalid, whatever the priority of the programs that took it.
func TestFilledProcessorsAreNamed(t *testing.T) {
	lab.Need(t, "fio")
	for name, priority := range map[string]int{"the same priority": 0, "a higher priority": -5} {
		t.Run(name, func(t *testing.T) {
			device := lab.Delayed(t, time.Millisecond, time.Millisecond)
			for cpu := range runtime.NumCPU() {
				spin(t, cpu, priority)
			}
			o := measure(t.Context(), t, device.Target(), readLatency...)
			f := cpuFinding(o)
			if r := o.result(t, "rand-read-lat"); f.Severity != model.SeverityInvalid || r.Verdict != model.Invalid || o.code != 5 {
				t.Errorf("exit code %d, verdict %s of %v, the rule cpu: %s: %s", o.code, r.Verdict, r.Findings, f.Severity, f.Message)
			}
			t.Log(f.Message)
		})
	}
}

var readLatency = []string{"--profile", "kbench", "--only", "rand-read-lat", "--size", "64M", "--max-time", "6s"}

// cpuFinding returns what the rule cpu found.
func cpuFinding(o outcome) model.Finding {
	for _, f := range o.report.Findings {
		if f.Rule == "cpu" {
			return f
		}
	}
	return model.Finding{}
}

// idleSince returns the share of the processors' time that was idle since the ticks were read.
func idleSince(before []int) float64 {
	idle, all := 0, 0
	for i, ticks := range processorTicks() {
		all += ticks - before[i]
		if i == 3 || i == 4 {
			idle += ticks - before[i]
		}
	}
	return float64(idle) / float64(max(1, all))
}

// spin starts a process that keeps a processor busy until the test ends, at a priority relative to ours.
func spin(t *testing.T, cpu, priority int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	process, err := daemon.Launch(env.OS().Clock, cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-process.End })
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(cmd.Process.Pid, &set); err != nil {
		lab.Unavailable(t, "processor %d of this machine is not ours: %v", cpu, err)
	}
	if priority == 0 {
		return
	}
	// The system call returns 20 less the priority.
	own, err := unix.Getpriority(unix.PRIO_PROCESS, os.Getpid())
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, 20-own+priority)
	}
	if err != nil {
		lab.Unavailable(t, "this user may not raise a priority: %v", err)
	}
}

// spinPartly keeps a share of one processor busy until the test ends.
func spinPartly(t *testing.T, share float64) {
	const cycle = 10 * time.Millisecond
	over := make(chan struct{})
	var ended sync.WaitGroup
	t.Cleanup(func() { close(over); ended.Wait() })
	ended.Go(func() {
		for next := time.Now(); ; next = next.Add(cycle) {
			for time.Since(next) < time.Duration(share*float64(cycle)) {
			}
			select {
			case <-over:
				return
			case <-time.After(time.Until(next.Add(cycle))):
			}
		}
	})
}
