package fio

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// watcher takes fio's output and decides when enough is enough.
type watcher struct {
	process
	*outcome
	limits limits
	split  splitter
	gates  chatter
	// heard has an element when something was printed; enough closes when the
	// caller gave the job up.
	heard  chan struct{}
	enough chan struct{}

	// mu guards the outcome while output may still come; deaf stops that.
	mu   sync.Mutex
	deaf bool
}

// stderr is the side of a watcher that takes standard error.
type stderr watcher

// Write takes a piece of standard error.
func (s *stderr) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.deaf {
		s.stderr.Write(b)
	}
	return len(b), nil
}

// Write takes a piece of standard output.
func (w *watcher) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deaf {
		return len(b), nil
	}
	w.raw.Write(b)
	w.split.feed(b, func(doc []byte) {
		w.documents++
		if w.document == nil || w.refused != nil {
			return
		}
		if w.refused = w.document(doc); w.refused != nil {
			close(w.enough)
		}
	}, func(text []byte) { w.gates.feed(text, w.outcome.text.Write) })
	select {
	case w.heard <- struct{}{}:
	default:
	}
	return len(b), nil
}

// watch waits for the end of the process with the given id, and ends it when
// the context is done or when it is silent or late. It returns false when the process cannot be killed,
// as happens while the kernel waits for a dead device.
func (w *watcher) watch(ctx context.Context, pid int, end <-chan struct{}) (ended bool) {
	silence := time.NewTimer(time.Second + w.silence)
	defer silence.Stop()
	var late <-chan time.Time
	if w.expected > 0 {
		t := time.NewTimer(w.expected + w.limits.late)
		defer t.Stop()
		late = t.C
	}
	var why string
	interrupted := false
	for waiting := true; waiting; {
		waiting = false
		select {
		case <-end:
			return true
		case <-w.heard:
			silence.Reset(time.Second + w.silence)
			waiting = true
		case <-w.enough:
		case <-ctx.Done():
			interrupted = true
		case <-silence.C:
			why = fmt.Sprintf("fio hung: it printed nothing for %s and was stopped", model.FormatDuration((time.Second + w.silence).Seconds()))
		case <-late:
			why = fmt.Sprintf("fio hung: it should have ended after %s, ran %s longer and was stopped",
				model.FormatDuration(w.expected.Seconds()), model.FormatDuration(w.limits.late.Seconds()))
		}
	}
	w.mu.Lock()
	w.stopped, w.interrupted = why, interrupted
	w.mu.Unlock()
	_ = syscall.Kill(-pid, syscall.SIGINT)
	if wait(end, w.limits.grace) {
		return true
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	// The pipes of a killed group close within the command's wait delay.
	if wait(end, w.limits.grace+pipeDelay) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = true
	if w.stopped == "" {
		w.stopped = "fio was asked to stop"
	}
	w.stopped += ", but not even a kill ends it: the kernel waits for the storage"
	return false
}

// wait waits for the channel to close, and tells whether it did in time.
func wait(end <-chan struct{}, limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-end:
		return true
	case <-t.C:
		return false
	}
}
