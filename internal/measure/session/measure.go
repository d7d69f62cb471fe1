package session

import (
	"context"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// Create begins the record of a run in a results directory; run holds what is known of it so far.
func (p *Prepared) Create(results string, run model.Run, now func() time.Time) (*store.Writer, error) {
	yaml, err := spec.MarshalExperiment(repeatable(p.Plan.Experiment))
	if err != nil {
		return nil, err
	}
	run.Tools = p.Probe.Tools
	writer, err := store.Create(results, now, store.Start{Experiment: yaml, Plan: p.Plan, Environment: p.Probe.Environment, Run: run})
	if err != nil {
		return nil, otherResults(err)
	}
	return writer, nil
}

// Measure carries out the plan, and watches the volumes' replicas meanwhile.
func (p *Prepared) Measure(ctx context.Context, to engine.Recorder, watch engine.Observer, now func() time.Time) (model.Status, error) {
	defer watchCopies(p.copies, now, to.Beside)()
	return engine.Execute(ctx, engine.Options{
		Plan: p.Plan, Workers: p.workers, Judge: analyze.Judge{}, Looker: analyze.Judge{}, Scheduler: scheduler{},
		Recorder: to, Observer: watch, Now: now, Beside: p.Beside,
	})
}
