package analyze

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// loadPoints are points at the usual shares of 1,000 IOPS with the given p99 (ms; 0 is none) and all
// due I/Os done.
func loadPoints(p99 ...float64) []model.SweepPoint {
	shares := []float64{.1, .3, .5, .7, .8, .9, .95}
	points := make([]model.SweepPoint, len(p99))
	for i, v := range p99 {
		points[i] = model.SweepPoint{Offered: 1000 * shares[i], Fraction: shares[i], Achieved: 1}
		if v > 0 {
			points[i].P99 = &model.Estimate{Unit: "s", Value: v / 1000}
		}
	}
	return points
}

func TestTheKneeIsTheLastRateThatIsSustained(t *testing.T) {
	short := loadPoints(1, 1, 1, 1)
	short[3].Achieved = .97
	cases := map[string]struct {
		points []model.SweepPoint
		at     float64
		beyond bool
		says   string
	}{
		"a curve":        {loadPoints(1, 1.1, 1.4, 2, 2.5, 6, 20), 700, true, "at 800 IOPS (80 % of the capacity) p99 is 2.50 ms, more than twice the 1.00 ms at 100 IOPS"},
		"flat":           {loadPoints(1, 1, 1, 1, 1, 1, 1), 950, false, "at or above"},
		"not achieved":   {short, 500, true, "only 97.0 %"},
		"steep at once":  {loadPoints(1, 9, 9, 9), 100, true, "at 300 IOPS (30 %"},
		"a dent below":   {loadPoints(1, 3, 1, 1), 700, false, "though at the lower rate of 300 IOPS p99 is 3.00 ms"},
		"no p99 further": {loadPoints(1, 1, 0), 300, false, "higher rates had too few"},
		"no p99 between": {loadPoints(0, 1, 0, 1.5, 3), 700, true, "more than twice the 1.00 ms at 300 IOPS"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := knee(c.points)
			if k == nil || k.Offered != c.at || k.Beyond != c.beyond || !strings.Contains(k.Why, c.says) {
				t.Errorf("got %+v, want the knee at %g and %q", k, c.at, c.says)
			}
		})
	}
	bad := loadPoints(1, 1)
	bad[0].Achieved, bad[1].Achieved = .5, .5
	for name, points := range map[string][]model.SweepPoint{"no points": nil, "no p99": loadPoints(0, 0), "nothing carried": bad} {
		if k := knee(points); k != nil {
			t.Errorf("%s: a knee at %g", name, k.Offered)
		}
	}
}

// Where the storage pauses, p99 is the length of a pause at every rate, and the knee is a matter of chance.
func TestTheKneeOfStorageThatPausesIsDoubted(t *testing.T) {
	for _, p99 := range [][]float64{{440, 450, 460, 500, 500}, {440, 450, 460, 1000, 2000}, {12, 13, 380, 400, 400}, {1, 1, 1, 3, 9}} {
		points := loadPoints(p99...)
		for i := range points {
			points[i].P50 = &model.Estimate{Unit: "s", Value: 0.001}
		}
		if k := knee(points); strings.Contains(k.Why, "storage that pauses") != (p99[0] > 10) {
			t.Errorf("p99 of %v ms: %+v", p99, k)
		}
	}
}

// The rates of a load sweep come from the repeats, and failed repeats do not count.
func TestWhatIsAchievedIsOfWhatWasDue(t *testing.T) {
	rec := &model.Recorded{}
	rec.Plan.Experiment.Sweep = &model.SweepRequest{Pattern: "randread", BlockSizes: []int64{4096}, Load: true}
	rec.Plan.Schedule.Mode = model.Rounds
	rec.Plan.Workloads = []model.Workload{
		{Name: model.CapacityWorkload, Direction: model.Read, Depth: 64, BlockSize: 4096, Metric: model.IOPS},
		{Name: "load-50", Direction: model.Read, BlockSize: 4096, OpenLoop: true, OfCapacity: .5, Metric: model.Latency},
	}
	var h histogram.Histogram
	h.Add(histogram.BucketOf(1e6), 450)
	add := func(number int, workload string, ios uint64, due uint64, fault string) {
		step := model.Step{Number: number, Workload: workload}
		if due > 0 {
			step.Offered = 500
		}
		rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: step, Due: due, Error: fault})
		for s := range 3 {
			rec.Samples = append(rec.Samples, model.Sample{Step: number, Seconds: 1, End: float64(10*number + s),
				Read: &model.Flow{IOs: ios, Bytes: ios * 4096, LatencySum: float64(ios) / 1000, Histogram: h}})
		}
	}
	add(1, model.CapacityWorkload, 1000, 0, "")
	add(2, "load-50", 450, 1500, "")
	add(3, "load-50", 450, 1500, "")
	add(4, "load-50", 10, 1500, "Input/output error")
	ResolveOffered(rec)
	s := Sweep(rec, Results(rec))
	if s == nil || s.Kind != model.SweepLoad || s.Capacity == nil || s.Capacity.Value != 1000 || len(s.Points) != 1 {
		t.Fatalf("got %+v", s)
	}
	p := s.Points[0]
	if p.Offered != 500 || p.Fraction != .5 || p.Achieved != .9 || p.IOPS.Value != 450 || p.P99 == nil {
		t.Errorf("got %+v", p)
	}
	if s.Knee != nil {
		t.Errorf("a knee where only 90 %% is achieved: %+v", s.Knee)
	}
	// All due I/Os are done: there is a knee, unless the numbers are invalid.
	for i := range rec.Run.Steps {
		if s := &rec.Run.Steps[i]; s.Due > 0 {
			s.Due = 1350
		}
	}
	results := Results(rec)
	if Sweep(rec, results).Knee == nil {
		t.Error("no knee where all is achieved")
	}
	results[1].Verdict = model.Invalid
	if k := Sweep(rec, results).Knee; k != nil {
		t.Errorf("a knee of invalid points: %+v", k)
	}
	if Sweep(&model.Recorded{}, nil) != nil {
		t.Error("a run that is no sweep has one")
	}
}
