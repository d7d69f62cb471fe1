package analyze_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// repeats makes one repeat of three seconds per rate, 50 s apart.
func repeats(rates ...uint64) []model.Sample {
	var list []model.Sample
	for i, rate := range rates {
		for s := range 3 {
			list = append(list, model.Sample{Step: i + 1, End: float64(53*i + s + 1), Seconds: 1, Read: flowOf(rate+uint64(s), 1e-3)})
		}
	}
	return list
}

// judged is the judgement on a workload that is the only one of its run.
func judged(w model.Workload, s model.Schedule, samples []model.Sample) model.Judgement {
	return analyze.Judge{}.Judge(&model.Plan{Workloads: []model.Workload{w}, Schedule: s}, w, map[string][]model.Sample{w.Name: samples})
}

func TestJudgeInRounds(t *testing.T) {
	schedule := model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05}
	for _, c := range []struct {
		name      string
		samples   []model.Sample
		repeats   int
		interval  bool
		converged bool
	}{
		{"nothing yet", nil, 0, false, false},
		{"plainly steady", repeats(1000, 1000), 2, true, true},
		{"hardly steady, and too few rounds", repeats(1000, 1012), 2, true, false},
		{"steady", repeats(1000, 1000, 1001), 3, true, true},
		{"noisy", repeats(900, 1000, 1100), 3, true, false},
		// ±4 % by its interval, but such agreement between three repeats may be luck.
		{"lucky perhaps", repeats(985, 1000, 1015), 3, true, false},
		{"no longer luck", repeats(985, 1000, 1015, 985, 1000, 1015), 6, true, true},
	} {
		j := judged(reader("a"), schedule, c.samples)
		if j.Repeats != c.repeats || j.Converged != c.converged || (j.Confidence > 0) != c.interval {
			t.Errorf("%s: %+v", c.name, j)
		}
		if j.Workload != "a" || j.Metric != model.IOPS || j.Direction != model.Read || j.Unit != "1/s" {
			t.Errorf("%s: judged %+v", c.name, j)
		}
	}
}

// Of a long repeat, as many seconds count as a repeat has. The others show how often seconds are slow, unless the rate changed.
func TestALongRepeatShowsHowOftenSecondsAreSlow(t *testing.T) {
	schedule := model.Schedule{Mode: model.Rounds, Repeat: 3, MinRounds: 3, Precision: 0.05, Look: 20, Looks: 1}
	long := func(rate func(second int) uint64) []model.Sample {
		list := repeats(1000, 1013, 988)
		for s := range 20 {
			list = append(list, model.Sample{Step: 4, End: float64(200 + s + 1), Seconds: 1, Look: true, Read: flowOf(rate(s), 1e-3)})
		}
		return list
	}
	even := judged(reader("a"), schedule, long(func(s int) uint64 { return 1000 + uint64(15*(s%3)) }))
	slow := judged(reader("a"), schedule, long(func(s int) uint64 {
		if s == 11 {
			return 400
		}
		return 1000 + uint64(15*(s%3))
	}))
	fell := judged(reader("a"), schedule, long(func(s int) uint64 { return 1000 + uint64(15*(s%3)) - 600*uint64(s/10) }))
	recovered := judged(reader("a"), schedule, long(func(s int) uint64 {
		if s >= 8 && s < 12 {
			return 400
		}
		return 1000 + uint64(15*(s%3))
	}))
	for name, j := range map[string]model.Judgement{"even": even, "slow": slow, "fell": fell, "recovered": recovered} {
		if j.Repeats != 4 || math.Abs(j.Value-1005) > 10 {
			t.Errorf("%s: %d repeats, %g", name, j.Repeats, j.Value)
		}
	}
	width := func(j model.Judgement) float64 { return (j.High - j.Low) / j.Value }
	if !(width(slow) > 3*width(even)) || !(width(recovered) > width(slow)) || width(fell) > 1.2*width(even) {
		t.Errorf("widths: %.4f without slow seconds, %.4f with one, %.4f with four together, %.4f after a fall", width(even), width(slow), width(recovered), width(fell))
	}
}

