// Package env is the outside world in one struct: streams, clock, processes,
// terminal. Its opinion: nothing else in Loadline reads os.Args, os.Stdout, the
// environment or the clock by itself, so that a whole command runs inside a test.
package env

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/term"
)

// StartedByUs is the variable of the environment that marks a program as started by Loadline
// for a measurement, and what that starts: what a killed run leaves is told from what else
// runs by it.
const StartedByUs = "LOADLINE_STARTED=1"

// Env is the world as a command sees it.
type Env struct {
	Args   []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Answers is true when somebody at a terminal can answer a question on Stdin; Yes is
	// the answer that was given beforehand.
	Answers, Yes bool
	// Getenv reads an environment variable.
	Getenv func(string) string
	// ReadFile reads a file that an argument names.
	ReadFile func(name string) ([]byte, error)
	// Clock is the time; e.Now and its other methods are the environment's own.
	Clock
	// Command makes a process that ends with ctx. It is not started yet.
	Command func(ctx context.Context, name string, args ...string) *exec.Cmd
	// LookPath finds a program.
	LookPath func(name string) (string, error)
	// Terminal describes standard error, where progress goes; Output describes
	// standard output, where the result goes.
	Terminal Terminal
	Output   Terminal
}

// Terminal tells what a stream can show.
type Terminal struct {
	// Interactive is true for a terminal that can move its cursor.
	Interactive bool
	// Color is true when colours may be used.
	Color bool
	// Unicode is true when block characters may be used.
	Unicode bool
	// Width in columns; 80 when unknown.
	Width int
	// Verbose is true when whoever reads it asked for everything.
	Verbose bool
}

// OS returns the world of this process.
func OS() *Env {
	return &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, ReadFile: ReadFile, Command: exec.CommandContext, LookPath: exec.LookPath,
		Terminal: describe(os.Stderr), Output: describe(os.Stdout),
		Answers: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// describe finds out what a stream can show, by NO_COLOR (https://no-color.org),
// TERM, COLUMNS and the locale.
func describe(f *os.File) Terminal {
	t := Terminal{Width: 80, Unicode: utf8Locale(os.Getenv)}
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return t
	}
	if w, _, err := term.GetSize(fd); err == nil && w > 0 {
		t.Width = w
	}
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == ""
	t.Interactive = !dumb
	t.Color = !dumb && os.Getenv("NO_COLOR") == ""
	return t
}

// Program is the program that runs, for starting it again.
func (e *Env) Program() string {
	name, err := e.LookPath("/proc/self/exe")
	if err != nil {
		name = "loadline"
	}
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	return name
}
