package csvout

import (
	"maps"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// labelColumn is the prefix of a label's column: no other column of a table has it.
const labelColumn = "label_"

// labelled returns the names of all labels of some runs, in alphabetical order: each becomes a
// column after a table's own.
func labelled(runs ...*model.RunInfo) []string {
	all := map[string]bool{}
	for _, run := range runs {
		for _, name := range run.Labels.Names() {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// runsOf returns the run information of reports.
func runsOf(reports []*model.Report) (runs []*model.RunInfo) {
	for _, r := range reports {
		runs = append(runs, &r.Run)
	}
	return runs
}

// withLabels returns a table's columns followed by one for each label; before, the prefix of a
// label's name, is the side of a comparison.
func withLabels(columns []Column, names []string, before ...string) []Column {
	columns = slices.Clone(columns)
	for _, prefix := range before {
		for _, name := range names {
			columns = append(columns, Column{prefix + name, "the value of the label " + name + "; empty without it"})
		}
	}
	return columns
}

// labels returns the cells of a run's labels.
func labels(run *model.RunInfo, names []string) []string {
	cells := make([]string, len(names))
	for i, name := range names {
		cells[i] = text(run.Labels[name])
	}
	return cells
}
