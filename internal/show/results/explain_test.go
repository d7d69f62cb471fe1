package results

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
)

// near fails unless a value equals the expected one, to the published digits.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A README compares two storage classes by pgbench, traces its server with its own tools, and leaves
// two questions open: why a transaction takes 2.87 ms if an I/O takes 1.31, and how Docker differs from
// Kubernetes. Both are answered by what it prints itself.
func TestExplainAPublishedComparison(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := ImportOptions{Files: []string{"../../foreign/imported/testdata/pgbench-traced.md"}, Into: dir, Same: []string{"Local-Path=Kubernetes - Local-Path provider"},
		Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now}
	if _, err := Import(o); err != nil {
		t.Fatal(err)
	}
	local, longhorn, docker := filepath.Join(dir, "local-path"), filepath.Join(dir, "longhorn"), filepath.Join(dir, "docker")
	x, remarks, err := Explain(ExplainOptions{Runs: []string{local, longhorn}})
	if err != nil || len(remarks) > 0 || len(x.Runs) != 2 {
		t.Fatalf("%v %v %+v", err, remarks, x)
	}
	budgetOf := func(side budget.Side, name string) budget.Budget {
		for _, b := range side.Budgets {
			if b.Workload == name {
				return b
			}
		}
		t.Fatalf("%s has no budget of %s: %+v", side.Target, name, side)
		return budget.Budget{}
	}
	a, b := budgetOf(x.Runs[0], "pgbench-s250-c1"), budgetOf(x.Runs[1], "pgbench")
	// 23,877 I/Os in 30 s of 348 transactions each: 2.29 I/Os × 1.307 ms are 104 % of 2.873 ms.
	io, _ := b.Row(budget.BlockIO)
	each, _ := b.Count("I/Os")
	near(t, "I/Os on Longhorn", each, 2.29, 0.005)
	near(t, "time of one", io.Seconds/each, 1.307e-3, 5e-7)
	near(t, "closure on Longhorn", b.Closure, 1.04, 0.005)
	if !b.Closes() || io.Of != "2.29 I/Os × 1.307 ms" || b.InFlight != 1 {
		t.Errorf("Longhorn: %+v", b)
	}
	// 60,748 I/Os in 54,366 transactions, which explain 46 % of their time: it does not close.
	each, _ = a.Count("I/Os")
	near(t, "I/Os on local-path", each, 1.12, 0.005)
	near(t, "closure on local-path", a.Closure, 0.46, 0.005)
	if a.Closes() || len(a.Missing) == 0 || !strings.Contains(a.Refused, "only 46 % of the 1.10 ms") {
		t.Errorf("local-path: %+v", a)
	}
	if len(x.Comparisons) != 1 {
		t.Fatalf("%d comparisons: %+v", len(x.Comparisons), x.Comparisons)
	}
	c := x.Comparisons[0]
	near(t, "how many times as long", c.Ratio, 2.60, 0.005)
	unlike := map[string]budget.CountDifference{}
	for _, u := range c.DifferentCounts {
		unlike[u.Name] = u
	}
	near(t, "pages read on Longhorn", unlike["pages read"].B, 1.2, 0.01)
	near(t, "pages read on local-path", unlike["pages read"].A, 0.44, 0.005)
	if c.Equal == nil {
		t.Fatal("nobody asks what Longhorn would do with as many I/Os")
	}
	near(t, "rate at equal I/O", c.Equal.Rate, 487, 0.5)
	near(t, "time at equal I/O", c.Equal.Seconds, 2.05e-3, 5e-6)
	for _, want := range []string{"not like for like", "it would do 487 tps and not 348 tps", "the budget of A does not close"} {
		if !strings.Contains(strings.Join(c.Says, "\n"), want) {
			t.Errorf("nobody says %q: %q", want, c.Says)
		}
	}
	// Docker against Kubernetes, with a connection for each of ten clients' transactions.
	x, _, err = Explain(ExplainOptions{Runs: []string{docker, local}, Only: []string{"pgbench-c10-connect"}})
	if err != nil || len(x.Comparisons) != 1 {
		t.Fatalf("%v %+v", err, x)
	}
	c = x.Comparisons[0]
	near(t, "Kubernetes over Docker", c.Ratio, 3.66, 0.005)
	connect := c.Changes[0]
	if connect.Part != budget.Connect {
		t.Fatalf("the first part is %+v", connect)
	}
	near(t, "connections in it", connect.Of, 3.64, 0.005)
	near(t, "of Docker's own time", *connect.A, 21.80e-3, 1e-6)
	near(t, "of Kubernetes'", *connect.B, 79.88e-3, 1e-6)
	if says := strings.Join(c.Says, "\n"); !strings.Contains(says, "3.64 are connection set-up (0.99 in A)") {
		t.Errorf("%q", says)
	}
}

func TestExplainRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := ImportOptions{Files: []string{"../../foreign/imported/testdata/pgbench-traced.md"}, Into: dir, Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now}
	if _, err := Import(o); err != nil {
		t.Fatal(err)
	}
	longhorn := filepath.Join(dir, "longhorn")
	for says, ask := range map[string]ExplainOptions{
		"holds several systems":      {Runs: []string{dir}},
		"there is no run":            {Runs: []string{filepath.Join(dir, "nothing")}},
		"are the same run":           {Runs: []string{longhorn, longhorn + "/."}},
		`did you mean "pgbench"?`:    {Runs: []string{longhorn}, Only: []string{"pgbanch"}},
		"is a file":                  {Runs: []string{filepath.Join(longhorn, "report.json")}},
		"is not a run directory: it": {Runs: []string{t.TempDir()}},
	} {
		if _, _, err := Explain(ask); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", ask.Runs, err, says)
		}
	}
}

// The length of the trace comes from the document, otherwise from the user, otherwise from the test.
func TestExplainAsksHowLongATraceWas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	files := []string{"x=../../foreign/imported/testdata/bpftrace-pgbench.txt", "x=../../foreign/imported/testdata/pgbench-excerpt.txt"}
	if _, err := Import(ImportOptions{Files: files, Into: dir, Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	x, _, err := Explain(ExplainOptions{Runs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if b := x.Runs[0].Budgets[0]; b.Closes() || len(b.Rows) > 0 || !strings.Contains(b.Missing[0].Measure, "--traced 30s") {
		t.Errorf("%+v", b)
	}
	if x, _, err = Explain(ExplainOptions{Runs: []string{dir}, TraceSeconds: 30}); err != nil {
		t.Fatal(err)
	}
	b := x.Runs[0].Budgets[0]
	near(t, "closure", b.Closure, 1.04, 0.005)
}

// A run directory may come from anywhere: targets of its links are not read.
func TestExplainFollowsNoLinkOutOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	files := []string{"../../foreign/imported/testdata/pgbench-docker.txt"}
	if _, err := Import(ImportOptions{Files: files, Into: dir, Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "trace")); err != nil {
		t.Fatal(err)
	}
	_, remarks, err := Explain(ExplainOptions{Runs: []string{dir}})
	if err != nil || len(remarks) != 1 || !strings.Contains(remarks[0], "the trace beside it cannot be used") {
		t.Errorf("%q, %v", remarks, err)
	}
}

// The report of a run contains its explanation, and that of two their comparison, for the page.
func TestReportsHoldTheBudgets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := ImportOptions{Files: []string{"../../foreign/imported/testdata/pgbench-traced.md"}, Into: dir, Same: []string{"Local-Path=Kubernetes - Local-Path provider"},
		Experiment: model.Experiment{Scenario: imported.Scenario}, Now: time.Now}
	if _, err := Import(o); err != nil {
		t.Fatal(err)
	}
	names := []string{filepath.Join(dir, "docker"), filepath.Join(dir, "local-path")}
	x, _, err := Explain(ExplainOptions{Runs: names})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(names)
	if err != nil || len(d.Reports) != 2 || len(d.Comparisons) != 1 {
		t.Fatalf("%v %+v", err, d)
	}
	written := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for i, r := range d.Reports {
		if got, want := written(r.Budgets), written(x.Runs[i].Budgets); got != want || len(r.Budgets) == 0 {
			t.Errorf("the report of %s holds\n%s\nnot\n%s", names[i], got, want)
		}
	}
	if got, want := written(d.Comparisons[0].Budgets), written(x.Comparisons); got != want || len(x.Comparisons) == 0 {
		t.Errorf("the comparison holds\n%s\nnot\n%s", got, want)
	}
}
