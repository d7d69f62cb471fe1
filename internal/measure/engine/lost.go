package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// lost is what is recorded of a worker that was gone in the middle of a step, and why it
// was; nil when err says anything else. What the others measured with it counts up to its last second.
// A worker that had not begun leaves a sum without its part, so that repeat counts for
// nothing.
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
