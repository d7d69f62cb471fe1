package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
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
	var mistake usage.Error
	switch {
	case env.Unread(err):
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
	case errors.As(err, &mistake):
		code = exitUsage
	}
	printHinted(e, err)
	return code
}

// printHinted prints an error and what to do next.
func printHinted(e *env.Env, err error) {
	printError(e.Stderr, err)
	if hint := usage.Hint(err); hint != "" {
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

// explained prints an error that something stays behind, if the command was interrupted: otherwise only the interruption
// would be reported.
func explained(ctx context.Context, e *env.Env, err error) error {
	if ctx.Err() == nil || err == nil {
		return err
	}
	printHinted(e, err)
	return exitCode(exitInterrupted)
}

// exitError returns the error that makes a command end with the code.
func exitError(code int, err error) error {
	if err == nil && code != exitOK {
		return exitCode(code)
	}
	return err
}

// alsoFailed returns the error that a command ends with, if something failed in the end as well: that takes the place of a mere
// exit code.
func alsoFailed(err, last error) error {
	var code exitCode
	switch {
	case last == nil:
		return err
	case errors.As(err, &code):
		return last
	}
	return errors.Join(err, last)
}
