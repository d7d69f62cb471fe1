package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// pairs makes blocks far apart from each other, without seconds.
func pairs(a, b []float64) []Pair {
	list := make([]Pair, len(a))
	for i := range list {
		at := float64(i) * 100
		list[i] = Pair{A: Repeat{Value: a[i], Begin: at, End: at + 3}, B: Repeat{Value: b[i], Begin: at + 4, End: at + 7}}
	}
	return list
}

// Student's sleep data (Biometrika 6, 1908): mean difference 1.58, t = 4.0621 with
// 9 degrees of freedom, p = 0.002833; Welch's t = 1.8608 with 17.776, p = 0.07939.
var (
	sleepA = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleepB = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

func TestPairedIsStudents(t *testing.T) {
	c := Paired(pairs(sleepA, sleepB), 0)
	if diff := cmp.Diff([]float64{1.58, 4.0621, 9, 0.002833}, []float64{c.Difference, c.Difference / c.Error, c.DF, c.P()},
		cmpopts.EquateApprox(0.001, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestIndependentIsWelchs(t *testing.T) {
	repeats := func(values []float64) (list []Repeat) {
		for i, v := range values {
			list = append(list, Repeat{Value: v, Begin: float64(i) * 100, End: float64(i)*100 + 3})
		}
		return list
	}
	c := Independent(repeats(sleepA), repeats(sleepB), 0)
	// The correction for correlation between repeats shows in the third digit.
	if diff := cmp.Diff([]float64{1.58, 1.8608, 17.776, 0.07939}, []float64{c.Difference, c.Difference / c.Error, c.DF, c.P()},
		cmpopts.EquateApprox(0.002, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestKnownAddsTheHalfWidths(t *testing.T) {
	c := Known(1, 0.03, 1.1, 0.04, 0)
	if math.Abs(c.Half(Confidence)-0.05) > 1e-12 || math.Abs(c.Difference-0.1) > 1e-12 || !(c.P() < 0.001) {
		t.Errorf("%+v, half-width %g, p %g", c, c.Half(Confidence), c.P())
	}
	if c := Known(1, math.Inf(1), 1.1, 0.04, 0); c.Gate(0.05, 0) != Unclear {
		t.Error("a side without an interval decides something")
	}
}

func TestNothingIsKnownOfOneBlock(t *testing.T) {
	for _, c := range []Contrast{Paired(nil, 0.01), Paired(pairs(sleepA[:1], sleepB[:1]), 0.01), {}} {
		if c.P() != 1 || !math.IsInf(c.Half(Confidence), 1) || c.Enough(0.5) || c.Gate(0.05, 0) != Unclear || c.BlocksFor(0.1) != 0 {
			t.Errorf("%+v: p %g, half-width %g", c, c.P(), c.Half(Confidence))
		}
	}
}

// The interval and p agree, the interval is never below the floor, and exchanging the sides inverts the
// ratio.
func TestContrastsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "blocks")
		value := rapid.Float64Range(-0.3, 0.3)
		a, b := rapid.SliceOfN(value, n, n).Draw(t, "a"), rapid.SliceOfN(value, n, n).Draw(t, "b")
		floor := rapid.SampledFrom([]float64{0, 0.0035, 0.1}).Draw(t, "floor")
		c, turned := Paired(pairs(a, b), floor), Paired(pairs(b, a), floor)
		half := c.Half(Confidence)
		if half < floor*(1-1e-9) {
			t.Fatalf("half-width %g is below the floor %g", half, floor)
		}
		if excludes := math.Abs(c.Difference) > half; math.Abs(math.Abs(c.Difference)-half) > 1e-9 && excludes != (c.P() < Alpha) {
			t.Fatalf("difference %g, half-width %g, but p %g", c.Difference, half, c.P())
		}
		v, low, high := c.Ratio()
		tv, tlow, thigh := turned.Ratio()
		if diff := cmp.Diff([]float64{v, low, high}, []float64{1 / tv, 1 / thigh, 1 / tlow}, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Fatal(diff)
		}
		if l := c.Looked(); !(l.Half(Confidence) >= half) || l.P() < c.P()-1e-12 {
			t.Fatalf("looking at it made it surer: %+v", l)
		}
	})
}

// If the seconds vary more than the blocks suggest, a lucky agreement keeps its wide interval.
func TestSecondsKeepLuckyBlocksWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	blocks := pairs([]float64{0, 0, 0, 0}, []float64{0, 0, 0, 0})
	for i := range blocks {
		for range 3 {
			blocks[i].A.Seconds = append(blocks[i].A.Seconds, 1+0.1*r.NormFloat64())
			blocks[i].B.Seconds = append(blocks[i].B.Seconds, 1+0.1*r.NormFloat64())
		}
	}
	if c := Paired(blocks, 0); c.Half(Confidence) < 0.05 {
		t.Errorf("seconds that vary by 10 %%, and the ratio is known to ±%g", c.Half(Confidence))
	}
}

func TestGate(t *testing.T) {
	// A contrast with 9 degrees of freedom and the given half-width.
	known := func(ratio, half float64) Contrast {
		return Contrast{Difference: math.Log(ratio), Error: half / StudentT(9), DF: 9, Blocks: 10}
	}
	for _, c := range []struct {
		ratio, half, margin, adjusted float64
		want                          Place
	}{
		{1.00, 0.02, 0.05, 1, Same},
		{1.00, 0.06, 0.05, 1, Unclear},
		{0.90, 0.02, 0.05, 0.001, Smaller},
		{0.90, 0.02, 0.05, 0.06, Unclear}, // not significant by Holm's method
		{0.90, 0.08, 0.05, 0.01, Unclear}, // significant, but not certainly beyond the margin
		{0.96, 0.005, 0.05, 0.001, Same},  // significant, and within the margin
		{1.20, 0.05, 0.05, 0.001, Larger},
		{1.20, 0.05, 0.10, 0.001, Larger},
		{1.12, 0.05, 0.10, 0.001, Unclear},
		{math.NaN(), 0.05, 0.10, 0.001, Unclear},
	} {
		if got := known(c.ratio, c.half).Gate(c.margin, c.adjusted); got != c.want {
			t.Errorf("ratio %g ± %g, margin %g, p %g: place %d, want %d", c.ratio, c.half, c.margin, c.adjusted, got, c.want)
		}
	}
}

func TestEnough(t *testing.T) {
	for _, c := range []struct {
		difference, half, margin float64
		blocks                   int
		want                     bool
	}{
		{0, 0.02, 0.05, 100, true},
		{0, 0.02, 0.05, 4, false}, // few blocks must agree better
		{0, 0.015, 0.05, 4, true},
		{0.05, 0.03, 0.05, 30, false},
		{-1.5, 0.3, 0.05, 10, true}, // far beyond doubt
	} {
		k := Contrast{Difference: c.difference, Error: c.half / StudentT(float64(c.blocks-1)), DF: float64(c.blocks - 1), Blocks: c.blocks}
		if got := k.Enough(c.margin); got != c.want {
			t.Errorf("%g ± %g after %d blocks, margin %g: %v", c.difference, c.half, c.blocks, c.margin, got)
		}
	}
}

func TestBlocksForIsTheLeastThatDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 50).Draw(t, "blocks")
		one := rapid.Float64Range(0.001, 0.3).Draw(t, "spread")
		half := rapid.Float64Range(0.005, 0.2).Draw(t, "half")
		c := Contrast{Error: one / math.Sqrt(float64(n)), DF: float64(n - 1), Blocks: n}
		width := func(k int) float64 { return StudentT(float64(k-1)) * one / math.Sqrt(float64(k)) }
		got := c.BlocksFor(half)
		if got < 2 || width(got) > half || got > 2 && width(got-1) <= half {
			t.Fatalf("%d blocks give ±%g, one less ±%g, asked ±%g", got, width(got), width(got-1), half)
		}
	})
	if n := (Contrast{Error: 1, DF: 1, Blocks: 2}).BlocksFor(1e-6); n != 0 {
		t.Errorf("a hopeless case would take %d blocks", n)
	}
}

