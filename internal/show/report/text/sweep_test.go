package text

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// The table of a sweep has the marks of a run's table, and explains them in the same line.
func TestATableOfASweepExplainsItsMarks(t *testing.T) {
	for name, want := range map[string][]string{
		"grid": {" ±30%* ", "\n  ✓ valid   ! suspect   * not shown to be within the ±5% that was requested\n"},
		"load": {" ±15%* ", " ±1.3% ", "\n  ✓ valid   ! suspect   * not shown to be within the ±10% that was requested\n", "  – too few independent I/Os: p99 needs 367, p99.9 3,687\n"},
	} {
		got := string(render(t, reporttest.Report(name), Options{Width: 120, Unicode: true}))
		for _, words := range want {
			if !strings.Contains(got, words) {
				t.Errorf("%s does not say %q:\n%s", name, words, got)
			}
		}
	}
	// A star or a mark of the closed loop, which is not in the table, is not explained.
	r := reporttest.Report("load")
	for i := range r.Results {
		loop := r.Results[i].Workload == model.CapacityWorkload
		r.Results[i].Converged, r.Results[i].Verdict = !loop, map[bool]model.Verdict{true: model.Suspect, false: model.Valid}[loop]
	}
	for i := range r.Sweep.Points {
		r.Sweep.Points[i].Verdict = model.Valid
	}
	if got := string(render(t, r, Options{Width: 120, Unicode: true})); strings.Contains(got, "! suspect") || strings.Contains(got, "that was requested") {
		t.Errorf("the closed loop's marks are explained:\n%s", got)
	}
}
