package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
)

// savingTime is how long a verb that was interrupted may take to end by itself: a file that
// is being replaced is replaced.
const savingTime = time.Second

// atOnce makes a verb end when it is interrupted, wherever it is. It is for verbs that only
// read and compute: they hold nothing but memory, and replace files whole. What they read
// may be a pipe that never ends, and what they compute takes its time.
func atOnce(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ended := make(chan error, 1)
		go func() { ended <- run(cmd, args) }()
		select {
		case err := <-ended:
			return err
		case <-cmd.Context().Done():
		}
		select {
		case err := <-ended:
			return err
		// Somebody has pressed Ctrl-C and waits: that is no time of a run's.
		case <-env.Clock{}.After(savingTime):
			return cmd.Context().Err()
		}
	}
}
