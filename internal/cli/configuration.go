package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// configuration provides flag values from sources other than the command line.
type configuration struct {
	e *env.Env
	// file is the value of --config.
	file string
	// twin is a separate command tree, whose flags are used to check values.
	twin *cobra.Command
}

// scratch returns a command tree that never runs.
func (s *configuration) scratch() *cobra.Command {
	if s.twin == nil {
		s.twin = unusedRoot(s.e)
	}
	return s.twin
}

// unusedRoot returns a command tree to look up commands and flags in. It has an environment of its own: flags set their
// defaults in it, and values that were typed must stay.
func unusedRoot(e *env.Env) *cobra.Command {
	other := *e
	return newRoot(&other)
}

// register adds the flag that names a configuration file to the commands that take values from it.
func (s *configuration) register(c *cobra.Command) {
	if s.section(c) != "" && c.Runnable() {
		c.Flags().StringVar(&s.file, configFlag, "", "configuration `FILE` with values for flags that are not given; none: no file (default: $LOADLINE_CONFIG, else loadline/config.yaml in $XDG_CONFIG_HOME)")
	}
	for _, below := range c.Commands() {
		s.register(below)
	}
}

// section returns the name of a command in the configuration; "" if it takes no values from it.
// A plan command uses the section of the command that it plans, and a comparison of an application that of
// the application.
func (s *configuration) section(c *cobra.Command) string {
	words := strings.Fields(c.CommandPath())[1:]
	if len(words) > 0 && words[0] == "plan" {
		words = append(words[1:], "run")
	}
	if len(words) > 1 && words[1] == appSection {
		words = words[1:]
	}
	if len(words) == 0 || c.Hidden || !slices.Contains(configured, words[0]) {
		return ""
	}
	return words[0]
}

// path returns the configuration file, and whether the user named it; "" if there is none.
func (s *configuration) path() (name string, named bool) {
	name = cmp.Or(s.file, s.e.Getenv(configVariable))
	switch {
	case name == noConfig:
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

// read reads the configuration file. The default file need not exist.
func (s *configuration) read() (file string, list []spec.Setting, err error) {
	file, named := s.path()
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
		return file, nil, model.RefusedError(fmt.Sprintf("the configuration %s cannot be read: %v", file, err), "name another file with --config FILE, or use none with --config none")
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
func (s *configuration) known() spec.Settable {
	may := spec.Settable{Commands: map[string][]string{}, Check: s.check}
	s.each(func(c *cobra.Command, section string) {
		for _, name := range flagNames(c) {
			switch {
			case groupOf(name) == groupOther:
			case !slices.Contains(settable, name):
				may.Refused = append(may.Refused, name)
			default:
				may.Flags = append(may.Flags, name)
				may.Commands[section] = append(may.Commands[section], name)
			}
		}
	})
	may.Refused = append(may.Refused, groupsOfFlags[groupSafety]...)
	slices.Sort(may.Flags)
	may.Flags = slices.Compact(may.Flags)
	for _, section := range configured {
		if may.Commands[section] == nil {
			may.Commands[section] = []string{}
		}
	}
	return may
}

// each visits the commands that take values, except those that plan.
func (s *configuration) each(visit func(c *cobra.Command, section string)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if section := s.section(c); section != "" && c.Runnable() && c.HasParent() && !strings.Contains(c.CommandPath(), " plan") {
			visit(c, section)
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(s.scratch())
}

// check refuses an invalid value in the configuration file.
func (s *configuration) check(section, flag string, values []string) (message, hint string) {
	if message, hint = refusal(flag); message != "" {
		return message, hint
	}
	s.each(func(c *cobra.Command, of string) {
		if message == "" && (of == section || section == "" && meantFor(flag, of)) && c.Flags().Lookup(flag) != nil {
			if err := refusedValue(c, flag, values); err != nil {
				message = err.Error()
			}
		}
	})
	return message, hint
}
