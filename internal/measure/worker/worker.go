// Package worker is an agent put together: its drivers, its flags, its version. Its assumptions: what runs
// beside the load should be small, and a program takes memory for all that it links, used or not: most of
// the memory of "loadline agent" is pages of its executable, which the Kubernetes client and the rest of
// loadline touch during start-up. So there is a program that links this package and nothing above it,
// loadline-agent, and pods run that (docs/performance.md has the size of both). "loadline agent" is the
// same worker for hosts where loadline is the only program.
package worker

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Version is that of Loadline, set when a program is built: the same in both programs.
var Version = "dev"

// program is the name of the program that is only a worker.
const program = "loadline-agent"

// abandonAfter is how long a worker in a pod waits for its driver to come back: long enough for a laptop
// that sleeps overnight.
const abandonAfter = 16 * time.Hour

// Flags are the command-line flags of a worker.
type Flags struct {
	runID, detached, attach, clean string
	// More are load tools in addition to those that every worker has.
	More []Factory
}

// Register adds the flags to a set.
func (f *Flags) Register(set *flag.FlagSet) {
	set.StringVar(&f.runID, "run-id", "agent", "names this worker's own files")
	set.StringVar(&f.detached, "detached", "", "serve at a socket in this `DIR`, also after a connection is lost")
	set.StringVar(&f.clean, "clean", "", "with --detached: first remove what a killed process of this run has left in `DIR[:DIR]`")
	set.StringVar(&f.attach, "attach", "", "connect the standard streams to the socket in this `DIR`")
}

// Run serves one session on the standard streams or, if detached, on a socket in a directory; or it
// connects the streams to the worker, or the Job's driver, that serves there. Its error is
// io.ErrUnexpectedEOF if the engine was lost.
func (f *Flags) Run(ctx context.Context, e *env.Env) error {
	switch {
	case f.detached != "":
		f.removeLeft(e)
		return agent.ServeDetached(ctx, f.detached, abandonAfter, Options(e, f.runID, f.More...))
	case f.attach != "":
		return link.Attach(ctx, e.Clock, f.attach, e.Stdin, e.Stdout)
	}
	// An interrupt typed at the terminal reaches the whole process group. The engine decides what it means,
	// so the worker waits for a request.
	return agent.Serve(context.WithoutCancel(ctx), e.Stdin, e.Stdout, Options(e, f.runID, f.More...))
}

// removeLeft removes the working directories of a process of this run that was killed: a container that was killed
// is started again, and the driver then removes its pod.
func (f *Flags) removeLeft(e *env.Env) {
	for dir := range strings.SplitSeq(f.clean, ":") {
		if dir == "" {
			continue
		}
		if err := volume.RemoveWorkDirsOf(f.runID, dir, postgres.RemoveShared); err != nil {
			fmt.Fprintf(e.Stderr, "%s: what was left in %s: %s\n", program, dir, safetext.Clean(err.Error()))
		}
	}
}

// about is that program's help text.
const about = `loadline-agent is the part of Loadline that works in a pod: requests on standard input,
events on standard output, one JSON line per message. loadline starts it; to measure
something, type loadline run --help.
`

// Main is the program loadline-agent: it runs with the arguments of e and returns the exit code: 0 if it
// was told to end, 1 if it failed or lost its engine, 2 for arguments that it does not understand.
func Main(ctx context.Context, e *env.Env) int {
	set := flag.NewFlagSet(program, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	var f Flags
	f.Register(set)
	version, to := set.Bool("version", false, ""), set.String("copy-program", "", "")
	err := set.Parse(e.Args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(e.Stdout, about)
		return 0
	case err == nil && set.NArg() > 0:
		err = fmt.Errorf("%q is not understood", set.Arg(0))
		fallthrough
	case err != nil:
		fmt.Fprintf(e.Stderr, "%s: %s\n  next: %s --help\n", program, safetext.Clean(err.Error()), program)
		return 2
	case *version:
		fmt.Fprintln(e.Stdout, program, Version)
		return 0
	}
	if *to != "" {
		err = copyProgram(e, *to)
	} else {
		err = f.Run(ctx, e)
	}
	if err == nil {
		return 0
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		fmt.Fprintf(e.Stderr, "%s: %s\n", program, safetext.Clean(err.Error()))
	}
	return 1
}
