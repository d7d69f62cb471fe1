// Package contention says how long the processes of a machine had to wait for its processors.
//
// Its assumptions: a test that fails on a shared machine and passes at a second try has not said why. If nothing had to
// wait for a processor meanwhile, the machine was not the cause.
package contention

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watched is what has been seen of the contention for this machine's processors.
type watched struct {
	stop, stopped chan struct{}
	// longest is the longest time that a process of this kind was not woken when it was due.
	longest time.Duration
	began   time.Time
	before  processors
}

// processors are the kernel's totals of this machine, in seconds.
type processors struct {
	// waited is for how long at least one process waited for a processor (/proc/pressure/cpu, some).
	waited float64
	// all is the time of all processors, idle what they did nothing in, and stolen what the host gave to others.
	all, idle, stolen float64
}

// Watch watches the machine until the function that it returns is called, which says what it has seen: "the longest
// wait for a processor was 180 ms, processes waited 41 % of the time, processors 3 % idle and 0 % stolen".
func Watch() (words func() string) {
	c := &watched{stop: make(chan struct{}), stopped: make(chan struct{}), began: time.Now(), before: readProcessors()}
	go c.watch()
	return c.end
}

// watch sleeps for moments, and keeps by how much it was woken too late.
func (c *watched) watch() {
	defer close(c.stopped)
	const moment = 5 * time.Millisecond
	for {
		due := time.Now().Add(moment)
		select {
		case <-c.stop:
			return
		case <-time.After(moment):
		}
		c.longest = max(c.longest, time.Since(due))
	}
}

func (c *watched) end() string {
	close(c.stop)
	<-c.stopped
	now, took := readProcessors(), time.Since(c.began).Seconds()
	share := func(part, whole float64) string { return fmt.Sprintf("%.0f %%", 100*part/max(whole, 1e-9)) }
	words := fmt.Sprintf("the longest wait for a processor was %d ms", c.longest.Milliseconds())
	if c.before.waited > 0 {
		words += ", processes waited " + share(now.waited-c.before.waited, took) + " of the time"
	}
	if all := now.all - c.before.all; all > 0 {
		words += ", processors " + share(now.idle-c.before.idle, all) + " idle and " + share(now.stolen-c.before.stolen, all) + " stolen"
	}
	return words
}

// readProcessors reads the totals; those that this kernel does not have are 0.
func readProcessors() (p processors) {
	const ticks = 100 // of the kernel's clock, per second
	pressure, _ := os.ReadFile("/proc/pressure/cpu")
	for line := range strings.Lines(string(pressure)) {
		if total, found := strings.CutPrefix(lastField(line), "total="); found && strings.HasPrefix(line, "some ") {
			us, _ := strconv.ParseFloat(total, 64)
			p.waited = us / 1e6
		}
	}
	stat, _ := os.ReadFile("/proc/stat")
	first, _, _ := strings.Cut(string(stat), "\n")
	// cpu user nice system idle iowait irq softirq steal …
	for i, field := range strings.Fields(first) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || i > 8 {
			continue
		}
		switch p.all += n / ticks; i {
		case 4, 5:
			p.idle += n / ticks
		case 8:
			p.stolen += n / ticks
		}
	}
	return p
}

func lastField(line string) string {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return ""
	}
	return fields[len(fields)-1]
}
