package results

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A goal is not met by a number that may be that of a cache or of burst credits; one that is missed stays missed, and what a rate
// fell to decides.
func TestGoalsAreNotMetByWhatMayNotLast(t *testing.T) {
	warning := func(rule string, evidence map[string]any) model.Finding {
		return model.Finding{Rule: rule, Severity: model.SeverityWarning, Results: []string{"w"}, Evidence: evidence, Next: "loadline run /x --until-steady"}
	}
	fell := &model.Sustained{State: model.FellUnsteady}
	for name, c := range map[string]struct {
		was       model.Outcome
		sustained *model.Sustained
		finding   model.Finding
		want      model.Outcome
	}{
		"absorbed":                 {was: model.Met, finding: warning("settled", map[string]any{"absorbed": true}), want: model.Undecided},
		"not tested long enough":   {was: model.Met, finding: warning("sustained", nil), sustained: &model.Sustained{State: model.Doubtful}, want: model.Undecided},
		"fallen":                   {was: model.Met, finding: warning("sustained", nil), sustained: fell, want: model.Met},
		"reads beside writes":      {was: model.Met, finding: warning("settled", map[string]any{"waited": 3.0}), want: model.Met},
		"wider than was asked for": {was: model.Met, finding: warning("precision", nil), want: model.Met},
		"missed":                   {was: model.Missed, finding: warning("sustained", nil), want: model.Missed},
	} {
		t.Run(name, func(t *testing.T) {
			g := model.Goal{Workload: "w", Direction: model.Write, Outcome: c.was, Message: "2k IOPS"}
			got := lasting(g, []model.Result{{Workload: "w", Direction: model.Write, Sustained: c.sustained}}, []model.Finding{c.finding})
			if got.Outcome != c.want || (got.Next == c.finding.Next) != (c.was == model.Met && c.want == model.Undecided) {
				t.Errorf("%+v, want %s", got, c.want)
			}
			if other := lasting(model.Goal{Workload: "v", Outcome: c.was}, []model.Result{{Workload: "v"}}, []model.Finding{c.finding}); other.Outcome != c.was {
				t.Errorf("a goal of another workload became %s", other.Outcome)
			}
		})
	}
}
