package analyze

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// With repeats that vary by 10 %, a difference of 15 % stays open and one of 60 % is significant.
func TestNoiseIsBorrowedFromRepeats(t *testing.T) {
	a := side(foreign("A", 60, map[string][]float64{"a": {1000}, "b": {500}, "c": {100, 104, 98, 103}}))
	b := side(foreign("B", 60, map[string][]float64{"a": {1600}, "b": {510}, "c": {101, 99, 105, 100}}))
	r := Rank([]Measured{a, b})
	if r.Noise == nil || r.Noise.DF != 6 || math.Abs(r.Noise.Largest-(104.0/98-1)) > 1e-9 || r.Noise.Apart < 1.03 || r.Noise.Apart > 1.2 {
		t.Fatalf("noise %+v", r.Noise)
	}
	want := map[string]model.Change{"a": model.Better, "b": model.Unclear, "c": model.Unclear}
	for _, row := range r.Rows {
		if row.Verdict != want[row.Workload] {
			t.Errorf("%s: %s, want %s: %+v", row.Workload, row.Verdict, want[row.Workload], row)
		}
	}
	if best := r.Rows[0].Entries[0]; best.System != 1 || best.First != 1 || best.Last != 1 {
		t.Errorf("the best of a: %+v", best)
	}
}

// A row for which no noise can be borrowed stays open, and says why.
func TestNothingIsBorrowed(t *testing.T) {
	repeats := []float64{100, 101}
	for name, c := range map[string]struct {
		seconds float64
		spoil   func(a, b *Measured)
		reason  string
		want    model.Change
	}{
		"no repeats":   {60, func(a, b *Measured) {}, "single runs, and nothing was repeated: what differs by chance is not known", model.Unclear},
		"short runs":   {5, nil, "single runs of 5.00 s: too short to have the noise of other tests", model.Unclear},
		"other things": {60, func(a, _ *Measured) { a.Recorded.Plan.Workloads[0].Depth = 64 }, "the systems ran different workloads under this name", model.Unclear},
		"invalid":      {60, func(a, _ *Measured) { a.Report.Results[0].Verdict = model.Invalid }, "it has fewer than two usable numbers", model.Unusable},
	} {
		figures := map[string][]float64{"a": {1000}, "b": repeats}
		if name == "no repeats" {
			figures["b"] = nil
		}
		a, b := side(foreign("A", c.seconds, figures)), side(foreign("B", c.seconds, map[string][]float64{"a": {9000}, "b": figures["b"]}))
		if c.spoil != nil {
			c.spoil(&a, &b)
		}
		row := Rank([]Measured{a, b}).Rows[0]
		if row.Verdict != c.want || row.Reason != c.reason {
			t.Errorf("%s: %s, %q; want %s, %q", name, row.Verdict, row.Reason, c.want, c.reason)
		}
	}
}

// A group that ranks nothing says why.
func TestAGroupWithoutAPlaceSaysWhy(t *testing.T) {
	of := func(systems ...int) standing {
		s := standing{good: map[int]float64{}, told: func(a, b int) int { return 0 }}
		for _, i := range systems {
			s.good[i] = 1
		}
		return s
	}
	for want, rows := range map[string][]standing{
		"no test has two usable numbers":            {of(0)},
		"no test has usable numbers of all of them": {of(0, 1), of(1, 2)},
	} {
		if g := sumUp("a", rows, 3); g.Verdict != model.Unusable || g.Reason != want {
			t.Errorf("%s, %q; want %q", g.Verdict, g.Reason, want)
		}
	}
}

