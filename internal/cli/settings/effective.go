package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/model/suggest"
)

// Effective is the value that a flag has, and where the value comes from.
type Effective struct {
	Flag  string `json:"flag"`
	Value string `json:"value"`
	// Source is flag, environment, file or default; From is the variable, or the position in the
	// file.
	Source string `json:"source"`
	From   string `json:"from,omitempty"`
}

// Effective returns the values that the flags of a command would have. Args are the command, of
// one or two words, and its flags.
func (s *Source) Effective(root *cobra.Command, args []string) ([]Effective, error) {
	if len(args) == 0 {
		args = []string{"run"}
	}
	c, rest, err := root.Find(args)
	if err != nil || s.Section(c) == "" || !c.Runnable() {
		hint := "loadline config COMMAND, with one of " + strings.Join(Commands, ", ")
		if near := suggest.Nearest(args[0], Commands); near != "" && near != args[0] {
			hint = "loadline config " + near
		}
		return nil, model.RefusedError(fmt.Sprintf("%q is not a command that uses a configuration", args[0]), hint)
	}
	// What takes no arguments itself only groups commands.
	if subs := c.Commands(); len(subs) > 0 && c.Use == c.Name() {
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return nil, usage.UnknownCommand(c, rest[:1])
		}
		c = subs[0]
		if s.Section(c) == usage.App {
			c, _, _ = root.Find([]string{"app", session.Applications().Names()[0]})
		}
	}
	if err := c.ParseFlags(rest); err != nil {
		return nil, usage.UnknownFlag(s.e, c, err)
	}
	if err := usage.RefusedFlags(c); err != nil {
		return nil, err
	}
	typed := map[string]bool{}
	c.Flags().Visit(func(f *pflag.Flag) { typed[f.Name] = true })
	taken, err := s.apply(c, c.Flags().Args())
	if err != nil {
		return nil, err
	}
	var list []Effective
	for _, name := range flags.Names(c) {
		if !flagtable.Is(name, flagtable.Settable) {
			continue
		}
		f := c.Flags().Lookup(name)
		v := Effective{Flag: name, Value: strings.Trim(f.Value.String(), "[]"), Source: "default"}
		if i := slices.IndexFunc(taken, func(t setting) bool { return t.flag == name }); i >= 0 {
			v.Source, v.From = "file", taken[i].from
			if strings.HasPrefix(v.From, "$") {
				v.Source = "environment"
			}
		} else if typed[name] {
			v.Source = "flag"
		} else if text := s.e.Getenv(variableOf("image")); text != "" && isWorkerImage(name, s.Section(c)) {
			v.Value, v.Source, v.From = text, "environment", "$"+variableOf("image")
		}
		v.Value = secrets.MaskText(v.Value)
		list = append(list, v)
	}
	return list, nil
}
