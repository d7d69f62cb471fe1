package lab

import (
	"fmt"
	"syscall"
	"time"
)

// Stalling starts a device in memory (256 MiB) that adds a fixed delay to every I/O
// and stands still again and again: for as long as stall says out of every. What is
// due then waits until it is over. The server itself is suspended.
func Stalling(t T, delay, stall, every time.Duration) Device {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"delay"}, plugin: inMemory(),
		options: []string{"rdelay=" + milliseconds(delay), "wdelay=" + milliseconds(delay)}})
	quit, over := make(chan struct{}), make(chan struct{})
	// A suspended server does not hear that it should end, so it is woken before.
	t.Cleanup(func() {
		close(quit)
		<-over
	})
	go func() {
		defer close(over)
		defer s.process.cmd.Process.Signal(syscall.SIGCONT)
		for next := time.Now().Add(every - stall); ; next = next.Add(every) {
			if !sleepUntil(next, quit) {
				return
			}
			s.process.cmd.Process.Signal(syscall.SIGSTOP)
			if !sleepUntil(next.Add(stall), quit) {
				return
			}
			s.process.cmd.Process.Signal(syscall.SIGCONT)
		}
	}()
	return s.device(fmt.Sprintf("delay %s, still for %s of every %s", delay, stall, every), nbdSize)
}

// sleepUntil tells false when quit closes first.
func sleepUntil(moment time.Time, quit <-chan struct{}) bool {
	timer := time.NewTimer(time.Until(moment))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-quit:
		return false
	}
}
