package analyze_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// randomRun draws a run of one reader: repeats of any length, seconds without I/O, latencies over
// several decades.
func randomRun(t *rapid.T) *model.Recorded {
	rec := recorded([]model.Workload{reader("a")}, nil)
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	clock := 0.0
	for v := range rapid.IntRange(1, 12).Draw(t, "repeats") {
		step := done(v+1, "a")
		step.Step.Round, step.Step.Ramp = v+1, 2
		step.Started = clock
		clock += 2
		for range rapid.IntRange(1, 400).Draw(t, "seconds") {
			clock++
			s := model.Sample{Step: v + 1, End: clock, Seconds: 1}
			if n := r.Uint64N(3000); n > 10 {
				s.Read = flowOf(n, math.Pow(10, -5*r.Float64()))
				s.Read.Histogram.Add(histogram.BucketOf(2e6), n/10)
				s.Read.IOs += n / 10
			}
			rec.Samples = append(rec.Samples, s)
		}
		step.Ended = clock + 0.1
		clock += 1
		rec.Run.Steps = append(rec.Run.Steps, step)
	}
	return rec
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Max(math.Abs(a), math.Abs(b)) }

func TestThinningKeepsSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := randomRun(t)
		var ios, seconds float64
		var all histogram.Histogram
		for _, s := range rec.Samples {
			seconds += s.Seconds
			if s.Read != nil {
				ios += float64(s.Read.IOs)
				all.Merge(s.Read.Histogram)
			}
		}
		courses := analyze.Courses(rec)
		if ios == 0 {
			if len(courses) != 0 {
				t.Fatalf("%d courses without one I/O", len(courses))
			}
			return
		}
		c := courses[0]
		if len(c.Points.At) > 900+len(c.Spans) {
			t.Errorf("%d points", len(c.Points.At))
		}
		var gotIOs, gotSeconds float64
		last := 0.0
		for i, at := range c.Points.At {
			gotIOs += c.Points.IOPS[i] * c.Points.Seconds[i]
			gotSeconds += c.Points.Seconds[i]
			span := c.Spans[c.Points.Span[i]]
			if at <= last || at-c.Points.Seconds[i] < span.Start-1e-6 || at > span.End+1e-6 {
				t.Fatalf("point %d ends at %v, after %v, in a repeat from %v to %v", i, at, last, span.Start, span.End)
			}
			last = at
		}
		if !near(gotIOs, ios) || !near(gotSeconds, seconds) {
			t.Errorf("%v I/Os in %v s, want %v in %v s", gotIOs, gotSeconds, ios, seconds)
		}
		checkHeat(t, c.Heat, all)
		checkTail(t, c.Tail, all)
	})
}

