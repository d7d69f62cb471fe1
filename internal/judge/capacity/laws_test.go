package capacity

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// published is a table of a published report: one workload on 1, 3, 6, 9, 12 and 15 volumes, per
// volume, with the expected result of fitting the saturating law.
type published struct {
	name            string
	each            [6]float64
	first, capacity float64
	low, high       float64 // of the capacity
	bent            int
}

// The eight tables of a published report on a cluster of three nodes with one disk of 10,000 IOPS and
// 360 MiB/s each, three replicas; bandwidths in MiB/s. The intervals were computed by hand beforehand,
// with t·s/√m over the saturated points.
var eight = []published{
	{"rand-read-iops", [6]float64{22180, 10639, 5320, 3541, 2633, 2116}, 22180, 31808, 31635, 31982, 0},
	{"seq-read-iops", [6]float64{39772, 19840, 10132, 6875, 5210, 4159}, 39772, 61408, 59854, 63003, 0},
	{"rand-read-bw", [6]float64{874, 386, 196, 131, 97.5, 77.5}, 874, 1169, 1158, 1180, 0},
	{"seq-read-bw", [6]float64{669, 378, 192, 126, 94, 74}, 669, 1131, 1113, 1150, 0},
	{"rand-write-iops", [6]float64{1150, 1180, 852, 576, 436, 350}, 1165, 5194, 5097, 5294, 0},
	{"seq-write-iops", [6]float64{2340, 2350, 1745, 1165, 871, 695}, 2345, 10458, 10417, 10499, 0},
	{"rand-write-bw", [6]float64{159, 118, 63.2, 42.2, 31.4, 25.1}, 159, 378, 375, 381, 3},
	{"seq-write-bw", [6]float64{291, 127, 63.3, 42.6, 31.8, 25.4}, 291, 381, 380, 383, 0},
}

var volumes = [6]int{1, 3, 6, 9, 12, 15}

func (p published) scale() *model.Scale {
	s := &model.Scale{Workload: p.name, Metric: model.IOPS}
	for i, n := range volumes {
		s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: 3, PerVolume: model.Estimate{Unit: "1/s", Value: p.each[i]}})
	}
	return s
}

func TestPublishedTables(t *testing.T) {
	for _, p := range eight {
		laws, err := Fit(p.scale())
		if err != nil {
			t.Fatal(err)
		}
		l := laws[0]
		t.Logf("%-16s x1 %6.0f %v C %6.0f (%.0f–%.0f) knee %.2f error %.4f; %s %.4f, %s %.4f residuals %.3f", p.name, l.First.Value, l.First.Confidence,
			l.Capacity.Value, l.Capacity.Low, l.Capacity.High, l.Knee, l.Error, laws[1].Kind, laws[1].Error, laws[2].Kind, laws[2].Error, l.Residuals)
		if l.Kind != model.SaturationLaw || !l.Chosen {
			t.Errorf("%s: %s is chosen", p.name, l.Kind)
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 0.5+0.0005*want {
				t.Errorf("%s: %s is %.1f, computed by hand %.1f", p.name, what, got, want)
			}
		}
		near("x₁", l.First.Value, p.first)
		near("C", l.Capacity.Value, p.capacity)
		near("C low", l.Capacity.Low, p.low)
		near("C high", l.Capacity.High, p.high)
		if p.bent > 0 && (len(l.Bent) != 1 || l.Bent[0] != p.bent) || p.bent == 0 && l.Bent != nil {
			t.Errorf("%s: bent at %v", p.name, l.Bent)
		}
		if len(l.Band) == 0 {
			t.Errorf("%s has no band", p.name)
		}
	}
}

// synthetic is a scale with a known true law, with relative noise.
func synthetic(r *rand.Rand, noise float64, at []int, truth func(n float64) float64) *model.Scale {
	s := &model.Scale{Workload: "known", Metric: model.IOPS}
	for _, n := range at {
		v := truth(float64(n)) * math.Exp(noise*r.NormFloat64())
		s.Points = append(s.Points, model.ScalePoint{Volumes: n, Total: model.Estimate{Unit: "1/s", Value: v}})
	}
	return s
}

