package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/judge/stats"
)

// repeatsOf makes repeats with the given pause.
func repeatsOf(values [][]float64, pause float64) []stats.Repeat {
	var list []stats.Repeat
	at := 0.0
	for _, y := range values {
		list = append(list, stats.Repeat{Value: stats.Mean(y), Seconds: y, Begin: at, End: at + float64(len(y))})
		at += float64(len(y)) + pause
	}
	return list
}

// repeatsDrawn makes w workloads with k repeats of three seconds each, one after the other. Repeats of
// workload i vary normally with the standard deviation cv(i), their seconds by a third of that.
func repeatsDrawn(r *rand.Rand, w, k int, cv func(i int) float64) [][]stats.Repeat {
	list := make([][]stats.Repeat, w)
	clock := 0.0
	for range k {
		for _, i := range r.Perm(w) {
			repeat := stats.Repeat{Begin: clock, End: clock + 3}
			level := 1 + cv(i)*r.NormFloat64()
			for range 3 {
				repeat.Seconds = append(repeat.Seconds, level+cv(i)/3*r.NormFloat64())
			}
			repeat.Value = stats.Mean(repeat.Seconds)
			list[i] = append(list[i], repeat)
			clock += 3.85
		}
	}
	return list
}

func mean(repeats []stats.Repeat) float64 {
	var sum float64
	for _, v := range repeats {
		sum += v.Value / float64(len(repeats))
	}
	return sum
}

func TestWorkloadsShareTheirSpread(t *testing.T) {
	const runs, w, k, cv = 300, 12, 3, 0.03
	r := rand.New(rand.NewPCG(1, 2))
	hits, width := 0.0, 0.0
	for range runs {
		list := repeatsDrawn(r, w, k, func(int) float64 { return cv })
		c := stats.NewRepeatModel(list)
		for i := range list {
			half, rule := c.Half(i)
			if rule < half {
				t.Fatalf("±%v, for the rule ±%v: the rule must be the stricter", half, rule)
			}
			width += half / (runs * w)
			if math.Abs(mean(list[i])-1) <= half {
				hits += 1.0 / (runs * w)
			}
		}
	}
	known := 1.96 * cv * math.Sqrt(1+1.0/27) / math.Sqrt(k)
	if hits < 0.935 || hits > 0.97 || width > 1.3*known {
		t.Errorf("%.1f %% covered with %.2f times the width of a known spread, want 93.5 to 97 %% with 1.3 at most", 100*hits, width/known)
	}
}

// One workload is ten times as noisy as the others, one is throttled: neither may get the spread of the
// others, nor they that of the noisy one.
func TestAWorkloadUnlikeTheOthersDoesNotBorrow(t *testing.T) {
	const runs, w, k, cv = 300, 12, 4, 0.02
	r := rand.New(rand.NewPCG(3, 4))
	var noisy, steady, others, width float64
	for range runs {
		list := repeatsDrawn(r, w, k, func(i int) float64 {
			switch i {
			case 0:
				return 10 * cv
			case 1:
				return 0.001
			}
			return cv
		})
		c := stats.NewRepeatModel(list)
		if !c.SteadyAt(1) || c.SteadyAt(0) || c.SteadyAt(2) {
			t.Fatal("the throttled workload is the steady one")
		}
		for i := range list {
			half, _ := c.Half(i)
			hit := 0.0
			if math.Abs(mean(list[i])-1) <= half {
				hit = 1
			}
			switch i {
			case 0:
				noisy += hit / runs
			case 1:
				steady += half / runs
			default:
				others += hit / (runs * (w - 2))
				width += half / (runs * (w - 2))
			}
		}
	}
	known := 1.96 * cv * math.Sqrt(1+1.0/27) / math.Sqrt(k)
	if noisy < 0.92 || others < 0.93 || width > 1.4*known || steady > 0.003 {
		t.Errorf("covered: the noisy one %.1f %%, the others %.1f %% with %.2f times the width of a known spread; the throttled one has ±%.2f %%",
			100*noisy, 100*others, width/known, 100*steady)
	}
}

