package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/term"
)

// values returns the settings for a command: from the environment, else from the command's
// section of the file, else from the top level of the file.
func (s *Source) values(c *cobra.Command) ([]setting, error) {
	section := s.Section(c)
	if section == "" {
		return nil, nil
	}
	file, read, err := s.Read()
	if err != nil {
		return nil, err
	}
	var list []setting
	for _, name := range append(flags.Names(c), flagtable.In(flagtable.Safety)...) {
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
		found := applying(read, section, name)
		// An empty list means the default, whatever the rest of the file says.
		if found >= 0 && len(read[found].Values) > 0 {
			r := read[found]
			list = append(list, setting{name, r.Values, fmt.Sprintf("%s:%d:%d", file, r.Line, r.Column)})
		}
	}
	return list, nil
}

// applying returns the index of the setting in the file that applies to a flag in a command's section; -1 if none does.
func applying(read []spec.Setting, section, name string) int {
	found := -1
	for i, r := range read {
		if r.Flag == name && (r.Command == section || r.Command == "" && meantFor(name, section)) && (found < 0 || r.Command != "") {
			found = i
		}
	}
	if found >= 0 && read[found].Command == "" && overruled(read, section, name) {
		return -1
	}
	return found
}

// overruled reports whether a command's own format stands against --json for all commands, or the other way round: what is said
// of one command takes precedence.
func overruled(read []spec.Setting, section, name string) bool {
	other, counts := "format", func(string) bool { return true }
	switch name {
	case "json":
	case "format":
		other, counts = "json", func(value string) bool { set, _ := strconv.ParseBool(value); return set }
	default:
		return false
	}
	return slices.ContainsFunc(read, func(r spec.Setting) bool {
		return r.Flag == other && r.Command == section && section != "" && len(r.Values) > 0 && counts(r.Values[0])
	})
}

// isWorkerImage reports whether a flag names the image that $LOADLINE_IMAGE names.
func isWorkerImage(flag, section string) bool {
	return flag == "worker-image" || flag == "image" && section != usage.App
}

// variable returns the value that the environment sets for a flag, or nil. A variable that permits
// damage is refused for every command.
func (s *Source) variable(c *cobra.Command, section, name string) (*setting, error) {
	text := s.e.Getenv(variableOf(name))
	if text == "" || flagtable.Is(name, flagtable.OwnVariable) || flags.GroupOf(name) == flagtable.Other {
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
	refuse := func(message string) error {
		return model.RefusedError(v.from+": "+message, "set another value, or unset "+variableOf(name))
	}
	if flagtable.Is(name, flagtable.OwnValues) {
		// The variable is one for all commands.
		if message, _ := s.check("", name, v.values); message != "" {
			return nil, refuse(message)
		}
		return &v, nil
	}
	twin, _, err := s.scratch().Find(strings.Fields(c.CommandPath())[1:])
	if err == nil {
		if err := usage.RefusedValue(twin, name, v.values); err != nil {
			return nil, refuse(err.Error())
		}
	}
	return &v, nil
}

// apply sets the flags that were not typed to the values from the environment and the file, as if
// they had been typed, so that the recorded and the advised command include them. It returns the
// settings that it applied.
func (s *Source) apply(c *cobra.Command, args []string) ([]setting, error) {
	values, err := s.values(c)
	if err != nil {
		return nil, err
	}
	given := c.Flags().Changed
	values = slices.DeleteFunc(values, func(v setting) bool {
		f, _ := flagtable.Lookup(v.flag)
		return given(v.flag) || slices.ContainsFunc(f.YieldsTo, given) || s.skip(c, s.Section(c), args, v.flag)
	})
	there := func(name string) bool {
		return given(name) || slices.ContainsFunc(values, func(v setting) bool { return v.flag == name })
	}
	var taken []setting
	for _, v := range values {
		if f, _ := flagtable.Lookup(v.flag); f.Needs == nil || slices.ContainsFunc(f.Needs, there) {
			taken = append(taken, v)
		}
	}
	for _, v := range taken {
		for _, text := range v.values {
			if err := c.Flags().Set(v.flag, usage.Quoted(c.Flags().Lookup(v.flag), text)); err != nil {
				return nil, model.RefusedError(fmt.Sprintf("%s: %v", v.from, usage.BadFlag(err, "")), "loadline config check")
			}
		}
	}
	return taken, nil
}

// Take applies the configuration to the command that is about to run, reports that, and adds the
// settings to the recorded command line.
func (s *Source) Take(c *cobra.Command, args []string) error {
	taken, err := s.apply(c, args)
	if err != nil || len(taken) == 0 {
		return err
	}
	var words, summary []string
	last := ""
	for _, v := range taken {
		if v.source() != last {
			last = v.source()
			summary = append(summary, last+":")
		}
		for _, text := range v.values {
			// As it would be typed: of an element of a list, quotation marks keep a comma together.
			word := "--" + v.flag + "=" + usage.Quoted(c.Flags().Lookup(v.flag), text)
			words, summary = append(words, word), append(summary, safetext.ShellWord(word))
		}
	}
	at := slices.Index(s.e.Args, "--")
	if at < 0 {
		at = len(s.e.Args)
	}
	s.e.Args = slices.Concat(s.e.Args[:at], words, s.e.Args[at:])
	if quiet := c.Flags().Lookup("quiet"); quiet == nil || quiet.Value.String() != "true" {
		term.PrintLine(s.e.Stderr, "config  %s", strings.Join(summary, " "))
	}
	return nil
}