// Five I/Os in every second of every repeat are 4.5 or 5.4 per second as well.
func TestARateIsNotKnownBetterThanItsCount(t *testing.T) {
	schedule := model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05}
	for rate, want := range map[uint64]float64{5: 1.0 / 15, 50: 1.0 / 150, 5000: stats.Floor} {
		var samples []model.Sample
		for i := range 9 {
			samples = append(samples, model.Sample{Step: 1 + i/3, End: float64(53*(i/3) + i%3 + 1), Seconds: 1, Read: flowOf(rate, 1e-3)})
		}
		j := judged(reader("a"), schedule, samples)
		if half := j.HalfWidth(); math.Abs(half/want-1) > 0.01 {
			t.Errorf("%d IOPS: ±%.2f %%, want ±%.2f %%", rate, 100*half, 100*want)
		}
		if converged := want <= schedule.Precision; j.Converged != converged {
			t.Errorf("%d IOPS: converged %v, want %v", rate, j.Converged, converged)
		}
	}
}

// An interval that is narrow enough too early says for how long the storage has to be observed.
func TestANarrowIntervalWaitsForASlowPeriod(t *testing.T) {
	schedule := model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05, MaxTime: 600}
	for _, c := range []struct {
		name       string
		samples    []model.Sample
		precise    bool
		converged  bool
		observed   float64
		observeFor float64
	}{
		{"narrow", repeats(985, 1000, 1015, 985, 1000), true, false, 215, 225},
		{"narrow, and observed for long enough", repeats(985, 1000, 1015, 985, 1000, 1015), true, true, 0, 0},
		{"still wide", repeats(900, 1000, 1100), false, false, 109, 225},
		{"plainly steady", repeats(1000, 1000), true, true, 0, 0},
	} {
		j := judged(reader("a"), schedule, c.samples)
		if j.Precise != c.precise || j.Converged != c.converged || j.ObserveFor != c.observeFor || j.Observed != c.observed {
			t.Errorf("%s: %+v", c.name, j)
		}
	}
}

func TestAResultIsConvergedByItsPublishedInterval(t *testing.T) {
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a"), done(2, "a"), done(3, "a")}, repeats(985, 1000, 1015)...)
	r := analyze.Results(rec)[0]
	if !r.Converged || r.HalfWidth() > 0.05 {
		t.Errorf("±%.1f %% after three repeats, converged %v", 100*r.HalfWidth(), r.Converged)
	}
}

func TestMixedIsAsGoodAsItsWorseDirection(t *testing.T) {
	samples := repeats(1000, 1000, 1000)
	for i := range samples {
		samples[i].Write = flowOf(300+100*uint64(samples[i].Step), 1e-3)
	}
	w := model.Workload{Name: "m", Direction: model.Mixed, ReadPercent: 70, BlockSize: 4096, Depth: 1, Metric: model.IOPS}
	j := judged(w, model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05}, samples)
	if j.Direction != model.Write || j.Converged {
		t.Errorf("writes vary by a fifth, but the judgement is %+v", j)
	}
}

func TestNothingIsKnownBetterThanTheInstrument(t *testing.T) {
	j := judged(reader("a"), model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05}, repeats(100000, 100000, 100000))
	if h := j.HalfWidth(); h < 0.0025-1e-12 || h > 0.003 {
		t.Errorf("a perfect device got ±%.3f %%, want the floor of 0.25 %%", 100*h)
	}
}

func TestSteadyDropsTheWarmUp(t *testing.T) {
	var samples []model.Sample
	for i := range 200 {
		rate := uint64(1000 + 10*(i%3))
		if i < 50 {
			rate /= 2
		}
		samples = append(samples, model.Sample{Step: 1, End: float64(i + 1), Seconds: 1, Read: flowOf(rate, 1e-3)})
	}
	schedule := model.Schedule{Mode: model.Steady, Precision: 0.05}
	if j := judged(reader("a"), schedule, samples[:40]); j.Converged {
		t.Errorf("stopped after 40 s: %+v", j)
	}
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a")}, samples...)
	rec.Plan.Schedule = schedule
	r := analyze.Results(rec)[0]
	if math.Abs(r.Value-1010) > 5 || !r.Converged || r.Seconds > 155 || r.Seconds < 140 || r.Repeats != 1 {
		t.Errorf("%+v: the first 50 s are at half speed and do not count", r)
	}
	if len(r.Series) != 60 {
		t.Errorf("%d points for a sparkline, want 60", len(r.Series))
	}
}

