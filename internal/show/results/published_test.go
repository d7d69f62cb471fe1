package results

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
)

// mediumNodes are the points of the published report, with change made to the file.
func mediumNodes(t *testing.T, change ...string) *study.Published {
	t.Helper()
	data, err := os.ReadFile("../../../docs/medium-nodes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(change); i += 2 {
		if !strings.Contains(text, change[i]) {
			t.Fatalf("medium-nodes.yaml has no %q", change[i])
		}
		text = strings.ReplaceAll(text, change[i], change[i+1])
	}
	p, err := spec.ParsePublished("medium-nodes.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

func studyOf(t *testing.T, p *study.Published) (study.Study, map[string]study.Scale) {
	t.Helper()
	s, err := capacity.Study(p)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]study.Scale{}
	for _, x := range s.Scales {
		by[x.Scale.Workload] = x
	}
	return s, by
}

// inside reports whether an estimate's interval contains a value.
func inside(e *model.Estimate, v float64) bool { return e != nil && e.Low <= v && v <= e.High }

// The limit of each workload of the published report, what its hardware allows, and how many device
// writes one write costs, by hand: three nodes with one disk of 10,000 IOPS and 360 MiB/s each, three
// replicas, a counter written beside each copy, and pairs of sequential I/Os merged.
func TestPublishedLimits(t *testing.T) {
	const MiB = 1 << 20
	st, by := studyOf(t, mediumNodes(t))
	for _, want := range []struct {
		workload string
		binding  hardware.Resource
		allows   float64
		expected float64
		merge    float64
	}{
		{"rand-read-iops", hardware.LimitDiskIOPS, 30000, 1, 1},
		{"seq-read-iops", hardware.LimitDiskIOPS, 60000, 1, 2},
		{"rand-read-bw", hardware.LimitDiskBandwidth, 1080 * MiB, 0, 1},
		{"seq-read-bw", hardware.LimitDiskBandwidth, 1080 * MiB, 0, 1},
		{"rand-write-iops", hardware.LimitDiskIOPS, 5000, 6, 1},
		{"seq-write-iops", hardware.LimitDiskIOPS, 10000, 6, 2},
		{"rand-write-bw", hardware.LimitDiskBandwidth, 360 * MiB, 0, 1},
		{"seq-write-bw", hardware.LimitDiskBandwidth, 360 * MiB, 0, 1},
	} {
		l := by[want.workload].Limit
		if l == nil || l.Binding != want.binding || l.Rival != "" {
			t.Errorf("%s: %+v, but %s binds", want.workload, l, want.binding)
			continue
		}
		if got := l.Resources[0].Allows; math.Abs(got/want.allows-1) > 1e-9 {
			t.Errorf("%s: the hardware allows %g, by hand %g", want.workload, got, want.allows)
		}
		if l.Expected != want.expected || l.Merge != want.merge || l.MergeInferred || l.Extra != 0 {
			t.Errorf("%s: %g device I/Os expected and merge %g, by hand %g and %g", want.workload, l.Expected, l.Merge, want.expected, want.merge)
		}
	}
	// The overcounting of the sums makes the amplification look smaller than 6; corrected for it, 6 is
	// within the interval.
	c := st.Common
	if c == nil || c.Above < 7 || c.Least < 0.02 || c.Most > 0.085 || c.Median < 0.04 || c.Median > 0.06 || c.LocalMost == nil || *c.LocalMost > 0.011 {
		t.Fatalf("the capacities exceed the hardware by %+v", c)
	}
	if last := c.Sentences[len(c.Sentences)-1]; !strings.Contains(last, "×1.04") || !strings.Contains(last, "without a common clock") {
		t.Errorf("why they do is not said: %s", last)
	}
	for workload, want := range map[string][2]float64{"rand-write-iops": {5.67, 5.89}, "seq-write-iops": {5.71, 5.76}} {
		a := by[workload].Limit.Amplification
		if a == nil || math.Abs(a.Low-want[0]) > 0.01 || math.Abs(a.High-want[1]) > 0.01 || a.Value*(1+c.Median) < 5.9 || a.Value*(1+c.Median) > 6.15 {
			t.Errorf("%s: one write costs %+v device writes", workload, a)
		}
	}
	said := strings.Join(by["rand-write-iops"].Limit.Sentences, "\n")
	for _, want := range []string{"6 = 3 replicas × (1 data + 1 extra)", "one volume writes at most 1,235 IOPS"} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %s\n%s", want, said)
		}
	}
	if said := strings.Join(by["seq-write-iops"].Limit.Sentences, "\n"); !strings.Contains(said, "the gain over 5,000 IOPS is merging") {
		t.Errorf("merging is not said:\n%s", said)
	}
	for workload, known := range map[string]float64{"rand-read-lat": 700e-6, "rand-write-lat": 1.92e-3} {
		if p := by[workload].Path; p == nil || math.Abs(p.Explained/known-1) > 1e-9 || p.Explained > p.Measured.Value || p.Explained < 0.93*p.Measured.Value {
			t.Errorf("%s: %+v explained, by hand %g", workload, p, known)
		}
	}
}