func TestSettling(t *testing.T) {
	at := func(change float64) float64 { return Contrast{Difference: math.Log1p(change)}.Settling(0.05) }
	edge := -math.Log1p(-0.05)
	for _, c := range []struct{ got, want float64 }{
		{at(0), math.Log1p(0.05)}, {at(-0.05), edge / 5}, {at(-0.20), edge}, {at(0.02), math.Log1p(0.05) - math.Log1p(0.02)},
		{Contrast{Difference: -0.03}.Settling(0), 0.03},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("got %g, want %g", c.got, c.want)
		}
	}
}

// By hand: 0.005·4, 0.01·3, 0.03·2, and 0.04·1 raised to the one before it.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	if diff := cmp.Diff([]float64{0.03, 0.06, 0.06, 0.02}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	if len(Holm(nil)) != 0 {
		t.Error("something came of nothing")
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 || adjusted[i] > p[i]*float64(len(p)) && adjusted[i] != maxBelow(p, adjusted, p[i]) {
				t.Fatalf("p %v became %v", p, adjusted)
			}
		}
	})
}

// maxBelow is the largest adjusted value of those whose p is not larger.
func maxBelow(p, adjusted []float64, limit float64) float64 {
	most := 0.0
	for i := range p {
		if p[i] <= limit {
			most = max(most, adjusted[i])
		}
	}
	return most
}

// On a disk that loses 2 % from each repeat to the next, only the change of −5 % is left, and the
// effect of the order does not count as noise.
func TestTheOrderOfABlockIsNoNoise(t *testing.T) {
	var blocks []Pair
	for i := range 10 {
		level := -0.04 * float64(i)
		p := Pair{A: Repeat{Value: level, Begin: 0}, B: Repeat{Value: level - 0.05 - 0.02, Begin: 3}}
		if i%2 == 1 {
			p = Pair{A: Repeat{Value: level - 0.02, Begin: 3}, B: Repeat{Value: level - 0.05, Begin: 0}}
		}
		blocks = append(blocks, p)
	}
	few, all := Paired(blocks[:6], 0), Paired(blocks, 0)
	if math.Abs(all.Difference+0.05) > 1e-9 || math.Abs(few.Difference+0.05) > 1e-9 {
		t.Errorf("the difference is %g and %g, want -0.05", few.Difference, all.Difference)
	}
	if few.Error < 0.005 || all.Error > 1e-9 || all.DF > 8 {
		t.Errorf("the order counts: %+v; and does not: %+v", few, all)
	}
}
