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

// Seen is what was seen of the contention for a machine's processors.
type Seen struct {
	// Longest is the longest time that a process was not woken when it was due.
	Longest time.Duration
	// Waited is the share of the time in which at least one process waited for a processor; nil on a kernel that does not tell
	// (/proc/pressure/cpu).
	Waited *float64
	// Idle and Stolen are the shares of the processors' time in which they did nothing, and which the host gave to others.
	Idle, Stolen float64
}

// Watch watches the machine until the function that it returns is called, which returns what it has seen.
func Watch() (end func() Seen) {
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

func (c *watched) end() Seen {
	close(c.stop)
	<-c.stopped
	now, took := readProcessors(), time.Since(c.began).Seconds()
	seen := Seen{Longest: c.longest}
	if c.before.waited > 0 && took > 0 {
		waited := (now.waited - c.before.waited) / took
		seen.Waited = &waited
	}
	if all := now.all - c.before.all; all > 0 {
		seen.Idle, seen.Stolen = (now.idle-c.before.idle)/all, (now.stolen-c.before.stolen)/all
	}
	return seen
}

// String says it: "the longest wait for a processor was 180 ms, processes waited 41 % of the time, processors 3 % idle and 0 % stolen".
func (s Seen) String() string {
	words := fmt.Sprintf("the longest wait for a processor was %d ms", s.Longest.Milliseconds())
	if s.Waited != nil {
		words += fmt.Sprintf(", processes waited %.0f %% of the time", 100**s.Waited)
	}
	return words + fmt.Sprintf(", processors %.0f %% idle and %.0f %% stolen", 100*s.Idle, 100*s.Stolen)
}

// Excuses reports whether something had to wait for a processor, which may have spoiled a measurement. On a quiet machine a
// process is woken within a millisecond.
func (s Seen) Excuses() bool {
	const late, waited, stolen, idle = 8 * time.Millisecond, 0.05, 0.01, 0.9
	if s.Waited == nil && s.Idle < idle || s.Waited != nil && *s.Waited >= waited {
		return true
	}
	return s.Longest >= late || s.Stolen >= stolen
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
