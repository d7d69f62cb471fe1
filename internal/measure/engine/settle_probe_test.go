package engine

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Two volumes that share 200 reads/s, of which one begins two seconds late: what each reads alone, before and after, was
// never read by both.
func TestRatesOfVolumesAreAddedUpByTheClock(t *testing.T) {
	var samples []model.Sample
	for second := range 5 {
		for worker, begins := range []int{0, 2} {
			ios := uint64(200)
			if end := second + begins; end >= 2 && end < 5 {
				ios = 100 // both read
			}
			samples = append(samples, model.Sample{Step: 1, Worker: worker, End: float64(second + begins + 1), Seconds: 1, Read: &model.Flow{IOs: ios}})
		}
	}
	rates := readRates(samples)
	if len(rates) != 3 {
		t.Fatalf("%v: want the three seconds in which both read", rates)
	}
	for _, r := range rates {
		if r != 200 {
			t.Errorf("%v reads/s of a storage that does 200", rates)
			break
		}
	}
	if w := flowRates(samples, model.Write); len(w) != 3 || mean(w) != 0 {
		t.Errorf("%v writes/s of volumes that only read", w)
	}
}

// The probe of several volumes begins on all of them at the same time, each by its own clock.
func TestAProbeOfSeveralVolumesBeginsTogether(t *testing.T) {
	var at sync.Mutex
	begins := map[string]int64{}
	s := &side{plan: plan(60, "reads")}
	for _, path := range []string{"/a", "/b"} {
		worker, _ := connected(t, func(s *scripted, r model.Request) {
			if r.Start != nil {
				at.Lock()
				begins[path] = r.Start.At
				at.Unlock()
			}
			steady(s, r)
		})
		s.workers = append(s.workers, worker)
		s.plan.Volumes = append(s.plan.Volumes, model.Volume{Target: model.Target{Kind: model.BlockDevice, Path: path}})
	}
	s.offsets = []time.Duration{0, time.Hour}
	e := newExecution(nil, silent{}, time.Now)
	e.remaining = func() float64 { return 0 }
	w := s.plan.Workloads[0]
	w.Volumes = 2
	rate, err := e.probe(t.Context(), s, s.probeFor(w, s.plan.Steps[0]))
	if err != nil || rate != 200 {
		t.Errorf("%g reads/s, %v; want those of both volumes, 200", rate, err)
	}
	if begins["/a"] == 0 || begins["/b"]-begins["/a"] != int64(time.Hour) {
		t.Errorf("they begin at %v, by clocks that differ by an hour", begins)
	}
}

// apart are samples of two volumes of one second each, of which the second begins that much later.
func apart(seconds float64, of func(m *model.Sample)) []model.Sample {
	list := []model.Sample{{Step: 1, Worker: 0, End: 1, Seconds: 1}, {Step: 1, Worker: 1, End: 1 + seconds, Seconds: 1}}
	for i := range list {
		of(&list[i])
	}
	return list
}

// Volumes that were never read together have no rate of all of them: it must not count as reads that stand still.
func TestVolumesThatNeverRanTogetherShowNothing(t *testing.T) {
	s := &side{plan: plan(60, "reads")}
	s.drain.rates = map[string]float64{}
	s.drain.slow, s.drain.did = map[int]bool{}, map[string][]float64{}
	s.drain.freedom = 3
	v := ended{workload: s.plan.Workloads[0], results: []model.StepResult{{Step: model.Step{Number: 1}}},
		samples: apart(1.6, func(m *model.Sample) { m.Read = &model.Flow{IOs: 100} })}
	if s.saw(v, nil) || len(s.drain.rates) != 0 || s.drain.freedom != 3 {
		t.Errorf("%+v", s.drain)
	}
	w := model.Workload{Name: "writes", Access: model.Random, Direction: model.Write, BlockSize: 4096}
	v.workload, v.samples = w, apart(1.6, func(m *model.Sample) { m.Write = &model.Flow{IOs: 100, Bytes: 4096 * 100} })
	if s.saw(v, nil) || len(s.drain.did["writes"]) != 0 || s.drain.writes != 200 {
		t.Errorf("writes: did %v, %g I/Os", s.drain.did, s.drain.writes)
	}
}

// Where volumes begin at different times, all that they wrote is left, at the rate that they had together.
func TestWritesOfVolumesThatBeginApart(t *testing.T) {
	var b backlog
	w := model.Workload{Name: "writes", Access: model.Random, Direction: model.Write, BlockSize: 4096}
	var samples []model.Sample
	for worker, begins := range []int{0, 2} {
		for second := range 4 {
			samples = append(samples, model.Sample{Step: 1, Worker: worker, End: float64(begins + second + 1), Seconds: 1, Write: &model.Flow{IOs: 100, Bytes: 4096 * 100}})
		}
	}
	b.wrote(w, samples)
	if f := b.flows["writes"]; f.ios != 800 || f.rate() != 200 {
		t.Errorf("%+v: %g I/Os at %g/s, want 800 at 200", f, f.ios, f.rate())
	}
}

// A probe that follows another one at once does not read what that has read.
func TestAFurtherProbeReadsElsewhere(t *testing.T) {
	s := &side{plan: plan(60, "reads")}
	for _, access := range []model.Access{model.Sequential, model.Random} {
		w := s.plan.Workloads[0]
		w.Access = access
		p := s.probeFor(w, model.Step{Offset: 0.4, Seconds: 2})
		for n, want := range []float64{0, 0.125, 0} {
			got := p.further(n).step.Offset - p.step.Offset
			if access == model.Random {
				want = 0
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%s probe %d begins %g later, want %g", access, n, got, want)
			}
		}
	}
}
