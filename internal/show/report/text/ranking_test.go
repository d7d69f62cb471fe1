package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Where the table does not fit, each row of the list keeps the mark of its note, and a test of one system is called
// what it is.
func TestAListOfTestsHasItsNotes(t *testing.T) {
	about := func(system int, v float64) model.RankEntry {
		return model.RankEntry{System: system, First: 1, Last: 2, Estimate: model.Estimate{Unit: "1/s", Value: v}, Trust: model.Valid}
	}
	k := &model.Ranking{Systems: []model.RankedSystem{{Name: strings.Repeat("long ", 8) + "one"}, {Name: strings.Repeat("long ", 8) + "two"}},
		Rows: []model.RankRow{
			{Group: "FIO", Workload: "a", Direction: model.Read, Metric: model.IOPS, Verdict: model.Unclear, Reason: "too alike", Entries: []model.RankEntry{about(0, 100), about(1, 101)}},
			{Group: "FIO", Workload: "b", Direction: model.Read, Metric: model.IOPS, Verdict: model.Unusable, Reason: "one alone", Entries: []model.RankEntry{about(0, 100)}},
		}}
	for _, width := range []int{60, 200} {
		p := newPage(Options{Width: width, Unicode: true})
		p.ranking(&model.Report{Ranking: k})
		var b bytes.Buffer
		if err := p.flush(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"unclear ¹", "only one system ²", "too alike"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("at %d columns nothing says %q:\n%s", width, want, b.String())
			}
		}
	}
}
