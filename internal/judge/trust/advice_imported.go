package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// measured is the command that measures with Loadline what another tool measured. An imported run has
// no command that could be repeated: only the person who measured it knows its volume, the workloads
// are the other tool's, and its duration says nothing about ours. So only the options that apply to any
// measurement are kept, and no time is given.
func (ev Evidence) measured(options ...string) string {
	if ev.database() {
		return "loadline app postgres TARGET"
	}
	line := "loadline run TARGET"
	for i, o := range options {
		switch o {
		case "--size":
			line += " " + o + " " + options[i+1]
		case "--until-steady", "--check-cache":
			line += " " + o
		}
	}
	return line
}

// database reports whether all of the imported figures are transactions of a database.
func (ev Evidence) database() bool {
	return len(ev.Results) > 0 && !slices.ContainsFunc(ev.Results, func(r model.Result) bool { return r.Metric != model.Transactions })
}

// measureAgain is the advice for an imported result that cannot be checked.
func (ev Evidence) measureAgain() string { return "measure it with Loadline: " + ev.measured() }

// repaired is the advice for failed repeats of the named workloads: remove the cause and run them
// again. Only the owner of the storage can do so for an imported test.
func (ev Evidence) repaired(names []string) string {
	if ev.Recorded.Imported != nil {
		return "the tool's own output is in the run's raw/ folder; run the test again where it was measured, and import the new output"
	}
	return "fix the cause (the tool's own output is in the run's raw/ folder), then " + ev.command(ev.only(names))
}
