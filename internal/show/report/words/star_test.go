package words

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestAStarBesideANarrowIntervalIsNotAboutItsWidth(t *testing.T) {
	wide := model.Result{Estimate: model.Estimate{Value: 100, Low: 80, High: 120, Confidence: 0.95}}
	brief := model.Result{Estimate: model.Estimate{Value: 100, Low: 99, High: 101, Confidence: 0.95}}
	sound := brief
	sound.Converged = true
	const tooWide, tooBrief = "not shown to be within the ±10% that was requested", "observed too briefly to rely on this interval"
	for _, c := range []struct {
		results []model.Result
		want    string
		answer  string
	}{
		{[]model.Result{sound}, "", "Valid: 1 number, as precise as was requested; 0 checks passed."},
		{[]model.Result{sound, wide}, tooWide, "Valid, but 1 of 2 numbers is not shown to be within the ±10% that was requested; 0 checks passed."},
		{[]model.Result{brief, sound}, tooBrief, "Valid, but 1 of 2 numbers is based on too short a time to rely on the interval; 0 checks passed."},
		{[]model.Result{brief, wide}, tooWide + ", or observed too briefly to rely on it", "Valid, but 1 of 2 numbers is not shown to be within the ±10% that was requested; 0 checks passed."},
	} {
		r := &model.Report{Results: c.results}
		r.Run.Schedule.Precision = 0.1
		if got := Star(r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := Belief(r); got != c.answer {
			t.Errorf("%q, want %q", got, c.answer)
		}
	}
}
