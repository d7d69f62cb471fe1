package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
)

const (
	// readyTimeout is how long a tracer may take to load what it needs into its kernel.
	readyTimeout = time.Minute
	// endTimeout is how long the last answers may take after the end was requested.
	endTimeout = 30 * time.Second
	// maxLine bounds a line from a tracer, in bytes.
	maxLine = 16 << 20
)

// Tracer is a tracer that was started on another machine.
type Tracer struct {
	// Node is the machine's name, Devices are those to be traced there.
	Node    string
	Devices []string
	// Holding are directories there whose devices are to be counted, instead of tracing Devices; Ready
	// then sets Devices.
	Holding []string
	// Cgroups maps the numbers of some of that machine's cgroups to names.
	Cgroups map[uint64]string
	// Link is the connection to the tracer. Closing it ends the tracer and removes what was created
	// for it.
	Link io.ReadWriteCloser

	// held are the devices of Holding, in that order.
	held []string
	// offset is how much later than the first tracer it began, in seconds; set once it has begun.
	offset  float64
	samples int
	begun   *iotrace.Run
	ended   *iotrace.Run
	last    float64
	lost    string
	waiting bool
}

// Group is the tracers of one trace.
type Group struct {
	tracers  []*Tracer
	clock    env.Clock
	say      func(string)
	messages chan message
	done     chan struct{}
	close    func() error
	// began is when the tracers were told to begin.
	began time.Time
	// seconds are the times of each recent whole second, by its number.
	seconds map[int]span
}

// span is when a whole second of a trace ended, and its length.
type span struct{ end, length float64 }

// message is a line of a tracer's, or why there is none any more.
type message struct {
	from *Tracer
	reply
	err error
}

