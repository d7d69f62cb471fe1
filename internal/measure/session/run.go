package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/secrets"
)

// Saving says where a measurement is saved, and who follows it.
type Saving struct {
	// Results is the directory in which the run's is created.
	Results string
	// Command is the command line to record, without secrets.
	Command []string
	// Observation is what is observed beside the measurement of one target, or of several volumes.
	Observation Observation
	// SaveTrace is called with such a trace, to compute its report. It is needed if there is an Observation.
	SaveTrace func(*store.RecordedTrace) error
	Audience  Audience
}

// Audience follows a measurement, and is asked before much is written.
type Audience interface {
	engine.Observer
	// Clear makes room for output that does not come from the observer.
	Clear()
	// Consent is asked before anything is written. An error ends the measurement there.
	Consent(ctx context.Context, plans ...model.Plan) error
	// Planned is told what is about to be measured, and the directory that records it. found has what was
	// found out about the volume of each plan.
	Planned(run model.Run, dir string, plans []model.Plan, found []model.ProbeResult)
	// SavedBeside is told what was done beside the run, in one word, and where that is saved.
	SavedBeside(what, dir string)
}

// Measured is how a measurement of one target, or of several volumes, ended.
type Measured struct {
	Status model.Status
	// Err is what went wrong since the measurement began; nil if nothing did.
	Err error

	writer *store.Writer
	prep   *Prepared
	phase  func(model.Phase)
	close  func() error
}

// Run prepares what is requested, measures it and saves that in a new directory. An error means that nothing
// was measured, and that nothing is left but perhaps the directory of a run that failed: a later one is in the result, which
// must be closed.
func (o *Places) Run(ctx context.Context, e *env.Env, by Request, to Saving) (result *Measured, err error) {
	watch := to.Audience
	end, err := reserve(to.Results)
	if err != nil {
		return nil, err
	}
	defer func() { end(err) }()
	run := model.Run{Started: e.Now(), Command: to.Command, Again: by.Again, Labels: by.Experiment.Labels}
	run.ID = store.Name(run.Started, by.Experiment.Target)
	by.ID, by.Touch, by.Watch = run.ID, true, watch
	prep, err := o.Prepare(ctx, e, by)
	if err != nil {
		return nil, err
	}
	m := &Measured{prep: prep}
	run.Again = run.Again.Placed(prep.Plan.Targets())
	aside := &beside{Observation: to.Observation, places: o, e: e, prep: prep, run: run, to: to}
	defer func() {
		if m.close != nil {
			return
		}
		// What cannot be removed stays, and its owner has to know.
		if left := errors.Join(aside.close(), prep.Close()); left != nil {
			err = errors.Join(err, left)
		}
	}()
	watch.Clear()
	if err := watch.Consent(ctx, prep.Plan); err != nil {
		return nil, err
	}
	if err := aside.start(ctx); err != nil {
		return nil, err
	}
	if m.writer, err = prep.Create(to.Results, run, e.Now); err != nil {
		return nil, err
	}
	run.ID = filepath.Base(m.writer.Dir())
	watch.Planned(run, m.writer.Dir(), []model.Plan{prep.Plan}, []model.ProbeResult{prep.Probe})
	if err := aside.begin(ctx, m.writer); err != nil {
		err = errors.Join(err, m.writer.Finish(model.Failed, err.Error()))
		withdraw(err, m.writer.Dir())
		return nil, err
	}
	began := e.Now()
	m.phase = func(name model.Phase) {
		watch.Observe(model.Update{Elapsed: e.Now().Sub(began).Seconds(), Progress: &model.Progress{Phase: name}})
	}
	clockErr := m.writer.Clock(e.Now())
	m.Status, m.Err = prep.Measure(ctx, recorder{m.writer, aside.endCounting}, watch, e.Now)
	m.Err = errors.Join(clockErr, m.Err, aside.endTrace())
	if withdraw(m.Err, m.writer.Dir()) {
		return nil, m.Err
	}
	if m.Status == model.Complete {
		prep.Discard()
	}
	m.phase(model.PhaseCleanUp)
	// A filesystem that discards takes seconds to remove a large file, and the report need not
	// wait for that.
	m.close = sync.OnceValue(func() error { return errors.Join(aside.close(), prep.Close()) })
	go func() { _ = m.close() }()
	return m, nil
}

