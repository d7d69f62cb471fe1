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
	"sync"
	"time"
)

// watched is what has been seen of the contention for this machine's processors.
type watched struct {
	// longest is the longest time that this process was not woken when it was due.
	longest time.Duration
	began   time.Time
	before  processors
}

// watchers are those who watch, for whom one goroutine sleeps for moments: it takes a percent of a processor, and a test binary
// may have fifteen tests at once.
var watchers struct {
	sync.Mutex
	watching map[*watched]bool
	sleeping bool
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
	c := &watched{began: time.Now(), before: readProcessors()}
	watchers.Lock()
	defer watchers.Unlock()
	if watchers.watching == nil {
		watchers.watching = map[*watched]bool{}
	}
	watchers.watching[c] = true
	if !watchers.sleeping {
		watchers.sleeping = true
		go sleep()
	}
	return c.end
}

// sleep sleeps for moments while anybody watches, and notes by how much it was woken too late.
func sleep() {
	const moment = 10 * time.Millisecond
	for {
		due := time.Now().Add(moment)
		time.Sleep(moment)
		late := time.Since(due)
		watchers.Lock()
		for c := range watchers.watching {
			// It may have begun in the middle.
			c.longest = max(c.longest, min(late, time.Since(c.began)))
		}
		if watchers.sleeping = len(watchers.watching) > 0; !watchers.sleeping {
			watchers.Unlock()
			return
		}
		watchers.Unlock()
	}
}

func (c *watched) end() Seen {
	watchers.Lock()
	delete(watchers.watching, c)
	watchers.Unlock()
	now, took := readProcessors(), time.Since(c.began).Seconds()
	seen := Seen{Longest: c.longest}
	if c.before.waited > 0 && took > 0 {
		waited := (now.waited - c.before.waited) / took
		seen.Waited = &waited
	}
	if spent := now.all - c.before.all; spent > 0 {
		seen.Idle, seen.Stolen = (now.idle-c.before.idle)/spent, (now.stolen-c.before.stolen)/spent
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

// Contended reports whether something had to wait for a processor, which may have spoiled a measurement. On a quiet machine a
// process is woken within a millisecond.
func (s Seen) Contended() bool {
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
