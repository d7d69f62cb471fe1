package session

import (
	"path/filepath"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// repeatable is what is saved of an experiment: what was asked for, so that it can be asked for again, from anywhere.
func repeatable(exp model.Experiment) model.Experiment {
	exp = anywhere(exp)
	switch {
	case exp.App == nil && exp.Scenario == profile.Comparison:
		// Its goals are those of the profile, which brings them again: the command has no option for any.
		exp.Goals = nil
	case exp.App != nil && exp.App.Fit != "":
		// The scale was chosen by the memory that was there.
		app := *exp.App
		app.Scale = 0
		exp.App = &app
	}
	return exp
}

// anywhere makes an experiment independent of the working directory: paths such as "." or "data" become
// absolute. Targets on another host or in a cluster are already independent of it.
func anywhere(exp model.Experiment) model.Experiment {
	if len(exp.Place.Hosts) > 0 {
		return exp
	}
	placed := func(name string) string {
		if name == "" {
			return ""
		}
		t, err := ParseNew(name, true)
		if err != nil {
			return name
		}
		return t.InCommand()
	}
	exp.Target, exp.Baseline, exp.DestroyDataOn = placed(exp.Target), placed(exp.Baseline), placed(exp.DestroyDataOn)
	if exp.Scale != nil {
		scale := *exp.Scale
		scale.Targets = slices.Clone(scale.Targets)
		for i, name := range scale.Targets {
			scale.Targets[i] = placed(name)
		}
		exp.Scale = &scale
	}
	if exp.App != nil {
		app := *exp.App
		app.Log, app.BaselineLog = placed(app.Log), placed(app.BaselineLog)
		if full, err := filepath.Abs(app.Program); err == nil && app.Program != "" {
			// It is a path in any case, never a name to look up in PATH.
			app.Program = full
		}
		exp.App = &app
	}
	return exp
}
