// Package env is the outside world in one struct: streams, clock, processes,
// terminal. Its opinion: nothing else in Loadline reads os.Args, os.Stdout, the
// environment or the clock by itself, so that a whole command runs inside a test.
package env

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/term"
)

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

// largestFile bounds a file that an argument names, in bytes: a profile, a job or a file of
// points that a person has written has a few thousand.
const largestFile = 4 << 20

// ReadFile reads a file that a person has written; a device or a pipe without end is none.
// What another program writes, as in --job <(…), is read to its end. A pipe that nobody
// writes into is refused: opening it would wait for ever, and no ^C would end that.
func ReadFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	if err == nil && len(data) > largestFile {
		err = fmt.Errorf("it is larger than %d MiB, and nothing that a person writes is", largestFile>>20)
	}
	if info, seen := f.Stat(); err == nil && len(data) == 0 && seen == nil && info.Mode()&os.ModeNamedPipe != 0 {
		err = errors.New("it is a pipe that nobody writes into")
	}
	return data, err
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
