package cli

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/settings"
	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
)

func newConfig(e *env.Env, s *settings.Source) *cobra.Command {
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

Exit codes: 0 success; 1 failed; 2 refused: the file, with the position, or a variable or a
flag is wrong.`,
		Example: `  loadline config
  loadline config compare --margin 3%`,
		ValidArgs: settings.Commands,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := s.Effective(cmd.Root(), args)
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
	s.Flag(cmd, "`FILE` to read instead")
	registerOutput(e, cmd, &output, textOrJSON...)
	cmd.AddCommand(newConfigPath(e, s), newConfigCheck(e, s))
	return cmd
}

func newConfigPath(e *env.Env, s *settings.Source) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file, whether or not it exists",
		Long: `Prints the path of the configuration file, whether or not it exists.

Exit codes: 0 success; 2 there is no location for one.`,
		Example: `  loadline config path`,
		Args:    usage.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			file, _ := s.Path()
			if file == "" {
				return model.RefusedError("there is no location for a configuration file: neither $XDG_CONFIG_HOME nor $HOME is set, or $LOADLINE_CONFIG is none", "set LOADLINE_CONFIG=FILE")
			}
			printLine(e.Stdout, "%s", file)
			return nil
		},
	}
}

func newConfigCheck(e *env.Env, s *settings.Source) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the configuration file",
		Long: `Reads the configuration file, or FILE, and shows its first error, with its position.

Exit codes: 0 no errors, or there is no file; 2 there is an error.`,
		Example: `  loadline config check`,
		Args:    usage.AtMost("one FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				s.Use(args[0])
			}
			file, list, err := s.Check()
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

// printEffective prints the values as a table.
func printEffective(e *env.Env, list []settings.Effective) error {
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
