package cli

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/command"
)

// checkFields refuses an experiment that sets an option its command does not have: it would be ignored, and the
// result would not be that of the file.
func checkFields(e *env.Env, exp model.Experiment, file string) error {
	if _, known := command.OfScenario(exp.Scenario); !known {
		return nil // what cannot be measured is refused elsewhere
	}
	verb, _, err := unusedRoot(e).Find(command.Verb(exp))
	if err != nil {
		return err
	}
	for _, word := range command.Of(exp, nil, session.Applications()) {
		flag, is := strings.CutPrefix(word, "--")
		if flag, _, _ = strings.Cut(flag, "="); is && verb.Flag(flag) == nil {
			return model.RefusedError(fmt.Sprintf("%s sets what is --%s on the command line, and %s has no such option", file, flag, verb.CommandPath()),
				"remove it from the file; "+verb.CommandPath()+" --help lists the options")
		}
	}
	return nil
}
