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
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// The configuration file, and what names another one.
const (
	configFlag     = "config"
	configVariable = "LOADLINE_CONFIG"
	noConfig       = "none"
)

// settable are the flags that the configuration file and the environment may give a value.
// Whatever is not here is said on the command line: it permits harm, or runs a command, or
// is what one command is about.
var settable = []string{
	"profile", "only", "skip", "size", "seed", "check-cache", "depth", "bs", "jobs", "volumes", "workload",
	"time", "ramp-time", "precision", "max-time", "max-prefill", "repeat", "until-steady",
	"goal", "margin", "margin-p99", "fail-on", "cap", "replicas", "headroom", "survive", "within", "method",
	"results", "format", "json", "note", "label", "show", "progress", "quiet", "verbose",
	"namespace", "context", "kubeconfig", "access-mode", "node-selector", "toleration", "resources", "image", "pull-secret",
	"ready-within", "spread", "hold", "service-account",
}

// ownVariables are flags whose variable is read where it is needed, and names that a cluster
// gives to variables of its own in every pod beside a Service of our name (LOADLINE_PORT).
var ownVariables = []string{"image", "token", "port", "host", "listen", configFlag}

// measuringCommands are those that a value for all commands is for. What is shown, what
// counts as a change and the cluster mean the same in the others as well.
var measuringCommands = []string{"run", "compare", "sweep", "scale", "app"}

// configured are the commands that take values from the configuration.
var configured = append(slices.Clone(measuringCommands), "durability", "trace", "size", "import", "report", "analyze", "fetch", "serve")

// yields are flags that a value from the configuration gives way to.
var yields = map[string][]string{
	"profile": {"job", "load", "clients", "threads", "connect", "script"}, "time": {"until-steady", "repeat"}, "until-steady": {"time", "ramp-time", "repeat"},
	"repeat": {"time", "until-steady"}, "format": {"output", "json"}, "json": {"output", "format"}, "results": {"run", "resume"}, "size": {"resume"},
	"depth": {"load"}, "bs": {"load"}, "jobs": {"load", "resume"}, "quiet": {"verbose"}, "verbose": {"quiet"},
}

// needs are flags of which one must be there for a value from the configuration to matter.
var needs = map[string][]string{
	"ramp-time": {"time"}, "hold": {"in-cluster"}, "service-account": {"in-cluster"}, "within": {"rebuild"}, "headroom": {"need", "needs"}, "survive": {"need", "needs"},
}

// setting is a value that a flag has from elsewhere than the command line.
type setting struct {
	flag   string
	values []string
	// from says where it is from, such as "$LOADLINE_PROFILE", or a place in a file.
	from string
}

// source is where the value is from, without the place in a file.
func (v setting) source() string {
	if strings.HasPrefix(v.from, "$") {
		return v.from
	}
	parts := strings.Split(v.from, ":")
	return strings.Join(parts[:len(parts)-2], ":")
}

// configuration is where values come from beside the command line.
type configuration struct {
	e *env.Env
	// file is that of --config.
	file string
	// twin is a tree of commands of its own, whose flags take values to try them.
	twin *cobra.Command
}

// scratch is a tree of commands that never runs.
func (s *configuration) scratch() *cobra.Command {
	if s.twin == nil {
		s.twin = newRoot(s.e)
	}
	return s.twin
}

// register gives the flag that names a file to the commands that take values from it.
func (s *configuration) register(c *cobra.Command) {
	if s.section(c) != "" && c.Runnable() {
		c.Flags().StringVar(&s.file, configFlag, "", "`FILE` of values for flags that are not given; none: no file (default: $LOADLINE_CONFIG, else loadline/config.yaml in $XDG_CONFIG_HOME)")
	}
	for _, below := range c.Commands() {
		s.register(below)
	}
}

// section is the name of a command in the configuration; "" when it takes nothing from it.
// What plans a command is that command.
func (s *configuration) section(c *cobra.Command) string {
	words := strings.Fields(c.CommandPath())[1:]
	if len(words) > 0 && words[0] == "plan" {
		words = append(words[1:], "run")
	}
	if len(words) == 0 || c.Hidden || !slices.Contains(configured, words[0]) {
		return ""
	}
	return words[0]
}

// path is the configuration file, and whether somebody named it; "" when there is none.
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

// read reads the configuration file; there need not be one that nobody named.
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
		return file, nil, model.RefusedError(fmt.Sprintf("the configuration %s cannot be read: %v", file, err), "name another with --config FILE, or none with --config none")
	}
	list, err = spec.ParseSettings(file, data, s.known())
	return file, list, err
}

// hidden reports whether nobody can tell if the file exists, because its folder is another
// user's: HOME is then not that of the user who runs this, as under setpriv or some sudo.
func hidden(file string) bool {
	_, err := os.Lstat(file)
	return errors.Is(err, fs.ErrPermission)
}

// known is what the configuration file may hold.
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

// each visits the commands that take values, but for those that plan.
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

// refusal is why a flag takes no value from elsewhere; "" when it may.
func refusal(flag string) (why, hint string) {
	switch {
	case groupOf(flag) == groupSafety:
		return fmt.Sprintf("--%s permits what cannot be undone or who may look, and only a command line says that", flag), "type it where it is meant"
	case !slices.Contains(settable, flag):
		return fmt.Sprintf("--%s is what one command is about, and has no value for all", flag), "type it where it is meant"
	}
	return "", ""
}

// check refuses a value of the configuration file.
func (s *configuration) check(section, flag string, values []string) (message, hint string) {
	if message, hint = refusal(flag); message != "" {
		return message, hint
	}
	s.each(func(c *cobra.Command, of string) {
		if message == "" && (of == section || section == "" && meantFor(flag, of)) && c.Flags().Lookup(flag) != nil {
			message = refusedValue(c, flag, values)
		}
	})
	return message, hint
}

