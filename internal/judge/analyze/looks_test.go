package analyze

import (
	"math"
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// looked is a run in rounds of 3 s, built repeat by repeat.
type looked struct {
	rec   model.Recorded
	clock float64
}

func newLooked(workloads ...model.Workload) *looked {
	return &looked{rec: model.Recorded{Plan: model.Plan{Workloads: workloads,
		Schedule: model.Schedule{Mode: model.Rounds, Repeat: 3, MinRounds: 3, Precision: 0.05, Look: 20, Looks: 2}}}}
}

// step adds a short or a long repeat with the given rates.
func (l *looked) step(name string, look bool, rates ...float64) {
	w, _ := l.rec.Plan.Workload(name)
	number := len(l.rec.Run.Steps) + 1
	l.rec.Run.Steps = append(l.rec.Run.Steps, model.StepResult{Step: model.Step{Number: number, Workload: name, Look: look}})
	l.clock += 5
	for i, rate := range rates {
		l.clock++
		s := model.Sample{Step: number, End: l.clock, Seconds: 1, Look: look}
		for _, d := range w.Directions() {
			n := rate * (1 + 0.001*float64(i%2))
			f := &model.Flow{IOs: uint64(n), Bytes: uint64(n) * uint64(w.BlockSize), LatencySum: 16}
			if d == model.Read {
				s.Read = f
			} else {
				s.Write = f
			}
		}
		l.rec.Samples = append(l.rec.Samples, s)
	}
}

// next is the workload of the long repeat that would follow.
func (l *looked) next() string {
	name, _ := Judge{}.Next(&l.rec)
	return name
}

// repeats adds short repeats with one rate each.
func (l *looked) repeats(name string, rates ...float64) {
	for _, r := range rates {
		l.step(name, false, r, r, r)
	}
}

func sameRate(n int, rate float64) []float64 { return slices.Repeat([]float64{rate}, n) }

func small(name string, d model.Direction) model.Workload {
	return model.Workload{Name: name, Direction: d, BlockSize: 4096, Depth: 32, Metric: model.IOPS}
}

func mix(readPercent int) model.Workload {
	w := small("mix", model.Mixed)
	w.ReadPercent = readPercent
	return w
}

func large(name string, d model.Direction) model.Workload {
	w := small(name, d)
	w.BlockSize = 128 << 10
	return w
}

func TestTheHeaviestIsLookedAt(t *testing.T) {
	l := newLooked(small("reads", model.Read), large("large-reads", model.Read), small("writes", model.Write), large("large-writes", model.Write), small("few", model.Write))
	l.repeats("reads", 3000, 3010)
	l.repeats("large-reads", 2950, 2940)
	l.repeats("writes", 2000, 2000)
	l.repeats("large-writes", 500, 500)
	l.repeats("few", 10, 10)
	check := func(what string, want, wantShort, wantWished []string) {
		t.Helper()
		needed, short, wished := Judge{}.Looks(&l.rec)
		if !slices.Equal(needed, want) || !slices.Equal(short, wantShort) || !slices.Equal(wished, wantWished) {
			t.Errorf("%s: %v, %v and %v, want %v, %v and %v", what, needed, short, wished, want, wantShort, wantWished)
		}
	}
	check("as many large reads as small ones", []string{"large-reads", "writes"}, nil, []string{"large-writes"})
	l.rec.Run.Prepare = &model.Preparation{Rates: sameRate(25, 60<<20)}
	check("a prefill that was a look", []string{"large-reads", "writes"}, nil, nil)
	l.rec.Plan.Schedule.ShortWriteLook = true
	check("one after which a short look is enough", []string{"large-reads", "writes"}, []string{"writes"}, nil)
	l.rec.Run.Prepare.Rates = append(sameRate(5, 200<<20), sameRate(20, 60<<20)...)
	check("one that fell", []string{"large-reads", "writes"}, nil, []string{"large-writes"})
	l.rec.Run.Prepare.Rates = nil
	// Of a virtual disk, in MiB/s: the first five seconds are a tenth faster, and single ones vary as much.
	for _, mib := range []float64{1100, 996, 1061, 1112, 1096, 854, 907, 889, 912, 949, 1036, 1031, 1038, 898, 1061, 954, 1083, 978, 974, 947, 919, 1057, 967, 1017} {
		l.rec.Run.Prepare.Rates = append(l.rec.Run.Prepare.Rates, mib*(1<<20))
	}
	check("one that varied", []string{"large-reads", "writes"}, []string{"writes"}, nil)
	l.rec.Run.Prepare.Rates = nil
	for i := range 25 {
		l.rec.Run.Prepare.Rates = append(l.rec.Run.Prepare.Rates, float64(500-17*i)*(1<<20))
	}
	check("one that became slower and slower", []string{"large-reads", "writes"}, nil, []string{"large-writes"})
	l.rec.Run.Prepare.Rates = sameRate(15, 60<<20)
	check("one that was too short", []string{"large-reads", "writes"}, nil, []string{"large-writes"})
}

// A volume that was read back has been read without a pause.
func TestReadingBackIsALook(t *testing.T) {
	l := newLooked(small("reads", model.Read), large("large-reads", model.Read))
	l.repeats("reads", 3000, 3010)
	l.repeats("large-reads", 1000, 1000)
	bandwidth := 1000.0 * (128 << 10)
	for _, c := range []struct {
		what   string
		proof  []float64
		wished []string
		unseen bool
	}{
		{"no proof", nil, []string{"large-reads"}, true},
		{"as fast as the large reads", sameRate(25, bandwidth), nil, false},
		{"slower than they are", sameRate(25, bandwidth/2), []string{"large-reads"}, true},
		{"too short", sameRate(15, bandwidth), []string{"large-reads"}, true},
	} {
		l.rec.Run.Prepare = &model.Preparation{Rates: sameRate(25, bandwidth), Proof: model.Proof{Rates: c.proof}}
		if _, _, wished := (Judge{}).Looks(&l.rec); !slices.Equal(wished, c.wished) {
			t.Errorf("%s: %v, want %v", c.what, wished, c.wished)
		}
		held := *l
		held.step("reads", true, sameRate(20, 3000)...)
		if s := Results(&held.rec)[1].Sustained; s == nil || s.BytesUnseen != c.unseen {
			t.Errorf("%s: %+v", c.what, s)
		}
	}
}

func TestWhatFellIsPublished(t *testing.T) {
	l := newLooked(small("writes", model.Write), large("large", model.Write), small("few", model.Write), small("reads", model.Read))
	for range 2 {
		l.repeats("writes", 2000)
		l.repeats("large", 1900)
		l.repeats("few", 100)
		l.repeats("reads", 3000)
	}
	l.repeats("few", 100)
	if next := l.next(); next != "" {
		t.Errorf("without a look, %q is next", next)
	}
	l.step("reads", true, sameRate(20, 3000)...)
	if next := l.next(); next != "" {
		t.Errorf("after reads that held, %q is next", next)
	}
	l.step("writes", true, append(sameRate(8, 2000), sameRate(12, 500)...)...)
	if next := l.next(); next != "large" {
		t.Errorf("after writes fell, %q is next", next)
	}
	find := func(name string) model.Result {
		for _, r := range Results(&l.rec) {
			if r.Workload == name {
				return r
			}
		}
		t.Fatalf("%s has no result", name)
		return model.Result{}
	}
	expect := func(name string, rate float64, lasting model.SustainedState) *model.Sustained {
		t.Helper()
		r := find(name)
		if r.Sustained == nil || r.Sustained.State != lasting || math.Abs(r.Value/rate-1) > 0.01 || lasting == model.Fell && !r.Converged {
			t.Fatalf("%s: %g %+v, want %g %s", name, r.Value, r.Sustained, rate, lasting)
		}
		return r.Sustained
	}
	s := expect("writes", 500, model.Fell)
	if b := s.Burst; b == nil || math.Abs(b.Rate/2000-1) > 0.01 || math.Abs(b.IOs/12000-1) > 0.01 || math.Abs(b.Refill/24-1) > 0.01 || b.Seconds != 8 {
		t.Errorf("burst %+v, want 12,000 I/Os at 2,000/s, full again in 24 s", b)
	}
	expect("large", 1900, model.Doubtful)
	expect("few", 100, model.Below)
	if s := expect("reads", 3000, model.Held); math.Abs(s.IOs-60000) > 100 {
		t.Errorf("reads exclude %g I/Os, want 60,000", s.IOs)
	}
	l.step("large", true, sameRate(10, 500)...)
	expect("large", 500, model.Fell)
	if next := l.next(); next != "" {
		t.Errorf("after all was looked at, %q is next", next)
	}
	if got := (Judge{}).Fallen(&l.rec); !slices.Equal(got, []string{"large", "writes"}) {
		t.Errorf("%v fell", got)
	}
}

// What is in doubt is not the word of another workload, nor its rate before the last second, nor that of more volumes.
func TestDoubtIsShared(t *testing.T) {
	state := func(l *looked, name string) model.SustainedState {
		for _, r := range Results(&l.rec) {
			if r.Workload == name {
				return r.Sustained.State
			}
		}
		return ""
	}
	l := newLooked(small("writes", model.Write), small("others", model.Write))
	l.repeats("writes", 2500, 2500)
	l.repeats("others", 2300, 2300)
	l.step("writes", true, append(sameRate(9, 2500), 500)...)
	if s := state(l, "others"); s != model.Doubtful {
		t.Errorf("after a drop in the last second: %s", s)
	}
	for _, order := range [][]string{{"writes", "large", "others"}, {"large", "writes", "others"}} {
		var ws []model.Workload
		for _, name := range order {
			ws = append(ws, map[string]model.Workload{"writes": small("writes", model.Write), "large": large("large", model.Write), "others": small("others", model.Write)}[name])
		}
		l := newLooked(ws...)
		l.repeats("writes", 2500, 2500)
		l.repeats("large", 900, 900)
		l.repeats("others", 1800, 1800)
		l.step("large", true, sameRate(20, 900)...)
		l.step("writes", true, sameRate(20, 1000)...)
		if s := state(l, "others"); s != model.Doubtful {
			t.Errorf("%v: %s", order, s)
		}
	}
	three, one := small("three", model.Write), small("one", model.Write)
	three.Volumes, one.Volumes = 3, 1
	l = newLooked(three, one)
	l.repeats("three", 2100, 2100)
	l.repeats("one", 700, 700)
	l.step("three", true, append(sameRate(10, 2100), 1500, 1290, 1620, 0, 2000, 1400, 1480, 1660, 1350, 1530)...)
	if s := state(l, "one"); s != model.Doubtful {
		t.Errorf("one of three volumes: %s", s)
	}
}

// Repeats that meet a credit sometimes full and sometimes empty say nothing about the sustained rate.
func TestRepeatsThatDifferFromEachOther(t *testing.T) {
	l := newLooked(small("writes", model.Write), small("others", model.Write))
	l.repeats("writes", 2000, 900)
	l.repeats("others", 1500, 700)
	l.step("writes", true, sameRate(20, 500)...)
	l.step("writes", true, sameRate(10, 500)...)
	r := Results(&l.rec)[0]
	if r.Sustained.State != model.Fell || math.Abs(r.Value/500-1) > 0.01 {
		t.Errorf("%g, %+v", r.Value, r.Sustained)
	}
}

// A mix draws on both directions, and is affected if either fell.
func TestAMixGoesTogether(t *testing.T) {
	l := newLooked(mix(50))
	l.repeats("mix", 1000, 1000)
	l.step("mix", true, append(sameRate(8, 1000), sameRate(12, 250)...)...)
	for _, r := range Results(&l.rec) {
		if r.Sustained.State != model.Fell || math.Abs(r.Value/250-1) > 0.01 {
			t.Errorf("%s: %g, %+v", r.Direction, r.Value, r.Sustained)
		}
	}
}

// On storage with a constant rate, long repeats do not change a result.
func TestALookThatHeldChangesNothing(t *testing.T) {
	with, without := newLooked(small("reads", model.Read)), newLooked(small("reads", model.Read))
	without.rec.Plan.Schedule.Look = 0
	for _, l := range []*looked{with, without} {
		l.repeats("reads", 1010, 990)
	}
	with.step("reads", true, append([]float64{1005, 1003, 998}, sameRate(17, 1000)...)...)
	without.step("reads", false, 1005, 1003, 998)
	a, b := Results(&with.rec)[0], Results(&without.rec)[0]
	if a.Estimate != b.Estimate || a.Repeats != b.Repeats || a.Seconds != b.Seconds {
		t.Errorf("%+v with a look, %+v without", a, b)
	}
}

// Each volume has its own credit: a few volumes may be below the total that many fell to, and still
// each draws on its credit.
func TestFewVolumesBelowWhatManyFellTo(t *testing.T) {
	one, three := small("x1", model.Read), small("x3", model.Read)
	one.Volumes, three.Volumes = 1, 3
	l := newLooked(one, three)
	l.repeats("x1", 700, 700)
	l.repeats("x3", 2100, 2100)
	l.step("x3", true, append(sameRate(6, 2100), sameRate(14, 1500)...)...)
	if next := l.next(); next != "x1" {
		t.Errorf("%q is looked at next, want one volume at 700/s where each of three fell to 500/s", next)
	}
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Doubtful {
		t.Errorf("%+v", r.Sustained)
	}
	l.step("x1", true, sameRate(10, 500)...)
	l.step("x1", true, sameRate(10, 500)...)
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Fell || math.Abs(r.Value/500-1) > 0.01 {
		t.Errorf("%g, %+v", r.Value, r.Sustained)
	}
}

// An offered rate says nothing about how much the storage varies.
func TestOpenLoopsAreNoMeasureOfTheSpread(t *testing.T) {
	closed, open := small("capacity", model.Write), small("load-10", model.Write)
	open.OpenLoop = true
	l := newLooked(closed, open)
	l.repeats("capacity", 5000)
	l.step("capacity", true, sameRate(20, 4500)...)
	l.repeats("load-10", 450, 450, 450, 450, 450, 450)
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Held {
		t.Errorf("%+v, of one repeat and one look", r.Sustained)
	}
}
