package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/agent"
	"github.com/loadline/loadline/internal/env"
)

// newAgent makes the verb that a remote place starts; people do not type it.
func newAgent(e *env.Env) *cobra.Command {
	var runID, reside, attach string
	var from int64
	var ask bool
	cmd := &cobra.Command{
		Use:    "agent",
		Short:  "Be a worker: requests on standard input, events on standard output",
		Hidden: true,
		Long: `Speaks the worker's protocol, one JSON line per message. It is started by
loadline itself. When its input ends, it stops what it does and removes what it made.
With --reside it serves connections to DIR instead and outlives them: --attach joins
standard input and output with it, from the event after number --from.

Exit codes: 0 told to go; 1 lost its engine.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case reside != "":
				return agent.Reside(cmd.Context(), agent.Residence{Dir: reside, Patience: lonelyFor}, agentOptions(e, runID))
			case attach != "":
				return agent.Attach(cmd.Context(), attach, agent.Attachment{From: from, Ask: ask}, e.Stdin, e.Stdout)
			}
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
	cmd.Flags().StringVar(&reside, "reside", "", "keep socket and events in this `DIR`")
	cmd.Flags().StringVar(&attach, "attach", "", "speak with the worker that resides in this `DIR`")
	cmd.Flags().Int64Var(&from, "from", 0, "with --attach: the number of the last event that is known")
	cmd.Flags().BoolVar(&ask, "ask", false, "with --attach: only ask whether an engine is there")
	return cmd
}

// lonelyFor is how long a worker in a pod waits for its driver to come back: long
// enough for a computer that sleeps over night.
const lonelyFor = 16 * time.Hour
