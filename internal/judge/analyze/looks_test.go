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
		s := model.Sample{Step: number, End: l.clock, Seconds: 1}
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
	if next := (Judge{}).Next(&l.rec); next != "" {
		t.Errorf("without a look, %q is next", next)
	}
	l.step("reads", true, sameRate(20, 3000)...)
	if next := (Judge{}).Next(&l.rec); next != "" {
		t.Errorf("after reads that held, %q is next", next)
	}
	l.step("writes", true, append(sameRate(8, 2000), sameRate(12, 500)...)...)
	if next := (Judge{}).Next(&l.rec); next != "large" {
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
	if next := (Judge{}).Next(&l.rec); next != "" {
		t.Errorf("after all was looked at, %q is next", next)
	}
	if got := (Judge{}).Fallen(&l.rec); !slices.Equal(got, []string{"large", "writes"}) {
		t.Errorf("%v fell", got)
	}
}

// One long repeat below the short ones may be a slow spell of the storage: it is repeated.
func TestOneSlowLookIsNotEnough(t *testing.T) {
	for _, c := range []struct {
		again   float64
		want    float64
		lasting model.SustainedState
	}{{500, 500, model.Fell}, {1000, 1000, model.Held}} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		for range 2 {
			l.repeats("writes", 1000)
			l.repeats("others", 1000)
		}
		l.step("writes", true, sameRate(20, 500)...)
		r := Results(&l.rec)[0]
		if r.Sustained.State != model.Doubtful || math.Abs(r.Value/1000-1) > 0.2 {
			t.Errorf("after one look: %g, %+v", r.Value, r.Sustained)
		}
		if next := (Judge{}).Next(&l.rec); next != "writes" {
			t.Errorf("%q is looked at next", next)
		}
		l.step("writes", true, sameRate(10, c.again)...)
		r = Results(&l.rec)[0]
		if r.Sustained.State != c.lasting || math.Abs(r.Value/c.want-1) > 0.2 {
			t.Errorf("after another look at %g: %g, %+v", c.again, r.Value, r.Sustained)
		}
	}
}

// A fall to a level that a busy machine disturbs is not called held: it is looked at again until a level or
// the old rate decides, and if neither does, the result is in doubt, and so are those that may have used the
// same credits.
func TestAFallToADisturbedLevel(t *testing.T) {
	disturbed := []float64{1500, 1290, 1620, 0, 2100, 1400, 1480, 1660, 1350, 1530}
	other := []float64{900, 1290, 700, 0, 2100, 1400, 800, 760, 950, 830}
	first := append(sameRate(10, 2500), disturbed...)
	again := append(sameRate(6, 2500), disturbed[:7]...)
	const fell, unsteady, held, doubtful = model.Fell, model.FellUnsteady, model.Held, model.Doubtful
	for _, c := range []struct {
		what   string
		looks  [][]float64
		states []model.SustainedState
		rate   float64
	}{
		{"a quiet machine, the credit used up", [][]float64{sameRate(10, 1500), sameRate(10, 1500)}, []model.SustainedState{doubtful, fell}, 1500},
		{"a busy machine, the credit used up", [][]float64{disturbed, disturbed}, []model.SustainedState{doubtful, unsteady}, 0},
		{"falls again", [][]float64{again, again}, []model.SustainedState{doubtful, unsteady}, 0},
		{"a slow spell, which ends", [][]float64{sameRate(10, 1500), sameRate(10, 2500)}, []model.SustainedState{doubtful, held}, 0},
		{"ends elsewhere each time", [][]float64{other, append(sameRate(6, 2500), 2000, 1700, 2300, 1650, 1900, 1500, 2050)}, []model.SustainedState{doubtful, doubtful}, 0},
		{"the old rate", [][]float64{sameRate(10, 2500)}, []model.SustainedState{held}, 2500},
		{"a stall at the end, then the old rate", [][]float64{append(sameRate(9, 2500), 500), sameRate(10, 2500)}, []model.SustainedState{doubtful, held}, 2500},
	} {
		for _, repeats := range [][]float64{{2500, 2500}, {2500, 1900}} {
			l := newLooked(small("writes", model.Write), small("others", model.Write), small("few", model.Write))
			l.repeats("writes", repeats...)
			l.repeats("others", 2300, 2300)
			l.repeats("few", 100, 100)
			looks := append([][]float64{first}, c.looks...)
			states := append([]model.SustainedState{doubtful}, c.states...)
			for i, look := range looks {
				l.step("writes", true, look...)
				list := Results(&l.rec)
				got := list[0].Sustained
				if got.State != states[i] {
					t.Errorf("%s, %v, look %d: %+v, want %s", c.what, repeats, i+1, got, states[i])
				}
				if next := (Judge{}).Next(&l.rec); states[i] == doubtful && i < maxLooks-1 && next != "writes" {
					t.Errorf("%s, %v, look %d: %q is next", c.what, repeats, i+1, next)
				}
				if others, few := list[1].Sustained.State, list[2].Sustained.State; states[i] != held && (others != doubtful || few != model.Below) {
					t.Errorf("%s, %v, look %d: %s and %s without a look", c.what, repeats, i+1, others, few)
				}
				if i == len(looks)-1 && c.rate > 0 && repeats[0] == repeats[1] && math.Abs(list[0].Value/c.rate-1) > 0.05 {
					t.Errorf("%s: %g, want %g", c.what, list[0].Value, c.rate)
				}
			}
		}
	}
}