// checkHeat compares the rows of a heatmap with the histogram of all I/Os.
func checkHeat(t *rapid.T, h *model.Heat, all histogram.Histogram) {
	if len(h.Times) > 150+12 || len(h.Bounds) > 42 || len(h.From) != len(h.Times) {
		t.Fatalf("%d columns (%d beginnings), %d rows", len(h.Times), len(h.From), len(h.Bounds)-1)
	}
	got, want := make([]uint64, len(h.Bounds)-1), make([]uint64, len(h.Bounds)-1)
	for _, c := range h.Cells {
		got[c[1]] += c[2]
	}
	for seconds, n := range all.Buckets {
		for row := range want {
			if seconds >= h.Bounds[row]*(1-1e-4) && seconds < h.Bounds[row+1]*(1-1e-4) {
				want[row] += n
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-histogram +heat):\n%s", diff)
	}
}

// checkTail compares a tail with the histogram of all I/Os.
func checkTail(t *rapid.T, tail []model.TailPoint, all histogram.Histogram) {
	if len(tail) > 120 || tail[0].Above != 1 {
		t.Fatalf("%d points, the first %+v", len(tail), tail[0])
	}
	for i, p := range tail {
		if i > 0 && (p.Latency <= tail[i-1].Latency || p.Above > tail[i-1].Above) {
			t.Fatalf("point %d: %+v after %+v", i, p, tail[i-1])
		}
		above := uint64(0)
		for seconds, n := range all.Buckets {
			if seconds >= p.Latency*(1-1e-4) {
				above += n
			}
		}
		if want := float64(above) / float64(all.Count()); !near(p.Above, want) {
			t.Fatalf("%v of the I/Os took %v s or longer, want %v", p.Above, p.Latency, want)
		}
	}
}

func TestPercentilesOfThinnedPointsAreOfMergedHistograms(t *testing.T) {
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a")})
	rec.Run.Steps[0].Ended = 2000
	// Pairs of a second with 10,000 fast I/Os and one with 400 slow ones: the mean of their p99s is 5.5
	// ms; over all I/Os, 96 % are fast and the p99 is slow.
	for i := range 1800 {
		n, latency := uint64(10000), 1e-3
		if i%2 == 1 {
			n, latency = 400, 10e-3
		}
		rec.Samples = append(rec.Samples, model.Sample{Step: 1, End: float64(i + 1), Seconds: 1, Read: flowOf(n, latency)})
	}
	c := analyze.Courses(rec)[0]
	if c.Thinned != 2 || len(c.Points.At) != 900 {
		t.Fatalf("%d points of %d s, want 900 of 2 s", len(c.Points.At), c.Thinned)
	}
	for i := range c.Points.At {
		if math.Abs(c.Points.P50[i]/1e-3-1) > 0.01 || math.Abs(c.Points.P99[i]/10e-3-1) > 0.01 || c.Points.IOPS[i] != 5200 {
			t.Fatalf("point %d: p50 %v, p99 %v, IOPS %v", i, c.Points.P50[i], c.Points.P99[i], c.Points.IOPS[i])
		}
		if want := (10000*1e-3 + 400*10e-3) / 10400; math.Abs(c.Points.Mean[i]/want-1) > 1e-3 {
			t.Fatalf("point %d: mean %v, want %v", i, c.Points.Mean[i], want)
		}
	}
}

func TestPercentilesNeedIOs(t *testing.T) {
	for n, want := range map[uint64][3]bool{1: {}, 2: {true}, 99: {true}, 100: {true, true}, 999: {true, true}, 1000: {true, true, true}} {
		rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a")},
			model.Sample{Step: 1, End: 1, Seconds: 1, Read: flowOf(n, 1e-3)})
		p := analyze.Courses(rec)[0].Points
		if got := [3]bool{p.P50[0] > 0, p.P99[0] > 0, p.P999[0] > 0}; got != want {
			t.Errorf("%d I/Os: p50, p99, p99.9 shown: %v, want %v", n, got, want)
		}
	}
}

func TestCoursesFollowTheResults(t *testing.T) {
	log := reader("log")
	log.Direction, log.Sync = model.Write, "fdatasync"
	steps := []model.StepResult{done(1, "log"), failed(2, "log"), failed(3, "b"), done(4, "c")}
	for i := range steps {
		steps[i].Started, steps[i].Ended, steps[i].Step.Ramp, steps[i].Step.Round = float64(10*i), float64(10*i)+8, 2, i+1
	}
	rec := recorded([]model.Workload{log, reader("b"), reader("c")}, steps)
	for _, step := range []int{1, 2, 3} {
		for s := range 5 {
			rec.Samples = append(rec.Samples, model.Sample{Step: step, End: float64(10*(step-1) + s + 4), Seconds: 1,
				Write: flowOf(100, 1e-3), Sync: flowOf(100, 2e-3)})
		}
	}
	got := analyze.Courses(rec)
	results := analyze.Results(rec)
	if len(got) != 2 || len(results) != 2 {
		t.Fatalf("%d courses, %d results, want 2 of each", len(got), len(results))
	}
	for i := range got {
		if got[i].Workload != results[i].Workload || got[i].Direction != results[i].Direction {
			t.Errorf("course %d is of %s %s, the result of %s %s", i, got[i].Workload, got[i].Direction, results[i].Workload, results[i].Direction)
		}
	}
	want := []model.Span{{Round: 1, Ramp: 1, Start: 3, End: 8}, {Round: 2, Ramp: 10, Start: 12, End: 18, Error: "fio ended with EIO."}}
	if diff := cmp.Diff(want, got[0].Spans); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
	if len(got[0].Points.At) != 5 {
		t.Errorf("%d points, want the 5 of the repeat that went well", len(got[0].Points.At))
	}
}

