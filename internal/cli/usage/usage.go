// Package usage says what is wrong with a command line, and what to type instead. Its
// assumptions: a mistake is answered with one sentence and one command; a flag of
// another tool is understood, but never one that permits damage; the flag
// library's own words quote Go's functions, so nobody sees them.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
)

// Error is a mistake on the command line, with what to type next.
type Error struct {
	error
	hint string
}

// New returns a mistake on the command line: the hint is a command to type instead, or "".
func New(err error, hint string) error { return Error{err, hint} }

// Exactly returns an argument check for n arguments, with an explanatory error.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return WrongArguments(cmd, what, args, cmd.CommandPath()+" --help")
	}
}

// WrongArguments returns the error for a wrong number of arguments; what is the right one.
func WrongArguments(cmd *cobra.Command, what string, args []string, hint string) error {
	if len(args) == 0 {
		needs := strings.TrimPrefix(what, "at least ")
		if one, found := strings.CutPrefix(needs, "one "); found {
			needs = "a " + one
		}
		return Error{fmt.Errorf("%s needs %s", cmd.CommandPath(), needs), hint}
	}
	were := "was"
	if len(args) > 1 {
		were = "were"
	}
	return Error{fmt.Errorf("%s takes %s, but %d %s given", cmd.CommandPath(), what, len(args), were), hint}
}

// EmptyDir returns the error for an empty DIR, such as a variable of a script without a value.
func EmptyDir(cmd *cobra.Command) error {
	return Error{fmt.Errorf("%s is given a DIR that is empty", cmd.CommandPath()), cmd.CommandPath() + " DIR"}
}

// AtLeast returns an argument check for a command that takes one or more arguments.
func AtLeast(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return Exactly(1, "at least "+what)(cmd, args)
	}
}

// AtMost returns an argument check for a command that takes one argument or none.
func AtMost(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return Exactly(1, "at most "+what)(cmd, args)
	}
}

// Hint returns what to do after an error: of several that were joined, what the first that knows it says.
func Hint(err error) string {
	switch x := err.(type) {
	case nil:
		return ""
	case Error:
		return x.hint
	case *model.WorkerError:
		if x.Hint != "" {
			return x.Hint
		}
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return Hint(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range x.Unwrap() {
			if hint := Hint(one); hint != "" {
				return hint
			}
		}
	}
	return ""
}

// UnknownCommand refuses an unknown verb and suggests the nearest one.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args, cmd.CommandPath())
}

// UnknownTopic refuses an unknown verb whose help was asked for. Args are the verb and what follows it.
func UnknownTopic(cmd *cobra.Command, args []string) error {
	program, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	return unknownCommand(cmd, args[:1], strings.TrimSpace(program+" help "+verb))
}

// unknownCommand suggests what begins with these words and ends with the nearest verb.
func unknownCommand(cmd *cobra.Command, args []string, begin string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := cmd.CommandPath() + " --help"
	near := suggest.Nearest(args[0], names)
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, args[0]) {
			near = c.Name()
		}
	}
	if near != "" {
		hint = begin + " " + near
		for _, a := range args[1:] {
			hint += " " + safetext.ShellWord(a)
		}
	}
	return model.RefusedError(fmt.Sprintf("there is no command %q", args[0]), hint)
}