// The 95 % intervals of x₁ and C, and the prediction band between the points, must contain the true
// value in about 95 of 100 cases. 3,000 cases have a standard error of 0.4 points; the bounds are five
// of them away from the claimed coverage.
func TestIntervalsCover(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, noise := range []float64{0.002, 0.01, 0.05} {
		const cases = 3000
		first, capacity, band, known := 0, 0, 0, 0
		for range cases {
			knee := 3.3 + 3*r.Float64()
			truth := func(n float64) float64 { return 1000 * math.Min(n, knee) }
			fit := fitSaturation(observations(synthetic(r, noise, []int{1, 2, 3, 8, 12, 15, 18, 24}, truth)))
			l := fit.law("1/s")
			if l.Capacity == nil || l.AllSaturated {
				continue
			}
			known++
			first += within(l.First, 1000)
			capacity += within(*l.Capacity, 1000*knee)
			n := 1 + 23*r.Float64()
			again := math.Log(truth(n)) + noise*r.NormFloat64()
			if math.Abs(again-fit.at(n)) <= fit.reach(n) {
				band++
			}
		}
		share := func(n int) float64 { return float64(n) / float64(known) }
		t.Logf("noise %g: x₁ %.3f, C %.3f, band %.3f, both branches seen %.3f", noise, share(first), share(capacity), share(band), float64(known)/cases)
		for what, v := range map[string]float64{"x₁": share(first), "C": share(capacity), "band": share(band)} {
			if v < 0.93 || v > 0.97 {
				t.Errorf("noise %g: the interval of %s covers %.3f", noise, what, v)
			}
		}
		if known < cases*99/100 {
			t.Errorf("noise %g: the knee is seen in %d of %d", noise, known, cases)
		}
	}
}

func within(e model.Estimate, truth float64) int {
	if e.Confidence == stats.Confidence && e.Low <= truth && truth <= e.High {
		return 1
	}
	return 0
}

// Each law must be chosen if it is the true one and there are enough points to see it.
func TestTheTrueLawIsChosen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	at := []int{1, 2, 4, 8, 12, 16, 24, 32}
	for _, c := range []struct {
		kind  model.LawKind
		truth func(n float64) float64
	}{
		{model.SaturationLaw, func(n float64) float64 { return math.Min(100*n, 900) }},
		{model.AmdahlLaw, func(n float64) float64 { return 100 * n / (1 + 0.08*(n-1)) }},
		{model.USLLaw, func(n float64) float64 { return 100 * n / (1 + 0.03*(n-1) + 0.004*n*(n-1)) }},
	} {
		right := 0
		for range 300 {
			laws, err := Fit(synthetic(r, 0.01, at, c.truth))
			if err != nil {
				t.Fatal(err)
			}
			if laws[0].Kind == c.kind {
				right++
			}
		}
		t.Logf("%s: chosen in %d of 300", c.kind, right)
		if right < 210 {
			t.Errorf("%s is the truth, and chosen in %d of 300", c.kind, right)
		}
	}
}

