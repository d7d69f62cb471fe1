package env

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// UntilInterrupted returns the context of a whole program: the first interrupt or termination request
// cancels it, so that the program can clean up. A second signal ends the process immediately.
func UntilInterrupted() context.Context {
	// If the reader goes away ("| head"), we must not end before cleaning up.
	signal.Ignore(syscall.SIGPIPE)
	// SIGQUIT (^\\) would print the stacks of a Go program, and leave everything behind; a second one still does.
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		// nohup(1) has the signal ignored, and asking for it would undo that.
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	go func() {
		// After the first signal the default action is restored. Not within a second: timeout(1) sends
		// its signal twice, to the process and to its group, and a terminal that closes sends two as
		// well.
		<-ctx.Done()
		time.Sleep(time.Second)
		stop()
	}()
	return ctx
}
