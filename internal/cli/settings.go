package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// The configuration file, and what selects another one.
const (
	configFlag     = "config"
	configVariable = "LOADLINE_CONFIG"
	noConfig       = "none"
)

// settable are the flags that the configuration file and the environment may set.
// All others must be given on the command line: they permit damage, or run a command, or
// define what a single command is about.
var settable = []string{
	"profile", "only", "skip", "size", "seed", "check-cache", "depth", "bs", "jobs", "volumes", "workload",
	"time", "ramp-time", "precision", "max-time", "max-prefill", "repeat", "until-steady",
	"goal", "margin", "margin-p99", "fail-on", "cap", "replicas", "headroom", "survive", "within", "method",
	"results", "format", "json", "note", "label", "show", "progress", "quiet", "verbose",
	"namespace", "context", "kubeconfig", "access-mode", "node-selector", "toleration", "resources", "image", "worker-image", "pull-secret",
	"ready-within", "spread", "hold", "service-account",
}

// ownVariables are flags whose variable is read where it is needed, and names that Kubernetes
// sets in every pod for a Service called loadline (LOADLINE_PORT).
var ownVariables = []string{"image", "token", "port", "host", configFlag}

// measuringCommands are those that a value for all commands applies to. Settings for display, for
// what counts as a change and for the cluster apply to the others as well.
var measuringCommands = []string{"run", "compare", "sweep", "scale", appSection}

// configured are the commands that take values from the configuration.
var configured = append(slices.Clone(measuringCommands), "durability", "trace", "size", "import", "report", "explain", "predict", "analyze", "fetch", "serve")

// overriddenBy maps a flag to the flags that override its value from the configuration.
var overriddenBy = map[string][]string{
	"profile": {"job", "load", "clients", "threads", "connect", "script"}, "time": {"until-steady", "repeat"}, "until-steady": {"time", "ramp-time", "repeat"},
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
	case groupOf(flag) == groupSafety:
		return fmt.Sprintf("--%s permits damage or access, and can only be given on the command line", flag), "give it on the command line"
	case !slices.Contains(settable, flag):
		return fmt.Sprintf("--%s belongs to a single command and cannot have a default", flag), "give it on the command line"
	}
	return "", ""
}

// refusedValue says what is wrong with the values of a flag of a command that is not run; nil if nothing is.
func refusedValue(c *cobra.Command, flag string, values []string) error {
	f := c.Flags().Lookup(flag)
	_, list := f.Value.(pflag.SliceValue)
	if !list && f.Value.Type() != "stringToString" && len(values) != 1 {
		return fmt.Errorf("%s takes one value", flag)
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
			// The flag only checks the value's type.
			err = c.Flags().Set(flag, quoteListElement(f, v))
		}
		if err != nil {
			return badFlag(err, "")
		}
	}
	return nil
}

// quoteListElement quotes a value for Set: an element of a list may contain a comma.
func quoteListElement(f *pflag.Flag, value string) string {
	if f.Value.Type() == "stringSlice" && strings.ContainsAny(value, "\",") {
		return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return value
}

// appSection is the section of the configuration for applications; its --image is not
// the worker's image.
const appSection = "app"

// meantFor reports whether a value for all commands applies to the flag in this section.
func meantFor(flag, section string) bool {
	if flag == "image" && section == appSection {
		return false
	}
	return slices.Contains(measuringCommands, section) || slices.Contains([]string{groupOutput, groupKubernetes}, groupOf(flag)) || slices.Contains([]string{"margin", "margin-p99", "fail-on"}, flag)
}

// variableOf returns the environment variable of a flag.
func variableOf(flag string) string {
	return "LOADLINE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
