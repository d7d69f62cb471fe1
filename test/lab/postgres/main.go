// Command postgres unpacks a PostgreSQL of the lab into a directory, for the test cluster, which is a
// module of its own and cannot import the lab. Its assumptions: the directory is empty, and whoever
// asked for it removes it.
//
//	postgres MAJOR DIR
//
// It prints the directory of the programs. Its exit code is 3, and the reason is on standard error, if this
// machine cannot have that version: a test is then skipped.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/loadline/loadline/test/lab"
)

// unavailable is the exit code for what would skip a test.
const unavailable = 3

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(stderr, "usage: postgres MAJOR DIR")
		return 2
	}
	major, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintf(stderr, "%q is no version of PostgreSQL\n", args[0])
		return 2
	}
	p := &program{stderr: stderr}
	ended := make(chan struct{})
	// Fatalf and Skipf end the goroutine, as they do in a test.
	go func() {
		defer close(ended)
		defer p.cleanUp()
		fmt.Fprintln(stdout, lab.Postgres(p, major, args[1]))
	}()
	<-ended
	return p.code
}

// program is what the lab sees instead of a test.
type program struct {
	stderr io.Writer
	undo   []func()
	code   int
}

func (p *program) cleanUp() {
	for _, f := range slices.Backward(p.undo) {
		f()
	}
}

func (p *program) Helper()          {}
func (p *program) Cleanup(f func()) { p.undo = append(p.undo, f) }

func (p *program) Logf(format string, args ...any) { fmt.Fprintf(p.stderr, format+"\n", args...) }

func (p *program) Errorf(format string, args ...any) {
	p.Logf(format, args...)
	p.code = 1
}

func (p *program) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

func (p *program) Skipf(format string, args ...any) {
	p.Logf(format, args...)
	p.code = unavailable
	runtime.Goexit()
}
