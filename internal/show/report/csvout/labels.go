package csvout

import (
	"maps"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// labelColumn is what a column of a label begins with: no column of a table's own does.
const labelColumn = "label_"

// labelled are the names of the labels of any of some runs, in alphabetical order: each is a
// column behind a table's own.
func labelled(runs ...*model.RunInfo) []string {
	all := map[string]bool{}
	for _, run := range runs {
		for _, name := range run.Labels.Names() {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// runsOf are the heads of reports.
func runsOf(reports []*model.Report) (runs []*model.RunInfo) {
	for _, r := range reports {
		runs = append(runs, &r.Run)
	}
	return runs
}

// withLabels are a table's columns, and one for each label; what stands before a label's name
// tells of which side of a comparison it is.
func withLabels(columns []Column, names []string, before ...string) []Column {
	columns = slices.Clone(columns)
	for _, prefix := range before {
		for _, name := range names {
			columns = append(columns, Column{prefix + name, "the value of the label " + name + "; empty without it"})
		}
	}
	return columns
}

// labels are the cells of a run's labels.
func labels(run *model.RunInfo, names []string) []string {
	cells := make([]string, len(names))
	for i, name := range names {
		cells[i] = text(run.Labels[name])
	}
	return cells
}
