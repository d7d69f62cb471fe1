package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/load/fio"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/observe"
	"github.com/loadline/loadline/internal/session"
)

func newDoctor(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Say whether this machine can measure well, and how to mend what hinders it",
		Long: `Looks at fio, its I/O engines, kernel limits, free space, CPU and clock of this
machine, with DIR (default: the current directory) as the place to measure. It writes
one small file there and removes it.

Exit codes: 0 this machine can measure; 1 it cannot, and the ✗ lines say why; 2 usage.`,
		Example: `  loadline doctor
  loadline doctor /var/lib/postgresql`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly(1, "at most one DIR")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return doctor(cmd.Context(), e, dir)
		},
	}
}

// steadyLook is how long the CPUs are watched for idle and stolen time.
const steadyLook = time.Second

func doctor(ctx context.Context, e *env.Env, dir string) error {
	t, err := session.ParseTarget(dir)
	if err != nil {
		return err
	}
	if err := refuseCluster(t, "doctor"); err != nil {
		return err
	}
	counter := observe.Begin("")
	select {
	case <-time.After(steadyLook):
	case <-ctx.Done():
		return ctx.Err()
	}
	machine := observe.Machine(e)
	checks := []check{checkFio(ctx, e)}
	if checks[0].mark != bad {
		worker, err := session.Connect(ctx, e, "doctor", false)
		if err != nil {
			return err
		}
		defer worker.Close()
		probe, err := worker.Probe(ctx, model.ProbeRequest{Target: t, MayWrite: t.Kind == model.Directory}, nil)
		if err != nil {
			checks = append(checks, cannotProbe(dir, err))
		} else {
			checks = append(checks, checkPlace(dir, probe)...)
		}
	}
	checks = append(checks, checkLimits(observe.ReadLimits())...)
	checks = append(checks, checkMachine(machine, counter.End())...)
	return printChecks(e, checks)
}

// mark is how a check came out.
type mark int

const (
	good mark = iota
	fair
	bad
)

// check is one line of the doctor's.
type check struct {
	mark mark
	name string
	says string
	// mend tells what to do about it; empty when good.
	mend string
}

func printChecks(e *env.Env, checks []check) error {
	marks := map[mark]string{good: "ok  ", fair: "warn", bad: "FAIL"}
	if e.Output.Unicode {
		marks = map[mark]string{good: "✓", fair: "!", bad: "✗"}
	}
	worst := good
	for _, c := range checks {
		worst = max(worst, c.mark)
		sayLine(e.Stdout, "%s %-14s %s", marks[c.mark], c.name, c.says)
		if c.mend != "" {
			sayLine(e.Stdout, "  %-14s next: %s", "", c.mend)
		}
	}
	switch worst {
	case good:
		fmt.Fprintln(e.Stdout, "\nThis machine can measure well.")
	case fair:
		fmt.Fprintln(e.Stdout, "\nThis machine can measure; the lines with a warning tell what may blur the numbers.")
	default:
		fmt.Fprintln(e.Stdout, "\nThis machine cannot measure yet.")
		return exitCode(exitFailed)
	}
	return nil
}

func checkFio(ctx context.Context, e *env.Env) check {
	version, err := fio.New(e).Version(ctx)
	if err == nil {
		return check{name: "fio", says: version}
	}
	c := check{mark: bad, name: "fio", says: err.Error()}
	var we *model.WorkerError
	if errors.As(err, &we) {
		c.mend = we.Hint
	}
	return c
}

func cannotProbe(dir string, err error) check {
	c := check{mark: bad, name: "place", says: err.Error(), mend: "choose another directory: loadline doctor DIR"}
	var we *model.WorkerError
	if errors.As(err, &we) && we.Hint != "" {
		c.mend = we.Hint
	}
	return c
}
