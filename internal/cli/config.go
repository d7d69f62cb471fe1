package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/show/report/term"
)

// effective is the value that a flag has, and where the value comes from.
type effective struct {
	Flag  string `json:"flag"`
	Value string `json:"value"`
	// Source is flag, environment, file or default; From is the variable, or the position in the
	// file.
	Source string `json:"source"`
	From   string `json:"from,omitempty"`
}

func newConfig(e *env.Env, s *configuration) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "config [COMMAND [FLAG…]]",
		Short: "Show the value of each configurable flag and where it comes from",
		Long: `Shows the value of every configurable flag of a command (default: run), and where it
comes from: the flag itself, if it is written after COMMAND, a variable such as
$LOADLINE_PRECISION, the configuration file, or the default.

The file is --config FILE, else $LOADLINE_CONFIG, else loadline/config.yaml in
$XDG_CONFIG_HOME (~/.config); "none" means no file. It contains names of flags with
values, and under "commands:" those for one command. Flags that permit damage cannot be set
in a file or a variable: --destroy-data-on, --create, --force and similar ones
(docs/configuration.md).

Exit codes: 0 success; 1 failed; 2 refused: the file or a variable is wrong, with its position.`,
		Example: `  loadline config
  loadline config compare --margin 3%`,
		ValidArgs: configured,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := s.effective(cmd.Root(), args)
			if err != nil {
				return err
			}
			if output.name() == "json" {
				enc := json.NewEncoder(term.Raw(e.Stdout))
				enc.SetIndent("", "  ")
				return enc.Encode(list)
			}
			return printEffective(e, list)
		},
	}
	// Flags after COMMAND belong to COMMAND.
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&s.file, configFlag, "", "`FILE` to read instead")
	registerOutput(e, cmd, &output, textOrJSON...)
	cmd.AddCommand(newConfigPath(e, s), newConfigCheck(e, s))
	return cmd
}

func newConfigPath(e *env.Env, s *configuration) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file, whether or not it exists",
		Long: `Prints the path of the configuration file, whether or not it exists.

Exit codes: 0 success; 2 there is no location for one.`,
		Example: `  loadline config path`,
		Args:    exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			file, _ := s.path()
			if file == "" {
				return model.RefusedError("there is no location for a configuration file: neither $XDG_CONFIG_HOME nor $HOME is set, or $LOADLINE_CONFIG is none", "name a file with --config FILE")
			}
			printLine(e.Stdout, "%s", file)
			return nil
		},
	}
}

func newConfigCheck(e *env.Env, s *configuration) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the configuration file",
		Long: `Reads the configuration file, or FILE, and shows its first error, with its position.

Exit codes: 0 no errors, or there is no file; 2 there is an error.`,
		Example: `  loadline config check`,
		Args:    atMost("one FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				s.file = args[0]
			}
			file, list, err := s.read()
			switch {
			case err != nil:
				return err
			case file == "":
				printLine(e.Stdout, "no configuration file is used")
			case len(list) == 0:
				printLine(e.Stdout, "nothing is set in %s, or there is no such file", file)
			default:
				printLine(e.Stdout, "%s: fine, %d set", file, len(list))
			}
			return nil
		},
	}
}

// effective returns the values that the flags of a command would have. Args are the command, of
// one or two words, and its flags.
func (s *configuration) effective(root *cobra.Command, args []string) ([]effective, error) {
	if len(args) == 0 {
		args = []string{"run"}
	}
	c, rest, err := root.Find(args)
	if err != nil || s.section(c) == "" || !c.Runnable() {
		hint := "loadline config COMMAND, with one of " + strings.Join(configured, ", ")
		if near := suggest.Nearest(args[0], configured); near != "" && near != args[0] {
			hint = "loadline config " + near
		}
		return nil, model.RefusedError(fmt.Sprintf("%q is not a command that uses a configuration", args[0]), hint)
	}
	if c.Name() == "app" {
		c, _, _ = root.Find([]string{"app", session.Applications().Names()[0]})
	}
	if err := c.ParseFlags(rest); err != nil {
		return nil, unknownFlag(s.e, c, err)
	}
	typed := map[string]bool{}
	c.Flags().Visit(func(f *pflag.Flag) { typed[f.Name] = true })
	taken, err := s.apply(c, c.Flags().Args())
	if err != nil {
		return nil, err
	}
	var list []effective
	for _, name := range flagNames(c) {
		if !slices.Contains(settable, name) {
			continue
		}
		f := c.Flags().Lookup(name)
		v := effective{Flag: name, Value: strings.Trim(f.Value.String(), "[]"), Source: "default"}
		if i := slices.IndexFunc(taken, func(t setting) bool { return t.flag == name }); i >= 0 {
			v.Source, v.From = "file", taken[i].from
			if strings.HasPrefix(v.From, "$") {
				v.Source = "environment"
			}
		} else if typed[name] {
			v.Source = "flag"
		} else if text := s.e.Getenv(variableOf("image")); text != "" && isWorkerImage(name, s.section(c)) {
			v.Value, v.Source, v.From = text, "environment", "$"+variableOf("image")
		}
		v.Value = secrets.MaskText(v.Value)
		list = append(list, v)
	}
	return list, nil
}

// printEffective prints the values as a table.
func printEffective(e *env.Env, list []effective) error {
	w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	for _, v := range list {
		from := v.Source
		if v.From != "" {
			from = v.From
		}
		value := v.Value
		if value == "" || value == "0" && v.Source == "default" {
			value = "-"
		}
		fmt.Fprintf(w, "--%s\t%s\t%s\n", v.Flag, value, from)
	}
	return w.Flush()
}
