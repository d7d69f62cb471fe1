package histogram_test

import (
	"encoding/json"
	"math"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loadline/loadline/internal/model/histogram"
	"pgregory.net/rapid"
)

// counts lists a histogram's content by bucket middle, for comparison.
func counts(h histogram.Histogram) map[float64]uint64 {
	m := map[float64]uint64{}
	last := -1.0
	for s, n := range h.Buckets {
		if s <= last {
			m[math.NaN()] = 0 // if the order is not ascending, the result compares unequal to everything
		}
		last, m[s] = s, n
	}
	return m
}

func histograms(most int) *rapid.Generator[histogram.Histogram] {
	return rapid.Custom(func(t *rapid.T) histogram.Histogram {
		var h histogram.Histogram
		for range rapid.IntRange(0, most).Draw(t, "values") {
			h.Add(uint16(rapid.IntRange(0, 29*64-1).Draw(t, "bucket")), rapid.Uint64Range(1, 1<<40).Draw(t, "count"))
		}
		if rapid.Bool().Draw(t, "read") {
			// A histogram read from JSON is stored differently.
			text, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			h = histogram.Histogram{}
			if err := json.Unmarshal(text, &h); err != nil {
				t.Fatal(err)
			}
		}
		return h
	})
}

func TestBucketsAreThoseOfFio(t *testing.T) {
	// fio's bins as in its json+ output (whole nanoseconds).
	for _, c := range []struct {
		ns     uint64
		bucket uint16
		middle float64
	}{
		{0, 0, 0}, {1, 1, 1}, {127, 127, 127}, {128, 128, 129}, {129, 128, 129}, {130, 129, 131},
		{255, 191, 255}, {256, 192, 258}, {1000, 317, 1004}, {70000, 708, 70144}, {1 << 62, 29*64 - 1, 0},
	} {
		if got := histogram.BucketOf(c.ns); got != c.bucket {
			t.Errorf("%d ns fall into bucket %d, want %d", c.ns, got, c.bucket)
		}
		if got := histogram.BucketMiddle(c.bucket); c.middle > 0 && got != c.middle {
			t.Errorf("bucket %d has its middle at %v ns, want %v", c.bucket, got, c.middle)
		}
	}
}

func TestBucketHoldsItsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Uint64Range(0, 1<<34-1).Draw(t, "ns")
		b := histogram.BucketOf(ns)
		middle := histogram.BucketMiddle(b)
		if math.Abs(middle-float64(ns)) > float64(ns)/128+1e-9 {
			t.Fatalf("%d ns lie in bucket %d around %v: farther than 1/128", ns, b, middle)
		}
		if again := histogram.BucketOf(uint64(middle)); again != b {
			t.Fatalf("the key that fio prints for bucket %d reads back as bucket %d", b, again)
		}
		if ns >= 128 {
			// The width doubles with each group of 64.
			shift := bits.Len64(ns) - 7
			if want := uint16((shift+1)*64 + int(ns>>shift)%64); b != want {
				t.Fatalf("%d ns: bucket %d, want %d", ns, b, want)
			}
		}
		if ns > 0 && histogram.BucketOf(ns-1) > b {
			t.Fatalf("bucket of %d ns is above that of %d", ns-1, ns)
		}
	})
}

func TestHistogramReadsBackFromJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histograms(60).Draw(t, "h")
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var got histogram.Histogram
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(counts(h), counts(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestHistogramRefusesRubbish(t *testing.T) {
	for _, text := range []string{`7`, `{}`, `"%"`, `"gA"`, `"AYA"`, `"wA8B"`, `"AQEAAQ"`, `"AQH/////////////AQE"`} {
		var h histogram.Histogram
		if err := json.Unmarshal([]byte(text), &h); err == nil {
			t.Errorf("%s was accepted as %v", text, counts(h))
		}
	}
}

func TestMergeAddsAndMinusTakesAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := histograms(40).Draw(t, "a"), histograms(40).Draw(t, "b")
		want := counts(a)
		for s, n := range counts(b) {
			want[s] += n
		}
		beforeA, beforeB := counts(a), counts(b)
		var sum histogram.Histogram
		sum.Merge(a)
		sum.Merge(b)
		if diff := cmp.Diff(want, counts(sum)); diff != "" {
			t.Fatal(diff)
		}
		if sum.Count() != a.Count()+b.Count() {
			t.Fatal("the count is not the sum of the counts")
		}
		left, err := sum.Minus(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(beforeA, counts(left)); diff != "" {
			t.Fatal(diff)
		}
		// The merged histogram is neither changed nor shared.
		sum.Merge(sum)
		if diff := cmp.Diff(beforeA, counts(a)) + cmp.Diff(beforeB, counts(b)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestMinusRefusesALaterState(t *testing.T) {
	var early, late histogram.Histogram
	early.Add(10, 5)
	late.Add(10, 5)
	late.Add(20, 1)
	for _, c := range []struct{ from, take histogram.Histogram }{{early, late}, {histogram.Histogram{}, early}} {
		if d, err := c.from.Minus(c.take); err == nil {
			t.Errorf("%v − %v gave %v", counts(c.from), counts(c.take), counts(d))
		}
	}
	early.Add(10, 1)
	if d, err := late.Minus(early); err == nil {
		t.Errorf("a bucket that shrank gave %v", counts(d))
	}
}

func TestPercentileIsTheFirstBucketThatReachesIt(t *testing.T) {
	var h histogram.Histogram
	if !math.IsNaN(h.Percentile(50)) || !math.IsNaN(h.Mean()) || !math.IsNaN(h.Max()) {
		t.Error("an empty histogram has a percentile, a mean or a maximum")
	}
	for ns := uint16(1); ns <= 100; ns++ {
		h.Add(ns, 1)
	}
	for _, c := range []struct{ p, ns float64 }{{0.5, 1}, {1, 1}, {1.1, 2}, {50, 50}, {99, 99}, {99.9, 100}, {100, 100}} {
		if got := h.Percentile(c.p) * 1e9; math.Abs(got-c.ns) > 1e-9 {
			t.Errorf("p%v is %v ns, want %v", c.p, got, c.ns)
		}
	}
	if got := h.Mean() * 1e9; math.Abs(got-50.5) > 1e-9 {
		t.Errorf("mean %v ns, want 50.5", got)
	}
	if got := h.Max() * 1e9; math.Abs(got-100) > 1e-9 {
		t.Errorf("maximum %v ns, want 100", got)
	}
}

// A bin in fio's json+ is the middle of a bucket in nanoseconds, and must map back to that bucket.
func TestHistogramFromFioBins(t *testing.T) {
	var h histogram.Histogram
	for middle, n := range map[uint64]uint64{1004: 3, 127: 2, 70144: 1} {
		h.Add(histogram.BucketOf(middle), n)
	}
	want := map[float64]uint64{127e-9: 2, 1004e-9: 3, 70144e-9: 1}
	if diff := cmp.Diff(want, counts(h)); diff != "" {
		t.Error(diff)
	}
}