// What happened to some repeats or seconds of a run may happen to all of its workloads: the interval of
// a workload that met none of it still contains the mean that includes it.
func TestWhatOthersMetMayHappen(t *testing.T) {
	for name, slow := range map[string]func(list [][]stats.Repeat){
		"a slow spell over four repeats": func(list [][]stats.Repeat) {
			for i := range 4 {
				v := &list[i][1]
				v.Value *= 0.5
				for j := range v.Seconds {
					v.Seconds[j] *= 0.5
				}
			}
		},
		"a stall in six repeats": func(list [][]stats.Repeat) {
			for i := range 6 {
				v := &list[i][2]
				v.Value -= v.Seconds[1] / 3
				v.Seconds[1] = 0
			}
		},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		list := repeatsDrawn(r, 8, 4, func(int) float64 { return 0.01 })
		before, _ := stats.NewRepeatModel(list).Half(7)
		slow(list)
		after, _ := stats.NewRepeatModel(list).Half(7)
		lost := 0.0
		for _, repeats := range list {
			lost += (1 - mean(repeats)) / float64(len(list))
		}
		if after < lost || before > 0.02 {
			t.Errorf("%s: the run lost %.1f %% in all, and a workload that met nothing has ±%.2f %% (±%.2f %% without it)", name, 100*lost, 100*after, 100*before)
		}
	}
}

func TestOneRepeatHasNoInterval(t *testing.T) {
	c := stats.NewRepeatModel([][]stats.Repeat{repeatsOf([][]float64{{1, 1, 1}}, 0), nil, repeatsOf([][]float64{{5, 5}, {5, 5}, {5, 5}}, 50)})
	for i := range 2 {
		if h, rule := c.Half(i); !math.IsInf(h, 1) || !math.IsInf(rule, 1) {
			t.Errorf("%d repeats gave ±%v", 1-i, h)
		}
	}
	if h, rule := c.Half(2); h > 1e-5 || rule > 1e-5 {
		t.Errorf("a constant gave ±%v and ±%v, want next to 0: the floor is the caller's", h, rule)
	}
}

func TestAloneAWorkloadHasItsOwnSpread(t *testing.T) {
	c := stats.NewRepeatModel([][]stats.Repeat{repeatsOf([][]float64{{0.9, 0.9, 0.9}, {1, 1, 1}, {1.1, 1.1, 1.1}}, 50)})
	if h, _ := c.Half(0); math.Abs(h-4.303*0.1/math.Sqrt(3)) > 0.005 {
		t.Errorf("repeats of 90, 100 and 110 %% gave ±%.3f, want t·s/√k = 0.248", h)
	}
}

func TestRepeatModelProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(1, 6).Draw(t, "workloads")
		var far, near [][]stats.Repeat
		for range w {
			values := make([][]float64, rapid.IntRange(2, 8).Draw(t, "repeats"))
			for i := range values {
				values[i] = rapid.SliceOfN(rapid.Float64Range(0.5, 1.5), 3, 3).Draw(t, "seconds")
			}
			far, near = append(far, repeatsOf(values, 60)), append(near, repeatsOf(values, 1))
		}
		a, b := stats.NewRepeatModel(far), stats.NewRepeatModel(near)
		for i := range w {
			half, rule := a.Half(i)
			if !(half >= 0) || rule < half || math.IsInf(half, 1) {
				t.Fatalf("±%v, for the rule ±%v", half, rule)
			}
			if close, _ := b.Half(i); w == 1 && close < half*(1-1e-9) {
				t.Fatalf("±%v back to back, ±%v a minute apart: closeness must not help", close, half)
			}
		}
	})
}

