package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// helloTimeout is how long a worker may take to say hello.
const helloTimeout = 30 * time.Second

// stopGrace is how long a worker may take to end a request that was stopped before the engine closes the
// link: it takes up to 35 s to kill the load tool.
const stopGrace = 45 * time.Second

// The worker may be untrusted, so what it sends is bounded, in bytes.
const (
	// longestEvent bounds a line: the largest is a tool's output in a step, of which 4.8 MB are kept, in
	// base64.
	longestEvent = 16 << 20
	// largeEvent is far more than any sample takes (its three histograms take at most 97 kB). mostLarge
	// bounds the sum of a request's lines that are larger: they wait in memory until they are read.
	largeEvent = 256 << 10
	mostLarge  = 32 << 20
)

// clockQuestions is how often a worker is asked for its time.
const clockQuestions = 5

// Worker is the engine's end of a link to an agent. Its methods must not be called by several goroutines at
// the same time.
type Worker struct {
	link  io.ReadWriteCloser
	hello model.Hello

	mu      sync.Mutex
	nextID  int
	waiting map[int]chan model.Event
	// large counts the bytes of large events by request.
	large map[int]int
	lost  error
	// heard is when the last event arrived.
	heard  time.Time
	closed chan struct{}

	// ahead is nil unless the volume was prepared before the engine asked for it.
	ahead *ahead

	// discard is set by Discard; discarded is the number of bytes that were discarded.
	discard bool
	// kept is set by keep.
	kept      bool
	discarded int64
}

// goneError reports that a worker is no longer there.
type goneError struct {
	cause error
	// heard is when the last event arrived.
	heard time.Time
}

func (e *goneError) Error() string { return "the worker is gone: " + e.cause.Error() }
func (e *goneError) Unwrap() error { return e.cause }

// gone wraps the cause; w.mu must not be held.
func (w *Worker) gone(cause error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &goneError{cause, w.heard}
}

// Connect waits for the agent's hello. It takes over the link.
func Connect(ctx context.Context, link io.ReadWriteCloser) (*Worker, error) {
	w := &Worker{link: link, waiting: map[int]chan model.Event{}, large: map[int]int{}, closed: make(chan struct{})}
	hello := make(chan model.Event, 1)
	w.waiting[0] = hello
	go w.read()
	select {
	case ev := <-hello:
		if ev.Hello == nil {
			link.Close()
			return nil, errors.New("the worker did not say hello first")
		}
		if ev.Hello.Protocol != model.ProtocolVersion {
			link.Close()
			return nil, fmt.Errorf("the worker speaks protocol %d, this loadline speaks %d: use the same version at both ends",
				ev.Hello.Protocol, model.ProtocolVersion)
		}
		w.hello = *ev.Hello
		return w, nil
	case <-w.closed:
		// The place may know the cause, and its error is complete.
		if said := (*model.WorkerError)(nil); errors.As(w.lost, &said) {
			return nil, w.lost
		}
		return nil, fmt.Errorf("the worker ended before it said hello: %w", w.lost)
	case <-ctx.Done():
		link.Close()
		return nil, ctx.Err()
	case <-system.After(helloTimeout):
		link.Close()
		return nil, fmt.Errorf("the worker said nothing for %s", helloTimeout)
	}
}

// Hello returns the worker's hello.
func (w *Worker) Hello() model.Hello { return w.hello }

// Probe probes the target. progress may be nil.
func (w *Worker) Probe(ctx context.Context, req model.ProbeRequest, progress func(model.Progress)) (*model.ProbeResult, error) {
	ev, err := w.ask(ctx, model.Request{Probe: &req}, onProgress(progress))
	if err != nil {
		return nil, err
	}
	return answered(ev.Probed)
}

// Prepare prepares the volume. progress may be nil.
func (w *Worker) Prepare(ctx context.Context, req model.PrepareRequest, progress func(model.Progress)) (*model.Preparation, error) {
	ev, err := w.ask(ctx, model.Request{Prepare: &req}, onProgress(progress))
	if err != nil {
		return nil, err
	}
	return answered(ev.Prepared)
}

// Start runs one step; on is called for every sample, raw output and progress. When ctx ends, the step is
// stopped and what it measured until then is returned.
func (w *Worker) Start(ctx context.Context, req model.StartRequest, on func(model.Event)) (*model.StepResult, error) {
	ev, err := w.ask(ctx, model.Request{Start: &req}, on)
	if err != nil {
		return nil, err
	}
	return answered(ev.Result)
}

// Clock measures how far the worker's clock is ahead of this one's, in seconds, by the quickest of a few
// requests: the worker answered at some time between request and arrival (Cristian's algorithm).
func (w *Worker) Clock(ctx context.Context, now func() time.Time) (model.Clock, error) {
	c := model.Clock{Host: w.hello.Hostname, Error: math.Inf(1)}
	for range clockQuestions {
		asked := now()
		ev, err := w.ask(ctx, model.Request{Clock: &struct{}{}}, nil)
		if err != nil {
			return c, err
		}
		took := now().Sub(asked)
		if half := took.Seconds() / 2; half < c.Error {
			c.Error, c.Offset = half, time.Unix(0, ev.Clock).Sub(asked.Add(took/2)).Seconds()
		}
	}
	return c, nil
}

// Idle counts the machine's activity for a while without load.
func (w *Worker) Idle(ctx context.Context, req model.IdleRequest) (*model.Beside, error) {
	ev, err := w.ask(ctx, model.Request{Idle: &req}, nil)
	if err != nil {
		return nil, err
	}
	return answered(ev.Beside)
}

