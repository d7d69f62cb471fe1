package text

import (
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/show/report/reporttest"
)

func TestExplanationIsATable(t *testing.T) {
	reporttest.Golden(t, "explain-100.golden", reporttest.Written(t, func(w io.Writer) error {
		return RenderExplanation(w, reporttest.Explanation(), Options{Width: 100, Unicode: true})
	}))
	reporttest.Golden(t, "explain-ascii-60.golden", reporttest.Written(t, func(w io.Writer) error {
		return RenderExplanation(w, reporttest.Explanation(), Options{Width: 60})
	}))
}

// Text from a run is displayed, never interpreted: no escape sequence in a name gets through.
func TestExplanationOfAHostileRun(t *testing.T) {
	x := reporttest.Explanation()
	const evil = "\x1b[2J\x07evil"
	x.Runs[0].Target, x.Runs[0].ID, x.Runs[1].LeftOut[0] = evil, evil, evil
	b := &x.Runs[0].Budgets[0]
	b.Workload, b.Description, b.Operation, b.SeenBy, b.Rows[0].Name, b.Rows[0].Source, b.Rows[1].Of, b.Notes[0] = evil, evil, evil, evil, evil, evil, evil, evil
	b.Counterfactuals[0].Change, b.Counterfactuals[0].Law, b.Counterfactuals[0].Assumes[0] = evil, evil, evil
	x.Comparisons[0].A, x.Comparisons[0].Says[0], x.Comparisons[0].Changes[0].Name = evil, evil, evil
	x.Runs[1].Budgets[0].Refused, x.Runs[1].Budgets[0].Missing[0].What = evil, evil
	out := string(reporttest.Written(t, func(w io.Writer) error {
		return RenderExplanation(w, x, Options{Width: 200, Unicode: true})
	}))
	if strings.ContainsAny(out, "\x1b\x07") || !strings.Contains(out, "evil") {
		t.Errorf("%q", out)
	}
}
