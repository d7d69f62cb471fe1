package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
)

// Source provides the values.
type Source struct {
	e    *env.Env
	tree func() *cobra.Command
	skip func(c *cobra.Command, section string, args []string, flag string) bool
	// file is the value of --config.
	file string
	// twin is a separate command tree, whose flags are used to check values.
	twin *cobra.Command
}

// New returns a source. Tree builds a tree of the program's commands that never runs, to check values with. Skip
// reports whether a flag's value does not apply to what a command with these arguments, whose section of the configuration
// is known, is asked to do.
func New(e *env.Env, tree func() *cobra.Command, skip func(c *cobra.Command, section string, args []string, flag string) bool) *Source {
	return &Source{e: e, tree: tree, skip: skip}
}

// scratch returns a command tree that never runs.
func (s *Source) scratch() *cobra.Command {
	if s.twin == nil {
		s.twin = s.tree()
	}
	return s.twin
}

// Flag adds the flag that names a configuration file to a command.
func (s *Source) Flag(c *cobra.Command, usage string) {
	c.Flags().StringVar(&s.file, flags.Config, "", usage)
}

// Use makes a file the configuration.
func (s *Source) Use(file string) { s.file = file }

// Register adds the flag that names a configuration file to the commands that take values from it.
func (s *Source) Register(c *cobra.Command) {
	if s.Section(c) != "" && c.Runnable() {
		s.Flag(c, "configuration `FILE` with values for flags that are not given; none: no file (default: $LOADLINE_CONFIG, else loadline/config.yaml in $XDG_CONFIG_HOME)")
	}
	for _, below := range c.Commands() {
		s.Register(below)
	}
}

// Section returns the name of a command in the configuration; "" if it takes no values from it.
// A plan command uses the section of the command that it plans, and a comparison of an application that of
// the application.
func (s *Source) Section(c *cobra.Command) string {
	words := strings.Fields(c.CommandPath())[1:]
	if len(words) > 0 && words[0] == "plan" {
		words = append(words[1:], "run")
	}
	if len(words) > 1 && words[1] == usage.App {
		words = words[1:]
	}
	if len(words) == 0 || c.Hidden || !slices.Contains(Commands, words[0]) {
		return ""
	}
	return words[0]
}

// Path returns the configuration file, and whether the user named it; "" if there is none.
func (s *Source) Path() (name string, named bool) {
	name = cmp.Or(s.file, s.e.Getenv(variable))
	switch {
	case name == NoFile:
		return "", true
	case name != "":
		return name, true
	}
	folder := s.e.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(folder) {
		home := s.e.Getenv("HOME")
		if home == "" {
			return "", false
		}
		folder = filepath.Join(home, ".config")
	}
	return filepath.Join(folder, "loadline", "config.yaml"), false
}

// Read reads the configuration file. The default file need not exist.
func (s *Source) Read() (file string, list []spec.Setting, err error) {
	return s.read("name another file with --config FILE, or use none with --config none")
}

// Check is Read for a command that takes the file as an argument.
func (s *Source) Check() (file string, list []spec.Setting, err error) {
	return s.read("name another file: loadline config check FILE")
}

// read reads the configuration file; otherwise says how to name another one.
func (s *Source) read(otherwise string) (file string, list []spec.Setting, err error) {
	file, named := s.Path()
	if file == "" {
		return "", nil, nil
	}
	data, err := s.e.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return file, nil, nil
	case errors.Is(err, fs.ErrPermission) && !named && hidden(file):
		return file, nil, nil
	case err != nil:
		return file, nil, model.RefusedError(fmt.Sprintf("the configuration %s cannot be read: %v", file, err), otherwise)
	}
	list, err = spec.ParseSettings(file, data, s.known())
	return file, list, err
}

// hidden reports whether it cannot be determined if the file exists, because its folder belongs to
// another user: HOME is then not that of the user who runs this, as under setpriv or some uses of sudo.
func hidden(file string) bool {
	_, err := os.Lstat(file)
	return errors.Is(err, fs.ErrPermission)
}

// known returns the settings that the configuration file may contain.
func (s *Source) known() spec.Settable {
	may := spec.Settable{Commands: map[string][]string{}, Check: s.check, Together: together}
	s.each(func(c *cobra.Command, section string) {
		for _, name := range flags.Names(c) {
			switch {
			case flags.GroupOf(name) == flagtable.Other:
			case !flagtable.Is(name, flagtable.Settable):
				may.Refused = append(may.Refused, name)
			default:
				may.Flags = append(may.Flags, name)
				may.Commands[section] = append(may.Commands[section], name)
			}
		}
	})
	may.Refused = append(may.Refused, flagtable.In(flagtable.Safety)...)
	slices.Sort(may.Flags)
	may.Flags = slices.Compact(may.Flags)
	for _, section := range Commands {
		if may.Commands[section] == nil {
			may.Commands[section] = []string{}
		}
	}
	return may
}

// each visits the commands that take values, except those that plan.
func (s *Source) each(visit func(c *cobra.Command, section string)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if section := s.Section(c); section != "" && c.Runnable() && c.HasParent() && !strings.Contains(c.CommandPath(), " plan") {
			visit(c, section)
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(s.scratch())
}

// check refuses an invalid value in the configuration file.
func (s *Source) check(section, flag string, values []string) (message, hint string) {
	if message, hint = refusal(flag); message != "" {
		return message, hint
	}
	taken := false
	s.each(func(c *cobra.Command, of string) {
		if (of == section || section == "" && meantFor(flag, of)) && c.Flags().Lookup(flag) != nil {
			err := usage.RefusedValue(c, flag, values)
			if taken = taken || err == nil; err != nil && (message == "" || of == measuringCommands[0]) {
				message, hint = err.Error(), usage.Hint(err)
			}
		}
	})
	if taken && flagtable.Is(flag, flagtable.OwnValues) {
		return "", ""
	}
	return message, hint
}

// together refuses --json beside another format in the same section, as the command itself does.
func together(read []spec.Setting) (refused int, message, hint string) {
	for _, section := range Commands {
		format, json := applying(read, section, "format"), applying(read, section, "json")
		if format < 0 || json < 0 || len(read[format].Values) == 0 || len(read[json].Values) == 0 {
			continue
		}
		set, _ := strconv.ParseBool(read[json].Values[0])
		if err := flags.CheckFormat(read[format].Values[0], set); err != nil {
			return max(format, json), err.Error(), usage.Hint(err)
		}
	}
	return 0, "", ""
}
