package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
)

// The exit codes. Each verb documents those that it uses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitGoal        = 3
	exitRegression  = 4
	exitInvalid     = 5
	exitUnclear     = 6
	exitInterrupted = 130
	// exitUnread is what a shell reports of a program that a closed pipe (SIGPIPE) has ended.
	exitUnread = 141
)

// exitCode is an error that has already been explained.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// reportError prints an error as a sentence with its hint and returns the exit code.
func reportError(ctx context.Context, e *env.Env, err error) int {
	code := exitFailed
	var worker *model.WorkerError
	var usage usageError
	switch {
	case unread(err):
		// Whoever read the output, such as head, wants no more of it.
		return exitUnread
	case ctx.Err() != nil:
		words := "loadline: interrupted; nothing was left behind"
		if printLeft(e, err) || keepsObjects(e.Args) {
			words = "loadline: interrupted"
		}
		fmt.Fprintln(e.Stderr, words)
		return exitInterrupted
	case errors.As(err, &worker):
		if worker.Class == model.Refused {
			code = exitUsage
		}
	case errors.As(err, &usage):
		code = exitUsage
	}
	printHinted(e, err)
	return code
}

// unread reports whether an error says nothing but that nobody reads the standard output any more.
func unread(err error) bool {
	switch x := err.(type) {
	case *fs.PathError:
		return x.Path == "/dev/stdout" && errors.Is(x.Err, syscall.EPIPE)
	case interface{ Unwrap() error }:
		return unread(x.Unwrap())
	case interface{ Unwrap() []error }:
		list := x.Unwrap()
		return len(list) > 0 && !slices.ContainsFunc(list, func(one error) bool { return !unread(one) })
	}
	return false
}

// printHinted prints an error and what to do next.
func printHinted(e *env.Env, err error) {
	printError(e.Stderr, err)
	if hint := hintOf(err); hint != "" {
		printLine(e.Stderr, "  next: %s", hint)
	}
}

// printLeft prints an error that says that something was left behind, if there is one: an interruption must not hide it.
func printLeft(e *env.Env, err error) bool {
	var left *model.LeftError
	if !errors.As(err, &left) {
		return false
	}
	printHinted(e, left)
	return true
}

// keepsObjects reports whether arguments ask for leaving objects in a cluster.
func keepsObjects(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return arg == "--keep" || arg == "--keep=true" })
}

// hintOf returns what to do after an error: of several that were joined, what the first that knows it says.
func hintOf(err error) string {
	switch x := err.(type) {
	case nil:
		return ""
	case usageError:
		return x.hint
	case *model.WorkerError:
		if x.Hint != "" {
			return x.Hint
		}
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return hintOf(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range x.Unwrap() {
			if hint := hintOf(one); hint != "" {
				return hint
			}
		}
	}
	return ""
}

// explained prints an error that something stays behind, if the command was interrupted: otherwise only the interruption
// would be reported.
func explained(ctx context.Context, e *env.Env, err error) error {
	if ctx.Err() == nil || err == nil {
		return err
	}
	printHinted(e, err)
	return exitCode(exitInterrupted)
}

// usageError is a mistake on the command line, with what to type next.
type usageError struct {
	error
	hint string
}

// exactly returns an argument check for n arguments, with an explanatory error.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return wrongArguments(cmd, what, args, cmd.CommandPath()+" --help")
	}
}

// wrongArguments returns the error for a wrong number of arguments; what is the right one.
func wrongArguments(cmd *cobra.Command, what string, args []string, hint string) error {
	if len(args) == 0 {
		needs := strings.TrimPrefix(what, "at least ")
		if one, found := strings.CutPrefix(needs, "one "); found {
			needs = "a " + one
		}
		return usageError{fmt.Errorf("%s needs %s", cmd.CommandPath(), needs), hint}
	}
	return usageError{fmt.Errorf("%s takes %s, not %s", cmd.CommandPath(), what, units.FormatCount(len(args), "argument")), hint}
}

// atLeast returns an argument check for a command that takes one or more arguments.
func atLeast(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return exactly(1, "at least "+what)(cmd, args)
	}
}

// atMost returns an argument check for a command that takes one argument or none.
func atMost(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return exactly(1, "at most "+what)(cmd, args)
	}
}

// oneOf refuses a flag value that is not among the known words.
func oneOf(flag, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s %q is not known", flag, word)+suggest.Question(word, known), "choose among "+strings.Join(known, ", "))
}

// exitError returns the error that makes a command end with the code.
func exitError(code int, err error) error {
	if err == nil && code != exitOK {
		return exitCode(code)
	}
	return err
}

// unknownCommand refuses an unknown verb and suggests the nearest one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
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
		hint = cmd.CommandPath() + " " + near
		for _, a := range args[1:] {
			hint += " " + safetext.ShellWord(a)
		}
	}
	return model.RefusedError(fmt.Sprintf("there is no command %q", args[0]), hint)
}
