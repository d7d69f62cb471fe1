package cli

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
)

// A disk that has lost writes is no good storage, however valid its numbers are.
func TestARunOfADiskThatLosesWrites(t *testing.T) {
	for result, want := range map[model.DurabilityResult]int{
		model.DurabilityLostWrites: exitInvalid, model.DurabilityCorrupt: exitInvalid, model.DurabilityClean: exitOK, model.DurabilityUnproven: exitOK,
	} {
		r := &model.Report{Durability: []model.Durability{{Result: result, Statement: "what it has shown"}}}
		if code := reportCode(r); code != want {
			t.Errorf("%s: exit code %d", result, code)
		}
		var out strings.Builder
		if err := text.Render(&out, r, text.Options{}); err != nil || !strings.Contains(out.String(), "durable what it has shown") {
			t.Errorf("%s: %v %s", result, err, out.String())
		}
	}
}

// A goal that cannot be decided is code 3, as the manual says, also if its number is invalid, which alone is code 5.
func TestAGoalTakesPrecedenceOverAnInvalidNumber(t *testing.T) {
	invalid := []model.Result{{Workload: "rand-read-lat", Direction: model.Read, Verdict: model.Invalid}}
	finding := []model.Finding{{Rule: "spread", Severity: model.SeverityInvalid, Results: []string{"rand-read-lat"}}}
	for outcome, want := range map[model.Outcome]int{model.Met: exitInvalid, model.Missed: exitGoal, model.Undecided: exitGoal} {
		r := &model.Report{Results: invalid, Findings: finding, Goals: []model.Goal{{Workload: "rand-read-lat", Direction: model.Read, Outcome: outcome}}}
		if code := reportCode(r); code != want {
			t.Errorf("%s: exit code %d, want %d", outcome, code, want)
		}
	}
}

// So it is among several systems, whatever their order.
func TestAGoalOfOneSystemTakesPrecedenceOverAnInvalidNumberOfAnother(t *testing.T) {
	missed := &model.Report{Goals: []model.Goal{{Outcome: model.Missed}}}
	invalid := &model.Report{Findings: []model.Finding{{Severity: model.SeverityInvalid}}}
	for _, systems := range [][]*model.Report{{missed, invalid}, {invalid, missed}} {
		if code := outcomeCode(results.Outcome{Systems: systems}); code != exitGoal {
			t.Errorf("exit code %d", code)
		}
	}
}
