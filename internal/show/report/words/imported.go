package words

import (
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// imported says where imported numbers come from, and what is known about when and how they were
// measured.
func imported(run *model.RunInfo) []string {
	im := run.Imported
	parts := []string{importMark(im)}
	var formats, names []string
	for _, s := range im.Sources {
		names = append(names, s.Name)
		for _, f := range s.Formats {
			if !slices.Contains(formats, f) {
				formats = append(formats, f)
			}
		}
	}
	parts = append(parts, strings.Join(formats, ", ")+" from "+strings.Join(names, ", "))
	if im.Measured.IsZero() {
		parts = append(parts, "when it was measured is not known")
	} else {
		parts = append(parts, "measured "+When(im.Measured))
	}
	if run.Status == model.Interrupted || run.Status == model.Failed {
		parts = append(parts, string(run.Status)+Prefixed(": ", run.Reason))
	}
	return append(parts, units.FormatCount(len(run.Workloads), "workload"), Prefixed("measured in ", positiveSpan(run.MeasuredSeconds)))
}

// importMark marks a report that was converted from another tool's output.
func importMark(im *model.Import) string {
	if im.Series {
		return "imported with its seconds"
	}
	return "imported: no raw series"
}