// refusedValue is what is wrong with the values of a flag; "" when nothing is.
func refusedValue(c *cobra.Command, flag string, values []string) string {
	f := c.Flags().Lookup(flag)
	_, list := f.Value.(pflag.SliceValue)
	if !list && f.Value.Type() != "stringToString" && len(values) != 1 {
		return fmt.Sprintf("%s takes one value", flag)
	}
	for _, v := range values {
		var err error
		switch flag {
		case "precision", "margin", "margin-p99", "headroom":
			_, err = parseShare(flag, v)
		case "max-time", "max-prefill", "time", "ramp-time", "within":
			if v != "0" {
				_, err = parseSpan(flag, v)
			}
		case "size":
			_, err = units.ParseSize(v)
		case "cap":
			_, err = model.ParseCap(v)
		case "fail-on":
			err = (&gateFlags{failOn: []string{v}}).check()
		}
		if err == nil {
			// The value of a command that is never run: it knows its own type.
			err = c.Flags().Set(flag, listed(f, v))
		}
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// listed is a value as Set takes it: one of a list may hold a comma.
func listed(f *pflag.Flag, value string) string {
	if f.Value.Type() == "stringSlice" && strings.ContainsAny(value, "\",") {
		return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return value
}

// meantFor reports whether a value for all commands is meant for one.
func meantFor(flag, section string) bool {
	return slices.Contains(measuringCommands, section) || slices.Contains([]string{groupOutput, groupKubernetes}, groupOf(flag)) || slices.Contains([]string{"margin", "margin-p99", "fail-on"}, flag)
}

// variableOf is the environment variable of a flag.
func variableOf(flag string) string {
	return "LOADLINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// values are those for a command: of the environment, else of the file's part for the
// command, else of the file.
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
		if name == "image" && s.e.Getenv(variableOf(name)) != "" {
			// It is read where an image is needed, and goes before the file.
			continue
		}
		found := -1
		for i, r := range read {
			if r.Flag == name && (r.Command == section || r.Command == "" && meantFor(name, section)) && (found < 0 || r.Command != "") {
				found = i
			}
		}
		// An empty list leaves the default, whatever the rest of the file says.
		if found >= 0 && len(read[found].Values) > 0 {
			r := read[found]
			list = append(list, setting{name, r.Values, fmt.Sprintf("%s:%d:%d", file, r.Line, r.Column)})
		}
	}
	return list, nil
}

// variable is what the environment says of a flag; nil is nothing. A variable that permits
// harm is refused whatever the command.
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
		if message := refusedValue(twin, name, v.values); message != "" {
			return nil, model.RefusedError(fmt.Sprintf("%s: %s", v.from, message), "set another value, or unset "+variableOf(name))
		}
	}
	return &v, nil
}

// apply gives the flags of a command that were not typed the values that they have from
// elsewhere, as if they had been typed: what is recorded and advised holds them. It returns
// what it gave.
func (s *configuration) apply(c *cobra.Command, args []string) ([]setting, error) {
	values, err := s.values(c)
	if err != nil {
		return nil, err
	}
	given := c.Flags().Changed
	only := onlyWith(c, args)
	values = slices.DeleteFunc(values, func(v setting) bool {
		return given(v.flag) || slices.ContainsFunc(yields[v.flag], given) || only != nil && !slices.Contains(only, v.flag)
	})
	there := func(name string) bool {
		return given(name) || slices.ContainsFunc(values, func(v setting) bool { return v.flag == name })
	}
	var taken []setting
	for _, v := range values {
		if needs[v.flag] == nil || slices.ContainsFunc(needs[v.flag], there) {
			taken = append(taken, v)
		}
	}
	for _, v := range taken {
		for _, text := range v.values {
			if err := c.Flags().Set(v.flag, listed(c.Flags().Lookup(v.flag), text)); err != nil {
				return nil, model.RefusedError(fmt.Sprintf("%s: %v", v.from, err), "loadline config check")
			}
		}
	}
	return taken, nil
}

// take applies the configuration to the command that is about to run, says so, and makes it
// part of the command line that is recorded.
func (s *configuration) take(c *cobra.Command, args []string) error {
	taken, err := s.apply(c, args)
	if err != nil || len(taken) == 0 {
		return err
	}
	var words, said []string
	last := ""
	for _, v := range taken {
		for _, text := range v.values {
			words = append(words, "--"+v.flag+"="+text)
		}
		if v.source() != last {
			last = v.source()
			said = append(said, last+":")
		}
		said = append(said, safetext.ShellWord("--"+v.flag+"="+strings.Join(v.values, ",")))
	}
	at := slices.Index(s.e.Args, "--")
	if at < 0 {
		at = len(s.e.Args)
	}
	s.e.Args = slices.Concat(s.e.Args[:at], words, s.e.Args[at:])
	if quiet := c.Flags().Lookup("quiet"); quiet == nil || quiet.Value.String() != "true" {
		sayLine(s.e.Stderr, "config  %s", strings.Join(said, " "))
	}
	return nil
}

// onlyWith are the flags that a command takes at all, where what it is asked leaves no room
// for others; nil is all.
func onlyWith(c *cobra.Command, args []string) []string {
	switch {
	case c.Flags().Changed(experimentFlag):
		return besideExperiment
	case c.Name() == "compare" && (len(args) == 1 || len(args) == 2 && store.IsRun(args[0]) && store.IsRun(args[1])):
		return gateOnly
	}
	return nil
}
