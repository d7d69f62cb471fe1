// Package runqueue tells how long threads were ready to run but waited for a processor: the part of a
// latency that the storage is not to blame for.
//
// Its assumption: the kernel's schedstat files, whose first two numbers are nanoseconds on a processor
// and nanoseconds waited for one (Linux, Documentation/scheduler/sched-stats.rst). A kernel without
// these statistics has no such file, or one with zeros: then nothing is known.
package runqueue

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Times is how long a thread has run on a processor, and how long it waited for one, in seconds.
type Times struct{ Ran, Waited float64 }

// Read returns what a schedstat file says; ok is false if it cannot be read.
func Read(name string) (t Times, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Times{}, false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return Times{}, false
	}
	ran, err1 := strconv.ParseUint(fields[0], 10, 64)
	waited, err2 := strconv.ParseUint(fields[1], 10, 64)
	if err1 != nil || err2 != nil {
		return Times{}, false
	}
	return Times{Ran: float64(ran) / 1e9, Waited: float64(waited) / 1e9}, true
}

// Meter adds up what the threads of some processes wait, reading by reading.
type Meter struct {
	// proc is the path of procfs; empty means "/proc".
	proc string
	// Processes are the processes, and Except a thread of theirs that does not count; 0 for none.
	Processes []int
	Except    int

	threads     map[string]Times
	first, last time.Time
	waited      float64
}

// Read adds a reading. It reports whether all processes still have threads: otherwise it adds nothing,
// because what a process waited since the last reading is lost with it.
func (m *Meter) Read(now time.Time) bool {
	found := map[string]Times{}
	for _, id := range m.Processes {
		before := len(found)
		m.threadsOf(id, found)
		if len(found) == before {
			return false
		}
	}
	if len(found) == 0 {
		return false
	}
	if m.threads == nil {
		m.first = now
	} else {
		for name, t := range found {
			// A thread that is new has begun since. What one that has ended waited last is lost.
			m.waited += max(0, t.Waited-m.threads[name].Waited)
		}
	}
	m.threads, m.last = found, now
	return true
}

// threadsOf adds the threads of a process that have ever run.
func (m *Meter) threadsOf(process int, found map[string]Times) {
	proc := m.proc
	if proc == "" {
		proc = "/proc"
	}
	names, _ := filepath.Glob(filepath.Join(proc, strconv.Itoa(process), "task", "[0-9]*", "schedstat"))
	for _, name := range names {
		if filepath.Base(filepath.Dir(name)) == strconv.Itoa(m.Except) {
			continue
		}
		if t, ok := Read(name); ok && t.Ran > 0 {
			found[name] = t
		}
	}
}

// Waiting returns how many threads were waiting on average from the first to the last reading, in
// threads (seconds per second); nil if it is not known.
func (m *Meter) Waiting() *float64 {
	span := m.last.Sub(m.first).Seconds()
	if span <= 0 {
		return nil
	}
	w := m.waited / span
	return &w
}
