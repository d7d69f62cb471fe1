package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestDipHasKnownValues(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{0, 0, 0, 0, 1, 1, 1, 1}, 0.25},       // two points: as far from one mode as possible
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 1.0 / 16},   // evenly spaced: as near as possible for n values
		{[]float64{5, 5, 5, 5, 5}, 0.1},                 // one point
		{[]float64{3, 1, 2}, 0},                         // too few
		{[]float64{8, 1, 7, 2, 6, 3, 5, 4}, 1.0 / 16},   // the order does not matter
		{[]float64{0, 0.1, 0.2, 10, 10.1, 10.2}, 0.245}, // three and three
	} {
		if got := Dip(c.y); math.Abs(got-c.want) > 0.02 {
			t.Errorf("the dip of %v is %.4f, want %.4f", c.y, got, c.want)
		}
	}
}

// Shifting or scaling the values does not change their order.
func TestDipDoesNotDependOnTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.Float64Range(0, 100), 4, 60).Draw(t, "y")
		scale, shift := rapid.Float64Range(0.1, 10).Draw(t, "scale"), rapid.Float64Range(-50, 50).Draw(t, "shift")
		z := make([]float64, len(y))
		for i, v := range y {
			z[i] = scale*math.Round(v*1e3)/1e3 + shift
			y[i] = math.Round(v*1e3) / 1e3
		}
		d := Dip(y)
		if math.Abs(d-Dip(z)) > 1e-6 || d < 0 || d > 0.25+1e-9 {
			t.Fatalf("%g and %g", d, Dip(z))
		}
	})
}

// One mode is reported as two in at most 1 % of the samples, including the hardest shape (uniform); two
// distant modes are found.
func TestTwoModesKeepsItsLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const runs = 1000
	for name, draw := range map[string]func() float64{"uniform": r.Float64, "normal": r.NormFloat64} {
		for _, n := range []int{20, 100} {
			alarms := 0
			for range runs {
				y := make([]float64, n)
				for i := range y {
					y[i] = draw()
				}
				if _, _, two := TwoModes(y, float64(n)); two {
					alarms++
				}
			}
			if alarms > runs*15/1000 {
				t.Errorf("%s, n = %d: %d of %d samples of one mode are called two", name, n, alarms, runs)
			}
		}
	}
	y := make([]float64, 60)
	for i := range y {
		y[i] = 100 + 2*r.NormFloat64() + 40*float64(i%2)
	}
	low, high, two := TwoModes(y, 60)
	if !two || math.Abs(low-100) > 2 || math.Abs(high-140) > 2 {
		t.Errorf("100 and 140: %v, %g and %g", two, low, high)
	}
	if _, _, two := TwoModes(y, 4); two {
		t.Error("sixty values that are worth four show two modes")
	}
}

func TestSegmentsFindTheChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		name   string
		levels []float64
		at     []int
		n      int
	}{
		{"none", []float64{100}, nil, 200},
		{"one down", []float64{3000, 300}, []int{60}, 200},
		{"one of 15 %", []float64{100, 85}, []int{100}, 200},
		{"two", []float64{100, 50, 100}, []int{70, 130}, 200},
	} {
		y := make([]float64, c.n)
		for i := range y {
			k := 0
			for k < len(c.at) && i >= c.at[k] {
				k++
			}
			y[i] = c.levels[k] * (1 + 0.03*r.NormFloat64())
		}
		got := Segments(y, 20)
		if len(got) != len(c.levels) {
			t.Errorf("%s: %d segments: %+v", c.name, len(got), got)
			continue
		}
		for i, s := range got {
			if math.Abs(s.Mean/c.levels[i]-1) > 0.03 || i > 0 && abs(s.From-c.at[i-1]) > 2 {
				t.Errorf("%s: segment %d is %+v", c.name, i, s)
			}
		}
	}
}

// Segments cover the series without gaps, none is too short, and each has the mean of its values.
func TestSegmentsArePieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.Float64Range(0, 1000), 1, 120).Draw(t, "y")
		least := rapid.IntRange(1, 30).Draw(t, "least")
		at := 0
		list := Segments(y, least)
		for _, s := range list {
			if s.From != at || s.To <= s.From || len(list) > 1 && s.To-s.From < least {
				t.Fatalf("%+v", list)
			}
			if math.Abs(s.Mean-Mean(y[s.From:s.To])) > 1e-9 {
				t.Fatalf("%+v is not the mean", s)
			}
			at = s.To
		}
		if at != len(y) {
			t.Fatalf("%+v leaves out the end of %d", list, len(y))
		}
	})
}

// Correlated noise without any change is cut in only a few of a hundred series.
func TestSegmentsDoNotCutNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, phi := range []float64{0, 0.5, 0.8} {
		cut := 0
		for range 100 {
			y, x := make([]float64, 200), r.NormFloat64()
			for i := range y {
				x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
				y[i] = 100 + 6*x
			}
			if len(Segments(y, 20)) > 1 {
				cut++
			}
		}
		if cut > 5 {
			t.Errorf("φ = %g: %d of 100 series without a change were cut", phi, cut)
		}
	}
}

func TestTrendHoldsTheSlope(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, slope := range []float64{0, 0.5, -2} {
		held, runs := 0, 500
		for range runs {
			x, y := make([]float64, 20), make([]float64, 20)
			for i := range x {
				x[i] = float64(7 * i)
				y[i] = 100 + slope*x[i] + 5*r.NormFloat64()
			}
			if _, low, high := Trend(x, y, 0.05); low <= slope && slope <= high {
				held++
			}
		}
		if held < runs*92/100 {
			t.Errorf("slope %g: the 95 %% interval holds it in %d of %d series", slope, held, runs)
		}
	}
	if _, low, high := Trend([]float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 0.001); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("four values have an interval of %g to %g", low, high)
	}
	if slope, low, high := Trend([]float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 2, 3, 4, 5, 6, 7, 8}, 0.001); slope != 1 || low != 1 || high != 1 {
		t.Errorf("a straight line of eight values: %g (%g to %g)", slope, low, high)
	}
}

// The interval of a line holds its slope in correlated noise.
func TestLineHoldsTheSlope(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 57))
	for _, phi := range []float64{0, 0.5, 0.8, 0.95} {
		for _, n := range []int{60, 300} {
			const slope, runs = -2, 1000
			held := 0
			for range runs {
				y, ar := make([]float64, n), r.NormFloat64()
				for i := range y {
					ar = phi*ar + math.Sqrt(1-phi*phi)*r.NormFloat64()
					y[i] = 1000 + slope*float64(i) + 20*ar
				}
				if _, low, high := Line(y, 0.01); low <= slope && slope <= high {
					held++
				}
			}
			if held < runs*985/1000 {
				t.Errorf("φ = %g, %d values: the 99 %% interval holds the slope in %d of %d series", phi, n, held, runs)
			}
		}
	}
	if slope, low, high := Line([]float64{1, 2, 3, 4, 5, 6, 7, 8}, 0.001); slope != 1 || low != 1 || high != 1 {
		t.Errorf("a straight line of eight values: %g (%g to %g)", slope, low, high)
	}
}

func TestStudentP(t *testing.T) {
	for _, c := range []struct{ t, df, want float64 }{{2.776445, 4, 0.05}, {-2.776445, 4, 0.05}, {0, 9, 1}, {3, 0, 1}, {math.NaN(), 3, 1}} {
		if got := StudentP(c.t, c.df); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("t = %g, df = %g: %g, want %g", c.t, c.df, got, c.want)
		}
	}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
