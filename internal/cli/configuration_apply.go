package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/plan/application"
)

// values returns the settings for a command: from the environment, else from the command's
// section of the file, else from the top level of the file.
func (s *configuration) values(c *cobra.Command) ([]setting, error) {
	section := s.section(c)
	if section == "" {
		return nil, nil
	}
	file, read, err := s.read()
	if err != nil {
		return nil, err
	}
	var list []setting
	for _, name := range append(flagNames(c), groupsOfFlags[groupSafety]...) {
		v, err := s.variable(c, section, name)
		if err != nil {
			return nil, err
		}
		if v != nil {
			list = append(list, *v)
			continue
		}
		if isWorkerImage(name, section) && s.e.Getenv(variableOf("image")) != "" {
			// This variable is read where an image is needed, and has priority over the file.
			continue
		}
		found := -1
		for i, r := range read {
			if r.Flag == name && (r.Command == section || r.Command == "" && meantFor(name, section)) && (found < 0 || r.Command != "") {
				found = i
			}
		}
		// An empty list means the default, whatever the rest of the file says.
		if found >= 0 && len(read[found].Values) > 0 {
			r := read[found]
			list = append(list, setting{name, r.Values, fmt.Sprintf("%s:%d:%d", file, r.Line, r.Column)})
		}
	}
	return list, nil
}

// isWorkerImage reports whether a flag names the image that $LOADLINE_IMAGE names.
func isWorkerImage(flag, section string) bool {
	return flag == "worker-image" || flag == "image" && section != appSection
}

// variable returns the value that the environment sets for a flag, or nil. A variable that permits
// damage is refused for every command.
func (s *configuration) variable(c *cobra.Command, section, name string) (*setting, error) {
	text := s.e.Getenv(variableOf(name))
	if text == "" || slices.Contains(ownVariables, name) || groupOf(name) == groupOther {
		return nil, nil
	}
	if why, hint := refusal(name); why != "" {
		return nil, model.RefusedError(fmt.Sprintf("$%s is set: %s", variableOf(name), why), "unset "+variableOf(name)+"; "+hint)
	}
	if !meantFor(name, section) {
		return nil, nil
	}
	v := setting{name, []string{text}, "$" + variableOf(name)}
	if c.Flags().Lookup(name).Value.Type() == "stringSlice" {
		v.values = strings.Split(text, ",")
	}
	twin, _, err := s.scratch().Find(strings.Fields(c.CommandPath())[1:])
	if err == nil {
		if err := refusedValue(twin, name, v.values); err != nil {
			return nil, model.RefusedError(fmt.Sprintf("%s: %v", v.from, err), "set another value, or unset "+variableOf(name))
		}
	}
	return &v, nil
}

// apply sets the flags that were not typed to the values from the environment and the file, as if
// they had been typed, so that the recorded and the advised command include them. It returns the
// settings that it applied.
func (s *configuration) apply(c *cobra.Command, args []string) ([]setting, error) {
	values, err := s.values(c)
	if err != nil {
		return nil, err
	}
	given := c.Flags().Changed
	only := allowedFlags(c, args)
	values = slices.DeleteFunc(values, func(v setting) bool {
		return given(v.flag) || slices.ContainsFunc(overriddenBy[v.flag], given) || only != nil && !slices.Contains(only, v.flag) ||
			doesNotApply(c, s.section(c), args, v.flag)
	})
	there := func(name string) bool {
		return given(name) || slices.ContainsFunc(values, func(v setting) bool { return v.flag == name })
	}
	var taken []setting
	for _, v := range values {
		if requires[v.flag] == nil || slices.ContainsFunc(requires[v.flag], there) {
			taken = append(taken, v)
		}
	}
	for _, v := range taken {
		for _, text := range v.values {
			if err := c.Flags().Set(v.flag, quoteListElement(c.Flags().Lookup(v.flag), text)); err != nil {
				return nil, model.RefusedError(fmt.Sprintf("%s: %v", v.from, badFlag(err, "")), "loadline config check")
			}
		}
	}
	return taken, nil
}

// doesNotApply reports whether a value from the configuration does not apply to what a command is asked to do: a profile
// beside an application's load, or what is for pods if no target is in a cluster.
func doesNotApply(c *cobra.Command, section string, args []string, flag string) bool {
	given := c.Flags().Changed
	if flag == "profile" {
		return section == appSection && slices.ContainsFunc(session.Applications(), func(a application.Application) bool {
			return slices.ContainsFunc(a.Flags, func(f application.Flag) bool { return f.Load && given(f.Name) })
		})
	}
	if isForPods(c, flag) || flag == "image" && section == appSection {
		// Else the advised command, which repeats it as if it had been typed, would be refused.
		inCluster, any := targetsInCluster(c, args)
		return any && !inCluster
	}
	return false
}

// take applies the configuration to the command that is about to run, reports that, and adds the
// settings to the recorded command line.
func (s *configuration) take(c *cobra.Command, args []string) error {
	taken, err := s.apply(c, args)
	if err != nil || len(taken) == 0 {
		return err
	}
	var words, summary []string
	last := ""
	for _, v := range taken {
		for _, text := range v.values {
			words = append(words, "--"+v.flag+"="+text)
		}
		if v.source() != last {
			last = v.source()
			summary = append(summary, last+":")
		}
		summary = append(summary, safetext.ShellWord("--"+v.flag+"="+strings.Join(v.values, ",")))
	}
	at := slices.Index(s.e.Args, "--")
	if at < 0 {
		at = len(s.e.Args)
	}
	s.e.Args = slices.Concat(s.e.Args[:at], words, s.e.Args[at:])
	if quiet := c.Flags().Lookup("quiet"); quiet == nil || quiet.Value.String() != "true" {
		printLine(s.e.Stderr, "config  %s", strings.Join(summary, " "))
	}
	return nil
}

// allowedFlags returns the only flags that a command accepts if its arguments rule out all others;
// nil means all flags.
func allowedFlags(c *cobra.Command, args []string) []string {
	switch {
	case c.Flags().Changed(experimentFlag):
		return experimentFlags
	case c.Name() == "compare" && (len(args) == 1 || len(args) == 2 && store.IsRun(args[0]) && store.IsRun(args[1])):
		return gateFlagNames
	}
	return nil
}