// For all numbers: a place is a range that contains the rank of the plain value, the order of the
// arguments does not matter, and a group is clear only if all its places are certain.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "systems")
		value := rapid.Float64Range(90, 400)
		var sides, turned []Measured
		for i := range n {
			figures := map[string][]float64{"a": {value.Draw(t, "a")}, "b": {value.Draw(t, "b")}, "c": rapid.SliceOfN(rapid.Float64Range(99, 105), 1, 3).Draw(t, "c")}
			s := side(foreign(string(rune('A'+i)), 60, figures))
			sides, turned = append(sides, s), append([]Measured{s}, turned...)
		}
		r, other := Rank(sides), Rank(turned)
		places := map[string][2]int{}
		for _, row := range r.Rows {
			for k, e := range row.Entries {
				if e.First < 1 || e.Last > n || e.First > e.Last || e.First > k+1 || e.Last < k+1 {
					t.Fatalf("%s: entry %d has place %d–%d of %d", row.Workload, k, e.First, e.Last, n)
				}
				places[row.Workload+r.Systems[e.System].Name] = [2]int{e.First, e.Last}
			}
		}
		for _, row := range other.Rows {
			for _, e := range row.Entries {
				if p := places[row.Workload+other.Systems[e.System].Name]; p != [2]int{e.First, e.Last} {
					t.Fatalf("%s: place %v, and in another order %d–%d", row.Workload, p, e.First, e.Last)
				}
			}
		}
		for _, g := range r.Groups {
			certain := true
			for _, e := range g.Entries {
				certain = certain && e.First == e.Last
			}
			if certain != (g.Verdict == model.Better) || !certain && g.Reason == "" {
				t.Fatalf("group %+v", g)
			}
		}
	})
}

// Systems that differ only by chance are rarely distinguished in a row: in at most twice the 5 % of
// pairs that is allowed for each.
func TestEqualSystemsAreSeldomToldApart(t *testing.T) {
	next := uint64(1)
	normal := func() float64 {
		var sum float64
		for range 12 {
			next = next*6364136223846793005 + 1442695040888963407
			sum += float64(next>>11) / (1 << 53)
		}
		return sum - 6
	}
	run := func() float64 { return 1000 * math.Exp(0.05*normal()) }
	told, pairs := 0, 0
	for range 600 {
		a := side(foreign("A", 60, map[string][]float64{"a": {run()}, "b": {run()}, "c": {run(), run(), run()}}))
		b := side(foreign("B", 60, map[string][]float64{"a": {run()}, "b": {run()}, "c": {run(), run(), run()}}))
		for _, row := range Rank([]Measured{a, b}).Rows {
			if row.Apart > 0 {
				pairs++
				if row.Verdict == model.Better {
					told++
				}
			}
		}
	}
	if share := float64(told) / float64(pairs); pairs < 1000 || share > 0.1 || share < 0.01 {
		t.Errorf("%d of %d pairs were told apart, %.1f%%; 5%% are allowed", told, pairs, 100*share)
	}
}

// Two systems with intervals are told apart by these, whatever noise a third one without an interval borrows.
func TestAThirdSystemChangesNothing(t *testing.T) {
	told := toldApart(model.IOPS, 1.1)
	with := func(value, half float64) model.RankEntry {
		return model.RankEntry{Estimate: model.Estimate{Value: value, Low: value * (1 - half), High: value * (1 + half), Confidence: 0.95}}
	}
	bare := model.RankEntry{Estimate: model.Estimate{Value: 1000}}
	if told(with(1200, 0.5), with(1000, 0.5)) {
		t.Error("two wide intervals that overlap are told apart")
	}
	if !told(with(1200, 0.01), with(1000, 0.01)) || !told(with(1200, 0.5), bare) {
		t.Error("what differs is not told apart")
	}
}

// A rate that fell in a long repeat is one value of many repeats.
func TestASustainedRateIsNoSingleRepeat(t *testing.T) {
	fallen := model.Report{Results: []model.Result{{Workload: "a", Repeats: 1, Sustained: &model.Sustained{State: model.Fell}}}}
	if !fallen.Results[0].Sustained.Fallen() {
		t.Fatal("it has not fallen")
	}
	c := &model.Comparison{Method: model.Independent, Rows: []model.Row{{Workload: "a"}}}
	if f := checkSingle(c, Measured{Report: &fallen}, Measured{Report: &fallen}); f != nil {
		t.Errorf("%+v", f)
	}
}
