package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cluster/archive"
	"github.com/loadline/loadline/internal/cluster/jobs"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// newJob returns the verb that a Job's container runs; see deploy/job.yaml.
//
// Its argument is another loadline command, which run executes in this process.
func newJob(e *env.Env, run func(context.Context, *env.Env) int) *cobra.Command {
	var dir string
	var hold time.Duration
	cmd := &cobra.Command{
		Use:    "job -- VERB TARGET…",
		Short:  "In a Job's pod: run a command and keep its results until they are fetched",
		Hidden: true,
		Long: `Runs another loadline command with --results DIR, then waits until loadline fetch
has copied the run directory, or --hold is over, or the pod is deleted. If the command
saved nothing, it does not wait. The measurement may be an experiment stored in a file in
the pod, as loadline run --in-cluster does. loadline fetch connects through a socket
in DIR/.kept, with loadline-agent --attach.

Exit codes: those of the command; 1 failed; 2 usage.`,
		Example: `  loadline job --hold 24h -- run sc:standard --format json
  loadline job --hold 24h -- run --experiment /experiment/experiment.yaml --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return model.RefusedError("job takes the command to run, after two dashes", "loadline job -- run sc:standard --format json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAndHold(cmd.Context(), e, dir, hold, args, run)
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "results", kube.ResultsPath, "`DIR` where the results are made and kept")
	flags.SpanVar(f, &hold, "hold", jobs.DefaultHold, "keep the results for this `TIME`")
	return cmd
}

// runAndHold runs a command in this process and keeps what it has saved.
func runAndHold(ctx context.Context, e *env.Env, dir string, hold time.Duration, args []string, run func(context.Context, *env.Env) int) error {
	inner := *e
	inner.Args = append(append([]string{}, args...), "--results="+dir)
	code, err := archive.Keep(ctx, archive.Options{Dir: dir, Limit: hold, Clock: e.Clock, Say: func(s archive.Status) {
		fmt.Fprintf(e.Stdout, "%s until %s (exit code %d): loadline fetch\n", jobs.KeptWords, s.Until.UTC().Format(time.RFC3339), s.Code)
	}}, func(ctx context.Context, log io.Writer) int {
		// Everything goes to one stream: a container's two streams are merged into its log, and progress
		// on one would interleave with the report on the other.
		inner.Stderr = io.MultiWriter(e.Stdout, log)
		return run(ctx, &inner)
	})
	if err != nil {
		return err
	}
	if code != exitOK {
		return exitCode(code)
	}
	return nil
}