// On a throttled device a second of one workload is sometimes half a percent slower. Four seconds that
// include such a one do not show that the workload is clearly steady, but those of all workloads
// together do; next to noisy ones they do not.
func TestSteadinessIsSeenTogether(t *testing.T) {
	level := func(spread float64) []stats.Repeat {
		return []stats.Repeat{
			{Value: 1, Seconds: []float64{1 - spread, 1 + spread}, Begin: 0, End: 2},
			{Value: 1, Seconds: []float64{1 + spread, 1 - spread}, Begin: 20, End: 22},
		}
	}
	hesitant := []stats.Repeat{level(0.001)[0], {Value: 0.996, Seconds: []float64{1, 0.992}, Begin: 20, End: 22}}
	alone := stats.NewRepeatModel([][]stats.Repeat{hesitant})
	if alone.SteadyAt(0) {
		t.Error("four seconds, one of them slower, are plainly steady by themselves")
	}
	var list [][]stats.Repeat
	for range 5 {
		list = append(list, level(0.001))
	}
	if among := stats.NewRepeatModel(append(list, hesitant)); !among.SteadyAt(5) {
		t.Error("a second that is slower by 0.8 % hides that the device is steady")
	}
	if noisy := stats.NewRepeatModel([][]stats.Repeat{level(0.03), level(0.03), hesitant}); noisy.SteadyAt(2) || noisy.SteadyAt(0) {
		t.Error("a noisy device is plainly steady")
	}
	if unlike := stats.NewRepeatModel(append(list, level(0.01))); unlike.SteadyAt(5) {
		t.Error("a workload that varies by 1 % borrows the steadiness of others")
	}
}

// TestSecondsThatDifferByRoundingHaveAnInterval uses throttled workloads whose seconds are all equal,
// or equal except for the rounding of a quotient, or for one I/O in a thousand: in one run of twelve
// workloads on such a device, one had no interval after 60 equal repeats.
func TestSecondsThatDifferByRoundingHaveAnInterval(t *testing.T) {
	t.Parallel()
	second := []func(r *rand.Rand) float64{
		func(*rand.Rand) float64 { return 1 },
		func(r *rand.Rand) float64 { return 1 + 1e-16*float64(r.IntN(5)) },
		func(r *rand.Rand) float64 { return 1 + 1e-3*float64(r.IntN(2)) },
		func(r *rand.Rand) float64 { return 1 + 1e-3*r.NormFloat64() },
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([][]stats.Repeat, 2+r.IntN(12))
		for i := range list {
			kind := second[r.IntN(len(second))]
			for k := range 2 + r.IntN(3)*r.IntN(20) {
				a, b := kind(r)/1.0009, kind(r)/1.0009
				list[i] = append(list[i], stats.Repeat{Value: (a + b) / 2, Seconds: []float64{a, b}, Begin: 30 * float64(k), End: 30*float64(k) + 2})
			}
		}
		c := stats.NewRepeatModel(list)
		for i := range list {
			half, rule := c.Half(i)
			if !(half >= 0 && half < 0.1) || !(rule >= half && rule < 0.3) {
				t.Fatalf("seed %d: workload %d of %d, %d repeats, has ±%v, for the rule ±%v", seed, i, len(list), len(list[i]), half, rule)
			}
		}
	}
}

// Where seconds are independent, the interval is about Student's or narrower, however many repeats there are: those of
// one workload, or of the reads and the writes of one mix, do not take turns with others, and those of several that do
// are rarely correlated by chance.
func TestIndependentRepeatsAreNotTakenForCorrelated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		what    string
		members int
		repeats int
	}{{"one workload", 1, 12}, {"one workload", 1, 40}, {"a mix", 2, 6}, {"a mix", 2, 20}, {"three workloads", 3, 4}, {"three workloads", 3, 12}, {"six workloads", 6, 3}} {
		var ratios []float64
		for range 300 {
			members := c.members
			if c.what == "a mix" {
				members = 1
			}
			seconds := make([][]float64, members*c.repeats)
			for i := range seconds {
				for range 3 {
					seconds[i] = append(seconds[i], 1+0.03*r.NormFloat64())
				}
			}
			list := make([][]stats.Repeat, c.members)
			for i, v := range repeatsOf(seconds, 0.85) {
				list[i%members] = append(list[i%members], v)
			}
			if members < c.members {
				list[1] = list[0]
			}
			half, _ := stats.NewRepeatModel(list).Half(0)
			values := make([]float64, c.repeats)
			for i, v := range list[0] {
				values[i] = v.Value
			}
			n := float64(c.repeats)
			ratios = append(ratios, half/(stats.StudentT(n-1)*stats.StdDev(values)/math.Sqrt(n)))
		}
		if m := stats.Median(ratios); m > 1.15 {
			t.Errorf("%d repeats of %s: the interval is %.2f times as wide as Student's (median)", c.repeats, c.what, m)
		}
	}
}
