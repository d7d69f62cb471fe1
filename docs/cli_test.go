package docs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
)

func TestCommandsAreListedAsTheyAre(t *testing.T) {
	var b strings.Builder
	described(&b, cli.Commands(env.OS()))
	generated(t, "cli.md", b.String())
}

// described writes the section of a command and those of its subcommands.
func described(b *strings.Builder, c *cobra.Command) {
	if c.Hidden {
		return
	}
	if c.Runnable() && c.HasParent() && (c.Use != c.Name() || !c.HasAvailableSubCommands()) {
		fmt.Fprintf(b, "\n## %s\n\n    %s\n\n%s.\n", c.CommandPath(), c.UseLine(), c.Short)
		for _, g := range flags.Groups(c) {
			var rows []string
			for _, f := range g.Flags {
				if f.Name != "help" && f.Name != "help-all" {
					rows = append(rows, row(f))
				}
			}
			if len(rows) > 0 {
				fmt.Fprintf(b, "\n| %s | |\n|---|---|\n%s", g.Title, strings.Join(rows, ""))
			}
		}
	}
	for _, below := range c.Commands() {
		described(b, below)
	}
}

// row returns the row of a flag.
func row(f *pflag.Flag) string {
	value, words := pflag.UnquoteUsage(f)
	if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) && !strings.Contains(words, "default") {
		words += " (default " + strings.Trim(f.DefValue, "[]") + ")"
	}
	name := "--" + f.Name
	if value != "" {
		name += " " + value
	}
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`)
	return fmt.Sprintf("| `%s` | %s |\n", strings.ReplaceAll(name, "|", `\|`), escape.Replace(words))
}
