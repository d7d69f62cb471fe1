package lab

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// Stalling starts a device in memory (256 MiB) that adds a fixed delay to every I/O
// and stalls periodically: for stall out of every period of length every. I/Os during
// a stall wait until it is over. The server process itself is suspended.
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

// freezableDevice can be frozen: it then completes no I/O, and loses none.
type freezableDevice struct {
	Device
	process *os.Process
}

// Freeze stops the device until Thaw: the server process itself is suspended.
func (d freezableDevice) Freeze() { _ = d.process.Signal(syscall.SIGSTOP) }

// Thaw resumes the device.
func (d freezableDevice) Thaw() { _ = d.process.Signal(syscall.SIGCONT) }

// Freezable starts a device in memory (256 MiB) that adds a fixed delay to every I/O and
// can be frozen.
func Freezable(t T, delay time.Duration) freezableDevice {
	t.Helper()
	s := nbdkit(t, nbdServer{filters: []string{"delay"}, plugin: inMemory(),
		options: []string{"rdelay=" + milliseconds(delay), "wdelay=" + milliseconds(delay)}})
	d := freezableDevice{s.device(fmt.Sprintf("delay %s, stands still when told", delay), nbdSize), s.process.cmd.Process}
	// A suspended server does not react to SIGTERM, so it is resumed first.
	t.Cleanup(d.Thaw)
	return d
}

// sleepUntil sleeps until the moment; it returns false if quit closes first.
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
