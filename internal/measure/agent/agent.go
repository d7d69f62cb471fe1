// Package agent is the worker: it makes a volume ready, runs steps on it and
// streams what it sees, as JSON lines over one byte stream. Its opinion: the
// worker is the same at every place (in process, as a child, over ssh, in a pod);
// it decides nothing, it leaves nothing behind, and when the stream ends it stops
// what it does and cleans up.
package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
)

// Options is what a worker needs.
type Options struct {
	Env *env.Env
	// Tools make the load.
	Tools load.Tools
	// Version is the version of Loadline, for hello.
	Version string
	// RunID names own files; it must be fit for a file name.
	RunID string
}

// Serve answers requests read from in with events written to out, until bye or
// the end of in. It returns nil after bye; after the end of in it stops what is
// running, cleans up and returns io.ErrUnexpectedEOF.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &worker{Options: o, out: out, cancels: map[int]context.CancelFunc{}}
	w.client = newClient(w)
	defer w.release()
	host, _ := os.Hostname()
	w.emit(model.Event{Hello: &model.Hello{
		Protocol: model.ProtocolVersion, Version: o.Version, Clock: o.Env.Now().UnixNano(), Hostname: host, PID: os.Getpid(),
	}})
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestRequest)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer cancel()
	// What it would still answer is read by nobody.
	defer w.client.end()
	for lines.Scan() {
		var req model.Request
		if err := json.Unmarshal(lines.Bytes(), &req); err != nil {
			w.fail(0, model.BrokenError(fmt.Sprintf("the worker got a line that is no request: %v", err), ""))
			continue
		}
		switch {
		case req.Stop != nil:
			w.stop(req.Stop.ID)
		case req.Client != nil:
			w.client.hear(*req.Client)
		case req.Bye != nil:
			cancel()
			w.client.end()
			tasks.Wait()
			var given int64
			if req.Discard {
				given = w.discard()
			}
			err := w.release()
			if err != nil {
				w.fail(req.ID, asWorkerError(err))
			} else {
				w.emit(model.Event{ID: req.ID, Bye: &struct{}{}, Discarded: given})
			}
			return nil
		default:
			taskCtx := w.begin(ctx, req.ID)
			if taskCtx == nil {
				w.fail(req.ID, model.BrokenError(fmt.Sprintf("the worker has %d requests in progress, and took no more", mostUnderWay), ""))
				continue
			}
			tasks.Go(func() {
				defer w.stop(req.ID)
				w.handle(taskCtx, req)
			})
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("the worker lost its engine: %w", err)
	}
	return io.ErrUnexpectedEOF
}

// The engine may be another's as well. The largest request carries the text of a user's
// job, which has 1 MiB at most, and an engine has one request under way, beside those
// that ask for the time or stop it.
const (
	longestRequest = 16 << 20
	mostUnderWay   = 8
)

// worker is the state of one session.
type worker struct {
	Options
	outMu sync.Mutex
	out   io.Writer
	seq   int64

	mu      sync.Mutex
	cancels map[int]context.CancelFunc
	// object is the file or device that this worker holds, nil for none.
	object *volume.Object
	// share is what this worker has in common with those that use the same target.
	share string
	// device is the kernel's name of the block device behind the volume, "" if unknown.
	device string
	// virtual is set where the target exists in its tool only; nil for what exists.
	virtual *load.Virtual

	// app is the application that was made ready in the working directory; nil for none.
	app     load.Application
	workDir *volume.WorkDir
	// client is the worker of the application's load tool, where that has a pod of its own.
	client *client
	// logDir is that of the application's log, and logDevice the device behind it, where it has
	// a volume of its own.
	logDir    *volume.WorkDir
	logDevice string

	// filled is the number of bytes at the beginning of an existing object that were
	// overwritten by the prefill.
	filled int64

	// busy is held by the one request that does I/O at a time.
	busy sync.Mutex
}

// handle answers one request that takes time.
func (w *worker) handle(ctx context.Context, req model.Request) {
	w.busy.Lock()
	defer w.busy.Unlock()
	var ev model.Event
	var err error
	switch {
	case req.Probe != nil:
		ev.Probed, err = w.probe(ctx, req.ID, *req.Probe)
	case req.Prepare != nil:
		ev.Prepared, err = w.prepare(ctx, req.ID, *req.Prepare)
	case req.Start != nil:
		ev.Result, err = w.start(ctx, req.ID, *req.Start)
	case req.Clock != nil:
		ev.Clock = w.Env.Now().UnixNano()
	case req.Idle != nil:
		ev.Beside, err = w.idle(ctx, *req.Idle)
	case req.Ceiling != nil:
		ev.Beside, err = w.ceiling(ctx, *req.Ceiling)
	case req.Load != nil:
		ev.Loaded, err = w.load(ctx, req.ID, req.Load)
	case req.Cleanup != nil:
		if err = w.cleanup(); err == nil {
			ev.Done = &struct{}{}
		}
	default:
		err = model.BrokenError("the worker got an empty request", "")
	}
	if err != nil {
		w.fail(req.ID, asWorkerError(err))
		return
	}
	ev.ID = req.ID
	w.emit(ev)
}

// begin makes the context that stop(id) ends; nil when too many requests are under way.
func (w *worker) begin(ctx context.Context, id int) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.cancels) >= mostUnderWay {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	w.cancels[id] = cancel
	return ctx
}

// stop ends the request with that ID, if it is running.
func (w *worker) stop(id int) {
	w.mu.Lock()
	cancel := w.cancels[id]
	delete(w.cancels, id)
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// emit writes one event; a write error means that the engine is gone, which the
// reading side notices as well.
func (w *worker) emit(ev model.Event) {
	w.outMu.Lock()
	defer w.outMu.Unlock()
	w.seq++
	ev.Seq = w.seq
	line, err := json.Marshal(ev)
	if err != nil {
		line, _ = json.Marshal(model.Event{Seq: ev.Seq, ID: ev.ID, Error: model.BrokenError(fmt.Sprintf("an event could not be written: %v", err), "")})
	}
	_, _ = w.out.Write(append(line, '\n'))
}

// fail closes a request with an error.
func (w *worker) fail(id int, err *model.WorkerError) {
	w.emit(model.Event{ID: id, Error: err})
}

// asWorkerError keeps a worker's own error and calls all others broken.
func asWorkerError(err error) *model.WorkerError {
	var we *model.WorkerError
	if errors.As(err, &we) {
		return we
	}
	return model.BrokenError(err.Error(), "")
}
