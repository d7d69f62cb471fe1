package session

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/measure/trace/remote"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// restBefore is how long the disks are counted before the run begins, for what else uses them.
const restBefore = 4 * time.Second

// beside observes a run from elsewhere: a trace, and counts of what the disks behind the volumes do.
type beside struct {
	Observation
	places *Places
	e      *env.Env
	prep   *Prepared
	run    model.Run
	to     Saving
	// tracers and counters are ready in pods, if the run has any.
	tracers  *remote.Group
	counters counted
	// endTrace ends the trace; endCounting ends the counts, which still records something of the run.
	endTrace, endCounting func() error
}

// start starts what observes in pods. It must be closed also after an error.
func (b *beside) start(ctx context.Context) (err error) {
	watch := b.to.Audience
	say := func(words string) { watch.Observe(model.Update{Message: words, Unplanned: true}) }
	if b.pods {
		if b.tracers, err = b.places.tracers(ctx, b.e, b.run.ID, b.prep, say); err != nil {
			return err
		}
		watch.Clear()
	}
	if b.amplification {
		if b.counters, err = b.places.counters(ctx, b.e, b.run.ID, b.prep, say); err != nil {
			return err
		}
		if why := b.counters.Behind.NotCounted; why != "" {
			say("--amplification: not counted: " + why)
		}
		watch.Clear()
	}
	return nil
}

// close ends what observes in pods. It may be called twice.
func (b *beside) close() error {
	var errs []error
	for _, group := range []*remote.Group{b.tracers, b.counters.Group} {
		if group != nil {
			errs = append(errs, group.Close())
		}
	}
	return errors.Join(errs...)
}

// begin returns once everything observes. After an error nothing does.
func (b *beside) begin(ctx context.Context, writer *store.Writer) (err error) {
	b.endTrace, b.endCounting = func() error { return nil }, func() error { return nil }
	if b.trace {
		var in tracedMachine
		if b.pods {
			in = tracedMachine{b.tracers.Run, b.prep.Probe.Environment}
		}
		if b.endTrace, err = b.record(ctx, trace.Options{Clock: b.e.Clock, Request: b.request}, in, writer.Dir(), store.TraceDir, "traced"); err != nil {
			return err
		}
	}
	if b.amplification {
		if b.endCounting, err = b.count(ctx, writer); err != nil {
			return errors.Join(err, b.endTrace())
		}
	}
	return nil
}

// count returns once the disks have been counted without load for a while. The function that it returns ends
// the counting, and records whether the disks are still those behind the volumes.
func (b *beside) count(ctx context.Context, writer *store.Writer) (end func() error, err error) {
	behind := b.counters.Behind
	note := func() error { return writer.Beside(model.Beside{Behind: &behind}) }
	nothing := func() error { return nil }
	if b.counters.Group == nil {
		return nothing, note()
	}
	in := tracedMachine{b.counters.Run, b.prep.Probe.Environment}
	ended, err := b.record(ctx, trace.Options{Clock: b.e.Clock, Request: iotrace.Request{}}, in, writer.Dir(), amplification.Directory, "counted")
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		behind.NotCounted = err.Error()
		return nothing, note()
	}
	select {
	case <-ctx.Done():
	case <-b.e.Clock.After(restBefore):
	}
	if err := note(); err != nil {
		return nil, errors.Join(err, ended())
	}
	return func() error {
		// The measurement is worth more than its amplification: that is then unknown.
		if err := ended(); err != nil {
			behind.NotCounted = err.Error()
		} else {
			behind = b.stillBehind(ctx, behind)
		}
		if behind.NotCounted == "" {
			return nil
		}
		return note()
	}, nil
}

// stillBehind returns the disks with a reason not to use their counts if they are no longer all disks.
func (b *beside) stillBehind(ctx context.Context, behind amplification.Behind) amplification.Behind {
	now, err := b.prep.stillBehind(context.WithoutCancel(ctx), b.places, b.e, behind)
	if err != nil {
		behind.NotCounted = "whether the replicas have moved during the run is not known: " + err.Error()
		return behind
	}
	return now
}

// record returns once a trace has started that is saved in a directory of the run's. The function that it
// returns ends the trace and tells where it is saved; what says what was done, in one word.
func (b *beside) record(ctx context.Context, o trace.Options, in tracedMachine, dir, directory, what string) (func() error, error) {
	ctx, cancel := context.WithCancel(ctx)
	begun, ended := make(chan struct{}), make(chan error, 1)
	o.Begun = func(iotrace.Run) error { close(begun); return nil }
	go func() {
		ended <- RecordTrace(ctx, b.e, Recording{
			Trace: o, Parent: dir, Directory: directory, ID: filepath.Base(dir) + "-" + directory,
			Labels: b.run.Labels, Command: b.run.Command, Save: b.to.SaveTrace, in: in,
		})
	}()
	select {
	case <-begun:
	case err := <-ended:
		cancel()
		if err == nil {
			err = errors.New("the trace ended before it began")
		}
		return nil, err
	}
	return func() error {
		cancel()
		err := <-ended
		b.to.Audience.SavedBeside(what, filepath.Join(dir, directory))
		return err
	}, nil
}

// recorder is a run's recorder that does something before the record is finished.
type recorder struct {
	*store.Writer
	before func() error
}

// Finish ends the record.
func (r recorder) Finish(status model.Status, reason string) error {
	return errors.Join(r.before(), r.Writer.Finish(status, reason))
}
