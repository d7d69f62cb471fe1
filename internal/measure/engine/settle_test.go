package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// writeBack is an agent on a disk of 100 I/Os per second behind a cache. Its time is virtual: while anything is left in
// the cache, reads get half of the disk.
type writeBack struct {
	// backlog is how many seconds of the disk the cache still needs.
	backlog  float64
	prepared model.Preparation
	// written is the backlog that each second of a writing repeat leaves.
	written float64
	// varies holds the factors by which successive reads differ from the rate of the disk, over and over; empty for none.
	varies []float64
	reads  int
}

// factor returns that of the next read.
func (d *writeBack) factor() float64 {
	if len(d.varies) == 0 {
		return 1
	}
	d.reads++
	return d.varies[(d.reads-1)%len(d.varies)]
}

func (d *writeBack) answer(s *scripted, r model.Request) {
	switch {
	case r.Prepare != nil:
		s.emit(model.Event{ID: r.ID, Prepared: &d.prepared})
	case r.Idle != nil:
		d.backlog = math.Max(0, d.backlog-r.Idle.Seconds)
		s.emit(model.Event{ID: r.ID, Beside: &model.Beside{}})
	case r.Start != nil && r.Start.Workload.Writes():
		for i := range int(r.Start.Step.Seconds) {
			d.backlog += d.written
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: r.Start.Step.Number, End: r.Start.Step.Ramp + float64(i+1), Seconds: 1,
				Write: &model.Flow{IOs: uint64(100 * (1 + d.written)), Bytes: uint64(4096 * 100 * (1 + d.written))}}})
		}
		s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Ended: r.Start.Step.Ramp + r.Start.Step.Seconds}})
	case r.Start != nil:
		d.backlog = math.Max(0, d.backlog-r.Start.Step.Ramp/2)
		factor := d.factor()
		for i := range int(r.Start.Step.Seconds) {
			busy := math.Min(1, 2*d.backlog)
			d.backlog = math.Max(0, d.backlog-0.5)
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: r.Start.Step.Number, End: r.Start.Step.Ramp + float64(i+1), Seconds: 1,
				Read: &model.Flow{IOs: uint64(math.Round(factor * (100 - 50*busy)))}}})
		}
		s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Ended: r.Start.Step.Ramp + r.Start.Step.Seconds}})
	default:
		steady(s, r)
	}
}

// measure runs a plan on it.
func (d *writeBack) measure(t *testing.T, p model.Plan, b Evidence) *memory {
	t.Helper()
	var m memory
	worker, _ := connected(t, d.answer)
	if status, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{worker}, Judge: needs{}, Scheduler: inOrder{}, Recorder: &m,
		Observer: silent{}, Now: time.Now, Beside: b}); status != model.Complete || err != nil {
		t.Fatalf("%s, %v", status, err)
	}
	return &m
}

// begun returns an execution on it that has begun, and its side, which reads.
func (d *writeBack) begun(t *testing.T) (*execution, *side) {
	t.Helper()
	worker, _ := connected(t, d.answer)
	e := newExecution(nil, silent{}, time.Now)
	e.remaining = func() float64 { return 0 }
	return &e, &side{plan: plan(60, "reads"), workers: []*Worker{worker}}
}

const mib = 1 << 20

// filled is a prefill of 4,000 MiB that a cache takes within 4 s, and that the disk needs 40 s for.
func filled() model.Preparation {
	return model.Preparation{Written: 4000 * mib, Seconds: 4, Rates: []float64{1000 * mib, 1000 * mib, 1000 * mib, 1000 * mib}}
}

