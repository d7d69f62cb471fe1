package postgres

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/runqueue"
	"github.com/loadline/loadline/internal/model"
)

// onCPU is how long a set of threads ran on a CPU, and how long it was runnable but waited for one,
// in seconds.
type onCPU struct{ ran, waited float64 }

// processors reads once a second the kernel scheduler's statistics for the server's client
// processes and for pgbench's threads: /proc/PID/schedstat, whose first two numbers are nanoseconds
// on a CPU and nanoseconds waited for one (Linux, Documentation/scheduler/sched-stats.rst). If the
// kernel does not provide them, nothing is known.
type processors struct {
	// proc is the path of procfs, "/proc".
	proc            string
	server, pgbench watched
	clients         int
	now             func() time.Time

	first, last *reading
}

// reading is what was read at one moment. pids are the server's client processes.
type reading struct {
	at             time.Time
	pids           map[int]bool
	server, client onCPU
}

// watched is a program whose processor time is counted if it runs on this machine; its PID is 0 if we may not inspect it.
type watched struct {
	here bool
	pid  int
}

// watchProcessors reads until it is stopped; stop returns what was found, or nil.
func watchProcessors(clock env.Clock, server, pgbench watched, clients int, ramp time.Duration) (stop func() *model.AppProcessor) {
	p := &processors{proc: "/proc", server: server, pgbench: pgbench, clients: clients, now: clock.Now}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		wait := clock.After(ramp)
		for {
			select {
			case <-end:
				return
			case <-wait:
			}
			p.read()
			wait = clock.After(time.Second)
		}
	}()
	return func() *model.AppProcessor {
		close(end)
		<-ended
		return p.found()
	}
}

// read adds a reading. It counts only if there are as many processes as clients, the same
// throughout: the times of a process that ends are lost.
func (p *processors) read() {
	r := &reading{at: p.now(), pids: map[int]bool{}}
	if p.server.here && !p.readServer(r) {
		return
	}
	var threads []string
	if p.pgbench.here {
		threads, _ = filepath.Glob(filepath.Join(p.proc, strconv.Itoa(p.pgbench.pid), "task", "[0-9]*", "schedstat"))
	}
	for _, name := range threads {
		if !r.client.add(name) {
			return
		}
	}
	switch {
	case p.server.here && len(r.pids) != p.clients || p.pgbench.here && len(threads) == 0:
	case p.first == nil:
		p.first = r
	case maps.Equal(p.first.pids, r.pids):
		p.last = r
	}
}

// readServer adds the server's client processes; it reports whether they could be read.
func (p *processors) readServer(r *reading) bool {
	children, err := os.ReadFile(filepath.Join(p.proc, strconv.Itoa(p.server.pid), "task", strconv.Itoa(p.server.pid), "children"))
	if err != nil {
		return false
	}
	for _, word := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(word)
		// The title of a client process: "postgres: USER DATABASE [local] COMMIT".
		title, titleErr := os.ReadFile(filepath.Join(p.proc, word, "cmdline"))
		if err != nil || titleErr != nil || !strings.Contains(string(title), " "+database+" ") {
			continue
		}
		if !r.server.add(filepath.Join(p.proc, word, "schedstat")) {
			return false
		}
		r.pids[pid] = true
	}
	return true
}

// found returns the difference between the last and the first reading.
func (p *processors) found() *model.AppProcessor {
	if p.first == nil || p.last == nil {
		return nil
	}
	f := &model.AppProcessor{Seconds: p.last.at.Sub(p.first.at).Seconds(),
		ServerCPU: p.last.server.ran - p.first.server.ran, ServerWait: p.last.server.waited - p.first.server.waited,
		ClientCPU: p.last.client.ran - p.first.client.ran, ClientWait: p.last.client.waited - p.first.client.waited}
	if f.Seconds <= 0 || min(f.ServerCPU, f.ServerWait, f.ClientCPU, f.ClientWait) < 0 {
		return nil
	}
	return f
}

// add adds the values in one file, and reports whether it could be read.
func (c *onCPU) add(name string) bool {
	t, ok := runqueue.Read(name)
	c.ran, c.waited = c.ran+t.Ran, c.waited+t.Waited
	return ok
}
