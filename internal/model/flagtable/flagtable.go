// Package flagtable says what each flag of the command line is, once, for all who treat flags by what
// they are and not by name. Its assumptions: a flag's name means the same in every command; an application
// brings its own flags, which stand here only if another command has them, too, or if they need a property.
package flagtable

import "slices"

// Flag is what is known of a flag.
type Flag struct {
	Name string
	// Group is the group of the help that shows it; Internal if none does.
	Group string
	Is    Property
	// Replaces are the flags that contradict it or that it makes pointless: a command to which it is added loses them.
	Replaces []string
	// YieldsTo are flags that contradict or determine it: beside one of them, its value from the configuration does not apply.
	YieldsTo []string
	// Needs are flags without any of which it has no meaning.
	Needs []string
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

// Property is a set of things that hold for a flag.
type Property uint32

// The properties.
const (
	// Placement flags say where and on how much data to measure, not what.
	Placement Property = 1 << iota
	// PerTarget flags say what may be done to a target, or where it is: a comparison takes those of both targets.
	PerTarget
	// PerSide flags of an application exist for each side of a comparison: --baseline-wal is that of A.
	PerSide
	// SingleRun flags of a run of one target are not accepted by a comparison of two, or belong to a Job or an
	// experiment, which specify the same in another way.
	SingleRun
	// Record flags say where a single run is stored, and what is noted with it.
	Record
	// Display flags control how a run is shown, not what is measured.
	Display
	// NamesTarget flags have a target as their value, be it for the permission to overwrite it.
	NamesTarget
	// NamesFile flags may have as their value a file or a folder of the machine on which the command was typed.
	NamesFile
	// Load flags select or define an application's load, or name one.
	Load
	// WithExperiment flags may stand beside --experiment: they say where to measure, what may be overwritten there, and
	// what to do with the results. All others define what is measured, which the experiment already does.
	WithExperiment
	// BesideExperiment flags say where to measure and to save, and are no part of an experiment.
	BesideExperiment
	// WithSavedRuns flags apply to saved runs that are compared, when nothing is measured.
	WithSavedRuns
	// Gate flags define what counts as a change in a comparison, and which verdicts fail.
	Gate
	// NamesCluster flags say which cluster, or which part of it, is meant.
	NamesCluster
	// OwnRefusal flags are about pods, and their own refusals know better what they need than a general one.
	OwnRefusal
	// NeverEmpty flags of the group Output say where a result goes: an empty value would leave it nowhere.
	NeverEmpty
	// Settable flags may be set by the configuration file and the environment. All others must be given on the command
	// line: they permit damage, or run a command, or define what a single command is about.
	Settable
	// OwnVariable flags have a variable that is read where it is needed, or one that Kubernetes sets in every pod for a
	// Service called loadline (LOADLINE_PORT).
	OwnVariable
	// OwnValues flags have values that depend on the command: a value for all commands is one of any of them.
	OwnValues
)

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

// Is reports whether the flag of a name has all of these properties.
func Is(name string, p Property) bool { return lines[name].Is&p == p }

// Names returns the flags that have all of these properties.
func Names(p Property) []string { return names(func(f Flag) bool { return f.Is&p == p }) }

// In returns the flags of a group.
func In(group string) []string { return names(func(f Flag) bool { return f.Group == group }) }

// Needing returns the flags that have no meaning without this one, or without another that will do.
func Needing(name string) []string {
	return names(func(f Flag) bool { return slices.Contains(f.Needs, name) })
}

// YieldingTo returns the flags that a flag determines or contradicts.
func YieldingTo(name string) []string {
	return names(func(f Flag) bool { return slices.Contains(f.YieldsTo, name) })
}

func names(which func(Flag) bool) (list []string) {
	for _, f := range table {
		if which(f) {
			list = append(list, f.Name)
		}
	}
	return list
}
