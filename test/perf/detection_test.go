package perf

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/model"
)

// simulatedFault is a fault that a fake device can have as well as a real one.
type simulatedFault struct {
	rule     string
	severity model.Severity
	what     string
	// target is the parameters of the fake, without its seed.
	target string
	args   []string
}

// simulatedFaults returns faults that are found from the samples and the plan. Rules that examine
// a machine are tested on real devices (test/truth).
func simulatedFaults(rated string) []simulatedFault {
	const noise = "cv=0.03&phi=0.5"
	one := func(args ...string) []string {
		return append([]string{"--profile", "kbench", "--only", "rand-read-iops"}, args...)
	}
	onto := func(only string, args ...string) []string {
		return append([]string{"--profile", "kbench", "--only", only, "--baseline", "fake:?iops=3000&seed=77&" + noise, "--max-time", "60s"}, args...)
	}
	return []simulatedFault{
		{"errors", model.SeverityInvalid, "an I/O error after 5 s", "iops=3000&fail-after=5&" + noise, one()},
		{"size", model.SeverityWarning, "64 MiB at 80 MiB/s", "iops=20000&" + noise, one("--size", "64M")},
		{"rate", model.SeverityWarning, "2,000 of a device of 1,000", "iops=1000&" + noise, []string{"--profile", rated}},
		{"cap", model.SeverityNote, "a device at its limit", "iops=3000&cv=0.01", one("--cap", "iops=3000", "--precision", "1%")},
		{"cap", model.SeverityWarning, "a device of twice its limit", "iops=3000&" + noise, one("--cap", "iops=1500")},
		{"precision", model.SeverityWarning, "noise of 40 % in a short run", "iops=3000&repeat-cv=0.4", one("--max-time", "12s")},
		{"tail", model.SeverityNote, "stalls in one second of twelve", "iops=3000&cv=0.01&spike=0.083&spike-level=0.3", one("--time", "90s")},
		{"warm-up", model.SeverityWarning, "15 s to warm up, in one repeat", "iops=3000&warm-up=15&" + noise, one("--time", "120s", "--ramp-time", "1s")},
		{"warm-up", model.SeverityNote, "30 s to warm up, until steady", "iops=3000&warm-up=30&" + noise, one("--until-steady")},
		{"warm-up", model.SeverityNote, "60 s to warm up, until steady", "iops=3000&warm-up=60&" + noise, one("--until-steady")},
		{"warm-up", model.SeverityWarning, "4 s to warm up, in a repeat of 20 s", "iops=3000&warm-up=4&" + noise, one("--time", "20s", "--ramp-time", "1s")},
		{"burst", model.SeverityWarning, "credit for 20 s, in one repeat", "iops=300&burst=3000&credit=54000&cv=0.01", one("--time", "60s", "--ramp-time", "1s")},
		{"burst", model.SeverityWarning, "credit for 10 s, in rounds", "iops=300&burst=3000&credit=27000&cv=0.01", one("--max-time", "24s")},
		{"burst", model.SeverityWarning, "credit for 8 s, in a repeat of 20 s", "iops=300&burst=3000&credit=21600&cv=0.01", one("--time", "20s")},
		{"sustained", model.SeverityNote, "credit for 6 s of writes that refills while others read", "iops=500&burst=2000&credit=9000&refill=500&cv=0.01",
			[]string{"--profile", "quick"}},
		{"sustained", model.SeverityNote, "the same with noise of 10 % in the burst", "iops=500&burst=2000&credit=9000&refill=500&cv=0.015&repeat-cv=0.05",
			[]string{"--profile", "kbench"}},
		{"cliff", model.SeverityWarning, "a fall to half with noise of 8 %", "iops=3000&burst=6000&credit=90000&cv=0.08", one("--time", "90s", "--ramp-time", "1s")},
		{"cliff", model.SeverityWarning, "a fall to half after 9 s with noise of 8 %, in a repeat of 20 s", "iops=3000&burst=6000&credit=30000&cv=0.08", one("--time", "20s", "--ramp-time", "1s")},
		{"modes", model.SeverityWarning, "two seconds of five at 60 %", "iops=3000&cv=0.03&spike=0.4&spike-level=0.6", one("--time", "60s")},
		{"drift", model.SeverityWarning, "10 % slower in each minute", "iops=3000&drift=-0.1&cv=0.02", one("--time", "120s", "--ramp-time", "1s")},
		{"drift", model.SeverityWarning, "the same, in rounds", "iops=3000&drift=-0.1&cv=0.02", one("--repeat", "24")},
		{"faster-reads", model.SeverityInvalid, "a third faster than the disk below", "iops=4000&" + noise, onto("rand-read-lat", "--replicas", "1")},
		{"faster-reads", model.SeverityWarning, "the same with unknown replicas", "iops=4000&" + noise, onto("rand-read-lat")},
		{"faster-writes", model.SeverityInvalid, "a fifth faster than the disk below", "iops=3600&" + noise, onto("rand-write-iops")},
		{"above-disks", model.SeverityWarning, "2.5 disks' reads from two", "iops=7500&" + noise, onto("rand-read-iops", "--replicas", "2")},
	}
}

