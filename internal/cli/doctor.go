package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/doctor"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/term"
)

func newDoctor(e *env.Env) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Check whether this machine can measure well, and say how to fix what prevents it",
		Long: `Checks fio, its I/O engines, kernel limits, free space, CPU and clock of this machine,
for measurements in DIR (default: the current directory). It writes one small file there
and removes it.

Exit codes: 0 this machine can measure; 1 it cannot, and the ✗ lines say why; 2 usage.`,
		Example: `  loadline doctor
  loadline doctor /var/lib/postgresql
  loadline doctor --json`,
		Args: usage.AtMost("one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				if dir = args[0]; strings.TrimSpace(dir) == "" {
					return usage.EmptyDir(cmd)
				}
			}
			return examine(cmd.Context(), e, dir, &output)
		},
	}
	cmd.Flags().SortFlags = false
	registerOutput(e, cmd, &output, textOrJSON...)
	return cmd
}

func examine(ctx context.Context, e *env.Env, dir string, output *outputFlags) error {
	t, err := session.ParseTarget(dir)
	if err != nil {
		return err
	}
	if err := refuseCluster(t, "doctor"); err != nil {
		return err
	}
	found, err := doctor.Examine(ctx, e, t.Place(), t)
	if err != nil {
		return err
	}
	if output.name() == "json" {
		err = jsonout.WriteDocument(term.Raw(e.Stdout), found)
	} else {
		printChecks(e, found)
	}
	if err == nil && found.Outcome == doctor.Bad {
		return exitCode(exitFailed)
	}
	return err
}

func printChecks(e *env.Env, found *doctor.Examination) {
	marks := map[doctor.Mark]string{doctor.Good: "ok  ", doctor.Fair: "warn", doctor.Bad: "FAIL"}
	if e.Output.Unicode {
		marks = map[doctor.Mark]string{doctor.Good: "✓", doctor.Fair: "!", doctor.Bad: "✗"}
	}
	for _, c := range found.Checks {
		printLine(e.Stdout, "%s %-14s %s", marks[c.Mark], c.Name, c.Says)
		if c.Fix != "" {
			printLine(e.Stdout, "  %-14s next: %s", "", c.Fix)
		}
	}
	switch found.Outcome {
	case doctor.Good:
		fmt.Fprintln(e.Stdout, "\nThis machine can measure well.")
	case doctor.Fair:
		fmt.Fprintln(e.Stdout, "\nThis machine can measure; the warnings say what may distort the numbers.")
	default:
		fmt.Fprintln(e.Stdout, "\nThis machine cannot measure yet.")
	}
}
