package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// lower makes a series slower by a share at some seconds, which the weight of each says, from 0 to 1.
func (s *series) lower(share float64, weight func(i int) float64) {
	for i := range s.rate {
		s.rate[i] *= 1 - share*math.Min(1, math.Max(0, weight(i)))
	}
}

// noises are kinds of noise: its relative size, and the correlation of neighbouring seconds.
var noises = []struct{ cv, phi float64 }{{0.01, 0}, {0.01, 0.5}, {0.01, 0.8}, {0.03, 0}, {0.03, 0.5}, {0.03, 0.8}}

// inflation is the factor by which correlation increases the standard error of a mean.
func inflation(phi float64) float64 { return math.Sqrt((1 + phi) / (1 - phi)) }

// detectable is the share of falls that have to be found, given how large they are in standard errors of the
// difference between two levels of half a series each. A test that knew the correlation and the place
// would find 95 % of those of five. Here both are estimated, and the slower a fall is, the more it looks like
// noise that wanders.
func detectable(errors float64, over, seconds int) float64 {
	switch {
	case over > seconds/4 && errors >= 25:
		return 0.5
	case over > seconds/4:
		return 0
	case over <= 2 && errors >= 12 || over <= 4 && errors >= 18:
		return 0.88
	case over <= 4 && errors >= 12, errors >= 18:
		return 0.8
	case over <= 2 && errors >= 8:
		return 0.6
	}
	return 0
}

// A fall is found, whether it happens at once or in 20 s, unless the noise hides it.
func TestAFallIsFound(t *testing.T) {
	for _, seconds := range []int{60, 120, 300} {
		trials := 6000 / seconds
		for _, c := range noises {
			for _, fall := range []float64{0.12, 0.15, 0.2, 0.24} {
				for _, over := range []int{0, 2, 4, 8, 20} {
					r := rand.New(rand.NewPCG(uint64(seconds), 14))
					found := 0
					for range trials {
						s := noisy(r, seconds, c.cv, c.phi, 0, seconds)
						at := seconds/3 + r.IntN(seconds/3) - over/2
						s.lower(fall, func(i int) float64 { return (float64(i-at) + 0.5) / math.Max(float64(over), 1) })
						if s.regime().kind > steady {
							found++
						}
					}
					errors := fall / (c.cv * inflation(c.phi) * math.Sqrt(4/float64(seconds)))
					if least := detectable(errors, over, seconds); float64(found)/float64(trials) < least {
						t.Errorf("%+v, %d s: a fall of %.0f %% over %d s is found in %d of %d, want %.0f %%; it is %.0f standard errors",
							c, seconds, 100*fall, over, found, trials, 100*least, errors)
					}
				}
			}
		}
	}
}

// Storage that falls may catch up for a moment before it stays slow.
func TestAFallWithACatchUpIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 14))
	for _, fall := range []float64{0.15, 0.24} {
		found := 0
		const trials = 200
		for range trials {
			s := noisy(r, 60, 0.01, 0.5, 0, 60)
			at := 20 + r.IntN(15)
			s.lower(fall, func(i int) float64 {
				if i < at || i == at+1 || i == at+2 {
					return 0
				}
				return 1
			})
			if s.regime().kind > steady {
				found++
			}
		}
		if share := float64(found) / trials; share < 0.95 {
			t.Errorf("a fall of %.0f %% with a catch-up is found in %.0f %%", 100*fall, 100*share)
		}
	}
}

// A drift is found if it is large in standard errors of the change of a least-squares line. A test that knew the
// correlation would find 95 % of those of five.
func TestADriftIsFound(t *testing.T) {
	for _, seconds := range []int{60, 120, 300} {
		trials := 12000 / seconds
		for _, c := range noises {
			for _, fall := range []float64{0.1, 0.2} {
				r := rand.New(rand.NewPCG(uint64(seconds), 15))
				found := 0
				for range trials {
					s := noisy(r, seconds, c.cv, c.phi, 0, seconds)
					s.lower(fall, func(i int) float64 { return float64(i) / float64(seconds-1) })
					if s.regime().kind > steady {
						found++
					}
				}
				least, errors := 0.0, fall/(c.cv*inflation(c.phi)*math.Sqrt(12/float64(seconds)))
				switch {
				case errors >= 18:
					least = 0.95
				case errors >= 10:
					least = 0.75
				case errors >= 6 && c.phi <= 0.5:
					least = 0.6
				}
				if float64(found)/float64(trials) < least {
					t.Errorf("%+v, %d s: a drift of %.0f %% is found in %d of %d, want %.0f %%; it is %.0f standard errors",
						c, seconds, 100*fall, found, trials, 100*least, errors)
				}
			}
		}
	}
}

