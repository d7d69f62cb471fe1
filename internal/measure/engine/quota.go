package engine

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// quota limits how much one worker may send in one step. The worker may be untrusted, and must fill neither
// the memory nor the disk here.
type quota struct {
	samples, bytes int
}

// mostSamples returns how many samples a worker may send in a step: it measures one per second, and a tool
// that ends late goes on for minutes at most.
func mostSamples(step model.Step) int { return 600 + 2*int(step.Ramp+step.Seconds) }

// sample fails if there are more samples than the limit.
func (q *quota) sample(step model.Step) error {
	most := mostSamples(step)
	if q.samples++; q.samples > most {
		return fmt.Errorf("the worker sent more than %d samples of a repeat of %s, and each is a second", most, units.FormatDuration(step.Seconds))
	}
	return nil
}

// raw fails if there is more raw output than the limit; drivers keep 4.8 MB of it in a step.
func (q *quota) raw(r *model.Raw) error {
	if q.bytes += len(r.Data) + len(r.Name); q.bytes > mostLarge {
		return fmt.Errorf("the worker sent more than %s of raw output of one repeat", units.FormatSize(mostLarge))
	}
	return nil
}
