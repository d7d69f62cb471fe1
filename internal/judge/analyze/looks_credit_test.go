package analyze

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Reads that were as fast as writes before writes used up their credit are looked at once more while it is empty: then it is known
// whether both draw on one.
func TestOneCreditForBothDirections(t *testing.T) {
	for name, c := range map[string]struct {
		writes float64 // burst rate
		later  float64 // reads after the writes have fallen; 0 if there is no time for them
		state  model.SustainedState
		rate   float64
	}{
		"one credit":           {writes: 2000, later: 500, state: model.Fell, rate: 500},
		"two limits":           {writes: 2000, later: 2000, state: model.Held, rate: 2000},
		"no time":              {writes: 2000, state: model.Doubtful, rate: 2000},
		"another burst's rate": {writes: 3000, state: model.Held, rate: 2000},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLooked(small("reads", model.Read), small("writes", model.Write))
			l.repeats("reads", 2000, 2005)
			l.repeats("writes", c.writes, c.writes+5)
			l.step("reads", true, sameRate(20, 2000)...)
			l.step("writes", true, append(sameRate(8, c.writes), sameRate(12, 500)...)...)
			wanted := "reads"
			if c.writes != 2000 {
				wanted = ""
			}
			if got := l.next(); got != wanted {
				t.Fatalf("next is %q, want %q", got, wanted)
			}
			if c.later > 0 {
				l.step("reads", true, sameRate(10, c.later)...)
				if got := l.next(); got != "" {
					t.Errorf("next is %q", got)
				}
			}
			found := sustain(&l.rec)[flowKey{"reads", model.Read}]
			if found.State != c.state || found.Rate < 0.99*c.rate || found.Rate > 1.01*c.rate || (found.Before == "writes") != (c.state == model.Doubtful) {
				t.Errorf("%+v, want %s at %g", found, c.state, c.rate)
			}
		})
	}
}

// A workload that held a burst's rate before another one of its direction used up the credit, or after a pause in which that was
// filled again, was not tested; one that held it directly after that was.
func TestOneCreditForOneDirection(t *testing.T) {
	falls := append(sameRate(8, 2000), sameRate(12, 500)...)
	for name, c := range map[string]struct {
		before, pause bool
		rate          float64 // of the other long repeat
		short         float64 // of its short ones, if it is another
		large         bool    // the I/Os of writes are of a mebibyte
		state         model.SustainedState
	}{
		"before":                   {before: true, rate: 2000, state: model.Doubtful},
		"after a pause":            {pause: true, rate: 2000, state: model.Doubtful},
		"a little slower by noise": {pause: true, rate: 1890, short: 2000, state: model.Doubtful},
		"before one of large I/Os": {before: true, large: true, rate: 2000, state: model.Doubtful},
		"after one of large I/Os":  {pause: true, large: true, rate: 2000, state: model.Doubtful},
		"the same, by noise":       {pause: true, large: true, rate: 1850, short: 2000, state: model.Doubtful},
		"directly after it":        {rate: 2000, state: model.Held},
		"another burst's rate":     {before: true, rate: 1500, state: model.Held},
		"directly after, slower":   {rate: 500, short: 1500, state: model.Fell},
	} {
		t.Run(name, func(t *testing.T) {
			writes := small("writes", model.Write)
			if c.large {
				writes.BlockSize = 1 << 20
			}
			l := newLooked(writes, small("others", model.Write))
			l.repeats("writes", 2000, 2005)
			if c.short == 0 {
				c.short = c.rate
			}
			l.repeats("others", c.short, c.short+5)
			if c.before {
				l.step("others", true, sameRate(20, c.rate)...)
			}
			l.step("writes", true, falls...)
			if c.before && c.state == model.Doubtful {
				if got := l.next(); got != "others" {
					t.Errorf("next is %q", got)
				}
			}
			if !c.before {
				if c.pause {
					l.clock += 30
				}
				l.step("others", true, sameRate(20, c.rate)...)
			}
			if found := sustain(&l.rec)[flowKey{"others", model.Write}]; found.State != c.state || (found.Before == "writes") != (c.state == model.Doubtful && c.short == c.rate) {
				t.Errorf("%+v, want %s", found, c.state)
			}
		})
	}
}

