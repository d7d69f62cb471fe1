package env

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// UntilInterrupted is the context of a whole program: the first interrupt or request to
// end ends it, so that the program can put away what it has out. A second signal ends
// the process at once.
func UntilInterrupted() context.Context {
	// A reader that goes away ("| head") must not end us before we have cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		// After the first signal the default action is back. Not within a second:
		// timeout(1) sends its signal twice, to the process and to its group, and a
		// terminal that closes sends two as well.
		<-ctx.Done()
		time.Sleep(time.Second)
		stop()
	}()
	return ctx
}
