// Package flags reads the values of flags, adds those that several commands share, knows what was
// typed, and shows flags in groups. Its assumptions: a flag's name means the same in every
// command; a number is written in plain digits; a value that cannot be right is refused when
// it is typed, with what to type instead.
package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model/flagtable"
	"github.com/loadline/loadline/internal/plan/application"
)

// Group is a group of a command's flags, as --help, the manual pages and docs/cli.md
// show them.
type Group struct {
	// Title is a few words, such as "How long".
	Title string
	// Flags are copies for display, in the order of the command.
	Flags []*pflag.Flag
	// folded is set if --help shows only the group's name.
	folded bool
}

// Config is the flag that names a configuration file.
const Config = "config"

// GroupOf returns the group of a flag; flagtable.Internal if users may not type it. An application's own flags say what
// is measured, unless they are in another group.
func GroupOf(name string) string {
	if f, known := flagtable.Lookup(name); known {
		return f.Group
	}
	if ofApplication(name) {
		return flagtable.What
	}
	return flagtable.Internal
}

// ofApplication reports whether a flag is one of an application's own.
func ofApplication(name string) bool {
	return slices.ContainsFunc(session.Applications(), func(app application.Application) bool {
		return slices.ContainsFunc(slices.Concat(app.Flags, app.BaselineFlags), func(f application.Flag) bool { return f.Name == name })
	})
}

// longestGroup is the maximum number of Kubernetes flags that --help shows; a larger group is folded
// into one line.
const longestGroup = 6

// Groups returns the flags of a command that users may type, in groups.
func Groups(c *cobra.Command) []Group {
	groups := map[string]*Group{}
	c.InitDefaultHelpFlag()
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		title := GroupOf(f.Name)
		if title == flagtable.Internal {
			title = flagtable.Other
		}
		shown := *f
		shown.Usage = strings.TrimPrefix(f.Usage, flagtable.Kubernetes+": ")
		if groups[title] == nil {
			groups[title] = &Group{Title: title}
		}
		groups[title].Flags = append(groups[title].Flags, &shown)
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	var list []Group
	for _, title := range flagtable.Groups() {
		if g := groups[title]; g != nil {
			g.folded = title == flagtable.Kubernetes && len(g.Flags) > longestGroup
			list = append(list, *g)
		}
	}
	return list
}

// Names returns the names of the flags of a command.
func Names(cmd *cobra.Command) (names []string) {
	for _, g := range Groups(cmd) {
		for _, f := range g.Flags {
			names = append(names, f.Name)
		}
	}
	return names
}
