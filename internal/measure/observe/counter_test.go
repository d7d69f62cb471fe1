package observe

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loadline/loadline/internal/env"
)

const (
	statBefore = `cpu  100 10 50 800 40 0 0 0 30 0
cpu0 50 5 25 400 20 0 0 0 15 0
cpu1 50 5 25 400 20 0 0 0 15 0
intr 12345
`
	// In between: cpu0 was idle for 100 ticks; cpu1 was busy for 60, waited for 10, lost 20 to steal
	// and was idle for 10.
	statAfter = `cpu  150 10 60 910 50 0 0 20 80 0
cpu0 50 5 25 500 20 0 0 0 15 0
cpu1 100 5 35 410 30 0 0 20 65 0
intr 12399
`
	diskBefore = "  607892    36501 12156426   762831   151003    26833  2332104     5963        0     9664   770027 4029 6 352968 189 61578 1042\n"
	diskAfter  = "  607992    36511 12164426   762931   151053    26834  2332904     5969        0     9699   770127 4029 6 352968 189 61578 1042\n"
)

// machine returns the files of a machine with cgroup version 2; they can be changed.
func machine(stat, disk, outer, inner string) map[string]string {
	return map[string]string{
		"proc/stat": stat, "sys/class/block/vda/stat": disk,
		"proc/self/cgroup":             "0::/a/b\n",
		"proc/self/mountinfo":          "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"sys/fs/cgroup/a/cpu.stat":     outer,
		"sys/fs/cgroup/a/b/cpu.stat":   inner,
		"sys/fs/cgroup/a/b/memory.max": "max\n",
	}
}

func TestCounter(t *testing.T) {
	now := files(machine(statBefore, diskBefore, "throttled_usec 1000000\n", "usage_usec 5\nthrottled_usec 500000\n"))
	for name, f := range files(map[string]string{"proc/self/stat": "7 (a ) b) S 1 7 7 0 -1 4194304 100 200 0 0 50 20 1000 30 20 0 4 0 99\n"}) {
		now[name] = f
	}
	c := begin(env.Clock{}, now, "vda")
	after := machine(statAfter, diskAfter, "throttled_usec 1750000\n", "usage_usec 9\nthrottled_usec 600000\n")
	after["proc/self/stat"] = "7 (a ) b) S 1 7 7 0 -1 4194304 100 200 0 0 60 25 1100 35 20 0 4 0 99\n"
	for name, f := range files(after) {
		now[name] = f
	}
	got := c.End()
	want := got
	want.Idle, want.IOWait, want.Steal, want.BusiestCPU, want.Throttled = 110.0/200, 10.0/200, 20.0/200, 0.8, 0.75
	// 120 ticks of 10 ms.
	want.OwnCPU = 1.2
	want.Device, want.DeviceReads, want.DeviceWrites = "vda", 100, 50
	want.DeviceRead, want.DeviceWritten = 8000*512, 800*512
	want.ReadMerges, want.WriteMerges = 10, 1
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

// What this process computes is counted in its own time, on the machine on which the test runs.
func TestOwnCPUIsThisProcess(t *testing.T) {
	c := Begin(env.Clock{}, "")
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	before := c.before.own
	for deadline := time.Now().Add(20 * time.Second); ownTicks(text(root, "proc/self/stat")) < before+20; {
		if time.Now().After(deadline) {
			t.Fatal("20 ticks were not counted in 20 s of computing")
		}
	}
	if got := c.End().OwnCPU; got < 0.2 {
		t.Errorf("%g s", got)
	}
}

func TestCounterVersion1(t *testing.T) {
	v1 := func(ns string) map[string]string {
		return map[string]string{
			"proc/stat": statBefore, "proc/self/cgroup": "4:cpu,cpuacct:/x\n",
			"proc/self/mountinfo":          "33 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
			"sys/fs/cgroup/cpu/x/cpu.stat": "nr_periods 7\nnr_throttled 2\nthrottled_time " + ns + "\n",
		}
	}
	now := files(v1("1000000000"))
	c := begin(env.Clock{}, now, "")
	for name, f := range files(v1("3500000000")) {
		now[name] = f
	}
	if got := c.End(); got.Throttled != 2.5 || got.Device != "" || got.Idle != 0 {
		t.Errorf("%+v", got)
	}
}

func TestCounterWithoutAnything(t *testing.T) {
	c := begin(env.Clock{}, files(nil), "nosuch")
	got := c.End()
	got.Seconds = 0
	if diff := cmp.Diff(got, begin(env.Clock{}, files(nil), "").End(), cmpopts.IgnoreFields(got, "Seconds")); diff != "" || got.Device != "" {
		t.Errorf("%+v %s", got, diff)
	}
}

// TestRealCounter writes with direct I/O and checks that the kernel counted it.
func TestRealCounter(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: /proc and /sys are Linux's")
	}
	device := diskOf(t)
	c := Begin(env.Clock{}, device)
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const size = 4 << 20
	if _, err := f.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); time.Since(begun) < 50*time.Millisecond; { // keep one CPU busy
	}
	got := c.End()
	if got.Device != device || got.DeviceWritten < size || got.DeviceWrites == 0 {
		t.Errorf("4 MiB were written and synced, and the counts are %+v", got)
	}
	sum := got.Idle + got.Steal + got.IOWait
	if got.Seconds <= 0.05 || got.BusiestCPU <= 0 || got.BusiestCPU > 1 || sum < 0 || sum > 1 || math.IsNaN(sum) || got.Throttled < 0 {
		t.Errorf("%+v", got)
	}
}

// diskOf finds the disk that holds the temporary directory, by the longest mount point.
func diskOf(t *testing.T) string {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	best, device := "", ""
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); strings.HasPrefix(os.TempDir()+"/", strings.TrimSuffix(f[1], "/")+"/") && len(f[1]) >= len(best) {
			best, device = f[1], filepath.Base(f[0])
		}
	}
	if _, err := os.Stat("/sys/class/block/" + device + "/stat"); err != nil {
		t.Skipf("skipped: the temporary directory is on no disk: %v", err)
	}
	return device
}

// A device without working counters is treated as absent: its zeros prove nothing.
func TestDeviceThatDoesNotCount(t *testing.T) {
	for name, change := range map[string]func(map[string]string){
		"switched off": func(m map[string]string) { m["sys/class/block/vda/queue/iostats"] = "0\n" },
		"never counted": func(m map[string]string) {
			m["sys/class/block/vda/stat"] = "       0        0        0        0        0        0        0        0        0        0        0\n"
		},
	} {
		m := machine(statBefore, diskBefore, "", "")
		change(m)
		c := begin(env.Clock{}, files(m), "vda")
		c.Mark()
		time.Sleep(time.Millisecond)
		c.Mark()
		if got := c.End(); got.Device != "" || got.Window != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Counters that are lower than before count another device: what was done meanwhile is unknown, and not 2^64.
func TestCountersThatBeginAnew(t *testing.T) {
	now := files(machine(statBefore, diskAfter, "", ""))
	c := begin(env.Clock{}, now, "vda")
	c.Mark()
	for name, f := range files(machine(statAfter, diskBefore, "", "")) {
		now[name] = f
	}
	c.Mark()
	if got := c.End(); got.Device != "" || got.DeviceReads != 0 || got.Window != nil {
		t.Errorf("%+v", got)
	}
}
