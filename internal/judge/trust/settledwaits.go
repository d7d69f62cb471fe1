package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// waiting sums up the waits of a run.
type waiting struct {
	seconds      float64
	helped, rose int
	writes       uint64
	before, full float64
	// noise is the relative standard deviation of repeats of reads that began when the storage had finished, or of repeats that
	// write where nothing reads; 0 if unknown. unsure is set if that is not known either.
	noise  float64
	unsure bool
}

func (w *waiting) add(s *model.Settling) {
	if s == nil {
		return
	}
	w.seconds += s.Waited
	if s.Rose() {
		w.rose++
	}
	if s.Helped() {
		w.helped++
		w.writes += s.Writes
	}
	if s.Helped() || s.Rose() {
		if w.before == 0 || s.Slow/s.Rate < w.before/w.full {
			w.before, w.full = s.Slow, s.Rate
		}
	}
}

func (w *waiting) words() string {
	times := ""
	if w.helped > 1 {
		times = fmt.Sprintf(" in %d pauses", w.helped)
	}
	if w.mayBeNoise() && !w.unsure {
		return fmt.Sprintf("waited %s%s because reads after writes ran at %s IOPS instead of %s: either the storage was still writing, or this is its noise (repeats vary by %.0f%%)",
			units.FormatDuration(w.seconds), times, units.FormatRate(w.before), units.FormatRate(w.full), 100*w.noise)
	}
	return fmt.Sprintf("waited %s%s for the storage to finish earlier writes: until then, %s", units.FormatDuration(w.seconds), times, w.risen())
}

// risen says by how much reads became faster.
func (w *waiting) risen() string {
	return fmt.Sprintf("reads ran at %s IOPS instead of %s", units.FormatRate(w.before), units.FormatRate(w.full))
}

// beyondNoise is how many standard deviations of repeats reads must have been slower for it to be said that the storage was
// still writing: the slowest of several waits is what is told.
const beyondNoise = 3

// mayBeNoise reports whether reads vary so much without writes that their noise may be what waits seemed to show.
func (w *waiting) mayBeNoise() bool {
	return w.unsure || w.full > 0 && 1-w.before/w.full < beyondNoise*w.noise
}

func (w *waiting) evidence() map[string]any {
	return map[string]any{"waited": w.seconds, "waits": w.helped, "writes": w.writes, "before": w.before, "after": w.full}
}
