package csvout

import (
	"io"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// ComparisonColumns are the columns of WriteComparison.
var ComparisonColumns = []Column{
	{"target_a", "side A, the baseline, as it was typed"},
	{"target_b", "side B"},
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
	{"blocks", "pairs of visits, or visits of the side that has fewer"},
	{"verdict", "better, worse, same, unclear or unusable"},
	{"trust", "valid, suspect or invalid: the worse of the two sides"},
}

// WriteComparison writes one row for each row of a comparison.
func WriteComparison(w io.Writer, c *model.Comparison) error {
	t := newTable(w, ComparisonColumns)
	for _, r := range c.Rows {
		t.row(slices.Concat(
			[]string{text(c.A.Target.Name), text(c.B.Target.Name), text(r.Workload), string(r.Direction), text(r.Description), string(r.Metric), r.A.Unit},
			estimate(r.A), estimate(r.B), estimate(r.Ratio),
			[]string{number(r.P), number(r.Adjusted), number(r.Margin), count(r.Blocks), string(r.Verdict), string(r.Trust)})...)
	}
	return t.end()
}
