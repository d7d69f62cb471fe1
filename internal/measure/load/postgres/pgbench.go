package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// beyond is for how many seconds pgbench continues after the measured part: its duration counts
	// from before its clients are connected, and clients leave one by one at the end.
	beyond = 1.0
	// late is how much longer than requested pgbench may run, in seconds, before it is ended
	// because transactions no longer complete.
	late = 60.0
	// pipeSize is how much of its log pgbench can write before it blocks: enough for seconds.
	pipeSize = 1 << 20
)

// bench is one run of pgbench against a server.
type bench struct {
	server *server
	req    model.StartRequest
	emit   func(model.Event)
}

// outcome is the result of a run.
type outcome struct {
	counts model.AppCounts
	due    uint64
	// told is how many seconds were emitted, asked how many were requested.
	told, asked int
	closing     closing
	closed      bool
	said        string
	interrupted bool
	failed      string
	user, sys   float64
	stalls      []model.Stall
}

// arguments returns pgbench's arguments, except those for the log and the connection.
func arguments(w model.Workload, ramp, seconds float64, script string) []string {
	args := []string{
		"--no-vacuum", "--client=" + strconv.Itoa(max(1, w.Depth)), "--jobs=" + strconv.Itoa(threads(w)),
		"--time=" + strconv.Itoa(int(math.Ceil(ramp+seconds+beyond))),
	}
	if w.App.Reconnect {
		args = append(args, "--connect")
	}
	if w.OpenLoop {
		args = append(args, "--rate="+strconv.FormatFloat(w.RateIOPS, 'f', -1, 64))
	}
	if w.App.Limit > 0 {
		args = append(args, "--latency-limit="+strconv.FormatFloat(w.App.Limit*1e3, 'f', -1, 64))
	}
	if script != "" {
		args = append(args, "--file="+script)
	}
	return append(args, w.App.OptionList()...)
}

// threads returns the number of pgbench's threads: no more than clients, which is also pgbench's rule.
func threads(w model.Workload) int { return max(1, min(w.App.Threads, max(1, w.Depth))) }

// run runs pgbench once. Its log comes through pipes, one for each of its threads, so that none of
// it is written to the storage being measured, or kept.
func (b *bench) run(ctx context.Context) (*outcome, error) {
	w, step := b.req.Workload, b.req.Step
	n := threads(w)
	script := ""
	if w.App.Script != "" {
		const name = "script.sql"
		script = filepath.Join("..", name)
		defer func() { _ = b.server.root.Remove(name) }()
		err := b.server.root.WriteFile(name, []byte(w.App.Script), 0o600)
		if err = errors.Join(err, b.server.account.Give(b.server.root, name)); err != nil {
			return nil, err
		}
	}
	// The paths that pgbench reads and writes are relative to the directory that it is started in.
	const prefix = "log"
	args := append(arguments(w, step.Ramp, step.Seconds, script), "--log", "--log-prefix="+filepath.Join("..", prefix))
	if b.server.exists == nil && !b.server.remote {
		args = append(args, "--host="+b.server.host(), "--port="+port, "--username="+b.server.user(), database)
	}
	// The names of the log files contain the PID, so the process waits until they exist.
	gated := append([]string{"-c", `read -r go && exec "$@" </dev/null`, "sh", b.server.programs.path("pgbench")}, args...)
	dir, done, err := b.server.place(b.server.socket)
	if err != nil {
		return nil, err
	}
	defer done()
	cmd := b.server.account.Command(b.server.env, dir, "/bin/sh", gated...)
	gate, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	var out, errs daemon.Tail
	cmd.Stdout, cmd.Stderr = &out, &errs
	p, err := daemon.Launch(b.server.env.Clock, cmd)
	if err != nil {
		return nil, model.BrokenError(fmt.Sprintf("pgbench cannot be started: %v", err), "")
	}
	pipes, err := b.openPipes(prefix, p.Process.Pid, n)
	if err != nil {
		p.Kill(syscall.SIGKILL)
		<-p.End
		return nil, model.BrokenError(fmt.Sprintf("pgbench's log cannot be read: %v", err), "")
	}
	o := &outcome{asked: max(1, int(math.Ceil(step.Seconds-1e-9)))}
	began := b.server.env.Now()
	pulse := daemon.TakePulse(b.server.env.Clock, b.server.env.Clock.Watch())
	rec := newRecord(step.Number, w.Writes(), n, began.UnixMicro(), step.Ramp, step.Seconds, w.App.Limit,
		func(s model.Sample) { b.emit(model.Event{Sample: &s}) })
	if rec.connecting = !w.OpenLoop && !w.App.Reconnect; w.OpenLoop {
		rec.rate = w.RateIOPS
	}
	var lock sync.Mutex
	var readers sync.WaitGroup
	bad := make([]error, n)
	for i, pipe := range pipes.read {
		readers.Go(func() { bad[i] = rec.read(i, pipe, &lock) })
	}
	_, _ = io.WriteString(gate, "go\n")
	_ = gate.Close()
	limited, cancel := context.WithTimeout(ctx, time.Duration((step.Ramp+step.Seconds+beyond+late)*float64(time.Second)))
	defer cancel()
	// When the server is gone, pgbench loses its clients, but not always at once.
	stop := context.AfterFunc(b.server.ends(limited), cancel)
	processors := watchProcessors(b.server.env.Clock, b.server.processes(), p.Process.Pid, max(1, w.Depth), time.Duration(step.Ramp*float64(time.Second)))
	// What a script has left in the background, which holds the pipes open, is killed with it.
	p.Finish(limited, syscall.SIGINT, 2*time.Second)
	ended := b.server.env.Now()
	processor := processors()
	stop()
	if ctx.Err() == nil && !p.Succeeded() {
		b.server.endsOrAnswers(ctx)
	}
	stopped := b.server.env.Now()
	pipes.close()
	read := make(chan struct{})
	go func() { readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-b.server.env.Clock.After(staysOpen):
		// A process that a script has started, in a group of its own, holds a log open. pgbench has written all of it.
		pipes.end()
		<-read
	}
	pipes.remove()
	lock.Lock()
	defer lock.Unlock()
	o.said = errs.String()
	o.counts, o.due = rec.counts(), rec.due
	o.counts.Processor = processor
	o.closing, o.closed = parseClosing(out.String())
	o.counts.ToolTransactions, o.counts.ToolRate, o.counts.Connect = o.closing.done, o.closing.rate, o.closing.connect
	if wall := stopped.Sub(began).Seconds(); wall > 0 && p.ProcessState != nil {
		o.user, o.sys = p.ProcessState.UserTime().Seconds()/wall, p.ProcessState.SystemTime().Seconds()/wall
	}
	broke := errors.Join(bad...)
	switch gone := b.server.gone(); {
	case ctx.Err() != nil:
		o.interrupted = true
	case gone != "":
		o.failed = gone
	case broke != nil:
		o.failed = broke.Error()
	case limited.Err() != nil:
		o.failed = fmt.Sprintf("pgbench hung: it should have ended after %s and was stopped %s later", units.FormatSpan(step.Ramp+step.Seconds+beyond), units.FormatSpan(late))
	case !p.Succeeded():
		o.failed = "pgbench failed: " + daemon.Quote(o.said, fmt.Errorf("it ended with %s", p.ProcessState))
	case !o.closed:
		o.failed = "pgbench ended without its closing lines: " + daemon.Quote(o.said, errors.New("it said nothing"))
	case !w.OpenLoop && rec.first < math.MaxInt64 && float64(rec.first-rec.begin)/1e6 > step.Ramp+connectGrace:
		// pgbench begins when all clients are connected.
		o.failed = fmt.Sprintf("the clients took %s to connect, longer than the ramp of %s: use fewer clients or more threads, or --time 60s --ramp-time 30s",
			units.FormatSpan(float64(rec.first-rec.begin)/1e6), units.FormatSpan(step.Ramp))
	default:
		o.failed = o.closing.check(o.counts, edges(w, o.counts, ended.Sub(began).Seconds()-o.closing.initial))
	}
	if o.interrupted || o.failed != "" {
		o.told = rec.until(min(stopped.UnixMicro(), rec.last))
	} else {
		rec.tell(true)
		o.told = rec.told
	}
	// The last second may have added a backlog.
	o.counts.Skipped, o.due = rec.sums.Skipped, rec.due
	o.stalls = pulse.Causes(rec.stalls)
	return o, nil
}