// detections counts the runs in which the rule fired as it should.
func (f simulatedFault) detections(t testing.TB, runs int) int {
	dir, err := os.MkdirTemp("", "loadline-perf-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	found := 0
	for seed := range runs {
		args := append([]string{fmt.Sprintf("fake:?%s&seed=%d", f.target, seed+1), "--seed", fmt.Sprint(seed + 1)}, f.args...)
		r, err := report(context.Background(), dir, args...)
		if err != nil {
			t.Error(err)
			return found
		}
		for _, finding := range r.Findings {
			if finding.Rule == f.rule && finding.Severity == f.severity {
				found++
				break
			}
		}
	}
	return found
}

// detectAll tests all simulated faults and returns how often each was found.
func detectAll(t testing.TB, runs int) ([]simulatedFault, []int) {
	t.Helper()
	dir, err := os.MkdirTemp("", "loadline-perf-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rated := filepath.Join(dir, "rated.yaml")
	profile := "name: rated\nworkloads:\n  - {name: rated, access: rand, direction: read, block_size: 4k, depth: 16, rate_iops: 2000, metric: iops}\n"
	if err := os.WriteFile(rated, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	faults := simulatedFaults(rated)
	found := make([]int, len(faults))
	concurrently(len(faults), func(i int) { found[i] = faults[i].detections(t, runs) })
	return faults, found
}

// BenchmarkDetection prints how often each simulated fault is found. 59 of 59
// means, at 95 % confidence, that at most one in twenty is missed.
func BenchmarkDetection(b *testing.B) {
	const runs = 59
	for range b.N {
		w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintf(w, "\nsimulated faults\tfault\tfound as\tof %d\n", runs)
		faults, found := detectAll(b, runs)
		for i, f := range faults {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\n", f.rule, f.what, f.severity, found[i])
		}
		w.Flush()
	}
}

// TestSimulatedFaultsAreFound guards the figures of BenchmarkDetection.
func TestSimulatedFaultsAreFound(t *testing.T) {
	faults, found := detectAll(t, 3)
	for i, f := range faults {
		if found[i] < 3 {
			t.Errorf("%s, %s: found in %d of 3 runs", f.rule, f.what, found[i])
		}
	}
}

// TestCleanRunsAreRarelyAccused guards the figures of BenchmarkFalseAlarms.
func TestCleanRunsAreRarelyAccused(t *testing.T) {
	flagged, runs := 0, 0
	for _, s := range cleanStorages() {
		n, byRule := tallyAlarms(t, s, []string{"--profile", "quick"}, 4)
		flagged, runs = flagged+n, runs+4
		if n > 0 {
			t.Logf("%s: %v", s, byRule)
		}
	}
	if flagged > 4 {
		t.Errorf("%d of %d clean runs are flagged", flagged, runs)
	}
}