func TestCoursesOfAKilledRunShowWhatThereIs(t *testing.T) {
	rec := recorded([]model.Workload{reader("a")}, nil,
		model.Sample{Step: 1, End: 4, Seconds: 1, Read: flowOf(100, 1e-3)}, model.Sample{Step: 1, End: 5, Seconds: 1, Read: flowOf(100, 1e-3)})
	rec.Plan.Steps = []model.Step{{Number: 1, Round: 1, Workload: "a", Ramp: 3}}
	got := analyze.Courses(rec)
	if diff := cmp.Diff([]model.Span{{Round: 1, Ramp: 0, Start: 3, End: 5}}, got[0].Spans); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
}

func TestTheWarmUpOfASteadyRepeatIsMarked(t *testing.T) {
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a")})
	rec.Plan.Schedule.Mode = model.Steady
	rec.Run.Steps[0].Ended = 120
	for i := range 120 {
		n := uint64(1000 + i%3)
		if i < 20 {
			n = 5000
		}
		rec.Samples = append(rec.Samples, model.Sample{Step: 1, End: float64(i + 1), Seconds: 1, Read: flowOf(n, 1/float64(n))})
	}
	c, r := analyze.Courses(rec)[0], analyze.Results(rec)[0]
	if s := c.Spans[0]; s.Start < 20 || s.End-s.Start != r.Seconds || s.Ramp != 0 {
		t.Errorf("measured from %v to %v s with a ramp from %v, the result has %v s", s.Start, s.End, s.Ramp, r.Seconds)
	}
	if len(c.Points.At) != 120 {
		t.Errorf("%d points, want the warm-up to be shown", len(c.Points.At))
	}
	if c.Tail[0].Latency < 0.9e-3 {
		t.Errorf("the distribution holds the warm-up's %v s", c.Tail[0].Latency)
	}
}

// TestCoursesOfLongRunsAreSmall checks that 51 volumes × 15 minutes, and a run of many workloads, fit
// into a page.
func TestCoursesOfLongRunsAreSmall(t *testing.T) {
	for _, rec := range []*model.Recorded{bigRun(51, 1, 900), bigRun(1, 40, 300)} {
		courses := analyze.Courses(rec)
		doc, err := json.Marshal(courses)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d courses: %d kB", len(courses), len(doc)/1000)
		if len(doc) > 600e3 {
			t.Errorf("%d courses weigh %d bytes", len(courses), len(doc))
		}
		if w := len(rec.Samples) / 900 / len(courses); w > 0 && courses[0].Workers != w {
			t.Errorf("%d workers, want %d", courses[0].Workers, w)
		}
	}
}

func BenchmarkCourses(b *testing.B) {
	rec := bigRun(51, 1, 900)
	b.ResetTimer()
	for range b.N {
		analyze.Courses(rec)
	}
}

// A run without a successful I/O has nothing to draw.
func TestCoursesOfNothing(t *testing.T) {
	rec := &model.Recorded{Plan: model.Plan{Workloads: []model.Workload{{Name: "w", Direction: model.Read, Access: model.Random, BlockSize: 4096, Depth: 1, Metric: model.IOPS}}}}
	if list := analyze.Courses(rec); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}
