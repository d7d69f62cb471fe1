package session

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/analyze"
	"github.com/loadline/loadline/internal/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/spec"
	"github.com/loadline/loadline/internal/store"
)

// Create begins the record of a run in a folder of results; run holds what is known of it
// before it begins.
func (p *Prepared) Create(results string, run model.Run, now func() time.Time) (*store.Writer, error) {
	yaml, err := spec.MarshalExperiment(p.Plan.Experiment)
	if err != nil {
		return nil, err
	}
	run.Tools = p.Probe.Tools
	writer, err := store.Create(results, now, store.Start{Experiment: yaml, Plan: p.Plan, Environment: p.Probe.Environment, Run: run})
	if err != nil {
		return nil, model.RefusedError(err.Error(), "choose another folder with --results DIR")
	}
	return writer, nil
}

// Measure carries out the plan, and watches the volumes' replicas meanwhile.
func (p *Prepared) Measure(ctx context.Context, to engine.Recorder, watch engine.Observer, now func() time.Time) (model.Status, error) {
	defer watchCopies(p.copies, now, to.Beside)()
	return engine.Execute(ctx, engine.Options{
		Plan: p.Plan, Workers: p.workers, Judge: analyze.Judge{}, Scheduler: scheduler{},
		Recorder: to, Observer: watch, Now: now, Beside: p.Beside,
	})
}
