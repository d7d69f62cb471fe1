package cli

import (
	"context"
	"errors"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// startBeside starts what observes a run from elsewhere: tracers, and counters of the disks behind volumes.
// It returns a function that ends them and may be called more than once.
func (f *saveFlags) startBeside(ctx context.Context, e *env.Env, run model.Run, prep *session.Prepared, watch watcher) (end func() error, err error) {
	var ends []func() error
	end = func() error {
		errs := make([]error, len(ends))
		for i, one := range ends {
			errs[i] = one()
		}
		return errors.Join(errs...)
	}
	for _, start := range []func(context.Context, *env.Env, model.Run, *session.Prepared, func(string)) (func() error, error){f.tracers, f.counters} {
		if start == nil {
			continue
		}
		one, err := start(ctx, e, run, prep, func(words string) { watch.Observe(model.Update{Message: words, Unplanned: true}) })
		if err != nil {
			return nil, errors.Join(err, end())
		}
		ends = append(ends, one)
		watch.Clear()
	}
	return end, nil
}

// beginBeside makes them begin. It returns a function that ends the trace, and one that ends the counting,
// which still records something of the run.
func (f *saveFlags) beginBeside(ctx context.Context, e *env.Env, writer *store.Writer) (endTrace, endCounting func() error, err error) {
	endTrace, endCounting = func() error { return nil }, func() error { return nil }
	if f.background != nil {
		if endTrace, err = f.background(ctx, e, writer.Dir()); err != nil {
			return nil, nil, err
		}
	}
	if f.counting != nil {
		if endCounting, err = f.counting(ctx, e, writer); err != nil {
			return nil, nil, errors.Join(err, endTrace())
		}
	}
	return endTrace, endCounting, nil
}

// recorder is a run's recorder that does something before the record is finished.
type recorder struct {
	*store.Writer
	before func() error
}

func (r recorder) Finish(status model.Status, reason string) error {
	return errors.Join(r.before(), r.Writer.Finish(status, reason))
}
