// Package settings provides the values of flags that are not typed, from the environment
// and a configuration file. Its assumptions: a flag that permits damage is only ever
// typed; a value is checked as if it had been typed, with its position in the file; and
// what was applied is printed and recorded.
package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/model/flagtable"
)

const (
	// variable names the configuration file, unless --config does.
	variable = "LOADLINE_CONFIG"
	// NoFile is the name that stands for no configuration file.
	NoFile = "none"
)

// measuringCommands are those that a value for all commands applies to. Settings for display, for
// what counts as a change and for the cluster apply to the others as well.
var measuringCommands = []string{"run", "compare", "sweep", "scale", usage.App}

// Commands are the commands that take values from the configuration.
var Commands = append(slices.Clone(measuringCommands), "durability", "trace", "size", "import", "report", "explain", "predict", "analyze", "fetch", "serve")

// setting is a flag value that does not come from the command line.
type setting struct {
	flag   string
	values []string
	// from says where the value comes from, such as "$LOADLINE_PROFILE" or a position in a file.
	from string
}

// source returns where the value comes from, without the position in a file.
func (v setting) source() string {
	if strings.HasPrefix(v.from, "$") {
		return v.from
	}
	parts := strings.Split(v.from, ":")
	return strings.Join(parts[:len(parts)-2], ":")
}

// refusal returns why a flag cannot be set outside the command line; "" if it can.
func refusal(flag string) (why, hint string) {
	switch {
	case flags.GroupOf(flag) == flagtable.Safety:
		return fmt.Sprintf("--%s permits damage or access, and can only be given on the command line", flag), "give it on the command line"
	case !flagtable.Is(flag, flagtable.Settable):
		return fmt.Sprintf("--%s belongs to a single command and cannot have a default", flag), "give it on the command line"
	}
	return "", ""
}

// meantFor reports whether a value for all commands applies to the flag in this section.
func meantFor(flag, section string) bool {
	if flag == "image" && section == usage.App {
		return false
	}
	return slices.Contains(measuringCommands, section) || slices.Contains([]string{flagtable.Output, flagtable.Kubernetes}, flags.GroupOf(flag)) || flagtable.Is(flag, flagtable.Gate)
}

// variableOf returns the environment variable of a flag.
func variableOf(flag string) string {
	return "LOADLINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
