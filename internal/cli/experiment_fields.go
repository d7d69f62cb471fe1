package cli

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// checkFields refuses an experiment that asks for what its command has no flag for: nothing would come of
// it, and the result would not be that of the file.
func checkFields(e *env.Env, exp model.Experiment, file string) error {
	if _, known := verbs[exp.Scenario]; !known {
		return nil // what cannot be measured is refused elsewhere
	}
	if exp.Baseline != "" && !session.Paired(exp) {
		return model.RefusedError(fmt.Sprintf("%s has a baseline, which an experiment with scenario: %s does not compare with", file, exp.Scenario),
			fmt.Sprintf("write scenario: %s in the file, or remove its baseline", scenarioWithBaseline(exp)))
	}
	line := experimentCommand(exp, nil)
	verb, _, err := newRoot(e).Find(line[1:])
	if err != nil {
		return err
	}
	for _, word := range line[1:] {
		flag, is := strings.CutPrefix(word, "--")
		if flag, _, _ = strings.Cut(flag, "="); is && verb.Flag(flag) == nil {
			return model.RefusedError(fmt.Sprintf("%s asks for what --%s does, which %s does not have, so nothing would come of it", file, flag, verb.CommandPath()),
				"remove that from the file; all that can be asked for: "+verb.CommandPath()+" --help")
		}
	}
	return nil
}

// scenarioWithBaseline is the scenario that compares what this experiment measures with a baseline.
func scenarioWithBaseline(exp model.Experiment) string {
	if exp.App != nil {
		return profile.Comparison
	}
	return model.OnBaseline
}