// Long repeats that disagree decide nothing, and what a later one contradicts has not fallen.
func TestLooksThatDisagree(t *testing.T) {
	level := []float64{1500, 1440, 1570, 1480, 1530, 1420, 1560, 1510, 1450, 1540}
	disturbed := []float64{1500, 1290, 1620, 0, 2100, 1400, 1480, 1660, 1350, 1530}
	stall := append(sameRate(9, 2500), 500)
	list := func(looks ...[]float64) [][]float64 { return looks }
	for _, c := range []struct {
		what   string
		once   bool
		looks  [][]float64
		states []model.SustainedState
	}{
		{"to a level, then to a disturbed one", false, list(append(sameRate(10, 2500), level...), disturbed, disturbed), []model.SustainedState{model.FellUnsteady}},
		{"low throughout, then disturbed", false, list(sameRate(20, 1500), disturbed), []model.SustainedState{model.FellUnsteady}},
		{"a slow spell, then a stall", false, list(sameRate(20, 1500), stall), []model.SustainedState{model.Doubtful}},
		{"a slow spell and a stall, then neither", false, list(sameRate(20, 1500), stall, sameRate(10, 2500)), []model.SustainedState{model.Held}},
		{"two stalls", false, list(stall, stall), []model.SustainedState{model.Doubtful}},
		{"two stalls, then none", false, list(stall, stall, sameRate(10, 2500)), []model.SustainedState{model.Held}},
		{"a slow spell at the end, then none", false, list(append(sameRate(14, 2500), sameRate(6, 1500)...), sameRate(10, 2500)), []model.SustainedState{model.Held}},
		{"after a single repeat", true, list(append(sameRate(10, 2500), disturbed...), sameRate(10, 1500), sameRate(10, 1500)), []model.SustainedState{model.Fell}},
		{"a slow spell at the end, then a stall", false, list(append(sameRate(14, 2500), sameRate(6, 1500)...), stall), []model.SustainedState{model.Doubtful}},
		{"a second of an interrupted run", false, list(sameRate(1, 2000)), []model.SustainedState{model.Held}},
	} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", sameRate(2, 2500)...)
		if c.once {
			l = newLooked(small("writes", model.Write), small("others", model.Write))
			l.repeats("writes", 2500)
		}
		l.repeats("others", 100, 100)
		for _, look := range c.looks {
			l.step("writes", true, look...)
		}
		s := Results(&l.rec)[0].Sustained
		if !slices.Contains(c.states, s.State) {
			t.Errorf("%s: %+v, want %v", c.what, s, c.states)
		}
		if next := (Judge{}).Next(&l.rec); (next == "writes") != (s.State == model.Doubtful && len(c.looks) < maxLooks) {
			t.Errorf("%s: %s, and %q is next", c.what, s.State, next)
		}
	}
}

// A late fall is confirmed by a long repeat that is as low, however small the fall and however few the repeats.
func TestALateFallIsConfirmed(t *testing.T) {
	fall := func(n int, from float64, m int, to float64) []float64 {
		return append(sameRate(n, from), sameRate(m, to)...)
	}
	disturbed := []float64{1500, 1290, 1620, 0, 2100, 1400, 1480, 1660, 1350, 1530}
	for _, c := range []struct {
		repeats []float64
		looks   [][]float64
		want    float64
	}{
		{[]float64{1000, 990}, [][]float64{fall(14, 1000, 6, 880), sameRate(10, 880)}, 880},
		{[]float64{1000}, [][]float64{fall(14, 1000, 6, 800), sameRate(10, 800)}, 800},
		{[]float64{2500, 1400}, [][]float64{fall(14, 2500, 6, 1500), disturbed}, 1400},
		{[]float64{2500, 1450}, [][]float64{fall(14, 2500, 6, 1500), sameRate(10, 1500)}, 1500},
		{[]float64{1000, 990}, [][]float64{fall(14, 1000, 6, 880), fall(4, 1000, 6, 880), sameRate(10, 880)}, 880},
	} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", c.repeats...)
		l.repeats("others", 100, 99)
		for _, look := range c.looks {
			l.step("writes", true, look...)
		}
		r := Results(&l.rec)[0]
		if s := r.Sustained.State; s != model.Fell && s != model.FellUnsteady || math.Abs(r.Value/c.want-1) > 0.05 {
			t.Errorf("%v: %g, %+v, want %g", c.looks, r.Value, r.Sustained, c.want)
		}
	}
}

