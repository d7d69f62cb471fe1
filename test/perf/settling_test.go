package perf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// waited returns how long a recorded run waited for writes to drain, in seconds.
func waited(t testing.TB, dir string, r model.Report) float64 {
	t.Helper()
	rec, err := store.Read(filepath.Join(dir, r.Run.ID))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, s := range rec.Run.Steps {
		if s.Settling != nil {
			sum += s.Settling.Waited
		}
	}
	return sum
}

// There is no waiting on storage where writes leave no backlog, however noisy it is: less
// than 3 s in a run on average, and nothing is flagged.
func TestHonestStorageIsNotWaitedFor(t *testing.T) {
	const runs = 10
	for _, storage := range []string{"cv=0.10", "cv=0.06&phi=0.8", "cv=0.06&phi=0.95", "cv=0.01&repeat-cv=0.06", "cv=0.25"} {
		dir, sum := inMemory(t), 0.0
		for seed := range runs {
			r, err := report(context.Background(), dir, fmt.Sprintf("fake:?iops=20000&seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed+1), "--profile", "quick")
			if err != nil {
				t.Fatal(err)
			}
			sum += waited(t, dir, r)
			for _, f := range r.Findings {
				if f.Rule == "settled" && f.Severity != model.SeverityPassed {
					t.Errorf("%s, seed %d: %s: %s", storage, seed+1, f.Severity, f.Message)
				}
			}
		}
		if sum/runs > 3 {
			t.Errorf("%s: waited %.1f s in a run", storage, sum/runs)
		}
	}
}

// Reads measured beside writes are those of a storage that has finished writing, or suspect:
// in none of the runs are they off by more than 5 % and called valid.
func TestReadsBesideADrainingCacheAreRightOrSuspect(t *testing.T) {
	const runs, rate = 10, 2000.0
	for _, storage := range []string{"cache=3000&cv=0.01", "cache=20000&cv=0.01", "cache=20000&cv=0.05", "cache=20000&cv=0.03&phi=0.8"} {
		dir, valid := inMemory(t), 0
		for seed := range runs {
			r, err := report(context.Background(), dir, fmt.Sprintf("fake:?iops=%g&seed=%d&%s", rate, seed+1, storage), "--seed", fmt.Sprint(seed+1), "--profile", "quick")
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Results {
				if x.Workload != "rand-read-iops" {
					continue
				}
				if x.Verdict == model.Valid {
					valid++
				}
				if math.Abs(x.Value/rate-1) > 0.05 && x.Verdict == model.Valid {
					t.Errorf("%s, seed %d: %.0f/s (%v), waited %.0f s, %v", storage, seed+1, x.Value, x.RepeatValues, waited(t, dir, r), x.Findings)
				}
			}
		}
		t.Logf("%s: %d of %d valid", storage, valid, runs)
	}
}

// A cache that the first reads after a write drain slows no others: reads are right or suspect there as well.
func TestReadsBesideASmallCacheAreRightOrSuspect(t *testing.T) {
	const runs, rate = 20, 2000.0
	for _, storage := range []string{"cache=2000&cv=0.01", "cache=4000&cv=0.01"} {
		dir := inMemory(t)
		for seed := range runs {
			r, err := report(context.Background(), dir, fmt.Sprintf("fake:?iops=%g&seed=%d&%s", rate, seed+1, storage), "--seed", fmt.Sprint(seed+1), "--profile", "quick",
				"--only", "rand-read-iops,rand-write-lat")
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Results {
				if x.Direction == model.Read && x.Verdict == model.Valid && math.Abs(x.Value/rate-1) > 0.05 {
					t.Errorf("%s, seed %d: %.0f/s (%v) %v", storage, seed+1, x.Value, x.RepeatValues, x.Findings)
				}
			}
		}
	}
}

// balanced is a profile that is measured quickly.
const balanced = "name: own\nworkloads:\n" +
	"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 16, metric: iops}\n" +
	"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 64, metric: iops}\n" +
	"  - {name: large, access: seq, direction: write, block_size: 128k, depth: 16, metric: bandwidth}\n"

// drawnReport runs a profile on fake storage.
func drawnReport(t *testing.T, dir, contents, storage string, seed int) model.Report {
	t.Helper()
	profile := filepath.Join(dir, "own.yaml")
	if err := os.WriteFile(profile, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := report(context.Background(), filepath.Join(dir, "runs"), fmt.Sprintf("fake:?seed=%d&%s", seed, storage), "--seed", fmt.Sprint(seed),
		"--profile", profile, "--max-time", "40s")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Whatever honest storage is drawn, none is said to need more time for its writes: not a disk without a cache, however
// noisy, nor an array whose cache drains between two repeats, which may be as fast as it likes. Nor do the other
// findings of the rule warn of more than one in a hundred.
func TestHonestStorageIsNeverAccusedOfWriting(t *testing.T) {
	t.Parallel()
	const runs = 240
	r := rand.New(rand.NewPCG(1, 20261126))
	dir, warned := inMemory(t), 0
	for seed := range runs {
		iops := 300 * math.Exp(5*r.Float64())
		storage := fmt.Sprintf("iops=%.0f&cv=%.3f&phi=%.2f&repeat-cv=%.3f&spike=%.3f", iops, 0.3*r.Float64()*r.Float64(), 0.97*r.Float64(), 0.1*r.Float64()*r.Float64(),
			0.1*r.Float64()*r.Float64())
		if seed%2 == 1 {
			storage += fmt.Sprintf("&cache=%.0f&absorb=%.0f", iops*0.3*r.Float64(), iops*(1+20*r.Float64()))
		}
		for _, f := range drawnReport(t, dir, balanced, storage, seed+1).Findings {
			if f.Rule != "settled" || f.Severity == model.SeverityPassed || f.Severity == model.SeverityNote {
				continue
			}
			t.Logf("%s, seed %d: %s: %s", storage, seed+1, f.Severity, f.Message)
			if warned++; f.Evidence["left"] != nil {
				t.Errorf("%s, seed %d: accused: %s", storage, seed+1, f.Message)
			}
		}
	}
	if warned > runs/100 {
		t.Errorf("%d of %d are warned of", warned, runs)
	}
}

// A cache that takes longer to drain than all waits of a run hides the rate of reads from it: none is off by more than
// 5 % and called valid.
func TestReadsBesideACacheThatOutlastsTheWaits(t *testing.T) {
	t.Parallel()
	const runs = 100
	r := rand.New(rand.NewPCG(2, 20261126))
	dir, seen, suspect := inMemory(t), 0, 0
	for seed := range runs {
		iops := math.Round(300 * math.Exp(3*r.Float64()))
		storage := fmt.Sprintf("iops=%.0f&cv=%.3f&cache=%.0f&absorb=%.0f", iops, 0.03*r.Float64(), iops*20*math.Exp(4*r.Float64()), iops*(2+30*r.Float64()))
		for _, x := range drawnReport(t, dir, balanced, storage, seed+1).Results {
			if x.Workload != "reads" {
				continue
			}
			seen++
			switch {
			case x.Verdict != model.Valid:
				suspect++
			case math.Abs(x.Value/iops-1) > 0.05:
				t.Errorf("%s, seed %d: %.0f/s (%v) is called valid: %v", storage, seed+1, x.Value, x.RepeatValues, x.Findings)
			}
		}
	}
	if t.Logf("%d of %d suspect", suspect, seen); seen != runs {
		t.Errorf("%d of %d runs have a rate of reads", seen, runs)
	}
}

// noisyReaders is a profile whose reads are mostly preceded by writes.
const noisyReaders = "name: own\nworkloads:\n" +
	"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 32, metric: iops}\n" +
	"  - {name: large-writes, access: seq, direction: write, block_size: 64k, depth: 16, metric: iops}\n" +
	"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 32, metric: iops}\n" +
	"  - {name: deep-reads, access: rand, direction: read, block_size: 4k, depth: 64, metric: iops}\n"

// Noise does not pass for a cache that has drained, nor half the rate for noise: no reads are off by more than 10 %
// and called valid.
func TestNoisyReadsBesideADrainingCacheAreRightOrSuspect(t *testing.T) {
	t.Parallel()
	const runs = 60
	r := rand.New(rand.NewPCG(5, 5))
	dir := inMemory(t)
	for seed := range runs {
		iops := math.Round(300 * math.Exp(2*r.Float64()))
		storage := fmt.Sprintf("iops=%.0f&cv=%.3f&cache=%.0f&absorb=%.0f", iops, 0.1+0.2*r.Float64(), iops*(4+40*r.Float64()), iops*(3+15*r.Float64()))
		for _, x := range drawnReport(t, dir, noisyReaders, storage, seed+1).Results {
			if x.Direction == model.Read && x.Verdict == model.Valid && math.Abs(x.Value/iops-1) > 0.1 {
				t.Errorf("%s, seed %d: %s at %.0f/s (%v) is called valid: %v", storage, seed+1, x.Workload, x.Value, x.RepeatValues, x.Findings)
			}
		}
	}
}

// The long repeats of many workloads follow each other, so that those of reads may begin while the writes of others are
// still draining, and a cache that is little faster than its disk may drain during all of them: no reads are off by more
// than 10 % and called valid, nor those of a mix, nor writes by more than 30 %. A cache that absorbs less than that drains in
// the pauses.
func TestLongReadsBesideADrainingCacheAreRightOrSuspect(t *testing.T) {
	t.Parallel()
	const runs = 80
	r := rand.New(rand.NewPCG(8, 20261129))
	dir := inMemory(t)
	valid, wrong := map[model.Direction]int{}, 0
	for seed := range runs {
		iops := math.Round(300 * math.Exp(3*r.Float64()))
		absorb := 2 + 20*r.Float64()
		if seed%2 == 1 {
			absorb = 1.1 + 0.9*r.Float64()
		}
		storage := fmt.Sprintf("iops=%.0f&cv=%.3f&cache=%.0f&absorb=%.0f", iops, 0.03*r.Float64(), iops*20*math.Exp(3*r.Float64()), iops*absorb)
		report, err := report(context.Background(), dir, fmt.Sprintf("fake:?seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed+1), "--max-time", "10m")
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range report.Results {
			if x.Direction == model.Sync || x.Verdict != model.Valid {
				continue
			}
			valid[x.Direction]++
			truth, most := iops, map[model.Direction]float64{model.Read: 0.1, model.Write: 0.3}[x.Direction]
			if strings.HasSuffix(x.Workload, "-bw") {
				truth = math.Min(truth, 500<<20/float64(128<<10))
			}
			if x.Workload == "rand-mix-iops" {
				truth, most = truth*map[model.Direction]float64{model.Read: 0.7, model.Write: 0.3}[x.Direction], 0.1
			}
			if got := x.Metrics[model.IOPS].Value; math.Abs(got/truth-1) > most {
				wrong++
				t.Errorf("%s, seed %d: %s at %.0f/s (%v) is called valid: %v", storage, seed+1, x.Workload, got, x.RepeatValues, x.Findings)
			}
		}
	}
	t.Logf("%d valid results of reads and %d of writes, %d wrong", valid[model.Read], valid[model.Write], wrong)
}

// onlyWriters are profiles that do not only read: one in which each workload writes in its own way, one in which the first is slow
// because its rate is limited, one with a mix of many reads, and one that writes small blocks in order.
var onlyWriters = []string{
	"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 16, metric: iops}\n" +
		"  - {name: large, access: seq, direction: write, block_size: 128k, depth: 16, metric: iops}\n" +
		"  - {name: mix30, access: rand, direction: mixed, read_percent: 30, block_size: 4k, depth: 16, metric: iops}\n",
	"  - {name: limited, access: rand, direction: write, block_size: 4k, depth: 16, rate_iops: 100, metric: iops}\n" +
		"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 16, metric: iops}\n",
	"  - {name: mix70, access: rand, direction: mixed, read_percent: 70, block_size: 4k, depth: 32, metric: iops}\n" +
		"  - {name: huge, access: seq, direction: write, block_size: 1M, depth: 4, metric: iops}\n",
	"  - {name: log, access: seq, direction: write, block_size: 4k, depth: 16, metric: iops}\n",
}

// written is the I/Os per second that a workload of onlyWriters does of those that the storage can do.
func written(iops float64, x model.Result) float64 {
	reads := map[string]float64{"mix30": 0.3, "mix70": 0.7}[x.Workload]
	switch {
	case x.Workload == "limited":
		return 100
	case x.Workload == "large":
		return math.Min(iops, 500<<20/float64(128<<10))
	case x.Workload == "huge":
		return math.Min(iops, 500)
	case x.Direction == model.Read:
		return iops * reads
	}
	return iops * (1 - reads)
}

// Writes that a cache takes and that no read is measured beside are named by the reads at the end of the run: none is off
// by more than 30 % and called valid. Those of disks without a cache are not flagged.
func TestWritesAloneAreRightOrSuspect(t *testing.T) {
	t.Parallel()
	const runs = 240
	r := rand.New(rand.NewPCG(9, 20261129))
	dir, valid, warned := inMemory(t), 0, 0
	for seed := range runs {
		iops := math.Round(300 * math.Exp(3*r.Float64()))
		storage := fmt.Sprintf("iops=%.0f&cv=%.3f&phi=%.2f", iops, 0.1*r.Float64(), 0.9*r.Float64())
		if seed%3 > 0 {
			storage += fmt.Sprintf("&cache=%.0f&absorb=%.0f", iops*20*math.Exp(3*r.Float64()), iops*(1.5+20*r.Float64()))
		}
		profile := "name: own\nworkloads:\n" + onlyWriters[seed/3%len(onlyWriters)]
		report := drawnReport(t, dir, profile, storage, seed+1)
		for _, x := range report.Results {
			if x.Verdict != model.Valid {
				continue
			}
			valid++
			if got, truth := x.Metrics[model.IOPS].Value, written(iops, x); math.Abs(got/truth-1) > 0.3 {
				t.Errorf("%s, seed %d: %s at %.0f/s is called valid, where %.0f are true: %v", storage, seed+1, x.Workload, got, truth, x.Findings)
			}
		}
		for _, f := range report.Findings {
			if seed%3 == 0 && f.Rule == "settled" && f.Severity == model.SeverityWarning {
				warned++
				t.Logf("%s, seed %d: %s", storage, seed+1, f.Message)
			}
		}
	}
	if t.Logf("%d valid results", valid); warned > 0 || valid < runs/2 {
		t.Errorf("%d of %d disks without a cache are warned of, %d valid results", warned, runs/3, valid)
	}
}
