package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// lost returns the result to record for a worker that disappeared in the middle of a step, and the cause;
// nil if err is anything else. What the other workers measured together with it counts up to its last
// second. If the worker had not begun, its part is missing from the sum, so that repeat does not count.
func (e *execution) lost(s *side, step model.Step, worker int, begin time.Time, fresh []model.Sample, err error) (_ *model.StepResult, cause error) {
	var gone *goneError
	if !errors.As(err, &gone) {
		return nil, err
	}
	name := "the worker"
	if len(s.workers) > 1 {
		name = fmt.Sprintf("volume %d", worker+1)
		if node := s.plan.NodeOf(worker); node != "" {
			name += " on " + node
		}
	}
	r := &model.StepResult{Step: step, Worker: worker, EndedEarly: true, Ended: max(0, gone.heard.Sub(begin).Seconds()),
		Lost: fmt.Sprintf("%s was lost %s into the run, last heard of at %s", name,
			units.FormatDuration(max(0, gone.heard.Sub(e.began).Seconds())), gone.heard.UTC().Format("15:04:05 UTC"))}
	if !slices.ContainsFunc(fresh, func(m model.Sample) bool { return m.Worker == worker }) {
		r.Error = r.Lost
	}
	return r, gone.cause
}
