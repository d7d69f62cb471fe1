package session

import (
	"fmt"
	"os"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/scale"
)

// ReadExperiment reads an experiment file, or the experiment in a directory of results, and returns the file that it is in.
func ReadExperiment(e *env.Env, name string) (file string, exp model.Experiment, err error) {
	var text []byte
	if info, statErr := os.Stat(name); statErr == nil && info.IsDir() {
		file, text, err = store.ReadExperiment(name)
	} else {
		file = name
		text, err = spec.Read(e.ReadFile, "--experiment", name)
	}
	if err == nil {
		exp, err = spec.ParseExperiment(file, text)
	}
	return file, exp, err
}

// ReplaceTargets replaces the experiment's targets with those that the user named, if any.
func ReplaceTargets(exp *model.Experiment, args []string) error {
	if len(args) == 0 {
		return nil
	}
	takes, one := "one TARGET", len(args) == 1
	switch {
	case exp.Scenario == profile.Comparison && len(args) == 2:
		exp.Baseline, exp.Target = args[0], args[1]
	case exp.Scenario == profile.Comparison:
		takes, one = "two targets, A and B", false
	case exp.Scenario == scale.Name && exp.Scale != nil:
		again := *exp.Scale
		again.Targets, exp.Scale, exp.Target = args[1:], &again, args[0]
	case one:
		exp.Target = args[0]
	}
	// The permission to overwrite was given for the other target.
	exp.DestroyDataOn = ""
	if one || exp.Scenario == scale.Name || exp.Scenario == profile.Comparison && len(args) == 2 {
		return nil
	}
	return fmt.Errorf("this experiment takes %s instead of its own, not %d arguments", takes, len(args))
}
