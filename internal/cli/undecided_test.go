package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// TestTheAdvisedComparisonDecides types the command that a comparison with unclear rows advises: it measures the workloads of
// these rows, for at most as long as it says, and decides the rows. The sides are as noisy as a cloud disk.
func TestTheAdvisedComparisonDecides(t *testing.T) {
	t.Parallel()
	compared := func(args ...string) *model.Comparison {
		t.Helper()
		e, stdout, stderr := world(append(args, "-q", "--format", "json")...)
		if code := Run(t.Context(), e); code != exitOK {
			t.Fatalf("%q: exit code %d: %s", args, code, stderr)
		}
		var c model.Comparison
		if err := json.Unmarshal(stdout.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		return &c
	}
	unclear := func(c *model.Comparison) (rows, workloads []string) {
		for _, r := range c.Rows {
			if r.Verdict == model.Unclear && r.Decidable() {
				rows = append(rows, r.Workload+" "+string(r.Direction)+" "+string(r.Metric))
				workloads = append(workloads, r.Workload)
			}
		}
		return rows, slices.Compact(workloads)
	}
	results := t.TempDir()
	a, b := "fake:?iops=1000&cv=0.05&repeat-cv=0.03", "fake:?iops=1000&cv=0.05&repeat-cv=0.03&seed=2"
	first := compared("compare", a, b, "--only", "rand-read-iops,rand-write-iops", "--margin", "2%", "--max-time", "60s", "--results", results, "--seed", "5")
	rows, workloads := unclear(first)
	if len(rows) == 0 || first.Next == "" {
		t.Fatalf("%d unclear rows, next %q: this test tests nothing", len(rows), first.Next)
	}
	args := shellWords(t, first.Next)
	if i := slices.Index(args, "--only"); len(workloads) < 2 && (i < 0 || args[i+1] != strings.Join(workloads, ",")) {
		t.Errorf("unclear are %q, and %q is advised", rows, first.Next)
	}
	second := compared(args...)
	left, _ := unclear(second)
	if len(left) > 0 || second.Next != "" {
		t.Errorf("%s\nleaves %q of %q unclear, and advises %q", first.Next, left, rows, second.Next)
	}
	if spent := second.A.MeasuredSeconds + second.B.MeasuredSeconds; spent > second.A.Schedule.MaxTime {
		t.Errorf("%s took %.0f s", first.Next, spent)
	}

	// Two runs are compared by one command, too: what changed between them is gone then.
	for _, side := range []string{a, b} {
		e, _, stderr := world("run", side, "--only", "rand-read-iops", "-q", "--max-time", "60s", "--results", results+"/apart", "--seed", "5")
		if code := Run(t.Context(), e); code != exitOK {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	saved, err := filepath.Glob(results + "/apart/*")
	if err != nil || len(saved) != 2 {
		t.Fatalf("%q, %v", saved, err)
	}
	apart := compared("compare", saved[0], saved[1], "--margin", "1%")
	args = shellWords(t, apart.Next)
	if len(args) < 3 || args[0] != "compare" || !slices.Contains(args, b) {
		t.Fatalf("rows %+v: %q is advised", apart.Rows, apart.Next)
	}
	compared(append(args, "--results", results)...)
}
