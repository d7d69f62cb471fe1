// Command loadline measures how much I/O a storage system can carry, and says
// whether the number can be believed.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
)

func main() {
	// A reader that goes away ("| head") must not end us before we have cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		// After the first signal the run ends in an orderly way; a second one ends the
		// process at once, because the default action is back.
		<-ctx.Done()
		stop()
	}()
	os.Exit(cli.Run(ctx, env.OS()))
}
