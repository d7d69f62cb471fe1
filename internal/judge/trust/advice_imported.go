package trust

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// measured is the command that measures with Loadline what another tool measured. What was
// imported has no command that could be repeated: whose volume it was is known to who
// measured it, the workloads are the other tool's, and how long they took there says nothing
// of how long ours take. So of the options only those stay that say how to measure anything,
// and no time is given.
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

// measureAgain is what to do about what cannot be checked in an imported result.
func (ev Evidence) measureAgain() string { return "measure it with Loadline: " + ev.measured() }

// repaired is what to do about repeats of the named workloads that went wrong: remove the
// cause, and run them again. Of an imported test only who has that storage can do so.
func (ev Evidence) repaired(names []string) string {
	if ev.Recorded.Imported != nil {
		return "the tool's own output is in the run's raw/ folder; run the test again where it was measured, and import the new output"
	}
	return "fix the cause (the tool's own output is in the run's raw/ folder), then " + ev.command(ev.only(names))
}
