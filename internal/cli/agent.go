package cli

import (
	"errors"
	"flag"
	"io"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/worker"
)

// newAgent makes the verb that a remote place starts; people do not type it.
func newAgent(e *env.Env) *cobra.Command {
	f := worker.Flags{More: session.OnlyHere}
	cmd := &cobra.Command{
		Use:    "agent",
		Short:  "Be a worker: requests on standard input, events on standard output",
		Hidden: true,
		Long: `Speaks the worker's protocol, one JSON line per message. It is started by
loadline itself. When its input ends, it stops what it does and removes what it made.
With --reside it serves connections to DIR instead and outlives them: --attach joins
standard input and output with it.
The program loadline-agent does the same in less memory; pods run that.

Exit codes: 0 told to go; 1 lost its engine.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.Run(cmd.Context(), forPrograms(e))
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return exitCode(exitFailed)
			}
			return err
		},
	}
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	f.Register(flags)
	cmd.Flags().AddGoFlagSet(flags)
	return cmd
}
