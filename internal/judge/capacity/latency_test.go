package capacity

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
)

// Four tables of mean latencies in ns at depth 1, on 1, 3, 6, … 51 volumes.
var latencies = map[string][18]float64{
	"rand-read": {742955, 750170, 774555, 790714, 810890, 832421, 858495, 876277, 902481, 934727, 972684, 1014888, 1117489, 1212721, 1304671, 1391987,
		1488104, 1581291},
	"seq-read": {736699, 745284, 766109, 790306, 808654, 827570, 847532, 869385, 898042, 926866, 959980, 1029409, 1122368, 1211142, 1306095, 1397748,
		1493102, 1582556},
	"rand-write": {2039519, 2056904, 2091819, 2135070, 2253089, 2807773, 3373824, 3938172, 4503630, 5071816, 5640033, 6208153, 6771033, 7341914, 7905373,
		8480925, 9040640, 9609189},
	"seq-write": {2027403, 2064941, 2101946, 2135524, 2256725, 2812809, 3377877, 3942233, 4503992, 5078192, 5640632, 6204730, 6770942, 7343912, 7906260,
		8475788, 9035704, 9611938},
}

func latencyScale(name string) *model.Scale {
	s := &model.Scale{Workload: name + "-lat", Metric: model.IOPS, Depth: 1, BlockSize: 4096}
	for i, ns := range latencies[name] {
		s.Points = append(s.Points, model.ScalePoint{Volumes: max(1, 3*i), Nodes: 3, Mean: &model.Estimate{Unit: "s", Value: ns * 1e-9}})
	}
	return s
}

// The latencies of random I/O follow from the capacity of another workload and from the latency of one
// volume alone; the expected knee and slope were read from the table by hand.
func TestLatenciesArePredictedFromTheCapacity(t *testing.T) {
	for _, c := range []struct {
		name             string
		from             published
		knee, slope      float64 // volumes, seconds per volume
		implied          float64 // the capacity implied by the latencies themselves
		behind, kneeMiss float64 // largest |ln(measured/predicted)| beyond 1.5 knees, and anywhere
	}{
		{"rand-read", eight[0], 23.6, 1 / 31808.0, 32270, 0.04, 0.22},
		{"rand-write", eight[4], 10.6, 1 / 5194.0, 5318, 0.03, 0.06},
	} {
		from := c.from.scale()
		var err error
		if from.Laws, err = Fit(from); err != nil {
			t.Fatal(err)
		}
		st, ok := explainLatency(latencyScale(c.name), from)
		if !ok {
			t.Fatal("no study")
		}
		if math.Abs(st.Knee-c.knee) > 0.1 || math.Abs(st.Slope/c.slope-1) > 1e-3 {
			t.Errorf("%s: knee %.1f, slope %.3g", c.name, st.Knee, st.Slope)
		}
		if st.Implied == nil || math.Abs(st.Implied.Value/c.implied-1) > 0.01 {
			t.Errorf("%s: implied capacity %v", c.name, st.Implied)
		}
		for _, p := range st.Points {
			miss := math.Log(p.Measured / p.Predicted.Value)
			t.Logf("%s n=%d measured %.3f predicted %.3f (%.3f–%.3f) ms: %+.1f %%", c.name, p.Volumes, 1e3*p.Measured, 1e3*p.Predicted.Value,
				1e3*p.Predicted.Low, 1e3*p.Predicted.High, 100*miss)
			if bound := c.behind; float64(p.Volumes) > 1.5*st.Knee && math.Abs(miss) > bound {
				t.Errorf("%s at %d: predicted %.3f ms, measured %.3f", c.name, p.Volumes, 1e3*p.Predicted.Value, 1e3*p.Measured)
			}
			if math.Abs(miss) > c.kneeMiss {
				t.Errorf("%s at %d: misses by %.0f %%", c.name, p.Volumes, 100*miss)
			}
		}
	}
}

