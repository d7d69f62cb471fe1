// Command loadline measures how much I/O a storage system can carry, and says
// whether the number can be believed.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

func main() {
	// A reader that goes away ("| head") must not end us before we have cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		// After the first signal the run ends in an orderly way; a second one ends the
		// process at once, because the default action is back. Not within a second:
		// timeout(1) sends its signal twice, to the process and to its group, and a
		// terminal that closes sends two as well.
		<-ctx.Done()
		time.Sleep(time.Second)
		stop()
	}()
	os.Exit(cli.Run(ctx, env.OS()))
}
