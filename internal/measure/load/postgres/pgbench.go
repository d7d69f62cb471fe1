package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
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
	// told is how many seconds were emitted.
	told        int
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
	w, step, clock := b.req.Workload, b.req.Step, b.server.env.Clock
	script, remove, err := b.script()
	defer remove()
	if err != nil {
		return nil, err
	}
	p, err := b.launch(script)
	if err != nil {
		return nil, err
	}
	began := clock.Now()
	pulse := daemon.TakePulse(clock, clock.Watch())
	rec := newRecord(step.Number, w.Writes(), len(p.pipes.read), began.UnixMicro(), step.Ramp, step.Seconds, w.App.Limit,
		func(s model.Sample) { b.emit(model.Event{Sample: &s}) })
	if rec.connecting = !w.OpenLoop && !w.App.Reconnect; w.OpenLoop {
		rec.rate = w.RateIOPS
	}
	log := p.pipes.follow(rec)
	p.begin()
	limited, cancel := context.WithTimeout(ctx, load.Seconds(step.Ramp+step.Seconds+beyond+late))
	defer cancel()
	// When the server is gone, pgbench loses its clients, but not always at once.
	stop := context.AfterFunc(b.server.ends(limited), cancel)
	processors := watchProcessors(clock, b.server.processes(), watched{here: true, pid: p.Process.Process.Pid}, max(1, w.Depth), load.Seconds(step.Ramp))
	// What a script has left in the background, which holds the pipes open, is killed with it.
	p.Finish(limited, syscall.SIGINT, 2*time.Second)
	ended := clock.Now()
	processor := processors()
	stop()
	if ctx.Err() == nil && !p.Succeeded() {
		b.server.endsOrAnswers(ctx)
	}
	stopped := clock.Now()
	broke := log.end(clock)
	o := &outcome{said: p.errs.String(), counts: rec.counts(), interrupted: ctx.Err() != nil}
	o.counts.Processor = processor
	o.closing, o.closed = parseClosing(p.out.String())
	o.counts.ToolTransactions, o.counts.ToolRate, o.counts.Connect = o.closing.done, o.closing.rate, o.closing.connect
	if wall := stopped.Sub(began).Seconds(); wall > 0 && p.ProcessState != nil {
		o.user, o.sys = p.ProcessState.UserTime().Seconds()/wall, p.ProcessState.SystemTime().Seconds()/wall
	}
	if !o.interrupted {
		o.failed = b.failure(limited, p, rec, o, broke, ended.Sub(began).Seconds())
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

// failure returns why pgbench did not do what was asked, or "": limited is the context whose end stops it,
// broke the error of reading its log, and lived how long it ran, in seconds.
func (b *bench) failure(limited context.Context, p *gated, rec *record, o *outcome, broke error, lived float64) string {
	w, step := b.req.Workload, b.req.Step
	switch gone := b.server.gone(); {
	case gone != "":
		return gone
	case broke != nil:
		return broke.Error()
	case limited.Err() != nil:
		return fmt.Sprintf("pgbench hung: it should have ended after %s and was stopped %s later", units.FormatSpan(step.Ramp+step.Seconds+beyond), units.FormatSpan(late))
	case !p.Succeeded():
		return "pgbench failed: " + daemon.Quote(o.said, fmt.Errorf("it ended with %s", p.ProcessState))
	case !o.closed:
		return "pgbench ended without its closing lines: " + daemon.Quote(o.said, errors.New("it said nothing"))
	case !w.OpenLoop && rec.first < math.MaxInt64 && float64(rec.first-rec.begin)/1e6 > step.Ramp+connectGrace:
		// pgbench begins when all clients are connected.
		return fmt.Sprintf("the clients took %s to connect, longer than the ramp of %s: use fewer clients or more threads, or --time 60s --ramp-time 30s",
			units.FormatSpan(float64(rec.first-rec.begin)/1e6), units.FormatSpan(step.Ramp))
	}
	return o.closing.check(o.counts, edges(w, o.counts, lived-o.closing.initial))
}

// script writes the user's script, if there is one, and returns how pgbench names it; remove is to be called
// when pgbench has ended, also after an error.
func (b *bench) script() (name string, remove func(), err error) {
	if b.req.Workload.App.Script == "" {
		return "", func() {}, nil
	}
	const file = "script.sql"
	root := b.server.root
	err = root.WriteFile(file, []byte(b.req.Workload.App.Script), 0o600)
	err = errors.Join(err, b.server.account.Give(root, file))
	return filepath.Join("..", file), func() { _ = root.Remove(file) }, err
}

// gated is a pgbench that waits for begin.
type gated struct {
	daemon.Process
	gate      io.WriteCloser
	out, errs daemon.Tail
	pipes     *pipes
}

// begin lets pgbench begin.
func (p *gated) begin() {
	_, _ = io.WriteString(p.gate, "go\n")
	_ = p.gate.Close()
}

// launch starts a pgbench that waits, and opens the pipes for its log.
func (b *bench) launch(script string) (*gated, error) {
	// The paths that pgbench reads and writes are relative to the directory that it is started in.
	const prefix = "log"
	args := append(arguments(b.req.Workload, b.req.Step.Ramp, b.req.Step.Seconds, script), "--log", "--log-prefix="+filepath.Join("..", prefix))
	if b.server.exists == nil && !b.server.remote {
		args = append(args, "--host="+b.server.host(), "--port="+port, "--username="+b.server.user(), database)
	}
	// The names of the log files contain the PID, so the process waits until they exist.
	command := append([]string{"-c", `read -r go && exec "$@" </dev/null`, "sh", b.server.programs.path("pgbench")}, args...)
	dir, done, err := b.server.place(b.server.socket)
	if err != nil {
		return nil, err
	}
	defer done()
	cmd := b.server.account.Command(b.server.env, dir, "/bin/sh", command...)
	p := &gated{}
	if p.gate, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = &p.out, &p.errs
	if p.Process, err = daemon.Launch(b.server.env.Clock, cmd); err != nil {
		return nil, model.BrokenError(fmt.Sprintf("pgbench cannot be started: %v", err), "")
	}
	if p.pipes, err = b.openPipes(prefix, cmd.Process.Pid, threads(b.req.Workload)); err != nil {
		p.Kill(syscall.SIGKILL)
		<-p.End
		return nil, model.BrokenError(fmt.Sprintf("pgbench's log cannot be read: %v", err), "")
	}
	return p, nil
}

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
