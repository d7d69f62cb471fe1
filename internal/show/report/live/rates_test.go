package live

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// The rates of several volumes add up, whichever reported last.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		metric  model.Metric
		each    map[int]float64
		volumes int
		want    float64
	}{
		{model.IOPS, map[int]float64{0: 1000, 1: 1000, 2: 4000}, 3, 6000},
		{model.IOPS, map[int]float64{0: 1000}, 3, 3000}, // the others have not reported yet
		{model.IOPS, map[int]float64{0: 700}, 1, 700},
		{model.Latency, map[int]float64{0: 0.001, 1: 0.003}, 2, 0.002},
		// One did no I/O in its last second.
		{model.IOPS, map[int]float64{0: 1000, 1: math.NaN(), 2: 2000}, 3, 3000},
		{model.Latency, map[int]float64{0: 0.001, 1: math.NaN()}, 2, 0.001},
		{model.IOPS, map[int]float64{0: math.NaN()}, 1, math.NaN()},
	} {
		if got := together(c.metric, c.each, c.volumes); !(math.Abs(got-c.want) <= 1e-9) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A phase that does not say how much it has written has no bytes, rather than 0 of them.
func TestAPhaseWithoutBytes(t *testing.T) {
	for done, want := range map[float64]string{0: "prefill in 2.8 s", 64 << 20: "prefill 64 MiB in 2.8 s (22.9 MiB/s)"} {
		s := state{progress: &model.Progress{Phase: model.PhasePrefill, Done: done}, phaseBegan: 1, elapsed: 3.8}
		if got := s.endPhase(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A prefill takes as long as it says itself, which is what the report says, however late the next update is.
func TestAPrefillSaysHowLongItTook(t *testing.T) {
	s := &state{}
	s.take(model.Update{Elapsed: 0.1, Progress: &model.Progress{Phase: model.PhasePrefill, Done: 64 << 20, Total: 64 << 20, Seconds: 0.084}})
	lines := s.take(model.Update{Elapsed: 1.1, Step: &model.Step{Number: 1}})
	if len(lines) != 1 || lines[0] != "prefill 64 MiB in 0.1 s (762 MiB/s)" {
		t.Errorf("%q", lines)
	}
}

func TestTheCheckOfTheLoadGeneratorIsNamed(t *testing.T) {
	s := &state{}
	s.take(model.Update{Elapsed: 10, Progress: &model.Progress{Phase: model.PhaseCeiling}})
	if lines := s.take(model.Update{Elapsed: 11.9, Progress: &model.Progress{Phase: model.PhaseAnalysis}}); len(lines) != 1 || lines[0] != "check of the load generator in 1.9 s" {
		t.Errorf("%q", lines)
	}
}
