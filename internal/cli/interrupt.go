package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/results"
)

// graceTime is how long an interrupted verb may take to end by itself, and savingTime how long it may then go on saving what it
// has computed: on a busy disk that takes seconds, and ending it would leave temporary files behind.
const graceTime, savingTime = time.Second, 30 * time.Second

// interruptible makes a verb end as soon as it is interrupted. It is for verbs that only read and
// compute: they hold nothing but memory, and replace files atomically. Their input may be a
// pipe that never ends, and their computation may take long.
func interruptible(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
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
		// The user has pressed Ctrl-C and is waiting, so this uses real time, not the run's clock.
		case <-env.Clock{}.After(graceTime):
			results.WaitSaved(env.Clock{}.After(savingTime))
			return cmd.Context().Err()
		}
	}
}
