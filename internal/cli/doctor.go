package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/doctor"
	"github.com/loadline/loadline/internal/measure/session"
)

func newDoctor(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Say whether this machine can measure well, and how to fix what hinders it",
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
			return examine(cmd.Context(), e, dir)
		},
	}
}

func examine(ctx context.Context, e *env.Env, dir string) error {
	t, err := session.ParseTarget(dir)
	if err != nil {
		return err
	}
	if err := refuseCluster(t, "doctor"); err != nil {
		return err
	}
	checks, err := doctor.Examine(ctx, e, dir, t)
	if err != nil {
		return err
	}
	return printChecks(e, checks)
}

func printChecks(e *env.Env, checks []doctor.Check) error {
	marks := map[doctor.Mark]string{doctor.Good: "ok  ", doctor.Fair: "warn", doctor.Bad: "FAIL"}
	if e.Output.Unicode {
		marks = map[doctor.Mark]string{doctor.Good: "✓", doctor.Fair: "!", doctor.Bad: "✗"}
	}
	worst := doctor.Good
	for _, c := range checks {
		worst = max(worst, c.Mark)
		sayLine(e.Stdout, "%s %-14s %s", marks[c.Mark], c.Name, c.Says)
		if c.Fix != "" {
			sayLine(e.Stdout, "  %-14s next: %s", "", c.Fix)
		}
	}
	switch worst {
	case doctor.Good:
		fmt.Fprintln(e.Stdout, "\nThis machine can measure well.")
	case doctor.Fair:
		fmt.Fprintln(e.Stdout, "\nThis machine can measure; the lines with a warning tell what may blur the numbers.")
	default:
		fmt.Fprintln(e.Stdout, "\nThis machine cannot measure yet.")
		return exitCode(exitFailed)
	}
	return nil
}
