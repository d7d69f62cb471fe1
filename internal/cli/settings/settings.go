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

// Settable are the flags that the configuration file and the environment may set.
// All others must be given on the command line: they permit damage, or run a command, or
// define what a single command is about.
var Settable = []string{
	"profile", "only", "skip", "size", "seed", "check-cache", "depth", "bs", "jobs", "volumes", "workload",
	"time", "ramp-time", "precision", "max-time", "max-prefill", "repeat", "until-steady",
	"goal", "margin", "margin-p99", "fail-on", "cap", "replicas", "headroom", "survive", "within", "method",
	"results", "format", "json", "note", "label", "show", "progress", "quiet", "verbose",
	"namespace", "context", "kubeconfig", "access-mode", "node-selector", "toleration", "resources", "image", "worker-image", "pull-secret",
	"ready-within", "spread", "hold", "service-account",
}

// ownVariables are flags whose variable is read where it is needed, and names that Kubernetes
// sets in every pod for a Service called loadline (LOADLINE_PORT).
var ownVariables = []string{"image", "token", "port", "host", flags.Config}

// measuringCommands are those that a value for all commands applies to. Settings for display, for
// what counts as a change and for the cluster apply to the others as well.
var measuringCommands = []string{"run", "compare", "sweep", "scale", usage.App}

// Commands are the commands that take values from the configuration.
var Commands = append(slices.Clone(measuringCommands), "durability", "trace", "size", "import", "report", "explain", "predict", "analyze", "fetch", "serve")

// overriddenBy maps a flag to the flags that override its value from the configuration in every command. (Which flags
// define an application's load, and so override a profile, the application says: see Source.skip.)
var overriddenBy = map[string][]string{
	"profile": {"job"}, "time": {"until-steady", "repeat"}, "until-steady": {"time", "ramp-time", "repeat"},
	"repeat": {"time", "until-steady"}, "format": {"output", "json"}, "json": {"output", "format"}, "results": {"run", "resume"}, "size": {"resume"},
	"depth": {"load"}, "bs": {"load"}, "jobs": {"load", "resume"}, "quiet": {"verbose"}, "verbose": {"quiet"},
}

// requires maps a flag to those of which one must be given for a value from the configuration to matter.
var requires = map[string][]string{
	"ramp-time": {"time"}, "hold": {"in-cluster"}, "service-account": {"in-cluster"}, "within": {"rebuild"}, "headroom": {"need", "needs"}, "survive": {"need", "needs"},
}

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
	case !slices.Contains(Settable, flag):
		return fmt.Sprintf("--%s belongs to a single command and cannot have a default", flag), "give it on the command line"
	}
	return "", ""
}

// meantFor reports whether a value for all commands applies to the flag in this section.
func meantFor(flag, section string) bool {
	if flag == "image" && section == usage.App {
		return false
	}
	return slices.Contains(measuringCommands, section) || slices.Contains([]string{flagtable.Output, flagtable.Kubernetes}, flags.GroupOf(flag)) || slices.Contains([]string{"margin", "margin-p99", "fail-on"}, flag)
}

// variableOf returns the environment variable of a flag.
func variableOf(flag string) string {
	return "LOADLINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