// A level of a few seconds at the end is looked at again.
func TestAShortLevelIsLookedAtAgain(t *testing.T) {
	for _, end := range [][]float64{{2540, 2460, 2580, 2420, 2500, 2600, 2400, 2500, 2470, 2530, 2540, 2440, 2560, 2480, 2500, 2000, 2000, 2000, 2000, 2000},
		{2540, 2460, 2580, 2420, 2500, 1990, 1990, 1990, 1990, 1990}} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.step("writes", false, 2640, 2430, 2500)
		l.step("writes", false, 2560, 2330, 2500)
		l.repeats("others", 100, 96)
		l.step("writes", true, end...)
		if s := Results(&l.rec)[0].Sustained; s.State != model.Doubtful || (Judge{}).Next(&l.rec) != "writes" {
			t.Errorf("%v: %+v", end, s)
		}
	}
}

// A long repeat that was slower before another one fell, or that ended with a stall after it, is in doubt.
func TestSlowerBesideOneThatFell(t *testing.T) {
	l := newLooked(small("small", model.Write), large("large", model.Write))
	l.repeats("small", 2000, 1960)
	l.repeats("large", 900, 895)
	l.step("small", true, sameRate(20, 1760)...)
	l.step("large", true, append(sameRate(2, 900), sameRate(8, 600)...)...)
	if s := Results(&l.rec)[0].Sustained; s.State != model.Doubtful {
		t.Errorf("before another one fell: %+v", s)
	}
	l = newLooked(small("a", model.Write), small("b", model.Write))
	l.repeats("a", 2000, 1990)
	l.repeats("b", 1000, 990)
	l.step("a", true, append(sameRate(12, 2000), sameRate(8, 880)...)...)
	l.step("b", true, 1000, 1000, 1000, 860, 900, 840, 905, 870, 930, 850)
	l.step("b", true, append(sameRate(9, 880), 200)...)
	if s := Results(&l.rec)[1].Sustained; s.State == model.Held || s.State == model.Below {
		t.Errorf("a stall after another one fell: %+v", s)
	}
	// A second without I/O is a stall, and says nothing of workloads that are slower than the seconds before.
	l = newLooked(small("writes", model.Write), small("few", model.Write))
	l.repeats("writes", 2500, 2500)
	l.repeats("few", 10, 10)
	l.step("writes", true, append(sameRate(9, 2500), 0)...)
	if s := Results(&l.rec)[1].Sustained; s.State == model.Doubtful {
		t.Errorf("few I/Os beside a stall: %+v", s)
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
	mix := small("mix", model.Mixed)
	mix.ReadPercent = 50
	l := newLooked(mix)
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
	if next := (Judge{}).Next(&l.rec); next != "x1" {
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

// A rate that falls in the last seconds of a long repeat is not called held: another one decides, at once.
func TestAFallAtTheEndOfALook(t *testing.T) {
	for _, length := range []float64{10, 20} {
		for _, before := range []float64{1.7, 1.4, 1, 0.8, 0.5} {
			for _, sustained := range []float64{300, 1000, 1500} {
				l := newLooked(small("writes", model.Write), small("others", model.Write))
				for range 2 {
					l.repeats("writes", 3000)
					l.repeats("others", 100)
				}
				credit := length - before
				rates := make([]float64, int(length))
				for i := range rates {
					fast := math.Max(0, math.Min(1, credit-float64(i)))
					rates[i] = fast*3000 + (1-fast)*sustained
				}
				l.step("writes", true, rates...)
				what := func() (string, *model.Sustained) {
					r := Results(&l.rec)[0]
					return string(r.Sustained.State), r.Sustained
				}
				if state, s := what(); s.State == model.Held || (Judge{}).Next(&l.rec) != "writes" {
					t.Errorf("%g s, of which the last %g fell to %g: %s, %q is next", length, before, sustained, state, Judge{}.Next(&l.rec))
				}
				l.step("writes", true, sameRate(10, sustained)...)
				if r := Results(&l.rec)[0]; r.Sustained.State != model.Fell || math.Abs(r.Value/sustained-1) > 0.01 {
					t.Errorf("%g s, of which the last %g fell to %g: then %g, %+v", length, before, sustained, r.Value, r.Sustained)
				}
			}
		}
	}
	// A stall in the last second is no fall.
	l := newLooked(small("writes", model.Write), small("others", model.Write))
	l.repeats("writes", 3000, 3000)
	l.repeats("others", 100, 100)
	l.step("writes", true, append(sameRate(9, 3000), 500)...)
	l.step("writes", true, sameRate(10, 3000)...)
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Held || math.Abs(r.Value/3000-1) > 0.01 || (Judge{}).Next(&l.rec) != "" {
		t.Errorf("a stall: %g, %+v", r.Value, r.Sustained)
	}
}