func TestWhatFewPointsAllow(t *testing.T) {
	scale := func(points ...float64) *model.Scale {
		s := &model.Scale{Workload: "w", Metric: model.IOPS}
		for i := 0; i < len(points); i += 2 {
			s.Points = append(s.Points, model.ScalePoint{Volumes: int(points[i]), Total: model.Estimate{Value: points[i+1]}})
		}
		return s
	}
	for _, c := range []struct {
		name     string
		scale    *model.Scale
		fails    bool
		capacity float64 // 0: none
		bound    bool    // every point is saturated
		says     string
	}{
		{name: "no point", scale: scale(), fails: true},
		{name: "one point", scale: scale(1, 100), fails: true},
		{name: "the same number three times", scale: scale(3, 100, 3, 101, 3, 99), fails: true},
		{name: "a line", scale: scale(1, 100, 2, 200, 4, 400, 8, 800), says: "no point is saturated"},
		{name: "a noisy line", scale: scale(1, 101, 2, 198, 4, 404, 8, 797), says: "no point is saturated"},
		{name: "a line and its end", scale: scale(1, 101, 2, 198, 4, 404, 8, 500), capacity: 500, says: "one point is saturated"},
		{name: "saturated from the start", scale: scale(3, 100, 6, 101, 9, 99.5, 12, 100.2), capacity: 100.17, bound: true, says: "every point is saturated"},
		{name: "a knee", scale: scale(1, 100, 4, 205, 8, 206, 12, 204.5), capacity: 205.17, says: "one point stands before the knee"},
	} {
		laws, err := Fit(c.scale)
		if c.fails {
			if err == nil {
				t.Errorf("%s: fitted", c.name)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		l := laws[0]
		got := 0.0
		if l.Capacity != nil {
			got = l.Capacity.Value
		}
		if l.Kind != model.SaturationLaw || math.Abs(got-c.capacity) > 0.01 || l.AllSaturated != c.bound {
			t.Errorf("%s: %s with a capacity of %.2f, all saturated %v", c.name, l.Kind, got, l.AllSaturated)
		}
		c.scale.Laws = laws
		if said := strings.Join(caveats(c.scale), "\n"); !strings.Contains(said, c.says) {
			t.Errorf("%s: nothing says %q:\n%s", c.name, c.says, said)
		}
	}
}

// A second branch must not be found in a line more often than branchLevel says, and no law may claim a
// capacity within reach of the points from noise alone.
func TestALineHasNoCapacity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := 0
	const cases = 1000
	for range cases {
		fit := fitSaturation(observations(synthetic(r, 0.02, []int{1, 2, 4, 8, 12, 16}, func(n float64) float64 { return 50 * n })))
		if fit.flat > 0 {
			seen++
		}
	}
	t.Logf("a capacity is seen in %d of %d lines", seen, cases)
	if seen > cases*8/100 {
		t.Errorf("a capacity is seen in %d of %d lines", seen, cases)
	}
}

// Points that were rate-limited, are invalid or ran on other nodes are not part of a law.
func TestPointsThatDoNotCount(t *testing.T) {
	s := eight[0].scale()
	want, err := Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Points = append(s.Points,
		model.ScalePoint{Volumes: 30, Nodes: 6, PerVolume: model.Estimate{Value: 2127}},
		model.ScalePoint{Volumes: 51, Nodes: 3, Offered: 617, PerVolume: model.Estimate{Value: 616}},
		model.ScalePoint{Volumes: 20, Nodes: 3, Verdict: model.Invalid, PerVolume: model.Estimate{Value: 9999}})
	got, err := Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Points on a straight line are recognized as one: a law with more parameters fits the noise slightly
// better, but is not chosen for that, and implies no capacity.
func TestALineStaysALine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const cases = 500
	straight := 0
	for range cases {
		s := synthetic(r, 0.01, []int{1, 2, 4, 8, 12}, func(n float64) float64 { return 3000 * n })
		for i := range s.Points {
			e := &s.Points[i].Total
			e.Low, e.High, e.Confidence = e.Value*0.98, e.Value*1.02, stats.Confidence
		}
		laws, err := Fit(s)
		if err != nil {
			t.Fatal(err)
		}
		if l := laws[0]; l.Kind == model.SaturationLaw && l.Chosen {
			straight++
			if l.Capacity != nil && l.Saturated == 0 {
				t.Fatalf("a capacity without a saturated point: %+v", l)
			}
		}
		for _, l := range laws {
			if l.Kind != model.SaturationLaw && l.Capacity != nil && (l.Capacity.High > 10*l.Capacity.Value || l.Capacity.Low < l.Capacity.Value/10) {
				t.Fatalf("%s: a capacity that nothing sets: %+v", l.Kind, *l.Capacity)
			}
		}
	}
	if straight < cases*95/100 {
		t.Errorf("%d of %d lines are called lines", straight, cases)
	}
}

// If volumes do interfere with each other, the law says so, although a straight branch and a limit are
// simpler.
func TestContentionIsSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const cases = 200
	seen := 0
	for range cases {
		s := synthetic(r, 0.01, []int{1, 2, 4, 8, 12, 16, 24, 32}, func(n float64) float64 { return 3000 * n / (1 + 0.1*(n-1)) })
		laws, err := Fit(s)
		if err != nil {
			t.Fatal(err)
		}
		if laws[0].Kind != model.SaturationLaw {
			seen++
		}
	}
	if seen < cases*95/100 {
		t.Errorf("contention is seen in %d of %d cases", seen, cases)
	}
}

// The order of points with the same number of volumes does not matter either.
func TestOrderOfEqualVolumesChangesNoLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model.Scale{Workload: "drawn", Metric: model.IOPS}
		for range rapid.IntRange(4, 10).Draw(t, "points") {
			n := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "volumes")
			v := 1000 * math.Min(float64(n), 3) * rapid.Float64Range(0.8, 1.2).Draw(t, "noise")
			s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: 3, Total: model.Estimate{Unit: "1/s", Value: v, Low: v, High: v}})
		}
		other := s
		other.Points = rapid.Permutation(s.Points).Draw(t, "order")
		a, errA := Fit(&s)
		b, errB := Fit(&other)
		if (errA == nil) != (errB == nil) || len(a) != len(b) {
			t.Fatalf("%v in one order, %v in another", errA, errB)
		}
		for i := range a {
			if a[i].Kind != b[i].Kind || a[i].First != b[i].First || (a[i].Capacity == nil) != (b[i].Capacity == nil) || a[i].Capacity != nil && *a[i].Capacity != *b[i].Capacity {
				t.Fatalf("%s: %+v with C %v in one order, %+v with %v in another", a[i].Kind, a[i].First, a[i].Capacity, b[i].First, b[i].Capacity)
			}
		}
	})
}