// Unstated facts are concluded from the capacities: the counter that doubles the writes, and that
// sequential I/Os are merged.
func TestLimitsInferWhatNobodySaid(t *testing.T) {
	_, by := studyOf(t, mediumNodes(t, "  extra_writes: 1 ", "  # ", "    merge: 2 ", "    # "))
	if l := by["rand-write-iops"].Limit; l.Extra != 1 || l.Binding != hardware.LimitDiskIOPS {
		t.Errorf("rand-write-iops: %g extra writes and %q, but there is one, and the disks bind", l.Extra, l.Binding)
	}
	if l := by["seq-read-iops"].Limit; !l.MergeInferred || math.Abs(l.Merge-2) > 0.1 {
		t.Errorf("seq-read-iops: merge %g", l.Merge)
	}
	_, alone := studyOf(t, mediumNodes(t, "  replicas: 3\n", ""))
	if l := alone["rand-write-bw"].Limit; l.Copies != 3 || l.Binding != hardware.LimitDiskBandwidth {
		t.Errorf("rand-write-bw: %d copies and %q, but there are three, and the disks bind", l.Copies, l.Binding)
	}
	if l := alone["rand-read-bw"].Limit; l.Copies != 0 {
		t.Errorf("rand-read-bw: %d copies of what is only read", l.Copies)
	}
	if l := by["rand-read-iops"].Limit; l.MergeInferred || l.Extra != 0 || l.Copies != 0 {
		t.Errorf("rand-read-iops: %+v, but nothing needs to be inferred", l)
	}
}

// The report's own errors, each found once, and nothing else.
func TestPublishedSlips(t *testing.T) {
	st, _ := studyOf(t, mediumNodes(t))
	got := map[string]int{}
	for _, s := range st.Slips {
		got[s.Kind+" "+s.Where]++
		if s.Message == "" || s.Stated == s.Found {
			t.Errorf("%+v says nothing", s)
		}
	}
	want := map[string]int{
		// 9 × 126 = 1,134, printed 1,179; 669 for 699 replicas.
		"arithmetic seq-read-bw": 1, "arithmetic control plane, 3 nodes": 1,
		// Conclusions and FAQ differ from each other, or from what the points allow.
		"claim rand-read-iops": 2, "claim seq-read-iops": 1, "claim rand-read-bw": 1, "claim seq-read-bw": 5, "claim seq-write-iops": 2,
		"claim rand-write-bw": 1, "claim seq-write-bw": 1,
		// "Linear" from two numbers of nodes, or from one.
		"nodes rand-read-iops": 1, "nodes seq-read-iops": 1, "nodes rand-read-bw": 1, "nodes seq-read-bw": 1, "nodes rand-write-iops": 1,
		"nodes seq-write-iops": 1, "nodes rand-write-bw": 1, "nodes seq-write-bw": 1,
		// 1,190 of 1,205 and 22.3 of 22.7: the limited volumes were saturated.
		"saturated seq-read-iops": 1, "saturated rand-read-bw": 1, "offered seq-write-bw": 1,
		// 15 GiB are less than 25 s of the bandwidth.
		"size rand-read-bw": 1, "size seq-read-bw": 1,
		// The bandwidth of the disks binds, not their IOPS.
		"binding rand-read-bw": 1, "binding seq-read-bw": 1, "binding rand-write-bw": 1, "binding seq-write-bw": 1,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("slips (-want +got):\n%s", d)
	}
	one := func(kind, where string, stated, found float64) {
		for _, s := range st.Slips {
			if s.Kind == kind && s.Where == where && math.Abs(s.Stated/stated-1) < 1e-3 && math.Abs(s.Found/found-1) < 1e-3 {
				return
			}
		}
		t.Errorf("%s %s: %g stated, %g found is missing", kind, where, stated, found)
	}
	one("arithmetic", "seq-read-bw", 1179<<20, 1134<<20)
	one("arithmetic", "control plane, 3 nodes", 669, 699)
	one("saturated", "seq-read-iops", 1205, 1190)
	one("nodes", "seq-write-iops", 2, 1)
	one("nodes", "seq-write-bw", 2, 1)
	one("nodes", "rand-write-bw", 2, 1)
	one("nodes", "rand-read-iops", 3, 2)
	one("size", "rand-read-bw", 15<<30, 25*874<<20)
}

