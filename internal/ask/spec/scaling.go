package spec

import (
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

var scalingFields = []string{"volumes", "workload", "rate", "targets"}

// scale returns the numbers of volumes on which to run a workload at once; nil if the field is absent.
func (o *object) scale(field string) *model.ScaleRequest {
	if !o.has(field) {
		return nil
	}
	s := o.object(field, "a scaling experiment", scalingFields)
	s.require("volumes", "such as [1, 3, 6]")
	s.require("workload", "the name of a workload of the profile")
	return &model.ScaleRequest{Volumes: s.wholes("volumes"), Workload: s.text("workload"), Rate: s.wholeRate("rate"), Targets: s.texts("targets")}
}

// formatScale formats what scale parses.
func formatScale(r *model.ScaleRequest) any {
	if r == nil {
		return nil
	}
	return []pair{
		{"volumes", formatWholes(r.Volumes)}, {"workload", r.Workload}, {"rate", formatNumber(r.Rate)}, {"targets", list(r.Targets)},
	}
}

// formatNumber formats a positive number exactly; 0 is omitted.
func formatNumber(v float64) any {
	if v == 0 {
		return nil
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
