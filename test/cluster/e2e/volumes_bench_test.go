package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	manyVolumes = 51
	manyRate    = 20
)

// BenchmarkManyVolumes loads 51 volumes at 20 I/Os per second each, on three disks that
// do 1,000 each, and prints what that costs: the driver, the agents, the time until the
// first sample compared with "kubectl apply" of the same pods, and the end compared with "kubectl
// delete". "make perf" runs it; docs/performance.md has the figures.
func BenchmarkManyVolumes(b *testing.B) {
	ns, again := namespace(b, "many", "restricted"), namespace(b, "same", "restricted")
	m := measureMany(b, ns)
	ready, deleted := applySame(b, again, strings.ReplaceAll(m.manifest, `"namespace":"`+ns+`"`, `"namespace":"`+again+`"`))
	b.Logf("%d volumes at %d/s each: %s", manyVolumes, manyRate, m.held)
	b.Logf("driver: %.0f MiB at most, %.1f %% of a core while it measures; agents: %.1f MiB at most, %.2f %% of a core each",
		m.driverMemory, 100*m.driverCPU, m.agentMemory, 100*m.agentCPU)
	b.Logf("first sample after %.1f s (all pods run after %.1f s, the volumes are written for %.1f s, the plan is made after %.1f s, the first repeat begins %.1f s later), kubectl apply until Ready %.1f s; teardown %.1f s, kubectl delete %.1f s",
		m.first, m.running, m.filling, m.planned, m.repeat, ready, m.end, deleted)
	b.ReportMetric(m.driverMemory, "MiB-driver")
	b.ReportMetric(100*m.driverCPU, "%core-driver")
	b.ReportMetric(m.agentMemory, "MiB-agent")
	b.ReportMetric(m.first-ready, "s-more-to-first-sample")
	b.ReportMetric(m.filling, "s-of-it-writing")
	b.ReportMetric(m.end/deleted, "teardown/kubectl-delete")
	b.ReportMetric(0, "ns/op")
}

// manyCosts is what one run of loadline scale used. Times are in seconds, memory in MiB,
// processor use in cores.
type manyCosts struct {
	held                                           string
	running, filling, planned, repeat, first, end  float64
	driverMemory, driverCPU, agentMemory, agentCPU float64
	// manifest is that of its pods and claims.
	manifest string
}

func measureMany(b *testing.B, ns string) (m manyCosts) {
	b.Helper()
	results := b.TempDir()
	cmd := command(b.Context(), b, ns, "", "scale", "sc:csi?size=64Mi", "--volumes", strconv.Itoa(manyVolumes), "--rate", strconv.Itoa(manyRate),
		"--size", "16MiB", "--max-time", "40s", "--format", "json", "--results", results)
	var stdout bytes.Buffer
	progress := &logged{}
	cmd.Stdout, cmd.Stderr = &stdout, progress
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	b.Cleanup(func() { _ = cmd.Process.Kill() })

	var firstCPU, lastCPU, agentFirst, agentLast float64
	var firstAt, lastAt, fewer time.Time
	var err error
	for waiting := true; waiting; {
		select {
		case err = <-done:
			waiting = false
		// Scanning all processes takes processor time itself.
		case <-time.After(500 * time.Millisecond):
			agents := processes("loadline-agent\x00--run-id")
			if len(agents) == manyVolumes && m.running == 0 {
				m.running = time.Since(begin).Seconds()
			}
			if len(agents) < manyVolumes && !firstAt.IsZero() && fewer.IsZero() && strings.Contains(progress.String(), "repeat 3 ") {
				fewer = time.Now()
			}
			if !strings.Contains(progress.String(), "repeat 1 ") || len(agents) < manyVolumes {
				continue
			}
			driver := cmd.Process.Pid
			m.driverMemory = max(m.driverMemory, peak(driver))
			lastAt, lastCPU, agentLast = time.Now(), cpuTime(driver), 0
			for _, a := range agents {
				m.agentMemory = max(m.agentMemory, peak(a))
				agentLast += cpuTime(a)
			}
			if firstAt.IsZero() {
				firstAt, firstCPU, agentFirst = lastAt, lastCPU, agentLast
				m.manifest = manifestOf(b, ns)
			}
		}
	}
	if code := codeOf(b, err); code != 0 && code != 5 {
		b.Fatalf("exit code %d: %s", code, progress)
	}
	if span := lastAt.Sub(firstAt).Seconds(); span > 0 {
		m.driverCPU, m.agentCPU = (lastCPU-firstCPU)/span, (agentLast-agentFirst)/span/manyVolumes
	}
	if !fewer.IsZero() {
		m.end = time.Since(fewer).Seconds()
	}
	var planned time.Time
	planned, m.repeat, m.first, m.filling = firstSample(b, results)
	m.planned = planned.Sub(begin).Seconds()
	m.first += m.planned + m.repeat
	m.held = heldWords(b, stdout.Bytes())
	return m
}

