package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/agent"
	"github.com/loadline/loadline/internal/env"
)

// newAgent makes the verb that a remote place starts; people do not type it.
func newAgent(e *env.Env) *cobra.Command {
	var runID string
	cmd := &cobra.Command{
		Use:    "agent",
		Short:  "Be a worker: requests on standard input, events on standard output",
		Hidden: true,
		Long: `Speaks the worker's protocol, one JSON line per message. It is started by
loadline itself. When its input ends, it stops what it does and removes what it made.

Exit codes: 0 told to go; 1 lost its engine.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// An interrupt typed at the terminal reaches the whole process group; the
			// engine decides what it means, so the worker waits for its word.
			err := agent.Serve(context.WithoutCancel(cmd.Context()), e.Stdin, e.Stdout, agentOptions(e, runID))
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return exitCode(exitFailed)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&runID, "run-id", "agent", "names this worker's own files")
	return cmd
}