func TestPercentilesNeedEnoughIOs(t *testing.T) {
	few := repeats(20, 20, 20) // 189 I/Os
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a"), done(2, "a"), done(3, "a")}, few...)
	r := analyze.Results(rec)[0]
	if r.Latency.P50 == nil || r.Latency.P99 != nil || r.Latency.P9999 != nil {
		t.Errorf("189 I/Os: p50 %v, p99 %v, p99.99 %v", r.Latency.P50, r.Latency.P99, r.Latency.P9999)
	}
	if _, ok := r.Metrics[model.P99]; ok {
		t.Error("189 I/Os have an interval for p99")
	}
	rec.Samples = repeats(100000, 100000, 100000)
	if r = analyze.Results(rec)[0]; r.Latency.P9999 == nil {
		t.Error("900,000 I/Os do not support p99.99")
	}
	if e := r.Metrics[model.P99]; e.HalfWidth() < 1.0/128 {
		t.Errorf("p99 is known to ±%.2f %%, better than its bucket", 100*e.HalfWidth())
	}
}

func TestPercentilesComeFromMergedHistograms(t *testing.T) {
	samples := append(repeats(10000, 10000), repeats(1000)...)
	for i := range samples[6:] {
		samples[6+i].Step, samples[6+i].End = 3, samples[6+i].End+106
		samples[6+i].Read = flowOf(1000, 20e-3)
	}
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a"), done(2, "a"), done(3, "a")}, samples...)
	l := analyze.Results(rec)[0].Latency
	// 3,000 of 63,006 I/Os are slow: p90 is fast, p99 is slow; the means of the repeats' percentiles
	// would be neither.
	if math.Abs(*l.P90-1e-3) > 1e-5 || math.Abs(*l.P99-20e-3) > 2e-4 {
		t.Errorf("p90 %v, p99 %v, want 1 ms and 20 ms", *l.P90, *l.P99)
	}
}

func TestWorkersAddUpOverTheirCommonWindow(t *testing.T) {
	var samples []model.Sample
	steps := []model.StepResult{}
	for step := 1; step <= 3; step++ {
		at := 100 * float64(step)
		steps = append(steps, done(step, "a"))
		for s := range 6 {
			samples = append(samples, model.Sample{Step: step, Worker: 0, End: at + float64(s) + 1, Seconds: 1, Read: flowOf(1000, 1e-3)})
		}
		// The second worker starts 1.5 s later; alone, the first one is faster.
		samples[len(samples)-6].Read = flowOf(2000, 1e-3)
		for s := range 4 {
			samples = append(samples, model.Sample{Step: step, Worker: 1, End: at + 2.5 + float64(s), Seconds: 1, Read: flowOf(500, 3e-3)})
		}
	}
	r := analyze.Results(recorded([]model.Workload{reader("a")}, steps, samples...))[0]
	for _, v := range r.RepeatValues {
		if math.Abs(v-1500) > 1e-6 {
			t.Fatalf("repeats %v, want 1500/s in each", r.RepeatValues)
		}
	}
	if want := (1000*1e-3 + 500*3e-3) / 1500; math.Abs(r.Latency.Mean-want) > 1e-9 {
		t.Errorf("mean latency %v, want %v", r.Latency.Mean, want)
	}
	if r.Seconds != 12 {
		t.Errorf("%v s were measured together, want 12", r.Seconds)
	}
}

func TestAnalysisIsRepeatable(t *testing.T) {
	rec := recorded([]model.Workload{reader("a")}, []model.StepResult{done(1, "a"), done(2, "a"), done(3, "a")}, repeats(980, 1000, 1040)...)
	first := analyze.Results(rec)
	if diff := cmp.Diff(first, analyze.Results(rec)); diff != "" {
		t.Error(diff)
	}
}
