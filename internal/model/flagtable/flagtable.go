// Package flagtable says what each flag of the command line is, once, for all who treat flags by what
// they are and not by name. Its assumptions: a flag's name means the same in every command; an application
// brings its own flags, which stand here only if another command has them, too, or if they are in a group of their own.
package flagtable

import "slices"

// Flag is what is known of a flag.
type Flag struct {
	Name string
	// Group is the group of the help that shows it; Internal if none does.
	Group string
}

// The groups, by the titles that the help shows.
const (
	What       = "What"
	HowLong    = "How long"
	Verdict    = "Verdict"
	Safety     = "Safety"
	Output     = "Output"
	Kubernetes = "Kubernetes"
	Other      = "Other"
	// Internal is the group of the flags with which Loadline starts itself.
	Internal = ""
)

// Groups returns the titles in the order in which the help shows them.
func Groups() []string {
	return []string{What, HowLong, Verdict, Safety, Output, Kubernetes, Other}
}

// lines maps a name to its line of the table.
var lines = func() map[string]Flag {
	m := make(map[string]Flag, len(table))
	for _, f := range table {
		m[f.Name] = f
	}
	return m
}()

// All returns the table.
func All() []Flag { return slices.Clone(table) }

// Lookup returns what is known of a flag; false if nothing is.
func Lookup(name string) (Flag, bool) {
	f, ok := lines[name]
	return f, ok
}

// In returns the flags of a group.
func In(group string) []string { return names(func(f Flag) bool { return f.Group == group }) }

func names(which func(Flag) bool) (list []string) {
	for _, f := range table {
		if which(f) {
			list = append(list, f.Name)
		}
	}
	return list
}
