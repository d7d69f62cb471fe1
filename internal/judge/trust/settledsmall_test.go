package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A small cache is empty again after the first reads: those that follow them are as fast as others, and do not hide that the
// first were slow.
func TestOnlyReadsDirectlyAfterWritesAreSlow(t *testing.T) {
	ev := sound()
	var steps []model.StepResult
	var samples []model.Sample
	at := 0.0
	step := func(w model.Workload, rate uint64, s *model.Settling) {
		n := len(steps) + 1
		steps = append(steps, model.StepResult{Step: model.Step{Number: n, Workload: w.Name}, Settling: s})
		for range 2 {
			at++
			f := &model.Flow{IOs: rate, Bytes: rate * 4096}
			if m := (model.Sample{Step: n, Seconds: 1, End: at, Read: f}); w.Writes() {
				m.Read, m.Write = nil, f
				samples = append(samples, m)
			} else {
				samples = append(samples, m)
			}
		}
	}
	early := func() *model.Settling { return &model.Settling{Writes: 1000} }
	step(iops, 500, nil)
	for range 4 {
		step(write, 500, nil)
		step(iops, 250, early())
		step(iops, 502, early())
		step(iops, 499, &model.Settling{Writes: 1000, Slow: 499, Rate: 499, Settled: true})
	}
	ev.Recorded.Run.Steps, ev.Recorded.Samples = steps, samples
	if g := ev.afterWrites(iops.Name); len(g.early) != 8 || len(g.direct) != 4 || slices.Max(g.direct) > 251 {
		t.Errorf("%+v", g)
	}
	if f := settledFinding(t, ev, iops.Name); f.Severity != model.SeverityWarning || !strings.Contains(f.Message, "right after writes ran at 250 IOPS and others at 499") {
		t.Errorf("%s: %s", f.Severity, f.Message)
	}
}

// Reads of which only the first did not follow writes are as slow for the reason that others show.
func TestReadsThatAreSlowLikeOthersAreNamed(t *testing.T) {
	ev := sound()
	draining(&ev, nil)
	first := true
	eachStep(&ev, lat.Name, func(s *model.StepResult) {
		if s.Settling = &(model.Settling{Writes: 20000}); first {
			s.Settling.Settled, first = true, false
		}
	})
	slow := map[int]bool{}
	for _, s := range ev.Recorded.Run.Steps {
		slow[s.Step.Number] = s.Step.Workload == lat.Name && s.Settling.Early()
	}
	for i := range ev.Recorded.Samples {
		if m := &ev.Recorded.Samples[i]; slow[m.Step] {
			m.Read = &model.Flow{IOs: m.Read.IOs / 2, Bytes: m.Read.Bytes / 2, LatencySum: m.Read.LatencySum, Histogram: m.Read.Histogram}
		}
	}
	if f := settledFinding(t, ev, lat.Name); f.Severity != model.SeverityWarning || !strings.HasPrefix(f.Message, "perhaps not settled: "+lat.Name) {
		t.Errorf("%s: %s", f.Severity, f.Message)
	}
}