// firstSample returns when the plan was made, how many seconds later the first repeat began, how
// many more it took until its first measured second was over, and for how many seconds
// the volumes were prefilled.
func firstSample(b *testing.B, results string) (planned time.Time, repeat, first, filling float64) {
	b.Helper()
	plans, _ := filepath.Glob(filepath.Join(results, "*", "plan.json"))
	if len(plans) != 1 {
		b.Fatalf("run directories: %v", plans)
	}
	// The plan is written when the run begins.
	info, err := os.Stat(plans[0])
	if err != nil {
		b.Fatal(err)
	}
	var run struct {
		Prepare struct{ Seconds float64 }
		Steps   []struct {
			Started float64
			Step    struct{ Ramp float64 }
		}
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(plans[0]), "run.json"))
	if err != nil || json.Unmarshal(data, &run) != nil || len(run.Steps) == 0 {
		b.Fatalf("no steps: %v", err)
	}
	return info.ModTime(), run.Steps[0].Started, run.Steps[0].Step.Ramp + 1, run.Prepare.Seconds
}

// heldWords compares the total with the requested rate, and adds the findings of the rules.
func heldWords(b *testing.B, document []byte) string {
	b.Helper()
	var r struct {
		Scales []struct {
			Points []struct {
				Total   struct{ Estimate, Low, High float64 }
				Verdict string
			}
		}
		Findings []struct{ Rule, Severity, Message string }
	}
	if err := json.Unmarshal(document, &r); err != nil || len(r.Scales) == 0 || len(r.Scales[0].Points) == 0 {
		b.Fatalf("no total: %v", err)
	}
	p := r.Scales[0].Points[0]
	words := fmt.Sprintf("%.1f/s (%.1f to %.1f) of %d/s, %s", p.Total.Estimate, p.Total.Low, p.Total.High, manyVolumes*manyRate, p.Verdict)
	for _, f := range r.Findings {
		if f.Rule == "rate" || f.Severity == "invalid" || f.Severity == "warning" {
			words += "; " + f.Rule + ": " + f.Message
		}
	}
	return words
}

// manifestOf returns a manifest for the same pods and claims.
func manifestOf(b *testing.B, ns string) string {
	b.Helper()
	var list map[string]any
	if err := json.Unmarshal([]byte(kubectl(b, "get", "pods,pvc", "-n", ns, "-l", "loadline/run", "-o", "json")), &list); err != nil {
		b.Fatal(err)
	}
	for _, item := range list["items"].([]any) {
		o := item.(map[string]any)
		meta, spec := o["metadata"].(map[string]any), o["spec"].(map[string]any)
		o["metadata"] = map[string]any{"name": meta["name"], "namespace": meta["namespace"], "labels": meta["labels"]}
		delete(o, "status")
		delete(spec, "nodeName")
		delete(spec, "volumeName")
	}
	data, err := json.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// applySame returns how long kubectl needs for the same pods: until all are Ready, and until
// all, with their claims and volumes, are gone.
func applySame(b *testing.B, ns, manifest string) (ready, deleted float64) {
	b.Helper()
	begin := time.Now()
	kubectlIn(b, manifest, "apply", "-f", "-")
	kubectl(b, "wait", "pods", "--all", "-n", ns, "--for=condition=Ready", "--timeout=180s")
	ready = time.Since(begin).Seconds()
	volumes := strings.Fields(kubectl(b, "get", "pvc", "-n", ns, "-o", "jsonpath={.items[*].spec.volumeName}"))
	begin = time.Now()
	kubectlIn(b, manifest, "delete", "-f", "-")
	kubectl(b, append([]string{"wait", "--for=delete", "--timeout=180s"}, prefixed("pv/", volumes)...)...)
	return ready, time.Since(begin).Seconds()
}

func prefixed(prefix string, list []string) (out []string) {
	for _, s := range list {
		out = append(out, prefix+s)
	}
	return out
}

// processes returns the PIDs of processes whose command line has this beginning.
func processes(begin string) (found []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		if text, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(text), begin) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// peak returns the peak resident memory of a process, in MiB.
func peak(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseFloat(f[1], 64)
			return kib / 1024
		}
	}
	return 0
}

// cpuTime returns the processor time that a process has used, in seconds: clock ticks of 10 ms.
func cpuTime(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := bytes.Cut(text, []byte(") "))
	f := strings.Fields(string(after))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100
}
