package words

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Repeated findings are shown once, with everything they apply to; notes are shown only on request.
func TestFootnotesWithoutDuplicates(t *testing.T) {
	r := &model.Report{Results: []model.Result{{Workload: "a"}, {Workload: "b"}, {Workload: "c"}}, Findings: []model.Finding{
		{Rule: "tail", Severity: model.SeverityNote, Results: []string{"c"}, Message: "latency spikes", Next: "loadline run ."},
		{Rule: "size", Severity: model.SeverityWarning, Results: []string{"a"}, Message: "may re-read", Next: "loadline run ."},
		{Rule: "size", Severity: model.SeverityWarning, Results: []string{"b"}, Message: "may re-read", Next: "loadline run ."},
		{Rule: "cpu", Severity: model.SeverityInvalid, Results: []string{"a"}, Message: "saturated", Next: "loadline run ."},
		{Rule: "cache", Severity: model.SeverityNotChecked, Message: "no points"},
	}}
	brief, all := FootnotesOf(r, false), FootnotesOf(r, true)
	if len(brief) != 2 || len(all) != 3 || Unsaid(r.Findings) != 2 {
		t.Fatalf("brief %+v, all %+v, unsaid %d", brief, all, Unsaid(r.Findings))
	}
	if brief[0].Rule != "cpu" || brief[0].Next == "" || brief[1].Next != "" {
		t.Errorf("worst first, and what comes next once: %+v", brief)
	}
	if got := brief.Of("b"); len(got) != 1 || got[0] != 2 {
		t.Errorf("b has footnotes %v", got)
	}
	if got := brief.Of("c"); len(got) != 0 {
		t.Errorf("c has footnotes %v, whose notes nobody asked for", got)
	}
	if len(r.Findings[1].Results) != 1 {
		t.Errorf("the report was changed: %+v", r.Findings[1])
	}
}

// A burst is told in a brief report, too: it is what a short test would have measured.
func TestABurstIsTold(t *testing.T) {
	burst := model.Finding{Rule: "sustained", Severity: model.SeverityNote, Message: "burst: w does 3.00k IOPS"}
	other := model.Finding{Rule: "merge", Severity: model.SeverityNote, Message: "merged"}
	list := []model.Finding{burst, other}
	if got := Readable(list, false); len(got) != 1 || got[0].Message != burst.Message {
		t.Errorf("%+v", got)
	}
	if n := Unsaid(list); n != 1 {
		t.Errorf("%d are left out, want the other note", n)
	}
}
