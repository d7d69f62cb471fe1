package analyze

import (
	"math"
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// One long repeat below the short ones may be a slow period of the storage: it is repeated.
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
		if next := l.next(); next != "writes" {
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
		{"a slow period, which ends", [][]float64{sameRate(10, 1500), sameRate(10, 2500)}, []model.SustainedState{doubtful, held}, 0},
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
				if next := l.next(); states[i] == doubtful && i < maxLooks-1 && next != "writes" {
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
		{"a slow period, then a stall", false, list(sameRate(20, 1500), stall), []model.SustainedState{model.Doubtful}},
		{"a slow period and a stall, then neither", false, list(sameRate(20, 1500), stall, sameRate(10, 2500)), []model.SustainedState{model.Held}},
		{"two stalls", false, list(stall, stall), []model.SustainedState{model.Doubtful}},
		{"two stalls, then a slow period", false, list(stall, stall, sameRate(10, 1500)), []model.SustainedState{model.Doubtful}},
		{"a slow period, a stall, another spell", false, list(sameRate(20, 1500), stall, sameRate(10, 1800)), []model.SustainedState{model.Doubtful}},
		{"a stall, then a slow period that is faster than it", false, list(stall, sameRate(10, 2250)), []model.SustainedState{model.Doubtful}},
		{"two stalls, then none", false, list(stall, stall, sameRate(10, 2500)), []model.SustainedState{model.Held}},
		{"a slow period at the end, then none", false, list(append(sameRate(14, 2500), sameRate(6, 1500)...), sameRate(10, 2500)), []model.SustainedState{model.Doubtful}},
		{"a slow period at the end, then none for longer", false, list(append(sameRate(14, 2500), sameRate(6, 1500)...), sameRate(10, 2500), sameRate(22, 2500)), []model.SustainedState{model.Held}},
		{"a slow period at the end, then none for as long at once", false, list(append(sameRate(14, 2500), sameRate(6, 1500)...), sameRate(20, 2500)), []model.SustainedState{model.Held}},
		{"a fall after each pause", false, list(append(sameRate(13, 2500), sameRate(7, 1500)...), sameRate(10, 2500), append(sameRate(13, 2500), sameRate(8, 1500)...)), []model.SustainedState{model.Fell}},
		{"after a single repeat", true, list(append(sameRate(10, 2500), disturbed...), sameRate(10, 1500), sameRate(10, 1500)), []model.SustainedState{model.Fell}},
		{"a slow period at the end, then a stall", false, list(append(sameRate(14, 2500), sameRate(6, 1500)...), stall), []model.SustainedState{model.Doubtful}},
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
		if next := l.next(); (next == "writes") != (s.State == model.Doubtful && len(c.looks) < maxLooks) {
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

// A fall that is smaller than plain, too late or too uneven to be a level is looked at again, and the next long
// repeat decides; where that is slower as well, the slower rate is the result.
func TestASmallFallIsNotHeld(t *testing.T) {
	uneven := []float64{1850, 1950, 1830, 1970, 1890, 1960, 1840, 1930, 1870, 1950}
	for _, c := range []struct {
		what           string
		repeats, other []float64
		look, again    []float64
		want           float64
		states         []model.SustainedState
	}{
		{"by 24 %, uneven", []float64{2530, 2470}, []float64{5100, 4900}, append(sameRate(10, 2500), uneven...), sameRate(10, 1900), 0, []model.SustainedState{model.Doubtful, model.Fell, model.FellUnsteady}},
		{"by 24 %, uneven, then not", []float64{2530, 2470}, []float64{5100, 4900}, append(sameRate(10, 2500), uneven...), sameRate(10, 2500), 2500, []model.SustainedState{model.Held}},
		{"by 12 % in the last second", []float64{1000, 990}, []float64{100, 99}, append(sameRate(19, 1000), 880), sameRate(10, 880), 880, []model.SustainedState{model.Fell}},
		{"by 40 % in the last second, after uneven repeats", []float64{2500, 1400}, []float64{100, 99}, append(sameRate(19, 2500), 1500), sameRate(10, 1500), 1500, []model.SustainedState{model.Fell}},
		{"by 24 % three seconds before the end", []float64{1000, 1000}, []float64{100, 99}, append(sameRate(17, 1000), sameRate(3, 760)...), sameRate(10, 760), 760, []model.SustainedState{model.Fell}},
		{"by 30 %, uneven, after a second without I/O", []float64{1000, 1002}, []float64{100, 99}, append(append(append(sameRate(5, 1000), 0), sameRate(4, 1000)...), 620, 780, 640, 760, 700, 770, 630, 750, 660, 740), sameRate(10, 700), 0, []model.SustainedState{model.Doubtful, model.Fell, model.FellUnsteady}},
		{"by 15 %, slower and slower", []float64{1000, 1002}, []float64{100, 99}, ramp(20, 1000, 850), sameRate(10, 850), 0, []model.SustainedState{model.Doubtful, model.Fell, model.FellUnsteady}},
		{"by 8 % four seconds before the end", []float64{1000, 1000}, []float64{100, 99}, append(sameRate(16, 1000), sameRate(4, 920)...), sameRate(10, 920), 920, []model.SustainedState{model.Fell}},
	} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", c.repeats...)
		l.repeats("others", c.other...)
		l.step("writes", true, c.look...)
		if s := Results(&l.rec)[0].Sustained; s.State == model.Held || l.next() != "writes" {
			t.Errorf("%s: %+v, and %q is next", c.what, s, l.next())
		}
		l.step("writes", true, c.again...)
		r := Results(&l.rec)[0]
		if !slices.Contains(c.states, r.Sustained.State) || c.want > 0 && math.Abs(r.Value/c.want-1) > 0.02 {
			t.Errorf("%s: then %g, %+v, want %g, %v", c.what, r.Value, r.Sustained, c.want, c.states)
		}
	}
}

// ramp is n seconds that change evenly.
func ramp(n int, from, to float64) []float64 {
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = from + (to-from)*float64(i)/float64(n-1)
	}
	return rates
}

// Seconds in which the storage or the machine stood still, or was slow, are no fall of a constant rate.
func TestAHiccupIsNoFall(t *testing.T) {
	for _, look := range [][]float64{
		append(append(sameRate(5, 1000), 0), sameRate(4, 1000)...),
		append(append(sameRate(5, 1000), 50), sameRate(4, 1000)...),
		append(append(sameRate(4, 1000), 500, 500), sameRate(4, 1000)...),
		append(append(sameRate(9, 1000), 50, 50), sameRate(9, 1000)...),
		append(append(sameRate(11, 1000), 500, 500, 500), sameRate(6, 1000)...),
		append(append(sameRate(12, 1000), sameRate(6, 500)...), 1000, 1000),
		{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 0, 1000, 1000, 1000, 1000, 1000, 0, 1000, 1000, 1000, 1000, 1000},
	} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", 1000, 1002)
		l.repeats("others", 100, 99)
		l.step("writes", true, look...)
		if r := Results(&l.rec)[0]; r.Sustained.State == model.Fell || r.Sustained.State == model.FellUnsteady {
			t.Errorf("%v: %g, %+v", look, r.Value, r.Sustained)
		}
		l.step("writes", true, sameRate(10, 1000)...)
		if r := Results(&l.rec)[0]; r.Sustained.State != model.Held {
			t.Errorf("%v, then none: %g, %+v", look, r.Value, r.Sustained)
		}
	}
}

// A repeat that met a credit which was used up already does not hide a fall.
func TestOneSlowRepeatHidesNoFall(t *testing.T) {
	l := newLooked(small("writes", model.Write), small("others", model.Write))
	l.repeats("writes", 1000, 870)
	l.repeats("others", 100, 99)
	l.step("writes", true, append(sameRate(10, 1000), sameRate(10, 870)...)...)
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Fell || math.Abs(r.Value/870-1) > 0.01 {
		t.Errorf("%g, %+v", r.Value, r.Sustained)
	}
}

// A storage that does next to nothing at the end of a long repeat has stalled: that is no sustained rate, whether the
// stall is long or short, unless the next long repeat is as slow.
func TestAStallIsNoLevel(t *testing.T) {
	for _, look := range [][]float64{
		append(append(sameRate(12, 2500), sameRate(8, 0)...), 64),
		append(sameRate(17, 2500), 0, 0, 64),
		append(sameRate(10, 2500), sameRate(10, 0)...),
		append(sameRate(11, 2500), sameRate(9, 10)...),
	} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", 2500, 2500)
		l.repeats("others", 100, 100)
		l.step("writes", true, look...)
		if r := Results(&l.rec)[0]; r.Sustained.State != model.Doubtful || math.Abs(r.Value/2500-1) > 0.35 || l.next() != "writes" {
			t.Errorf("%v: %g, %+v", look, r.Value, r.Sustained)
		}
		l.step("writes", true, sameRate(10, 2500)...)
		if r := Results(&l.rec)[0]; r.Sustained.State != model.Held || l.next() != "" {
			t.Errorf("%v, then none: %g, %+v", look, r.Value, r.Sustained)
		}
	}
	l := newLooked(small("writes", model.Write), small("others", model.Write))
	l.repeats("writes", 2500, 2500)
	l.repeats("others", 100, 100)
	l.step("writes", true, append(sameRate(11, 2500), sameRate(9, 10)...)...)
	l.step("writes", true, sameRate(10, 10)...)
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Fell && r.Sustained.State != model.Doubtful {
		t.Errorf("twice next to nothing: %+v", r.Sustained)
	}
}