// Phase tells those who follow the measurement what is done with it now.
func (m *Measured) Phase(name model.Phase) { m.phase(name) }

// Recorded reads the run back.
func (m *Measured) Recorded() (*model.Recorded, error) { return m.writer.Recorded() }

// Close returns once everything that the measurement made is removed, which began when it ended. It may be
// called twice.
func (m *Measured) Close() error { return m.close() }

// Discarded returns the space that Close has returned to the storage.
func (m *Measured) Discarded() []Returned { return m.prep.Discarded() }

// MeasuredPair is how a measurement of two targets ended, and where it was saved. Everything that it made is
// removed.
type MeasuredPair struct {
	// Folder is that of the comparison, which is open, so that it can be read wherever it was moved to, and must be closed.
	Folder *store.Folder
	Status model.Status
	// Err is what went wrong since the measurement began; nil if nothing did.
	Err error
	// Returned is the space of filled devices that was returned to their storage.
	Returned []Returned
}

// RunPair is Run for the target of an experiment and its baseline, in interleaved blocks. Nothing is observed
// beside them.
func (o *Places) RunPair(ctx context.Context, e *env.Env, by Request, to Saving) (result *MeasuredPair, err error) {
	watch, exp := to.Audience, by.Experiment
	end, err := reserve(to.Results)
	if err != nil {
		return nil, err
	}
	defer func() { end(err) }()
	run := model.Run{Started: e.Now(), Command: to.Command, Again: by.Again, Labels: exp.Labels}
	run.ID = store.Name(run.Started, "compare "+shortName(exp.Baseline)+" "+shortName(exp.Target))
	by.ID, by.Touch, by.Watch = run.ID, true, watch
	pair, err := o.PreparePair(ctx, e, by)
	if err != nil {
		return nil, err
	}
	begun := false
	defer func() {
		// Measuring ends with removing everything, and tells what stays.
		if begun {
			return
		}
		if left := pair.Close(); left != nil {
			err = errors.Join(err, left)
		}
	}()
	run.Again = run.Again.Placed(slices.Concat(pair.Plans[0].Targets(), pair.Plans[1].Targets()))
	watch.Clear()
	if err := watch.Consent(ctx, pair.Plans[:]...); err != nil {
		return nil, err
	}
	dir, err := store.CreateComparison(to.Results, run.ID)
	if err != nil {
		return nil, otherResults(err)
	}
	run.ID = filepath.Base(dir)
	folder, err := store.Open(dir)
	if err == nil {
		err = pair.Create(dir, run, e.Now)
	}
	if err != nil {
		// The directory was made here, and nothing has been measured.
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	watch.Planned(run, dir, pair.Plans[:], pair.Probes[:])
	begun = true
	m := &MeasuredPair{Folder: folder}
	m.Status, m.Err = pair.Measure(ctx, watch, e.Now)
	m.Returned = pair.Discarded()
	if withdraw(m.Err, dir) {
		return nil, errors.Join(m.Err, folder.Close())
	}
	return m, nil
}

// reserve is store.Reserve with an error for the user. The measurement calls end with its own error: if it has one, nothing was saved.
func reserve(results string) (end func(error), err error) {
	release, err := store.Reserve(results)
	if err != nil {
		return nil, otherResults(fmt.Errorf("the folder for results cannot be used: %w", err))
	}
	return func(err error) {
		if err != nil {
			release()
		}
	}, nil
}

// otherResults advises another folder for results.
func otherResults(err error) error {
	return model.RefusedError(err.Error(), "choose another folder with --results DIR")
}

// withdraw removes the results directory of an experiment that was refused during preparation,
// as if it had been refused before the directory was created. It reports whether it did.
func withdraw(err error, dir string) bool {
	var refused *model.WorkerError
	if !errors.As(err, &refused) || refused.Class != model.Refused {
		return false
	}
	f, openErr := store.Open(dir)
	if openErr != nil {
		return false
	}
	defer f.Close()
	return f.Withdraw()
}

// shortName returns the end of a target's name, for use as a folder name.
func shortName(name string) string {
	// Mask before cutting: in half a URI the secret part can no longer be recognized.
	name = secrets.MaskText(name)
	if i := strings.LastIndexByte(strings.TrimRight(name, "/"), '/'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > 16 {
		name = name[:16]
	}
	return name
}
