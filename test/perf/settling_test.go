package perf

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
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
		dir, sum := t.TempDir(), 0.0
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
		dir, valid := t.TempDir(), 0
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