// What is known to have fallen stays so if the credit is available again in a later long repeat, and the
// description is of the fall.
func TestALaterBurstChangesNothing(t *testing.T) {
	l := newLooked(small("writes", model.Write))
	l.repeats("writes", 2500, 2500)
	l.step("writes", true, append([]float64{1900}, append(sameRate(9, 2500), sameRate(10, 1500)...)...)...)
	l.step("writes", true, sameRate(10, 2500)...)
	r := Results(&l.rec)[0]
	if s := r.Sustained; s.State != model.Fell || math.Abs(r.Value/1500-1) > 0.01 || s.Burst.Seconds != 10 || math.Abs(s.Burst.IOs/9400-1) > 0.01 {
		t.Errorf("%g, %+v, burst %+v", r.Value, s, s.Burst)
	}
}

// Both directions of a mix are described by the long repeat in which one of them fell.
func TestAMixIsDescribedByOneLook(t *testing.T) {
	for _, firm := range []model.Direction{model.Read, model.Write} {
		l := newLooked(mix(50))
		l.repeats("mix", 1000, 1000)
		l.step("mix", true, append(sameRate(12, 1000), 575, 606, 600, 594, 609, 603, 597, 591)...)
		level := []uint64{603, 598, 595, 603, 600, 597, 605, 602}
		for i := range level {
			s := &l.rec.Samples[len(l.rec.Samples)-len(level)+i]
			f := *s.Read
			f.IOs, f.Bytes = level[i], 4096*level[i]
			if firm == model.Read {
				s.Read = &f
			} else {
				s.Write = &f
			}
		}
		if next := l.next(); next != "" {
			t.Errorf("%s: %q is next", firm, next)
		}
		l.step("mix", true, sameRate(10, 1000)...)
		list := Results(&l.rec)
		if len(list) != 2 {
			t.Fatalf("%s: %d results", firm, len(list))
		}
		for _, r := range list {
			if !r.Sustained.Fallen() || math.Abs(r.Value/600-1) > 0.02 || math.Abs(r.Sustained.Rate/600-1) > 0.02 {
				t.Errorf("%s: %s: %g, %+v", firm, r.Direction, r.Value, r.Sustained)
			}
		}
	}
}

