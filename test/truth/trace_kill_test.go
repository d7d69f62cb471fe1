package truth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// inKernel counts our objects in the kernel: programs and maps.
func inKernel(t testing.TB) (n int) {
	t.Helper()
	for id := ebpf.ProgramID(0); ; {
		next, err := ebpf.ProgramGetNextID(id)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			lab.Unavailable(t, "the kernel's programs cannot be listed: %v", err)
		}
		id = next
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // it has gone in the meantime
		}
		if info, err := p.Info(); err == nil && strings.HasPrefix(info.Name, "loadline_") {
			n++
		}
		p.Close()
	}
	for id := ebpf.MapID(0); ; {
		next, err := ebpf.MapGetNextID(id)
		if err != nil {
			return n
		}
		id = next
		m, err := ebpf.NewMapFromID(id)
		if err != nil {
			continue
		}
		if info, err := m.Info(); err == nil && strings.HasPrefix(info.Name, "loadline_") {
			n++
		}
		m.Close()
	}
}

// A killed trace leaves nothing in the kernel, and what it had saved can be
// read.
func TestATraceThatIsKilledLeavesNothing(t *testing.T) {
	dev := lab.LoopOnMemory(t, 64<<20)
	results := t.TempDir()
	cmd := exec.Command("/proc/self/exe", "trace", "--time", "0", "--device", dev, "--results", results)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	deadline := time.Now().Add(time.Minute)
	for len(glob(filepath.Join(results, "*", "trace.json"))) == 0 {
		select {
		case err := <-gone:
			lab.Unavailable(t, "the kernel cannot be traced here: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("the trace did not begin")
		}
	}
	if inKernel(t) == 0 {
		t.Fatal("a running trace has no program in the kernel: this test looks at the wrong ones")
	}
	lab.Fio(t, lab.At(dev, 64<<20), lab.Job{Time: 4 * time.Second})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-gone
	left := 1
	for until := time.Now().Add(30 * time.Second); left > 0 && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		left = inKernel(t)
	}
	if left > 0 {
		t.Errorf("%d programs and maps are left in the kernel", left)
	}
	if pinned, _ := filepath.Glob("/sys/fs/bpf/*loadline*"); len(pinned) > 0 {
		t.Errorf("pinned: %v", pinned)
	}
	dir := filepath.Dir(glob(filepath.Join(results, "*", "trace.json"))[0])
	o := command(t.Context(), t, "analyze", dir)
	if o.code != 0 || !strings.Contains(o.stdout, "interrupted") || !strings.Contains(o.stdout, "fio") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.json")); err != nil {
		t.Error(err)
	}
}

// A trace during a run is saved with it, and has seen at least what the run measured.
func TestTraceBesideARun(t *testing.T) {
	dev := lab.LoopOnMemory(t, 64<<20)
	results := t.TempDir()
	o := command(t.Context(), t, "run", dev, "--profile", "kbench", "--only", "rand-read-iops", "--max-time", "6s", "--trace", "--format", "json", "--results", results)
	if o.code != 0 && o.code != 5 {
		t.Fatalf("exit code %d", o.code)
	}
	dirs := glob(filepath.Join(results, "*", "trace"))
	if len(dirs) != 1 || !strings.Contains(o.stderr, "loadline report") {
		t.Fatalf("the trace is in %v", dirs)
	}
	again := command(t.Context(), t, "report", dirs[0], "--format", "json")
	var report iotrace.Report
	var run model.Report
	if err := errors.Join(json.Unmarshal([]byte(again.stdout), &report), json.Unmarshal([]byte(o.stdout), &run)); err != nil {
		t.Fatal(err)
	}
	if report.Run.Method != iotrace.ByBPF {
		lab.Unavailable(t, "the kernel cannot be traced here: %v", report.Run.Limitations)
	}
	var measured float64
	for _, r := range run.Results {
		measured += r.Metrics[model.IOPS].Value * r.Seconds
	}
	if got := float64(ios(report, filepath.Base(dev), iotrace.Read, byFio)); measured == 0 || got < 0.97*measured {
		t.Errorf("%.0f reads of fio were traced, and %.0f were measured", got, measured)
	}
	// What cannot be traced is refused before any I/O.
	for _, args := range [][]string{{"run", dev, "--trace", "--hosts", "a"}, {"run", dev, "--trace", "--baseline", dev}, {"run", "sc:x", "--trace"}} {
		if o := command(t.Context(), t, append(args, "--results", results)...); o.code != 2 {
			t.Errorf("%v: exit code %d", args, o.code)
		}
	}
}

// A device that has no requests is traced by its bios, and the trace says so.
func TestTraceOfADeviceWithoutRequests(t *testing.T) {
	dev := lab.Zram(t, 64<<20)
	const wanted = 5000
	r := traceWhile(t, func() {
		for _, pattern := range []string{"randwrite", "randread"} {
			lab.Fio(t, lab.At(dev, 64<<20), lab.Job{Pattern: pattern,
				Options: []string{"--ramp_time=0", "--time_based=0", "--runtime=0", "--io_size=1G", fmt.Sprintf("--number_ios=%d", wanted)}})
		}
	}, "--device", dev)
	d := traced(t, r)
	if !d.Stacked {
		t.Error("it is said to have requests")
	}
	name := filepath.Base(dev)
	for _, op := range []iotrace.Operation{iotrace.Read, iotrace.Write} {
		if got := ios(r, name, op, byFio); got < wanted*999/1000 || got > wanted {
			t.Errorf("%d of op %s, fio did %d", got, op, wanted)
		}
	}
	// Whether zram has counters depends on the kernel. Without them the rule does not pass.
	checked := d.Counters != nil
	if checked && (d.Unseen == nil || *d.Unseen > 0.001 || *d.Unseen < 0) {
		t.Errorf("unseen: %v of %+v", d.Unseen, *d.Counters)
	}
	for _, f := range r.Findings {
		if f.Rule == "unseen" && (f.Severity == model.SeverityPassed) != checked {
			t.Errorf("its counters are there: %v, and %s: %s", checked, f.Severity, f.Message)
		}
	}
}
