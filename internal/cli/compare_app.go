package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/plan/application"
)

// comparedFlag is the flag of compare that names an application.
const comparedFlag = "app"

// registerCompared adds it to compare. Its value is taken before the flags are parsed: the rest of the command
// line has the flags of the application's verb.
func registerCompared(cmd *cobra.Command) {
	cmd.Flags().String(comparedFlag, "", "compare this `APPLICATION` in two places instead of their storage, postgres or etcd, with its flags")
}

// comparesApplication turns compare A B --app NAME into app NAME B --baseline=A, and returns all other command lines
// as they are.
func comparesApplication(e *env.Env) ([]string, error) {
	args := e.Args
	cmd, rest, err := newRoot(e).Find(args)
	if err != nil || cmd.Name() != "compare" {
		return args, nil
	}
	name, rest, ok := takeFlag(rest, comparedFlag)
	if !ok {
		return args, nil
	}
	if _, err := application.Lookup(name); err != nil {
		return nil, err
	}
	app, _, err := newRoot(e).Find([]string{"app", name})
	if err != nil {
		return nil, err
	}
	typed := append([]string{"app", name}, rest...)
	if app.ParseFlags(rest) != nil {
		// The verb itself explains what is wrong, or is asked for help.
		return typed, nil
	}
	places := app.Flags().Args()
	if help, _ := app.Flags().GetBool("help"); help {
		return typed, nil
	}
	if app.Flags().Changed("baseline") {
		return nil, model.RefusedError("compare --app takes two places, of which the first is the baseline", "leave out --baseline")
	}
	if len(places) != 2 {
		return nil, model.RefusedError(fmt.Sprintf("compare --app takes two places, not %d", len(places)), "loadline compare A B --app "+name)
	}
	for _, p := range places {
		if store.IsRun(p) || store.IsComparison(p) {
			return nil, model.RefusedError(fmt.Sprintf("%s is a saved run: compare --app measures two places", p),
				"saved runs are compared as they are: loadline compare "+safetext.ShellWord(places[0])+" "+safetext.ShellWord(places[1]))
		}
	}
	line := []string(normalizedCommand(app, nil))
	return slices.Concat(line[1:], []string{"--baseline=" + places[0], "--", places[1]}), nil
}

// takeFlag takes a flag with a value out of a command line: its last value, and the rest.
func takeFlag(args []string, name string) (value string, rest []string, ok bool) {
	for i := 0; i < len(args); i++ {
		switch with, found := strings.CutPrefix(args[i], "--"+name+"="); {
		case args[i] == "--":
			return value, append(rest, args[i:]...), ok
		case found:
			value, ok = with, true
		case args[i] == "--"+name && i+1 < len(args):
			value, ok = args[i+1], true
			i++
		default:
			rest = append(rest, args[i])
		}
	}
	return value, rest, ok
}