// The seconds of a long repeat that the result is made of do not count a second time.
func TestSecondsCountOnce(t *testing.T) {
	l := newLooked(small("reads", model.Read), small("writes", model.Write), small("others", model.Write))
	for _, name := range []string{"reads", "writes", "others"} {
		l.repeats(name, 2000, 2005)
	}
	l.step("reads", true, sameRate(20, 2000)...)
	l.step("writes", true, append(sameRate(8, 2000), sameRate(12, 500)...)...)
	l.step("others", true, sameRate(20, 500)...)
	found := sustain(&l.rec)
	all := peersOf(&l.rec.Plan, counted(&l.rec, found), beyond(&l.rec), found)
	for name, want := range map[string]int{"reads": 17, "writes": 0, "others": 0} {
		n := 0
		for _, w := range l.rec.Plan.Workloads {
			if w.Name == name {
				for _, seconds := range all.find(name, w.Direction).beyond {
					n += len(seconds)
				}
			}
		}
		if n != want {
			t.Errorf("%s: %d seconds beyond those that count, want %d", name, n, want)
		}
	}
}

// What a mix did in both directions together is the burst and the limit of what only writes.
func TestACreditThatAMixUsesUp(t *testing.T) {
	// The mix may have no long repeat of its own.
	for each, want := range map[float64]model.SustainedState{1000: model.Doubtful, 240: model.Below} {
		for _, block := range []int64{4096, 1 << 20} {
			writes := small("writes", model.Write)
			writes.BlockSize = block
			l := newLooked(small("mix", model.Mixed), writes)
			l.repeats("mix", each, each+2)
			l.repeats("writes", 2000, 2005)
			l.step("writes", true, append(sameRate(8, 2000), sameRate(12, 1100)...)...)
			if found := sustain(&l.rec)[flowKey{"mix", model.Write}]; found.State != want {
				t.Errorf("a mix of %g and %g beside writes of %d bytes: %+v, want %s", each, each, block, found, want)
			}
		}
	}
	for name, c := range map[string]struct {
		rate  float64
		state model.SustainedState
	}{"as fast as the whole mix": {4000, model.Doubtful}, "as slow as it fell to": {1000, model.Fell}} {
		t.Run(name, func(t *testing.T) {
			mix := small("mix", model.Mixed)
			l := newLooked(mix, small("writes", model.Write))
			l.repeats("mix", 2000, 2005) // as many of each direction
			l.repeats("writes", 4000, 4010)
			if c.state == model.Doubtful {
				l.step("writes", true, sameRate(20, c.rate)...)
			}
			l.step("mix", true, append(sameRate(8, 2000), sameRate(12, 500)...)...)
			if c.state == model.Fell {
				l.step("writes", true, sameRate(20, c.rate)...)
			}
			if found := sustain(&l.rec)[flowKey{"writes", model.Write}]; found.State != c.state {
				t.Errorf("%+v, want %s", found, c.state)
			}
		})
	}
}

// A rate that may not last says nothing for the workloads beside it that are as fast: they may draw on the same credit.
func TestAsFastAsWhatWasTestedTooEarly(t *testing.T) {
	for name, c := range map[string]struct {
		other float64
		state model.SustainedState
	}{
		"as fast":         {1990, model.Doubtful},
		"below the limit": {490, model.Below},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLooked(small("reads", model.Read), small("other-reads", model.Read), small("writes", model.Write))
			l.repeats("reads", 2000, 2005)
			l.repeats("other-reads", c.other, c.other)
			l.repeats("writes", 2000, 2005)
			l.step("reads", true, sameRate(20, 2000)...)
			l.step("writes", true, append(sameRate(8, 2000), sameRate(12, 500)...)...)
			found := sustain(&l.rec)[flowKey{"other-reads", model.Read}]
			if found.State != c.state || (found.Before == "writes") != (c.state == model.Doubtful) {
				t.Errorf("%+v, want %s", found, c.state)
			}
		})
	}
}

// Storage that gets slower steadily is slower in its long repeats, which come later: that is no burst. One whose repeats fall once
// has one.
func TestASteadyDeclineIsNoBurst(t *testing.T) {
	for name, c := range map[string]struct {
		rate func(t float64) float64
		fell bool
	}{
		"10 % a minute":    {func(t float64) float64 { return 1000 * (1 - t/600) }, false},
		"a credit at once": {func(t float64) float64 { return map[bool]float64{true: 1000, false: 700}[t < 60] }, true},
		"both":             {func(t float64) float64 { return map[bool]float64{true: 1000, false: 500}[t < 60] * (1 - t/900) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLooked(small("reads", model.Read), small("writes", model.Write))
			at := func(n int) (rates []float64) {
				for i := range n {
					rates = append(rates, c.rate(l.clock+5+float64(i)))
				}
				return rates
			}
			for range 3 {
				l.step("reads", false, at(3)...)
				l.step("writes", false, at(3)...)
			}
			l.clock += 60
			for _, seconds := range []int{20, 10, 10} {
				l.step("reads", true, at(seconds)...)
			}
			if found := sustain(&l.rec)[flowKey{"reads", model.Read}]; found.Fallen() != c.fell || !c.fell && found.State != model.Held {
				t.Errorf("%+v, fell: %t", found, c.fell)
			}
		})
	}
}