// Ready tells the tracers what to trace, and returns when all are ready to begin. say is called with
// remarks for the user. After an error the tracers are closed.
func Ready(ctx context.Context, clock env.Clock, tracers []*Tracer, say func(string)) (*Group, error) {
	g := &Group{tracers: tracers, clock: clock, say: say, messages: make(chan message), done: make(chan struct{}), seconds: map[int]span{}}
	g.close = sync.OnceValue(func() error {
		close(g.done)
		errs := make([]error, len(tracers))
		var all sync.WaitGroup
		for i, t := range tracers {
			all.Go(func() { errs[i] = t.Link.Close() })
		}
		all.Wait()
		return errors.Join(errs...)
	})
	for _, t := range tracers {
		go g.listen(t)
		if err := t.send(command{Devices: t.Devices, Holding: t.Holding}); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	err := g.waitForAll(ctx, readyTimeout, func(m message) (bool, error) {
		if !m.Ready || len(m.from.Holding) == 0 {
			return m.Ready, nil
		}
		if len(m.reply.Holding) != len(m.from.Holding) {
			return false, fmt.Errorf("the tracer on %s names %d devices for %d directories", m.from.Node, len(m.reply.Holding), len(m.from.Holding))
		}
		m.from.held = m.reply.Holding
		for _, name := range m.from.held {
			if !slices.Contains(m.from.Devices, name) {
				m.from.Devices = append(m.from.Devices, name)
			}
		}
		return true, nil
	}, nil)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Close ends the tracers. It may be called twice.
func (g *Group) Close() error { return g.close() }

func (t *Tracer) send(o command) error {
	line, err := json.Marshal(o)
	if err == nil {
		_, err = t.Link.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the tracer on %s: %w", t.Node, err)
	}
	return nil
}

// listen passes on a tracer's lines.
func (g *Group) listen(t *Tracer) {
	lines := bufio.NewScanner(t.Link)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		m := message{from: t}
		if err := json.Unmarshal(lines.Bytes(), &m.reply); err != nil {
			m.err = fmt.Errorf("it says %.80q", lines.Bytes())
		}
		if !g.deliver(m) || m.err != nil {
			return
		}
	}
	err := lines.Err()
	if err == nil {
		err = errors.New("it has ended")
	}
	g.deliver(message{from: t, err: err})
}

func (g *Group) deliver(m message) bool {
	select {
	case g.messages <- m:
		return true
	case <-g.done:
		return false
	}
}

// waitForAll waits until every tracer has said what is waited for, once. An error of one is that of
// all, unless that one had said it: then lost is given why it was lost, and the others are waited for.
func (g *Group) waitForAll(ctx context.Context, limit time.Duration, said func(message) (bool, error), lost func(message)) error {
	late := g.clock.NewTimer(limit)
	defer late.Stop()
	for done := map[*Tracer]bool{}; len(done) < len(g.tracers); {
		select {
		case m := <-g.messages:
			if err := m.failure(); err != nil {
				if !done[m.from] || lost == nil {
					return err
				}
				lost(m)
				continue
			}
			is, err := said(m)
			if err != nil {
				return err
			}
			if is && done[m.from] {
				return fmt.Errorf("the tracer on %s was lost: it repeated itself", m.from.Node)
			}
			if is {
				done[m.from] = true
			}
		case <-late.C:
			return model.BrokenError(fmt.Sprintf("a tracer was not ready within %s", limit), "run again without --trace")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// failure returns why a tracer has stopped before it was asked to.
func (m message) failure() error {
	switch {
	case m.err != nil:
		return fmt.Errorf("the tracer on %s was lost: %w", m.from.Node, m.err)
	case m.Ended != nil:
		return model.BrokenError(fmt.Sprintf("the tracer on %s failed: %s", m.from.Node, safetext.Clean(m.Failed)), "run again without --trace")
	}
	return nil
}

// Run traces until the context ends or no tracer is left, like trace.Run for one machine. Losing a
// tracer meanwhile is not an error: the record's Reason says so. Only Begun and Second of o are used,
// and the request is kept in the record.
func (g *Group) Run(ctx context.Context, o trace.Options) (iotrace.Run, error) {
	run := iotrace.Run{Schema: iotrace.RunSchema, Request: o.Request}
	g.began = g.clock.Now()
	for _, t := range g.tracers {
		if err := t.send(command{Begin: true}); err != nil {
			return run, err
		}
	}
	// A fast tracer sends samples, or is lost, before a slow one has begun.
	var early []message
	soon := func(m message) { early = append(early, m) }
	err := g.waitForAll(ctx, readyTimeout, func(m message) (bool, error) {
		if m.Begun == nil {
			soon(m)
			return false, nil
		}
		now := g.clock.Now()
		if run.Started.IsZero() {
			run.Started = now
		}
		m.from.begun, m.from.offset = m.Begun, now.Sub(run.Started).Seconds()
		return true, nil
	}, soon)
	if err != nil {
		return run, err
	}
	g.describe(&run)
	if o.Begun != nil {
		if err := o.Begun(run); err != nil {
			return run, err
		}
	}
	for _, m := range early {
		if err := g.handle(m, o.Second); err != nil {
			return run, err
		}
	}
	err = g.follow(ctx, o.Second)
	g.addOutcomes(&run)
	return run, err
}

// follow takes what the tracers say until all have ended.
func (g *Group) follow(ctx context.Context, emit func(float64, []iotrace.Sample) error) error {
	ended, late := ctx.Done(), (<-chan time.Time)(nil)
	for slices.ContainsFunc(g.tracers, (*Tracer).running) {
		select {
		case m := <-g.messages:
			if err := g.handle(m, emit); err != nil {
				return err
			}
		case <-ended:
			ended, late = nil, g.clock.After(endTimeout)
			for _, t := range g.tracers {
				if t.waiting = true; t.running() {
					_ = t.send(command{End: true}) // if that fails, the tracer is reported lost or times out
				}
			}
		case <-late:
			for _, t := range g.tracers {
				if t.running() {
					g.markLost(t, fmt.Sprintf("it has not answered within %s", endTimeout))
				}
			}
		}
	}
	return nil
}

// running reports whether a tracer may send more.
func (t *Tracer) running() bool { return t.ended == nil && t.lost == "" }

func (g *Group) markLost(t *Tracer, why string) {
	t.lost = safetext.Clean(why)
	g.say(fmt.Sprintf("the trace of %s ends here: %s", t.Node, t.lost))
}

// handle handles one line.
func (g *Group) handle(m message, emit func(float64, []iotrace.Sample) error) error {
	t := m.from
	switch {
	case !t.running():
	case m.err != nil:
		g.markLost(t, m.err.Error())
	case m.Ended != nil:
		t.ended = m.Ended
		if m.Failed != "" {
			g.markLost(t, m.Failed)
		} else if !t.waiting {
			g.markLost(t, "it has ended by itself")
		}
	case len(m.Samples) > 0:
		now := g.clock.Now().Sub(g.began).Seconds()
		for i := range m.Samples {
			s := &m.Samples[i]
			if err := t.check(s, now); err != nil {
				g.markLost(t, err.Error())
				return nil
			}
			g.align(t, s)
			s.Device, s.Cgroup, s.Command = g.device(t, s.Device), t.cgroup(s.Cgroup), safetext.Clean(s.Command)
			t.last = max(t.last, s.End)
		}
		return emit(t.last, m.Samples)
	}
	return nil
}

const (
	// secondTolerance is by how many seconds a whole second may be longer or shorter than one.
	secondTolerance = 0.25
	// secondsKept is for how many seconds the end of one is remembered.
	secondsKept = 60
	// clockTolerance is by how many seconds a tracer's clock may be ahead of ours.
	clockTolerance = 60
	// maxSampleRate is how many samples a second a tracer may send: a sample is one kind of I/O of
	// one process, and the kernel's tables hold fewer.
	maxSampleRate = 50_000
)

// align gives a second the same end on all machines, so that a sum over them counts it once. Tracers
// begin at one command, but up to a second apart; their own seconds are numbered, and those of the same
// number are taken to be the same.
func (g *Group) align(t *Tracer, s *iotrace.Sample) {
	number := int(math.Round(s.End) + math.Round(t.offset))
	s.End += t.offset
	if math.Abs(s.Seconds-1) >= secondTolerance {
		// The last one, which the end of the trace cut short.
		return
	}
	first, known := g.seconds[number]
	if !known {
		g.seconds[number] = span{s.End, s.Seconds}
		maps.DeleteFunc(g.seconds, func(n int, _ span) bool { return n < number-secondsKept })
		return
	}
	s.End, s.Seconds = first.end, first.length
}

// check fails for a sample that cannot be that of a tracer which began at most now seconds ago: one that
// would make the record of all tracers unreadable.
func (t *Tracer) check(s *iotrace.Sample, now float64) error {
	if !slices.Contains(t.Devices, s.Device) || !slices.Contains(iotrace.Operations, s.Operation) {
		return fmt.Errorf("it sent a sample of %.40q, %.40q, which was not asked for", s.Device, s.Operation)
	}
	if !(s.Seconds > 0 && s.End >= s.Seconds-1e-6 && s.End <= now+clockTolerance) {
		return fmt.Errorf("it sent a sample of %g s that ends after %g s", s.Seconds, s.End)
	}
	if t.samples++; t.samples > int(now+clockTolerance)*maxSampleRate {
		return fmt.Errorf("it sent more than %d samples a second", maxSampleRate)
	}
	return s.Check()
}

// DeviceOf returns the device of a tracer's nth directory, as samples name it.
func (g *Group) DeviceOf(t *Tracer, nth int) string { return g.device(t, t.held[nth]) }

// device returns the name of a tracer's device, unique among all tracers.
func (g *Group) device(t *Tracer, name string) string {
	name = safetext.Clean(name)
	if len(g.tracers) > 1 {
		return t.Node + "/" + name
	}
	return name
}

// cgroup returns the name of a cgroup for which the tracer only has the number.
func (t *Tracer) cgroup(name string) string {
	var number uint64
	if _, err := fmt.Sscanf(name, "#%d", &number); err == nil && t.Cgroups[number] != "" {
		return t.Cgroups[number]
	}
	return safetext.Clean(name)
}

// methodRank ranks the methods by how much they see.
func methodRank(m iotrace.Method) int {
	switch m {
	case iotrace.ByBPF:
		return 2
	case iotrace.ByCounters:
		return 0
	}
	return 1
}

// describe stores the tracers' properties in the record: the method is the one that sees least.
func (g *Group) describe(run *iotrace.Run) {
	run.Request.Devices = nil
	where := map[string][]string{}
	var said []string
	for i, t := range g.tracers {
		for _, name := range t.Devices {
			run.Request.Devices = append(run.Request.Devices, g.device(t, name))
		}
		if i == 0 || methodRank(t.begun.Method) < methodRank(run.Method) {
			run.Method = t.begun.Method
		}
		for _, words := range t.begun.Limitations {
			words = safetext.Clean(words)
			if where[words] == nil {
				said = append(said, words)
			}
			where[words] = append(where[words], t.Node)
		}
	}
	for _, words := range said {
		if len(where[words]) < len(g.tracers) {
			words = strings.Join(where[words], ", ") + ": " + words
		}
		run.Limitations = append(run.Limitations, words)
	}
}

// addOutcomes stores the tracers' outcomes in the record.
func (g *Group) addOutcomes(run *iotrace.Run) {
	var lost []string
	for _, t := range g.tracers {
		if t.lost != "" {
			lost = append(lost, fmt.Sprintf("the tracer on %s was lost after %.0f s: %s", t.Node, t.last, t.lost))
		}
		if t.ended == nil || len(t.ended.Devices) == 0 {
			// Its total counts and what its devices did are unknown.
			run.Seconds = max(run.Seconds, t.last)
			for _, name := range t.Devices {
				run.Devices = append(run.Devices, iotrace.Device{Name: g.device(t, name)})
			}
			continue
		}
		run.Seconds = max(run.Seconds, t.ended.Seconds)
		run.LostRecords += t.ended.LostRecords
		for _, d := range t.ended.Devices {
			if !slices.Contains(t.Devices, d.Name) {
				continue // it was not asked for
			}
			d.Name = g.device(t, d.Name)
			run.Devices = append(run.Devices, d)
		}
	}
	run.Reason = strings.Join(lost, "; ")
}
