// Package env represents the outside world in one struct: streams, clock, processes, terminal. Its
// assumptions: nothing else in Loadline accesses os.Args, os.Stdout, the environment or the clock
// directly, so that a whole command can run inside a test.
package env

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/term"
)

// StartedByUs is the environment variable that marks a program as started by Loadline for a
// measurement, and so any program it starts: it identifies processes left behind by a killed run.
const StartedByUs = "LOADLINE_STARTED=1"

// Env is the environment of a command.
type Env struct {
	Args   []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Answers is set if a user at a terminal can answer a question on Stdin; Yes is set if the answer
	// was given beforehand.
	Answers, Yes bool
	// Getenv returns the value of an environment variable.
	Getenv func(string) string
	// ReadFile reads a file named by an argument.
	ReadFile func(name string) ([]byte, error)
	// Clock is the clock, so that e.Now and the other methods belong to the environment.
	Clock
	// Command returns a process that ends with ctx. It is not started yet.
	Command func(ctx context.Context, name string, args ...string) *exec.Cmd
	// LookPath searches for a program.
	LookPath func(name string) (string, error)
	// Terminal describes standard error, used for progress; Output describes standard output, used for
	// the result.
	Terminal Terminal
	Output   Terminal
}

// Terminal describes what a stream can show.
type Terminal struct {
	// Interactive is true for a terminal that can move its cursor.
	Interactive bool
	// Color is true when colours may be used.
	Color bool
	// Unicode is true when block characters may be used.
	Unicode bool
	// Width in columns; 80 when unknown.
	Width int
	// Verbose is true if the user requested all details.
	Verbose bool
}

// OS returns the environment of this process.
func OS() *Env {
	return &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, ReadFile: ReadFile, Command: exec.CommandContext, LookPath: exec.LookPath,
		Terminal: describe(os.Stderr), Output: describe(os.Stdout),
		Answers: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// describe determines what a stream can show, from the terminal's size, NO_COLOR (https://no-color.org), TERM and the
// locale.
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

// Program returns the path of the running program, for starting it again.
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
