package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The slope of any rank is the same whether or not all slopes were computed and sorted, even if many
// points have the same time or many pairs the same slope.
func TestSlopesAreFoundWithoutAllOfThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(30, 150).Draw(t, "n")
		whole := rapid.Bool().Draw(t, "whole")
		at, y := make([]float64, n), make([]float64, n)
		for i := range n {
			at[i] = float64(rapid.IntRange(0, 3*n).Draw(t, "at"))
			if whole {
				y[i] = float64(rapid.IntRange(0, 3).Draw(t, "y"))
			} else {
				y[i] = rapid.Float64Range(-1e6, 1e6).Draw(t, "y")
			}
		}
		all, some := slopesOf(at, y, n), slopesOf(at, y, 0)
		if all.count != some.count {
			t.Fatalf("%d slopes are counted, there are %d", some.count, all.count)
		}
		if all.count == 0 {
			return
		}
		high := 0.0
		for _, v := range y {
			high = math.Max(high, math.Abs(v))
		}
		k := rapid.IntRange(0, all.count-1).Draw(t, "k")
		if a, b := all.at(k), some.at(k); math.Abs(a-b) > 1e-11*(high+math.Abs(a)) {
			t.Fatalf("slope %d of %d is %v, found as %v", k, all.count, a, b)
		}
		if a, b := all.quantile(0.5), some.quantile(0.5); math.Abs(a-b) > 1e-11*(high+math.Abs(a)) {
			t.Fatalf("the median slope is %v, found as %v", a, b)
		}
	})
}

// Series that are too long for a list, with realistic noise: the search takes few steps there, and none
// of them may miss the rank.
func TestTrendOfALongSeriesIsTheOneOfAllPairs(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 600 + int(seed)*150
		at, y, x := make([]float64, n), make([]float64, n), 0.0
		for i := range y {
			x = 0.7*x + r.NormFloat64()
			at[i], y[i] = 5*float64(i)+r.Float64(), 3000+float64(seed)*0.01*float64(i)+100*x
			if seed%2 == 1 {
				at[i], y[i] = 5*float64(i), math.Round(y[i]/50)*50
			}
		}
		all, some := slopesOf(at, y, n), slopesOf(at, y, 0)
		for _, k := range []int{0, 1, all.count / 1000, all.count / 3, all.count / 2, all.count * 9 / 10, all.count - 1} {
			if a, b := all.at(k), some.at(k); math.Abs(a-b) > 1e-9 {
				t.Errorf("seed %d: slope %d of %d is %v, found as %v", seed, k, all.count, a, b)
			}
		}
	}
}

// freedomByDefinition is tr(MR)² / tr(MRMR), computed from the matrices.
func freedomByDefinition(n int, rho float64) float64 {
	r, column := make([][]float64, n), make([]float64, n)
	for i := range r {
		r[i] = make([]float64, n)
		for j := range r[i] {
			r[i][j] = math.Pow(rho, math.Abs(float64(i-j)))
			column[j] += r[i][j] / float64(n)
		}
	}
	var trace, square float64
	for i := range r {
		trace += r[i][i] - column[i]
		for j := range r {
			square += (r[i][j] - column[j]) * (r[j][i] - column[i])
		}
	}
	return trace * trace / square
}

func TestFreedomIsThatOfTheMatrices(t *testing.T) {
	for _, n := range []int{2, 3, 4, 7, 20, 120} {
		for _, rho := range []float64{1e-6, 0.1, 0.5, 0.9, maxCorrelation, 0.999} {
			if got, want := freedom(n, rho), freedomByDefinition(n, rho); math.Abs(got-want) > 1e-6*want {
				t.Errorf("%d values with correlation %v have %v degrees of freedom, want %v", n, rho, got, want)
			}
		}
	}
}

// warmupByDefinition is MSER-5 with each sum computed from scratch.
func warmupByDefinition(z []float64) (d int, statistics []float64) {
	best := math.Inf(1)
	for i := 0; i <= len(z)/2; i++ {
		m, sum, left := Mean(z[i:]), 0.0, float64(len(z)-i)
		for _, v := range z[i:] {
			sum += (v - m) * (v - m)
		}
		statistics = append(statistics, sum/(left*left))
		if statistics[i] < best {
			best, d = statistics[i], i
		}
	}
	return d, statistics
}

func TestWarmupIsThatOfTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 100).Draw(t, "batches")
		climb := rapid.IntRange(0, k).Draw(t, "climb")
		y, z := make([]float64, 5*k), make([]float64, k)
		for i := range y {
			y[i] = 1000 + rapid.Float64Range(-30, 30).Draw(t, "noise") - 900*math.Max(0, float64(5*climb-i)/float64(5*k))
		}
		for i := range z {
			z[i] = Mean(y[5*i : 5*i+5])
		}
		want, statistics := warmupByDefinition(z)
		got := Warmup(y) / 5
		// If two are equal but for rounding, both are right.
		if got != want && math.Abs(statistics[got]-statistics[want]) > 1e-9*statistics[want] {
			t.Fatalf("%d batches are dropped, want %d", got, want)
		}
	})
}

// levels is a series with the given number of changes, each of the given number of standard deviations
// of the noise, which is correlated, and the places of the changes.
func levels(r *rand.Rand, n, least, changes int, size, phi float64) (y []float64, at []int) {
	for range changes {
		at = append(at, least+r.IntN(n-2*least))
	}
	slices.Sort(at)
	level, x := 100.0, 0.0
	y = make([]float64, n)
	for i := range y {
		if slices.Contains(at, i) {
			level += size * float64(1-2*r.IntN(2))
		}
		x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
		y[i] = level + x
	}
	return y, at
}

// With a grid and windows, the same changes are found as by searching all places: as many in nearly all
// series of each kind, and if a cut is at another place, it costs about as much as the best one.
func TestSegmentsOfALongSeriesAreThoseOfAllPlaces(t *testing.T) {
	const runs, n, least = 40, 720, 10
	exact, coarse := reach{all: n, window: n}, reach{all: n / 6, window: 120}
	for _, kind := range []struct {
		name      string
		changes   int
		size, phi float64
	}{{"noise", 0, 0, 0}, {"correlated noise", 0, 0, 0.7}, {"one change", 1, 3, 0}, {"three changes", 3, 4, 0.3}, {"small changes", 2, 1, 0}, {"many", 12, 5, 0}} {
		same := 0
		for seed := range uint64(runs) {
			y, _ := levels(rand.New(rand.NewPCG(seed, 3)), n, least, kind.changes, kind.size, kind.phi)
			want, got := segments(y, least, exact), segments(y, least, coarse)
			c := newCosts(y)
			if len(want) == len(got) {
				same++
			}
			if dear, cheap := c.price(got, y, least, exact), c.price(want, y, least, exact); dear > cheap+0.5*c.penalty(y, least, exact) {
				t.Errorf("%s, seed %d: the cut %v costs %.1f and %v only %.1f", kind.name, seed, ends(got), dear, ends(want), cheap)
			}
		}
		if same < runs*95/100 {
			t.Errorf("%s: in %d of %d series as many changes are found", kind.name, same, runs)
		}
	}
}

// price is the cost of a segmentation, including the penalty.
func (c costs) price(list []Segment, y []float64, least int, r reach) float64 {
	sum := float64(len(list)-1) * c.penalty(y, least, r)
	for _, s := range list {
		sum += c.of(s.From, s.To)
	}
	return sum
}

func ends(list []Segment) (places []int) {
	for _, s := range list {
		places = append(places, s.To)
	}
	return places
}

// A day of seconds: the search finds the changes that were put in, even one of twenty seconds.
func TestSegmentsOfADay(t *testing.T) {
	const n, least = 86400, 20
	r := rand.New(rand.NewPCG(1, 1))
	y, _ := levels(r, n, least, 0, 0, 0.7)
	if list := Segments(y, least); len(list) != 1 {
		t.Errorf("noise is cut at %v", ends(list))
	}
	for i := 30011; i < 30031; i++ {
		y[i] -= 30
	}
	for i := 61007; i < n; i++ {
		y[i] -= 3
	}
	want := []int{30011, 30031, 61007, n}
	got := ends(Segments(y, least))
	if len(got) != len(want) {
		t.Fatalf("it is cut at %v, want %v", got, want)
	}
	for i := range want {
		if d := got[i] - want[i]; d < -3 || d > 3 {
			t.Errorf("cut %d is at %d, want %d", i, got[i], want[i])
		}
	}
}
