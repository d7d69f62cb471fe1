package csvout

import (
	"io"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// ComparisonColumns are the columns of WriteComparison.
var ComparisonColumns = []Column{
	{"run_a", "the name of side A's run, the baseline"},
	{"target_a", "its target, as it was typed"},
	{"run_b", "the name of side B's run"},
	{"target_b", "its target"},
	{"workload", "the workload's name"},
	{"direction", "read, write, or sync (a flush)"},
	{"pattern", "the workload in short"},
	{"metric", "iops, bandwidth, latency (the mean) or a percentile"},
	{"unit", "of a and b: 1/s, B/s or s"},
	{"a", "A's value"}, {"a_low", "lower end of its interval; empty without one"}, {"a_high", "upper end"}, {"a_confidence", "its coverage"},
	{"b", "B's value"}, {"b_low", "lower end of its interval"}, {"b_high", "upper end"}, {"b_confidence", "its coverage"},
	{"ratio", "B as a multiple of A"}, {"ratio_low", "lower end of its interval"}, {"ratio_high", "upper end"}, {"ratio_confidence", "its coverage"},
	{"p", "two-sided p of no difference"},
	{"adjusted_p", "the same after Holm's correction"},
	{"margin", "the relative change that counts as none"},
	{"blocks", "pairs of repeats, or repeats of the side that has fewer"},
	{"verdict", "better, worse, same, unclear or unusable"},
	{"trust", "valid, suspect or invalid: the worse of the two sides"},
}

// WriteComparison writes one row for each row of the comparisons. The labels of both sides are
// additional columns at the end.
func WriteComparison(w io.Writer, comparisons ...*model.Comparison) error {
	var runs []*model.RunInfo
	for _, c := range comparisons {
		runs = append(runs, &c.A, &c.B)
	}
	names := labelled(runs...)
	t := newTable(w, withLabels(ComparisonColumns, names, labelColumn+"a_", labelColumn+"b_"))
	for _, c := range comparisons {
		sides := []string{text(c.A.ID), text(c.A.Target.Place()), text(c.B.ID), text(c.B.Target.Place())}
		for _, r := range c.Rows {
			t.row(slices.Concat(sides,
				[]string{text(r.Workload), string(r.Direction), text(r.Description), string(r.Metric), r.A.Unit},
				estimate(r.A), estimate(r.B), estimate(r.Ratio),
				[]string{number(r.P), number(r.Adjusted), number(r.Margin), count(r.Blocks), string(r.Verdict), string(r.Trust)}, labels(&c.A, names), labels(&c.B, names))...)
		}
	}
	return t.end()
}
