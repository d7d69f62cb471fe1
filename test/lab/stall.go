package lab

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// Stalling starts a device in memory (256 MiB) that adds a fixed delay to every I/O
// and stands still again and again: for as long as stall says out of every. What is
// due then waits until it is over. The server itself is suspended.
func Stalling(t T, delay, stall, every time.Duration) Device {
	t.Helper()
	d := Freezable(t, delay)
	quit, over := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(quit)
		<-over
	})
	go func() {
		defer close(over)
		defer d.Thaw()
		for next := time.Now().Add(every - stall); ; next = next.Add(every) {
			if !sleepUntil(next, quit) {
				return
			}
			d.Freeze()
			if !sleepUntil(next.Add(stall), quit) {
				return
			}
			d.Thaw()
		}
	}()
	d.Name = fmt.Sprintf("delay %s, still for %s of every %s", delay, stall, every)
	return d.Device
}

// FreezableDevice can be made to stand still: it then answers nothing, and loses nothing.
type FreezableDevice struct {
	Device
	process *os.Process
}

// Freeze makes it stand still until Thaw: the server itself is suspended.
func (d FreezableDevice) Freeze() { _ = d.process.Signal(syscall.SIGSTOP) }

// Thaw ends that.
func (d FreezableDevice) Thaw() { _ = d.process.Signal(syscall.SIGCONT) }

// Freezable starts a device in memory (256 MiB) that adds a fixed delay to every I/O and
// stands still when it is told to.
func Freezable(t T, delay time.Duration) FreezableDevice {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"delay"}, plugin: inMemory(),
		options: []string{"rdelay=" + milliseconds(delay), "wdelay=" + milliseconds(delay)}})
	d := FreezableDevice{s.device(fmt.Sprintf("delay %s, stands still when told", delay), nbdSize), s.process.cmd.Process}
	// A suspended server does not hear that it should end, so it is woken before.
	t.Cleanup(d.Thaw)
	return d
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
