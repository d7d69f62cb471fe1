package engine

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// shrink adapts the plan to the actual size of the volumes: a prefill may have been ended early because
// storage whose cache is full was slow.
func (e *execution) shrink(s *side) {
	asked := s.plan.Volume.Size
	s.plan.Shrink(s.prepared)
	if size := s.plan.Volume.Size; size < asked && s.prepared.Slow > 0 {
		e.tell(s, model.Update{Message: fmt.Sprintf("measuring %s instead of %s: the prefill was slower than expected (%s at its end) and was ended after %s",
			units.FormatSize(size), units.FormatSize(asked), units.FormatBandwidth(s.prepared.Slow), units.FormatSpan(s.prepared.Seconds))})
	}
}

// alike makes both sides as large as the smaller one: only the storage should differ.
func (c *comparison) alike() error {
	size := min(c.sides[0].plan.Volume.Size, c.sides[1].plan.Volume.Size)
	for _, s := range c.sides {
		if s.plan.Volume.Size <= size {
			continue
		}
		s.prepared.Size, s.prepared.Slow = size, 0
		s.plan.Shrink(s.prepared)
		if err := s.recorder.Prepared(*s.prepared); err != nil {
			return err
		}
	}
	return nil
}
