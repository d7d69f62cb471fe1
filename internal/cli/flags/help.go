package flags

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/env"
)

// usages returns the --help lines for the flags of the group, at most width columns wide (0: unlimited).
func (g Group) usages(width int) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, f := range g.Flags {
		set.AddFlag(f)
	}
	return set.FlagUsagesWrapped(width)
}

// HelpAll is the flag that shows the help with all groups.
const HelpAll = "help-all"

// wholeHelp is the value of --help-all: it requests help, with all groups.
type wholeHelp struct {
	cmd *cobra.Command
	on  bool
}

func (w *wholeHelp) Set(string) error {
	w.on = true
	return w.cmd.Flags().Set("help", "true")
}

func (w *wholeHelp) String() string   { return "false" }
func (w *wholeHelp) Type() string     { return "bool" }
func (w *wholeHelp) IsBoolFlag() bool { return true }

// CommandGroup is a group of the program's commands in its help.
type CommandGroup struct {
	// Title is a few words, such as "Measure".
	Title string
	// Names are those of commands, in display order.
	Names []string
}

// Help gives a command and its subcommands a help text with grouped flags, and with those commands of the
// program in groups that are listed; it shows the others last.
func Help(e *env.Env, c *cobra.Command, groups []CommandGroup) {
	whole := &wholeHelp{cmd: c}
	f := c.Flags().VarPF(whole, HelpAll, "", "help with the flags for Kubernetes")
	f.NoOptDefVal, f.DefValue = "true", "false"
	// Where nothing is folded it does the same as --help instead of being an error.
	f.Hidden = !slices.ContainsFunc(Groups(c), func(g Group) bool { return g.folded })
	c.SetUsageFunc(func(c *cobra.Command) error {
		// Output to a pipe is not wrapped, so that grep finds whole lines.
		width := 0
		if e.Output.Interactive {
			width = max(60, e.Output.Width)
		}
		_, err := io.WriteString(c.OutOrStderr(), usage(c, groups, whole.on, width))
		return err
	})
	for _, below := range c.Commands() {
		Help(e, below, groups)
	}
}

// usage returns what --help shows below the description.
func usage(c *cobra.Command, groups []CommandGroup, whole bool, width int) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() && !c.HasAvailableSubCommands() || c.HasParent() && c.HasAvailableLocalFlags() && c.Use != c.Name() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", c.CommandPath())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, "\nAliases:\n  %s\n", c.NameAndAliases())
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	commands(&b, c, groups)
	for _, g := range Groups(c) {
		if g.folded && !whole {
			fmt.Fprintf(&b, "\n%s:\n  %d flags for sc: and pvc: targets: %s --%s\n", g.Title, len(g.Flags), c.CommandPath(), HelpAll)
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n%s", g.Title, g.usages(width))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.\n", c.CommandPath())
	}
	return b.String()
}

// commands lists the subcommands of a command; those of the root are in groups.
func commands(b *strings.Builder, c *cobra.Command, groups []CommandGroup) {
	var rest []*cobra.Command
	width := 0
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			rest = append(rest, below)
			width = max(width, len(below.Name()))
		}
	}
	list := func(title string, of []*cobra.Command) {
		if len(of) == 0 {
			return
		}
		fmt.Fprintf(b, "\n%s:\n", title)
		for _, below := range of {
			fmt.Fprintf(b, "  %-*s  %s\n", width, below.Name(), below.Short)
		}
	}
	title := "Commands"
	if !c.HasParent() {
		title = "Other commands"
		for _, g := range groups {
			var of []*cobra.Command
			for _, name := range g.Names {
				if i := slices.IndexFunc(rest, func(c *cobra.Command) bool { return c.Name() == name }); i >= 0 {
					of = append(of, rest[i])
					rest = slices.Delete(rest, i, i+1)
				}
			}
			list(g.Title, of)
		}
	}
	list(title, rest)
}