// staysOpen is how long the logs of a pgbench that has ended may stay open.
const staysOpen = 2 * time.Second

// connectGrace is for how many seconds of the measured time clients may still be connecting, which a busy machine can be
// late by: that part of the first second is not measured.
const connectGrace = 0.5

// edges returns by how many seconds pgbench's own time may differ from that of its transactions: a
// latency at each end, and the start and end of its threads, or, up to a second, what its process lived
// beyond its transactions and its connecting. lived is in seconds, without the connecting.
func edges(w model.Workload, c model.AppCounts, lived float64) float64 {
	// A thread that begins or ends waits for a CPU if all are busy, usually for a few scheduler time
	// slices: 20 to 40 ms were seen beside three other programs on two CPUs. On a virtual machine whose
	// processors are taken away it is longer, and the process lives as much longer.
	const threadsEdges, mostEdges = 0.05, 1.0
	sum := threadsEdges
	if c.Transactions > 0 {
		sum += 2 * c.LatencySum / float64(c.Transactions)
	}
	if w.OpenLoop && w.RateIOPS > 0 {
		// Nothing is due in the last moments.
		sum += 3 / w.RateIOPS
	}
	return max(sum, min(lived-c.Seconds, mostEdges))
}

// pipes are the pipes of pgbench's log.
type pipes struct {
	root        *os.Root
	names       []string
	read, write []*os.File
}

// end has everyone who reads see the end of what has been written.
func (p *pipes) end() {
	for _, f := range p.read {
		_ = f.SetReadDeadline(time.Unix(1, 0))
	}
}

// openPipes creates the pipes that pgbench will open as its log files, in a place where only we can
// replace them, and opens them: "PREFIX.PID" for its first thread, "PREFIX.PID.1" for the second.
// The write end that we hold open keeps readers from seeing end of file before pgbench has opened
// them.
func (b *bench) openPipes(prefix string, pid, n int) (p *pipes, err error) {
	root := b.server.root
	p = &pipes{root: root}
	defer func() {
		if err != nil {
			p.close()
			p.remove()
		}
	}()
	for i := range n {
		name := fmt.Sprintf("%s.%d", prefix, pid)
		if i > 0 {
			name += "." + strconv.Itoa(i)
		}
		if err := unix.Mkfifo(filepath.Join(b.server.dir, name), 0o600); err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
		p.names = append(p.names, name)
		r, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return p, err
		}
		p.read = append(p.read, r)
		w, err := root.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return p, err
		}
		p.write = append(p.write, w)
		setPipeSize(w, pipeSize)
		if err := b.server.account.Give(root, name); err != nil {
			return p, err
		}
	}
	return p, nil
}

// close lets the readers see end of file.
func (p *pipes) close() {
	for _, w := range p.write {
		_ = w.Close()
	}
}

func (p *pipes) remove() {
	for _, r := range p.read {
		_ = r.Close()
	}
	for _, name := range p.names {
		_ = p.root.Remove(name)
	}
}
