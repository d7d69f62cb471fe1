package fio

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model/units"
)

// watcher takes fio's output and decides when to end it.
type watcher struct {
	process
	*outcome
	limits limits
	clock  env.Clock
	split  splitter
	gates  lineFilter
	// abort is closed when the caller aborts the job.
	abort chan struct{}
	// dir is fio's working directory.
	dir string

	// mu guards the outcome while output may still arrive; closed is true once no more is accepted.
	mu     sync.Mutex
	closed bool
	// lastOutput is when something was last printed, quiet what has been observed since then.
	lastOutput time.Time
	quiet      silence
	// silentTime is the total time of the silences that have ended.
	silentTime time.Duration
}

// stderr is the io.Writer of a watcher for standard error.
type stderr watcher

// Write takes a piece of standard error.
func (s *stderr) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.stderr.Write(b)
	}
	return len(b), nil
}

// Write takes a piece of standard output.
func (w *watcher) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return len(b), nil
	}
	w.raw.Write(b)
	w.recordOutput(w.clock.Now())
	w.split.feed(b, func(doc []byte) {
		w.documents++
		if w.document == nil || w.abortCause != nil {
			return
		}
		if w.abortCause = w.document(doc); w.abortCause != nil {
			close(w.abort)
		}
	}, func(text []byte) { w.gates.feed(text, w.outcome.text.Write) })
	return len(b), nil
}

// recordOutput records that something was printed, which ends a silence.
func (w *watcher) recordOutput(now time.Time) {
	w.quiet.length = now.Sub(w.lastOutput)
	if w.quiet.length >= minSilence {
		w.silentTime += w.quiet.length - statusInterval
		// After the end of a job, fio may wait for that job and not for the storage.
		if w.silent != nil && !w.jobEndedBySignal() {
			w.silent(w.quiet)
		}
	}
	w.lastOutput, w.quiet = now, silence{}
}

// watch waits for the end of the process, and ends it when the context is done or when it is silent or
// late. It returns false if the process cannot be killed, as happens while the
// kernel waits for a dead device.
func (w *watcher) watch(ctx context.Context, p daemon.Process) (ended bool) {
	tick := w.clock.NewTicker(checkInterval)
	defer tick.Stop()
	start := w.clock.Now()
	w.mu.Lock()
	w.lastOutput = start
	w.mu.Unlock()
	var why string
	interrupted := false
	for last, waiting := start, true; waiting; {
		waiting = false
		select {
		case <-p.End:
			return true
		case <-w.abort:
		case <-ctx.Done():
			interrupted = true
		case <-tick.C:
			now := w.clock.Now()
			why = w.check(p.Process.Pid, now, now.Sub(last), now.Sub(start))
			last, waiting = now, why == ""
		}
	}
	w.mu.Lock()
	w.stopped, w.interrupted = why, interrupted
	w.mu.Unlock()
	p.Kill(syscall.SIGINT)
	if wait(w.clock, p.End, w.limits.grace) {
		return true
	}
	p.Kill(syscall.SIGKILL)
	// The pipes of a killed group are closed within the command's wait delay.
	if wait(w.clock, p.End, w.limits.grace+pipeDelay) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.stopped == "" {
		w.stopped = "fio was asked to stop"
	}
	w.stopped += ", but not even a kill ends it: the kernel waits for the storage"
	return false
}

// check checks a silent fio, and returns why it is to be ended; empty if it is not. after is the
// time since the last check, ran the time since fio's start.
func (w *watcher) check(pid int, now time.Time, after, ran time.Duration) (why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	quiet := now.Sub(w.lastOutput)
	if quiet <= statusInterval+checkInterval {
		quiet = 0
	} else {
		w.quiet.check(states(w.dir, pid), after)
	}
	long := units.FormatDuration(quiet.Seconds())
	switch {
	// fio 3.33 waits forever for the answer of a job that was killed while it was asked for its counters
	// (rusage_sem in __show_running_run_stats).
	case quiet > statusInterval+w.limits.grace && w.jobEndedBySignal():
		w.hungAfterSignal = true
		return fmt.Sprintf("a signal ended a job of fio, and fio, which printed nothing for %s more, was stopped", long)
	case quiet > statusInterval+min(w.process.silence, w.limits.silence) && w.quiet.isMajority(w.quiet.stopped):
		return fmt.Sprintf("fio was suspended for %s by a signal or a debugger, and was stopped", long)
	case quiet > statusInterval+w.process.silence && (w.storage == "" || w.quiet.isMajority(w.quiet.running)):
		return fmt.Sprintf("fio hung: it printed nothing for %s and was stopped", long)
	case quiet > statusInterval+w.process.silence:
		return fmt.Sprintf("the storage stood still: %s answered nothing for %s, and fio, which waited for it, was stopped", w.storage, long)
	case w.expected > 0 && ran > w.expected+w.limits.late+w.silentTime+max(0, quiet-statusInterval):
		return fmt.Sprintf("fio hung: it should have ended after %s, ran %s longer and was stopped",
			units.FormatDuration(w.expected.Seconds()), units.FormatDuration((ran - w.expected).Seconds()))
	}
	return ""
}

// wait waits for the channel to be closed, and reports whether that happened in time.
func wait(clock env.Clock, end <-chan struct{}, limit time.Duration) bool {
	t := clock.NewTimer(limit)
	defer t.Stop()
	select {
	case <-end:
		return true
	case <-t.C:
		return false
	}
}