// Before the first repeat, reads wait for what the prefill may have left in a cache, whether the bandwidths were
// probed or only the prefill and reading it back show them; on a disk that reads as fast as it writes, they do not.
func TestReadsWaitForThePrefill(t *testing.T) {
	back := filled()
	back.Proof.Bandwidth = 100 * mib
	// One prefill is half as fast again as the probe read, throughout; a cache absorbs the beginning of the other.
	even, bursts := filled(), filled()
	even.Seconds, even.Rates = 20, slices.Repeat([]float64{150 * mib}, 20)
	bursts.Seconds, bursts.Rates = 20, append(slices.Repeat([]float64{1000 * mib}, 3), slices.Repeat([]float64{58 * mib}, 17)...)
	honest := filled()
	honest.Proof.Bandwidth = 900 * mib
	short := back
	short.Seconds, short.Rates = 0.4, back.Rates[:1]
	for _, c := range []struct {
		name   string
		beside Evidence
		device writeBack
		waits  bool
	}{
		{"probed", Evidence{ReadBandwidth: 100 * mib, WriteBandwidth: 1000 * mib}, writeBack{backlog: 36, prepared: filled()}, true},
		{"probed, and filled evenly", Evidence{ReadBandwidth: 100 * mib, WriteBandwidth: 210 * mib}, writeBack{prepared: even}, false},
		{"probed, and absorbed at first", Evidence{ReadBandwidth: 100 * mib, WriteBandwidth: 1000 * mib}, writeBack{backlog: 36, prepared: bursts}, true},
		{"read back", Evidence{}, writeBack{backlog: 36, prepared: back}, true},
		{"as fast as it was written", Evidence{}, writeBack{prepared: honest}, false},
		{"too short to show a rate", Evidence{}, writeBack{prepared: short}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.device.measure(t, plan(60, "reads", "others"), c.beside)
			for _, s := range m.samples {
				if s.Read.IOs != 100 {
					t.Errorf("step %d read %d a second while the cache was draining", s.Step, s.Read.IOs)
				}
			}
			first := m.steps[0].Settling
			switch {
			case !c.waits && first != nil:
				t.Errorf("settling %+v", first)
			case c.waits && (first == nil || !first.Settled || first.Waited < 25 || first.Waited > 60 || first.Slow != 50 || first.Rate != 100):
				t.Errorf("settling %+v, want a wait of about 36 s", first)
			}
			for _, s := range m.steps[1:] {
				if s.Settling != nil {
					t.Errorf("step %d: %+v after the storage had settled", s.Step.Number, s.Settling)
				}
			}
		})
	}
}

// Reads that are as slow when a wait has to end as when it began are not at their full rate if the cache may need more
// time: no repeat is settled, and each says how long it may still take.
func TestAWaitThatEndsTooEarlySettlesNothing(t *testing.T) {
	prepared := filled()
	prepared.Written *= 20
	d := writeBack{backlog: 800, prepared: prepared}
	m := d.measure(t, plan(60, "reads", "others"), Evidence{ReadBandwidth: 100 * mib, WriteBandwidth: 1000 * mib})
	waited, before := 0.0, math.Inf(1)
	for _, s := range m.steps {
		f := s.Settling
		if !f.Cut() || f.Settled || f.Left >= before || f.Writes == 0 {
			t.Errorf("step %d: %+v", s.Step.Number, f)
			continue
		}
		waited, before = waited+f.Waited, f.Left
	}
	if len(m.steps) != 4 || waited < waitAll || waited > waitAll+2*pauseMost || before < 600 {
		t.Errorf("%d steps, waited %.0f s, %.0f s left", len(m.steps), waited, before)
	}
}

// What the first wait is too short for, the next one finishes; the repeat between them is not settled.
func TestTheNextWaitFinishesTheBacklog(t *testing.T) {
	prepared := filled()
	prepared.Written *= 2
	d := writeBack{backlog: 70, prepared: prepared}
	m := d.measure(t, plan(60, "reads", "others"), Evidence{ReadBandwidth: 100 * mib, WriteBandwidth: 1000 * mib})
	if first := m.steps[0].Settling; !first.Cut() || first.Waited < waitMost {
		t.Errorf("first %+v", first)
	}
	if second := m.steps[1].Settling; !second.Helped() || second.Cut() {
		t.Errorf("second %+v", second)
	}
	for _, s := range m.samples {
		if s.Step > 1 && s.Read.IOs != 100 {
			t.Errorf("step %d read %d a second", s.Step, s.Read.IOs)
		}
	}
}

// The same where the reads' full rate is known: the writes of a repeat take 150 s to drain.
func TestAWaitAfterWritesThatEndsTooEarly(t *testing.T) {
	p := plan(60, "reads", "writes")
	p.Workloads[1].Direction = model.Write
	for i := range p.Workloads {
		p.Workloads[i].Access, p.Workloads[i].BlockSize = model.Random, 4096
	}
	d := writeBack{written: 100, prepared: model.Preparation{}}
	m := d.measure(t, p, Evidence{})
	cut := 0
	for _, s := range m.steps {
		if f := s.Settling; s.Step.Workload == "reads" && f.Cut() {
			cut++
			if f.Left < 80 || f.Left > 200 {
				t.Errorf("step %d: %+v", s.Step.Number, f)
			}
		}
	}
	if cut == 0 {
		t.Errorf("no wait ended too early: %+v", m.steps)
	}
}

