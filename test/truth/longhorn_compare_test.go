package truth

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// The two chapters of Longhorn's own benchmark as tables with intervals: local
// storage against a volume, and two replicas against three. All disks have the
// same speed, so the answers are known: each read needs one disk, and each write needs
// all disks twice, for the data and for the revision counter.
func TestLonghornIsCompared(t *testing.T) {
	defer scheduleSubtests(t)()
	t.Run("local and three replicas", func(t *testing.T) {
		runWithRetry(t, demand{seconds: 45, slots: 4}, func(t testing.TB) {
			all := disks(t, 4, diskDelay)
			local, three := all[0], lab.Longhorn(t, 3, 64<<20, all[1:]...)
			c := compared(t, local, three.Target(), "--destroy-data-on", three.Target())
			changed(t, c, "rand-read-iops", 3, model.Better)
			changed(t, c, "rand-write-iops", 0.5, model.Worse)
			if c.Comparable {
				t.Error("a file and an NBD export pass for like things")
			}
		})
	})
	t.Run("two and three replicas", func(t *testing.T) {
		runWithRetry(t, demand{seconds: 45, slots: 4}, func(t testing.TB) {
			all := disks(t, 5, diskDelay)
			two, three := lab.Longhorn(t, 2, 64<<20, all[:2]...), lab.Longhorn(t, 3, 64<<20, all[2:]...)
			c := compared(t, two.Target(), three.Target(), "--destroy-data-on", two.Target(), "--destroy-data-on", three.Target())
			changed(t, c, "rand-read-iops", 1.5, model.Better)
			changed(t, c, "rand-write-iops", 1, model.Same, model.Unclear)
			if !c.Comparable {
				t.Errorf("two volumes of one kind pass for unlike things: %+v", c.Differences)
			}
		})
	})
}

// compared compares B with A for random reads and writes, logs the table and
// returns the saved comparison, judged again.
func compared(t testing.TB, a, b string, args ...string) model.Comparison {
	t.Helper()
	results := t.TempDir()
	o := command(t.Context(), t, append([]string{"compare", a, b, "--profile", "quick", "--only", "rand-read-iops,rand-write-iops",
		"--size", "32M", "--max-time", "32s", "--fail-on", "none", "--results", results}, args...)...)
	if o.code != 0 {
		t.Fatalf("exit code %d", o.code)
	}
	t.Log("\n" + o.stdout)
	saved, err := filepath.Glob(filepath.Join(results, "*"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("not one comparison was saved: %v, %v", saved, err)
	}
	o = command(t.Context(), t, "compare", saved[0], "--fail-on", "none", "--format", "json")
	var c model.Comparison
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
		t.Fatalf("exit code %d, and standard output is no comparison: %v\n%s", o.code, err, o.stdout)
	}
	return c
}

// changed checks a row's headline against the ratio of the devices' settings.
func changed(t testing.TB, c model.Comparison, workload string, truth float64, verdicts ...model.Change) {
	t.Helper()
	for _, row := range c.Rows {
		if row.Workload != workload || row.Metric != model.IOPS {
			continue
		}
		t.Logf("%s: %.3f times (%.3f to %.3f), set to %g: %s", workload, row.Ratio.Value, row.Ratio.Low, row.Ratio.High, truth, row.Verdict)
		if math.Abs(row.Ratio.Value/truth-1) > 0.1 || row.Ratio.High <= row.Ratio.Low {
			t.Errorf("%s: %.3f times (%.3f to %.3f) is not %g", workload, row.Ratio.Value, row.Ratio.Low, row.Ratio.High, truth)
		}
		if !slices.Contains(verdicts, row.Verdict) {
			t.Errorf("%s: %s, not one of %v", workload, row.Verdict, verdicts)
		}
		return
	}
	t.Errorf("no row for %s: %+v", workload, c.Rows)
}
