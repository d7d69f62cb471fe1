// Package agent is the worker: it prepares a volume, runs steps on it and streams what it measures, as JSON
// lines over one byte stream. Its assumptions: the worker is the same in every place (in process, as a
// child, over ssh, in a pod); it decides nothing; it leaves nothing behind; and when the stream ends, it
// stops what it is doing and cleans up.
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

// Options are the options of a worker.
type Options struct {
	Env *env.Env
	// Tools generate the load.
	Tools load.Tools
	// Version is the version of Loadline, for the hello.
	Version string
	// RunID is part of the names of the worker's files; it must be valid in a file name.
	RunID string
}

// Serve answers requests read from in with events written to out, until a bye or the end of in. It returns
// nil after a bye; after the end of in it stops what is running, cleans up and returns io.ErrUnexpectedEOF.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &worker{Options: o, out: out, cancels: map[int]context.CancelFunc{}}
	w.client = newClient(w)
	defer w.release()
	w.emit(model.Event{Hello: &model.Hello{
		Protocol: model.ProtocolVersion, Version: o.Version, Clock: o.Env.Now().UnixNano(), Hostname: env.Hostname(), PID: os.Getpid(),
	}})
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), longestRequest)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer cancel()
	// Nothing reads the client's answers any more.
	defer w.client.end()
	for lines.Scan() {
		var req model.Request
		if err := json.Unmarshal(lines.Bytes(), &req); err != nil {
			w.fail(0, model.BrokenError(fmt.Sprintf("the worker got a line that is not a request: %v", err), ""))
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
	if err := lines.Err(); errors.Is(err, context.Canceled) {
		return errors.New("the worker was told to end by a signal")
	} else if err != nil {
		return fmt.Errorf("the worker lost its engine: %w", err)
	}
	return io.ErrUnexpectedEOF
}

// The engine may be untrusted as well. The largest request contains the text of a user's job, of at most 1
// MiB, and an engine has one request in progress, apart from those that ask for the time or stop it.
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
	// object is the file or device that this worker holds, nil if there is none.
	object *volume.Object
	// share is common to the workers that use the same target.
	share string
	// device is the kernel's name of the block device below the volume, "" if unknown.
	device string
	// virtual is set if the target exists only in its tool; nil for real ones.
	virtual *load.Virtual

	// app is the application that was prepared in the working directory; nil if there is none.
	app     load.Application
	workDir *volume.WorkDir
	// client is the worker of the application's load tool, if that has its own pod.
	client *client
	// logDir is the directory of the application's log, and logDevice the device below it, if the log has
	// its own volume.
	logDir    *volume.WorkDir
	logDevice string

	// filled is the number of bytes at the beginning of an existing object that the prefill overwrote.
	filled int64

	// busy is held by the one request that may do I/O at a time.
	busy sync.Mutex
}

// handle answers a request that takes time.
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

// begin creates the context that stop(id) ends; it returns nil if too many requests are in progress.
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

// emit writes one event. A write error means that the engine is gone, which the reading side detects as
// well.
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

// fail completes a request with an error.
func (w *worker) fail(id int, err *model.WorkerError) {
	w.emit(model.Event{ID: id, Error: err})
}

// asWorkerError returns a worker's own error unchanged, and any other as a broken one.
func asWorkerError(err error) *model.WorkerError {
	var we *model.WorkerError
	if errors.As(err, &we) {
		return we
	}
	return model.BrokenError(err.Error(), "")
}
