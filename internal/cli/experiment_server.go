package cli

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// namedServers refuses an existing server that only an experiment file names: a file may come
// from anywhere, and the server would receive the user's password.
func namedServers(exp model.Experiment, args []string) error {
	for _, name := range session.Targets(exp) {
		if !target.IsServer(name) || slices.Contains(args, name) {
			continue
		}
		t, err := target.ParseServer(name)
		if err != nil {
			return err
		}
		return model.RefusedError(fmt.Sprintf("the experiment measures the server %s, which would receive your password, and a file alone cannot permit that", t.URI),
			fmt.Sprintf("name it next to --%s FILE: %s", experimentFlag, safetext.ShellWord(t.URI)))
	}
	return nil
}
