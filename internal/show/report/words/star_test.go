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
	}{
		{[]model.Result{sound}, ""}, {[]model.Result{sound, wide}, tooWide}, {[]model.Result{brief, sound}, tooBrief},
		{[]model.Result{brief, wide}, tooWide + ", or observed too briefly to rely on it"},
	} {
		r := &model.Report{Results: c.results}
		r.Run.Schedule.Precision = 0.1
		if got := Star(r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
