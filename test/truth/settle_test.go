package truth

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// readsBesideWrites are profiles for one device, which reads 1,000 per second whatever else is
// measured.
var readsBesideWrites = map[string]string{
	"one of each": "name: own\nworkloads:\n" +
		"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 16, metric: iops}\n" +
		"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 64, metric: iops}\n",
	"more writes than reads": "name: own\nworkloads:\n" +
		"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 64, metric: iops}\n" +
		"  - {name: large, access: seq, direction: write, block_size: 128k, depth: 16, metric: bandwidth}\n" +
		"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 16, metric: iops}\n",
}

// A disk that is still writing back its cache reads at half its speed, which is not
// its read speed.
func TestReadsBesideWritesAreThoseOfASettledDisk(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, profile := range readsBesideWrites {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{seconds: 120})
			device := lab.Backlogged(t, lab.Backlog{IOPS: 1000, Cache: 20000, Size: 128 << 20})
			o := measure(t.Context(), t, device.Target(), "--profile", ownFile(t, "own.yaml", profile), "--max-time", "40s",
				"--destroy-data-on", device.Target())
			settledOrSuspect(t, o.result(t, "reads"), 1000)
		})
	}
}

// A cache that may take longer to drain than a run waits: what was written during the rounds, or, on a slow disk, what
// the probe and the prefill wrote before the first read. Reads at half speed are not taken for the disk's.
func TestReadsBesideACacheThatOutlastsTheWait(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, c := range map[string]struct {
		iops float64
		size int64
		args []string
	}{
		"rounds":  {1000, 64 << 20, []string{"--size", "64M", "--max-time", "16s"}},
		"prefill": {50, 16 << 20, []string{"--time", "8s"}},
	} {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{seconds: 95})
			device := lab.Backlogged(t, lab.Backlog{IOPS: c.iops, Cache: 200000, Size: c.size})
			o := measure(t.Context(), t, device.Target(), append([]string{"--profile", ownFile(t, "own.yaml", readsBesideWrites["one of each"]),
				"--destroy-data-on", device.Target()}, c.args...)...)
			r := o.result(t, "reads")
			settledOrSuspect(t, r, c.iops)
			// A busy machine makes numbers suspect, too.
			if math.Abs(r.Value/c.iops-1) > 0.05 && !slices.Contains(r.Findings, "settled") {
				t.Errorf("reads are said to be %.1f/s, where %.0f/s are true, and the reason is not among %v", r.Value, c.iops, r.Findings)
			}
			for _, f := range o.report.Findings {
				if f.Rule == "settled" {
					t.Logf("%s: %s %v", f.Severity, f.Message, f.Evidence)
				}
			}
		})
	}
}

// The reads of a mix share the disk with a draining cache as well: of those that are valid, both directions together are what
// the disk does.
func TestAMixBesideWritesIsThatOfASettledDisk(t *testing.T) {
	takeSlots(t, demand{seconds: 150})
	device := lab.Backlogged(t, lab.Backlog{IOPS: 1000, Cache: 20000, Size: 128 << 20})
	o := measure(t.Context(), t, device.Target(), "--profile", ownFile(t, "own.yaml", readsBesideWrites["one of each"]+
		"  - {name: mix, access: rand, direction: mixed, read_percent: 70, block_size: 4k, depth: 16, metric: iops}\n"), "--max-time", "50s",
		"--destroy-data-on", device.Target())
	settledOrSuspect(t, o.result(t, "reads"), 1000)
	total, valid := 0.0, true
	for _, r := range o.report.Results {
		if r.Workload == "mix" {
			t.Logf("%s %s: %.0f/s, %s %v, repeats %.0f", r.Workload, r.Direction, r.Metrics[model.IOPS].Value, r.Verdict, r.Findings, r.RepeatValues)
			total, valid = total+r.Metrics[model.IOPS].Value, valid && r.Verdict == model.Valid
		}
	}
	if total == 0 || valid && math.Abs(total/1000-1) > 0.1 {
		t.Errorf("the mix is said to do %.0f/s, valid, where 1000/s are true", total)
	}
}

// Without a workload that reads, reads at the end show that a cache took the writes, and nothing is said where none did.
func TestWritesAloneAreNotThoseOfTheCache(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, c := range map[string]struct {
		cache  int
		absorb bool
	}{"a cache that is never full": {4_000_000, true}, "next to no cache": {8, false}} {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{seconds: 110})
			device := lab.Backlogged(t, lab.Backlog{IOPS: 1000, Cache: c.cache, Size: 64 << 20})
			o := measure(t.Context(), t, device.Target(), "--size", "64M", "--max-time", "24s", "--destroy-data-on", device.Target(),
				"--profile", ownFile(t, "own.yaml", "name: own\nworkloads:\n  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 8, metric: iops}\n"))
			r := o.result(t, "writes")
			settledOrSuspect(t, r, 1000)
			for _, f := range o.report.Findings {
				if f.Rule == "settled" {
					t.Logf("%s: %s %v", f.Severity, f.Message, f.Evidence)
				}
			}
			if named := slices.Contains(r.Findings, "settled"); named != c.absorb {
				t.Errorf("named by the rule: %t; %+v", named, o.report.Findings)
			}
		})
	}
}