// The credit that a disturbed level followed is counted.
func TestABurstBeforeADisturbedLevel(t *testing.T) {
	l := newLooked(small("writes", model.Write), small("others", model.Write))
	l.repeats("writes", 1000, 1002)
	l.repeats("others", 100, 99)
	l.step("writes", true, 850, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 690, 710, 640, 760, 700, 730, 670, 720, 690, 705)
	l.step("writes", true, sameRate(10, 700)...)
	l.step("writes", true, sameRate(10, 700)...)
	if s := Results(&l.rec)[0].Sustained; s.State != model.Fell || s.Burst.Seconds < 9 || s.Burst.IOs < 2500 {
		t.Errorf("%+v, burst %+v", s, s.Burst)
	}
}

// A mix that has fallen in one direction is decided.
func TestAMixIsNotLookedAtAgain(t *testing.T) {
	l := newLooked(mix(70))
	l.repeats("mix", 7000, 7000)
	l.step("mix", true, append(sameRate(8, 7000), sameRate(12, 2100)...)...)
	// The writes of a mix are fewer, so they vary more.
	for i := range l.rec.Samples {
		f := *l.rec.Samples[i].Write
		f.IOs = uint64(float64(f.IOs) * (0.43 + 0.05*float64(i%3-1)))
		l.rec.Samples[i].Write = &f
	}
	if next := l.next(); next != "" {
		t.Errorf("%q is next", next)
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
		if s := Results(&l.rec)[0].Sustained; s.State != model.Doubtful || l.next() != "writes" {
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
				if state, s := what(); s.State == model.Held || l.next() != "writes" {
					t.Errorf("%g s, of which the last %g fell to %g: %s, %q is next", length, before, sustained, state, l.next())
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
	if r := Results(&l.rec)[0]; r.Sustained.State != model.Held || math.Abs(r.Value/3000-1) > 0.01 || l.next() != "" {
		t.Errorf("a stall: %g, %+v", r.Value, r.Sustained)
	}
}

// A slow period in a long repeat is told, whether at its end or in the middle, and one that is part of the noise is not.
func TestASlowSpellIsTold(t *testing.T) {
	in := func(before, spell, after int) []float64 {
		return slices.Concat(sameRate(before, 2500), sameRate(spell, 1500), sameRate(after, 2500))
	}
	for _, c := range []struct {
		what    string
		looks   [][]float64
		seconds float64
	}{
		{"longer than half of it", [][]float64{in(4, 12, 4), sameRate(20, 2500)}, 0},
		{"none", [][]float64{sameRate(20, 2500)}, 0},
		{"in the middle", [][]float64{in(5, 6, 9)}, 6},
		{"a hiccup", [][]float64{in(5, 3, 12)}, 0},
		{"a stall", [][]float64{slices.Concat(sameRate(5, 2500), sameRate(8, 0), sameRate(7, 2500))}, 0},
		{"at the end, then none", [][]float64{in(13, 7, 0), sameRate(10, 2500), sameRate(21, 2500)}, 7},
		{"the longer of two", [][]float64{in(2, 4, 14), in(2, 5, 14)}, 5},
	} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", sameRate(2, 2500)...)
		l.repeats("others", 100, 100)
		for _, look := range c.looks {
			l.step("writes", true, look...)
		}
		s := Results(&l.rec)[0].Sustained
		if s.State != model.Held || s.SlowSeconds != c.seconds || c.seconds > 0 && math.Abs(s.SlowRate/1500-1) > 0.01 {
			t.Errorf("%s: %+v", c.what, s)
		}
	}
}

// What a short long repeat cannot decide, one does that lasts longer than the time before the fall.
func TestALateFallIsWaitedFor(t *testing.T) {
	l := newLooked(small("writes", model.Write))
	l.repeats("writes", sameRate(2, 2500)...)
	l.step("writes", true, append(sameRate(13, 2500), sameRate(7, 1500)...)...)
	if name, seconds := (Judge{}).Next(&l.rec); name != "writes" || seconds != 0 {
		t.Errorf("after the fall: %q for %g s", name, seconds)
	}
	l.step("writes", true, sameRate(10, 2500)...)
	s := Results(&l.rec)[0].Sustained
	if name, seconds := (Judge{}).Next(&l.rec); name != "writes" || seconds != 13+firmSeconds {
		t.Errorf("after a short one: %q for %g s", name, seconds)
	}
	if s.State != model.Doubtful || math.Abs(s.Rate/1500-1) > 0.01 || s.AtEnd {
		t.Errorf("after a short one: %+v", s)
	}
}

// Storage whose repeats are as slow has such periods in its result.
func TestASlowPeriodIsSlowerThanTheRepeats(t *testing.T) {
	for _, after := range []bool{false, true} {
		l := newLooked(small("writes", model.Write), small("others", model.Write))
		l.repeats("writes", 2500, 2500)
		if !after {
			l.repeats("writes", 1600)
		}
		l.repeats("others", 100, 100)
		l.step("writes", true, slices.Concat(sameRate(4, 2500), sameRate(6, 1500), sameRate(10, 2500))...)
		if after {
			l.repeats("writes", 1600)
		}
		if s := Results(&l.rec)[0].Sustained; s.SlowSeconds != 0 {
			t.Errorf("after it: %t: %+v", after, s)
		}
	}
}