// Reads that are slower than before for another reason than writes are not waited for much longer than what was
// written takes; the cache that needs that time gets it.
func TestAWaitWithoutEffectEnds(t *testing.T) {
	for _, c := range []struct {
		name        string
		full        float64
		writes      float64
		backlog     float64
		varies      []float64
		least, most float64
		settled     bool
	}{
		{"slower storage, few writes", 150, 500, 0, nil, giveUpLeast, giveUpLeast + 10, false},
		{"slower storage that varies", 150, 500, 0, []float64{0.9, 1.1, 0.95, 1.05}, giveUpLeast, giveUpLeast + 10, false},
		{"storage that gets faster", 150, 500, 0, []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.05, 1.1, 1.2, 1.2, 1.2, 1.2, 1.2}, 40, waitMost + 10, true},
		{"slower storage, more writes", 150, 1500, 0, nil, 30, 40, false},
		{"a cache that drains slowly", 100, 500, 19, nil, 15, 25, true},
		{"writes for more than a minute", 150, 5000, 0, nil, waitMost, waitMost + 10, false},
	} {
		d := writeBack{backlog: c.backlog, varies: c.varies}
		e, s := d.begun(t)
		s.drain.probeFirst, s.drain.writes, s.drain.rates = true, c.writes, map[string]float64{"reads": c.full}
		got, err := e.settle(t.Context(), s, model.Step{Workload: "reads", Seconds: 2})
		if err != nil || got.Waited < c.least || got.Waited > c.most || got.Settled != c.settled {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// A look is not repeated after a wait, so it is not begun while writes must be left; other repeats are measured first.
func TestALookWaitsForWhatMustBeLeft(t *testing.T) {
	for _, c := range []struct {
		name  string
		look  bool
		left  float64
		waits bool
	}{{"look", true, 20, true}, {"no look", false, 20, false}, {"nothing left", true, 0, false}} {
		d := writeBack{backlog: c.left}
		e, s := d.begun(t)
		s.drain.writes, s.drain.rates = 2000, map[string]float64{"reads": 100}
		s.drain.backlog.prefill = c.left
		got, err := e.settle(t.Context(), s, model.Step{Workload: "reads", Seconds: 20, Look: c.look})
		if err != nil || got.Helped() != c.waits || (got.Rate > 0) != c.waits {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// With less time left to wait than a probe takes, a slow repeat is made again at most once: the probe uses up that time.
func TestARepeatIsNotMadeAgainWithoutEnd(t *testing.T) {
	d := writeBack{backlog: 10_000}
	e, s := d.begun(t)
	s.drain = drain{writes: 1e6, probeFirst: true, slow: map[int]bool{}, rates: map[string]float64{"reads": 100}, waited: waitAll - 0.5}
	s.drain.backlog.prefill = d.backlog
	slow := []model.Sample{{Seconds: 1, Read: &model.Flow{IOs: 50}}, {Seconds: 1, Read: &model.Flow{IOs: 50}}}
	again := 0
	for again < 5 {
		step := model.Step{Workload: "reads", Seconds: 2}
		found, err := e.settle(t.Context(), s, step)
		if err != nil || found.Settled || found.Waited > 0 {
			t.Fatalf("%+v, %v", found, err)
		}
		if !s.saw(ended{workload: s.plan.Workloads[0], results: []model.StepResult{{Step: step}}, samples: slow}, found) {
			break
		}
		again++
	}
	if again > 1 {
		t.Errorf("it is made again %d times", again)
	}
}

// One slow second, in a repeat or in a probe, does not show that a cache is draining, which slows the next second as well.
func TestASpikeIsNoDrainingCache(t *testing.T) {
	seconds := func(rates ...uint64) (list []model.Sample) {
		for i, r := range rates {
			list = append(list, model.Sample{Step: 3, End: float64(i + 1), Seconds: 1, Read: &model.Flow{IOs: r}})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		samples []model.Sample
		varies  []float64
		again   bool
		waits   bool
	}{
		{"a slow second of a repeat", seconds(100, 20, 100), nil, false, false},
		{"a slow second of a repeat and a slow probe", seconds(100, 30, 40), []float64{0.4, 1}, true, false},
		{"slow for longer", seconds(100, 30, 40), []float64{0.4, 0.4, 1}, true, true},
	} {
		d := writeBack{varies: c.varies}
		e, s := d.begun(t)
		s.drain = drain{writes: 1000, slow: map[int]bool{}, rates: map[string]float64{"reads": 100}}
		step := model.Step{Number: 3, Workload: "reads", Seconds: 3}
		again := s.saw(ended{workload: s.plan.Workloads[0], results: []model.StepResult{{Step: step}}, samples: c.samples}, &model.Settling{Writes: 1000})
		if again != c.again {
			t.Errorf("%s: again %v", c.name, again)
		}
		if !again {
			continue
		}
		if found, err := e.settle(t.Context(), s, step); err != nil || found.Helped() != c.waits || found.Waited > 0 != c.waits || !found.Settled {
			t.Errorf("%s: %+v, %v", c.name, found, err)
		}
	}
}

// Noise may explain reads at half their rate, but not while writes must be left.
func TestNoiseExplainsLessWhileWritesAreLeft(t *testing.T) {
	d := drain{squares: 4, freedom: 100}
	if got := d.limit(); got != slowerMost {
		t.Errorf("%.2f", got)
	}
	d.backlog.prefill = 20
	if got := d.limit(); got != slowerWhileLeft {
		t.Errorf("%.2f while writes are left", got)
	}
	d.squares = 0
	if got := d.limit(); got != model.SettlingGap {
		t.Errorf("%.2f without noise", got)
	}
}

// drawnDisk is a disk, with its noise, that a backlog is told of.
type drawnDisk struct {
	r           *rand.Rand
	rate, noise float64
	// absorbs is how much faster than the disk its cache is; 1 if there is none.
	absorbs float64
	clock   float64
	backlog float64
}

// repeat runs a workload that does a share of what the disk can.
func (d *drawnDisk) repeat(b *backlog, w model.Workload, share, seconds float64) {
	var samples []model.Sample
	for range int(seconds) {
		rate := d.rate * share * math.Max(0.2, 1+d.noise*d.r.NormFloat64())
		if w.Writes() {
			rate *= d.absorbs
			d.backlog = math.Max(0, d.backlog+rate/d.rate-1)
			samples = append(samples, model.Sample{Seconds: 1, Write: &model.Flow{IOs: uint64(rate), Bytes: uint64(rate) * uint64(w.BlockSize)}})
			continue
		}
		d.backlog = math.Max(0, d.backlog-readsLeave)
		samples = append(samples, model.Sample{Seconds: 1, Read: &model.Flow{IOs: uint64(rate)}})
	}
	d.clock += seconds
	if w.Writes() {
		b.wrote(w, samples)
	} else {
		b.read(w, mean(readRates(samples)))
	}
	b.during(w, d.clock)
}

// rounds runs readers and writers in any order, for ten rounds with long repeats among them, and calls each after every
// repeat.
func (d *drawnDisk) rounds(b *backlog, each func()) {
	reads := model.Workload{Name: "reads", Access: model.Random, Direction: model.Read, BlockSize: 4096}
	if d.r.IntN(2) == 0 {
		d.repeat(b, reads, 1, 3)
	}
	for round := range 10 {
		for _, i := range d.r.Perm(4) {
			seconds := 2 + float64(d.r.IntN(2))
			if round == 3 {
				seconds = 20
			}
			switch i {
			case 0:
				d.repeat(b, reads, 1, seconds)
			case 1:
				d.repeat(b, model.Workload{Name: "writes", Access: model.Random, Direction: model.Write, BlockSize: 4096}, 1, seconds)
			case 2:
				d.repeat(b, model.Workload{Name: "lone", Access: model.Random, Direction: model.Write, BlockSize: 4096}, 0.05, seconds)
			case 3:
				d.repeat(b, model.Workload{Name: "log", Access: model.Sequential, Direction: model.Write, BlockSize: 4096}, 1, seconds)
			}
			each()
		}
	}
}

// Whatever disk without a cache is drawn, however noisy, at most a few seconds of its writes are left.
func TestADiskWithoutACacheHasNothingLeft(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		d := drawnDisk{r: r, rate: 100 * math.Exp(6*r.Float64()), noise: 0.3 * r.Float64(), absorbs: 1}
		var b backlog
		worst := 0.0
		d.rounds(&b, func() { worst = math.Max(worst, b.left()) })
		if worst > waitMost/6 {
			t.Errorf("seed %d, noise %.2f: %.1f s left", seed, d.noise, worst)
		}
	}
}

// Whatever a cache absorbs that is clearly faster than its disk, the estimate is no less than three quarters of what is
// really left.
func TestTheBacklogOfACacheIsKnown(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 12))
		d := drawnDisk{r: r, rate: 100 * math.Exp(6*r.Float64()), noise: 0.1 * r.Float64(), absorbs: 3 + 30*r.Float64()}
		var b backlog
		d.rounds(&b, func() {
			// Before any read nothing is known of the disk.
			if b.bytes > 0 && b.left() < 0.75*d.backlog-pauseLeast {
				t.Errorf("seed %d: %.1f s left, in truth %.1f s", seed, b.left(), d.backlog)
			}
		})
	}
}