// Ceiling measures the load generator without storage.
func (w *Worker) Ceiling(ctx context.Context, req model.CeilingRequest) (*model.Beside, error) {
	ev, err := w.ask(ctx, model.Request{Ceiling: &req}, nil)
	if err != nil {
		return nil, err
	}
	return answered(ev.Beside)
}

// Discard makes Close discard the space that was filled on a block device, and nothing else: for the end of
// a run whose data is no longer needed. It does nothing after a failed step, whose cause may be in that data.
func (w *Worker) Discard() { w.discard = !w.kept }

// keep makes Discard do nothing.
func (w *Worker) keep() { w.kept = true }

// Discarded returns how many bytes Close has discarded.
func (w *Worker) Discarded() int64 { return w.discarded }

// Close sends a bye, which removes what the worker created, and closes the link, which may remove the
// place. It is no error if a worker that was already gone does not answer: the place reports what was left.
func (w *Worker) Close() error {
	select {
	case <-w.closed:
		return w.link.Close()
	default:
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	ev, err := w.ask(ctx, model.Request{Bye: &struct{}{}, Discard: w.discard}, nil)
	w.discarded += ev.Discarded
	if end := (*model.FinishedError)(nil); errors.As(err, &end) {
		// It has done what it was asked to do; its answer was lost when its place ended.
		err = nil
	}
	return errors.Join(err, w.link.Close())
}

func onProgress(f func(model.Progress)) func(model.Event) {
	return func(ev model.Event) {
		if ev.Progress != nil && f != nil {
			f(*ev.Progress)
		}
	}
}

// ask sends a request and waits for the event that completes it. When ctx ends, it sends a stop and keeps
// waiting for a while, so that partial results arrive.
func (w *Worker) ask(ctx context.Context, req model.Request, on func(model.Event)) (model.Event, error) {
	events, err := w.send(&req)
	if err != nil {
		return model.Event{}, err
	}
	defer w.forget(req.ID)
	done := ctx.Done()
	var grace <-chan time.Time
	for {
		select {
		case ev := <-events:
			switch {
			case ev.Error != nil:
				return ev, ev.Error
			case closes(ev):
				return ev, nil
			case on != nil:
				on(ev)
			}
		case <-done:
			done, grace = nil, system.After(stopGrace)
			if _, err := w.send(&model.Request{Stop: &model.StopRequest{ID: req.ID}}); err != nil {
				return model.Event{}, err
			}
		case <-grace:
			return model.Event{}, fmt.Errorf("the worker did not stop within %s", stopGrace)
		case <-w.closed:
			// Events that arrived before the end still count.
			select {
			case ev := <-events:
				if ev.Error != nil {
					return ev, ev.Error
				}
				if closes(ev) {
					return ev, nil
				}
				if on != nil {
					on(ev)
				}
				continue
			default:
			}
			return model.Event{}, w.gone(w.lost)
		}
	}
}

// answered returns the answer to a request, which is nil if the worker has answered with something else: it
// may be in a pod that somebody else controls.
func answered[T any](answer *T) (*T, error) {
	if answer == nil {
		return nil, errors.New("the worker sent the wrong kind of answer")
	}
	return answer, nil
}

// closes reports whether an event is the answer that completes its request.
func closes(ev model.Event) bool {
	return ev.Probed != nil || ev.Prepared != nil || ev.Result != nil || ev.Beside != nil || ev.Clock != 0 || ev.Done != nil || ev.Bye != nil
}

// send numbers a request, registers for its events (a stop has none) and writes it.
func (w *Worker) send(req *model.Request) (chan model.Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nextID++
	req.ID = w.nextID
	line, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	ch := make(chan model.Event, 256)
	if req.Stop == nil {
		w.waiting[req.ID] = ch
	}
	if _, err := w.link.Write(append(line, '\n')); err != nil {
		return nil, &goneError{err, w.heard}
	}
	return ch, nil
}

func (w *Worker) forget(id int) {
	w.mu.Lock()
	delete(w.waiting, id)
	delete(w.large, id)
	w.mu.Unlock()
}

// read passes each event to the request that waits for it, until the link ends.
func (w *Worker) read() {
	defer close(w.closed)
	lines := bufio.NewScanner(w.link)
	lines.Buffer(make([]byte, 64<<10), longestEvent)
	var seq int64
	for lines.Scan() {
		var ev model.Event
		if err := json.Unmarshal(lines.Bytes(), &ev); err != nil {
			w.lost = fmt.Errorf("it sent a line that is not an event: %.80q", lines.Text())
			return
		}
		if ev.Seq != seq+1 {
			w.lost = fmt.Errorf("events %d to %d are missing", seq+1, ev.Seq-1)
			return
		}
		seq = ev.Seq
		w.mu.Lock()
		w.heard = system.Now()
		ch := w.waiting[ev.ID]
		if n := len(lines.Bytes()); n > largeEvent && ch != nil {
			w.large[ev.ID] += n
		}
		over := w.large[ev.ID] > mostLarge
		w.mu.Unlock()
		if over {
			w.lost = fmt.Errorf("it sent more than %s in answer to one request", units.FormatSize(mostLarge))
			return
		}
		if ch != nil {
			ch <- ev
		}
	}
	switch w.lost = lines.Err(); {
	case errors.Is(w.lost, bufio.ErrTooLong):
		w.lost = fmt.Errorf("it sent a line of more than %s, which no event is", units.FormatSize(longestEvent))
	case w.lost == nil:
		w.lost = io.EOF
	}
}