// What a drift amounts to is what happened, also where it is far from a straight line: the ends of the line may be below
// zero, which is no rate.
func TestADriftIsAsLargeAsItWas(t *testing.T) {
	for name, x := range map[string]struct {
		seconds   int
		course    func(part float64) float64
		low, high float64
	}{
		"a straight fall":         {120, func(p float64) float64 { return 1 - 0.3*p }, -0.31, -0.28},
		"a straight climb":        {120, func(p float64) float64 { return 1 + 0.3*p }, 0.28, 0.31},
		"a fall to nothing":       {120, func(p float64) float64 { return max(0, 1-p/0.8) }, -1, -0.9},
		"a climb to twenty times": {300, func(p float64) float64 { return math.Exp(3 * p) }, 5, 20},
		"a fall to a twentieth":   {300, func(p float64) float64 { return math.Exp(-3 * p) }, -0.96, -0.8},
		"from nothing":            {300, func(p float64) float64 { return max(0, p-0.2) }, math.Inf(1), math.Inf(-1)},
	} {
		s := noisy(rand.New(rand.NewPCG(1, 16)), x.seconds, 0.01, 0, 0, x.seconds)
		for i := range s.rate {
			s.rate[i] *= x.course(float64(i) / float64(x.seconds-1))
		}
		d := s.drift()
		if x.low > x.high {
			if d.kind != tooShort {
				t.Errorf("%s: a drift of unknown size is reported: %+v", name, d)
			}
			continue
		}
		change := d.after/d.before - 1
		if d.kind != drifting || change < x.low || change > x.high || d.low > change || d.high < change || d.low*d.high <= 0 {
			t.Errorf("%s: %.2f (%.2f to %.2f): %+v", name, change, d.low, d.high, d)
		}
	}
}

// A series without a drift that was found still bounds the one that may be there: the bounds contain it, and a series in
// which a large one is possible is not called free of it.
func TestADriftThatIsNotFoundIsBounded(t *testing.T) {
	const trials = 400
	for _, x := range []struct {
		seconds        int
		cv, phi, drift float64
		// steady and covered are the shares of the series that pass, and of those that contain the drift.
		steadyLow, steadyHigh, covered float64
	}{
		{120, 0.01, 0, 0.02, 0.99, 1, 0.93},
		{120, 0.02, 0.5, 0.02, 0.9, 1, 0.93},
		{60, 0.05, 0, -0.01, 0.8, 1, 0.93},
		{60, 0.3, 0, 0, 0, 0.02, 0},
		{120, 0.1, 0.8, 0, 0, 0.05, 0},
	} {
		r := rand.New(rand.NewPCG(7, 7))
		passed, contained := 0, 0
		for range trials {
			s := noisy(r, x.seconds, x.cv, x.phi, 0, x.seconds)
			for i := range s.rate {
				s.rate[i] *= 1 + x.drift*(float64(i)/float64(x.seconds-1)-0.5)
			}
			if d := s.drift(); d.kind == steady {
				passed++
				if d.low <= x.drift && x.drift <= d.high {
					contained++
				}
				if d.most() > driftMost {
					t.Fatalf("%+v: passes, and a drift of %.0f %% is possible", x, 100*d.most())
				}
			}
		}
		if share := float64(passed) / trials; share < x.steadyLow || share > x.steadyHigh {
			t.Errorf("%+v: %.0f %% pass", x, 100*share)
		}
		if float64(contained) < x.covered*float64(passed) {
			t.Errorf("%+v: %d of %d contain the drift", x, contained, passed)
		}
	}
}

// A rate that falls gradually and then stays has no credit that ran out, and one that falls at once after a while has.
func TestAGradualFallIsNoCredit(t *testing.T) {
	for name, x := range map[string]struct {
		course func(second int) float64
		want   []kind
	}{
		"over a minute, then level":   {func(i int) float64 { return 1 - 0.5*min(1, float64(i)/60) }, []kind{drifting}},
		"over 40 s, then level":       {func(i int) float64 { return 1 - 0.5*min(1, float64(i)/40) }, []kind{drifting}},
		"over a minute of two":        {func(i int) float64 { return 1 - 0.9*min(1, float64(i)/45) }, []kind{drifting}},
		"at once":                     {func(i int) float64 { return 1 - 0.5*float64(min(1, i/40)) }, []kind{bursting, stepping}},
		"at once, after a small fall": {func(i int) float64 { return 1 - 0.05*min(1, float64(i)/40) - 0.45*float64(min(1, i/40)) }, []kind{bursting, stepping}},
	} {
		for seed := range uint64(20) {
			s := noisy(rand.New(rand.NewPCG(seed, 3)), 90, 0.01, 0, 0, 90)
			for i := range s.rate {
				s.rate[i] *= x.course(i)
			}
			if r := s.regime(); !slices.Contains(x.want, r.kind) {
				t.Errorf("%s, %d: %+v", name, seed, r)
			}
		}
	}
}

// A series whose level changed, or that has two, is not called free of a drift, and the bound that is told is that of the
// series that are.
func TestALevelThatChangedBoundsNoDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	changed, level := noisy(r, 120, 0.01, 0, -0.4, 50), noisy(r, 120, 0.01, 0, 0, 120)
	changed.workload, level.workload = "changed", "level"
	ev := Evidence{series: []series{*changed, *level}}
	for i := range ev.series {
		ev.regimes = append(ev.regimes, ev.series[i].regime())
	}
	if ev.regimes[0].kind <= steady {
		t.Fatalf("%+v", ev.regimes[0])
	}
	for _, f := range checkDrift(ev) {
		want := map[model.Severity][]string{model.SeverityPassed: {"level"}, model.SeverityNotChecked: {"changed"}}[f.Severity]
		if !slices.Equal(f.Results, want) || f.Severity == model.SeverityPassed && strings.Contains(f.Message, "more than 0 %") {
			t.Errorf("%s %v: %s", f.Severity, f.Results, f.Message)
		}
	}
}