// The same for both sides of a comparison: neither is slower because of earlier writes to it.
func TestReadsOfAComparisonAreThoseOfASettledDisk(t *testing.T) {
	runWithRetry(t, demand{seconds: 200, slots: 2}, readsOfTwoSettledDisks)
}

func readsOfTwoSettledDisks(t testing.TB) {
	backlog := lab.Backlog{IOPS: 1000, Cache: 20000, Size: 128 << 20}
	a, b := lab.Backlogged(t, backlog), lab.Backlogged(t, backlog)
	got, code := comparison(t, a.Target(), b.Target(), "--profile", ownFile(t, "own.yaml", readsBesideWrites["one of each"]), "--max-time", "100s",
		"--destroy-data-on", a.Target(), "--destroy-data-on", b.Target(), "--fail-on", "none")
	for _, f := range got.Findings {
		t.Logf("%s %s: %s", f.Severity, f.Rule, f.Message)
	}
	for _, r := range got.Rows {
		if r.Workload != "reads" || r.Metric != model.IOPS {
			continue
		}
		words := fmt.Sprintf("%.0f/s (%.0f to %.0f) against %.0f/s (%.0f to %.0f), %s, %s of %d blocks: %.2f",
			r.A.Value, r.A.Low, r.A.High, r.B.Value, r.B.Low, r.B.High, r.Verdict, r.Trust, r.Blocks, r.Changes)
		t.Log(words)
		for _, v := range []float64{r.A.Value, r.B.Value} {
			if r.Trust == model.Valid && math.Abs(v/1000-1) > 0.05 {
				t.Errorf("reads are said to be %.0f/s, valid, where 1000/s are true: %s", v, words)
			}
		}
		return
	}
	t.Fatalf("exit code %d, no row of reads: %+v", code, got.Rows)
}

// settledOrSuspect fails for a number that is called valid but off by more than 5 %.
func settledOrSuspect(t *testing.T, r model.Result, truth float64) {
	t.Helper()
	t.Logf("%s: %.0f/s (%.0f to %.0f), %s %v, repeats %.0f", r.Workload, r.Value, r.Low, r.High, r.Verdict, r.Findings, r.RepeatValues)
	if r.Verdict == model.Valid && math.Abs(r.Value/truth-1) > 0.05 {
		t.Errorf("%s are said to be %.0f/s, valid, where %.0f/s are true", r.Workload, r.Value, truth)
	}
}

// A prefill that becomes slow is ended, and the part written so far is measured.
func TestSlowPrefillsShrinkTheVolume(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, size := range map[string][]string{"automatic": nil, "asked for": {"--size", "200M"}} {
		t.Run(name, func(t *testing.T) {
			runWithRetry(t, demand{seconds: 25}, func(t testing.TB) {
				device := lab.SlowsDown(t, lab.Slowing{Budget: 250 << 20, Fast: 100e6, Slow: 5e6, Size: 256 << 20})
				if size != nil {
					// With a given size, the write speed is not probed.
					device = lab.SlowsDown(t, lab.Slowing{Budget: 50 << 20, Fast: 100e6, Slow: 5e6, Size: 256 << 20})
				}
				o := measure(t.Context(), t, device.Target(), append([]string{"--profile", "kbench", "--only", "rand-*-iops", "--max-time", "13s",
					"--max-prefill", "2s", "--destroy-data-on", device.Target()}, size...)...)
				run := o.report.Run
				if o.code != 0 || run.Prepare == nil || run.Prepare.Size == 0 {
					t.Fatalf("exit code %d, prepared %+v, findings %+v", o.code, run.Prepare, o.report.Findings)
				}
				p := run.Prepare
				if run.Volume.Size != p.Size || p.Size > 128<<20 || p.Size > p.Written || p.Proof.Checked != p.Size || p.Proof.Unwritten != 0 ||
					!strings.Contains(run.Volume.SizeReason, "the prefill was slower than expected") {
					t.Errorf("volume of %d (%s), prepared %+v", run.Volume.Size, run.Volume.SizeReason, p)
				}
				if (size != nil) != o.finding("size", model.SeverityNote) {
					t.Errorf("findings %+v", o.report.Findings)
				}
				t.Logf("%s; %+v", run.Volume.SizeReason, p)
			})
		})
	}
}