// From 12 volumes on, N / latency is constant within 0.2 %.
func TestWriteLatenciesTellTheCapacityThemselves(t *testing.T) {
	for _, name := range []string{"rand-write", "seq-write"} {
		laws, err := Fit(latencyScale(name))
		if err != nil {
			t.Fatal(err)
		}
		l := laws[0]
		t.Logf("%s: %s C %.0f (%.0f–%.0f) knee %.2f bent %v", name, l.Kind, l.Capacity.Value, l.Capacity.Low, l.Capacity.High, l.Knee, l.Bent)
		if l.Kind != model.SaturationLaw || math.Abs(l.Capacity.Value-5320) > 0.002*5320 {
			t.Errorf("%s: %s, C = %v", name, l.Kind, l.Capacity)
		}
	}
}

func TestNodesNeedThreeNumbersForALine(t *testing.T) {
	s := eight[0].scale()
	var err error
	if s.Laws, err = Fit(s); err != nil {
		t.Fatal(err)
	}
	if got := nodeGrowth(s); got.Verdict != study.OneNodeNumber || got.Exponent != nil {
		t.Errorf("one number of nodes: %+v", got)
	}
	s.Points = append(s.Points, model.ScalePoint{Volumes: 30, Nodes: 6, PerVolume: model.Estimate{Value: 2127}})
	got := nodeGrowth(s)
	if got.Verdict != study.LineNotShown || got.Exponent.Confidence != 0 || math.Abs(got.Ratio.Value-2.006) > 0.001 || got.Ratio.Confidence == 0 {
		t.Errorf("two numbers of nodes: %+v, ratio %+v", got, got.Ratio)
	}
	for _, c := range []struct {
		name     string
		figures  map[int]float64
		exponent float64
		verdict  study.NodeVerdict
	}{
		{"most volumes", map[int]float64{3: 699, 6: 1114, 9: 1561}, 0.727, study.LineNotShown},
		{"onset of slowing down", map[int]float64{3: 460, 6: 840, 9: 1400}, 1.00, study.LineNotShown},
		{"in line", map[int]float64{3: 300, 6: 601, 9: 899, 12: 1200}, 1.00, study.InLine},
		{"less", map[int]float64{3: 300, 6: 450, 9: 570, 12: 675}, 0.585, study.LessThanLine},
	} {
		got := figureGrowth(c.name, "1", c.figures)
		if got.Verdict != c.verdict || math.Abs(got.Exponent.Value-c.exponent) > 0.01 {
			t.Errorf("%s: %s, exponent %.3f (%.2f–%.2f)", c.name, got.Verdict, got.Exponent.Value, got.Exponent.Low, got.Exponent.High)
		}
	}
}

// Which scale's capacity explains a latency does not depend on the order of the scales.
func TestLatenciesTakeTheLargestCapacity(t *testing.T) {
	latencies := study.PublishedScale{Scale: model.Scale{Workload: "rand-read-lat", Access: model.Random, Direction: model.Read, BlockSize: 4 << 10, Depth: 1, Metric: model.IOPS}}
	for _, n := range []int{1, 4, 8, 16} {
		latencies.Points = append(latencies.Points, model.ScalePoint{Volumes: n, Nodes: 3, Mean: &model.Estimate{Unit: "s", Value: 1e-3}})
	}
	deep := scaleOf("deep", model.Random, model.Read, 4<<10, 64, 20000, 30000)
	lone := scaleOf("lone", model.Random, model.Read, 4<<10, 1, 500, 6000)
	for _, scales := range [][]study.PublishedScale{{latencies, lone, deep}, {deep, lone, latencies}} {
		st, err := Study(&study.Published{Name: "drawn", Scales: scales})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range st.Scales {
			if s.Scale.Workload == "rand-read-lat" && (s.Latency == nil || s.Latency.From != "deep") {
				t.Errorf("explained by %+v", s.Latency)
			}
		}
	}
}