// The answers of the report's FAQ, from the fits: each of its constants lies within 3 % of the capacity
// that the points give, which has an interval and the FAQ's constants do not.
func TestPublishedAnswers(t *testing.T) {
	const MiB = 1 << 20
	st, by := studyOf(t, mediumNodes(t))
	for workload, faq := range map[string]struct{ total, each float64 }{
		"rand-read-iops": {31700, 22180}, "seq-read-iops": {62500, 39772}, "rand-write-iops": {5250, 1150}, "seq-write-iops": {10400, 2340},
		"rand-read-bw": {1170 * MiB, 874 * MiB}, "seq-read-bw": {1152 * MiB, 669 * MiB}, "rand-write-bw": {376.8 * MiB, 159 * MiB}, "seq-write-bw": {381.6 * MiB, 291 * MiB},
	} {
		l := chosenLawOf(t, by[workload])
		if math.Abs(l.Capacity.Value/faq.total-1) > 0.03 || l.Capacity.Confidence != 0.95 || math.Abs(l.First.Value/faq.each-1) > 0.03 || l.First.Confidence != 0.95 {
			t.Errorf("%s: C %+v and x₁ %+v, the FAQ has %g and %g", workload, l.Capacity, l.First, faq.total, faq.each)
		}
	}
	for workload, want := range map[string]struct{ knee, tolerance float64 }{"rand-write-lat": {10.6, 0.06}, "seq-write-lat": {10.5, 0.06}, "rand-read-lat": {23.6, 0.2}, "seq-read-lat": {23.4, 0.2}} {
		l := by[workload].Latency
		if l == nil || math.Abs(l.Knee-want.knee) > 0.1 {
			t.Fatalf("%s: %+v", workload, l)
		}
		for _, p := range l.Points {
			if math.Abs(p.Measured/p.Predicted.Value-1) > want.tolerance {
				t.Errorf("%s: %g predicted for %d volumes, measured %g", workload, p.Predicted.Value, p.Volumes, p.Measured)
			}
			// Well beyond the knee, Little's law determines the latency.
			if float64(p.Volumes) > 1.5*l.Knee && math.Abs(p.Measured/p.Predicted.Value-1) > 0.03 {
				t.Errorf("%s, behind the knee: %g predicted for %d volumes, measured %g", workload, p.Predicted.Value, p.Volumes, p.Measured)
			}
		}
	}
	if c := st.Control; len(c) != 2 || !inside(c[0].Exponent, 0.72) || math.Abs(c[1].Exponent.Value-1) > 0.02 || c[0].Verdict != study.LineNotShown {
		t.Errorf("control plane: %+v", c)
	}
	r := st.Rebuild
	if r == nil || len(r.Largest) != 2 {
		t.Fatalf("rebuilds: %+v", r)
	}
	for i, want := range []float64{30747, 772.8} {
		if got := r.Largest[i].Volume.Value / (1 << 30); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("the largest volume is %g GiB, the FAQ has %g", got, want)
		}
	}
	if r.Binding != hardware.LimitDiskBandwidth {
		t.Errorf("rebuilding is bound by %q", r.Binding)
	}
}

func chosenLawOf(t *testing.T, x study.Scale) *model.Law {
	t.Helper()
	for i := range x.Scale.Laws {
		if l := &x.Scale.Laws[i]; l.Chosen && l.Capacity != nil {
			return l
		}
	}
	t.Fatalf("%s has no capacity", x.Scale.Workload)
	return nil
}
