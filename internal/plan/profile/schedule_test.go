package profile

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

func TestRoundsByDefault(t *testing.T) {
	plan := build(t, model.Experiment{}, builtin(t, "standard"), directory, ample())
	want := model.Schedule{Mode: model.Rounds, Ramp: .5, Repeat: 3, MinRounds: 3, MaxTime: 300, Precision: .05, Seed: 7, Overhead: .35, Look: 20, Looks: 2}
	if diff := cmp.Diff(want, plan.Schedule); diff != "" {
		t.Error(diff)
	}
	if len(plan.Steps) != 3*14 {
		t.Errorf("%d steps", len(plan.Steps))
	}
	if got := 3*14*3.85 + 2*(20-3); math.Abs(plan.MeasureSeconds-got) > 1e-9 {
		t.Errorf("measuring is said to take %g s, want %g", plan.MeasureSeconds, got)
	}
	if plan.PrefillSeconds != 25 {
		t.Errorf("prefill is said to take %g s, want 25 GiB at 1 GiB/s", plan.PrefillSeconds)
	}
}

func TestQuickTakesAMinuteAndAHalf(t *testing.T) {
	plan := build(t, model.Experiment{}, builtin(t, "quick"), directory, ample())
	if plan.Schedule.MaxTime >= 100 || plan.MeasureSeconds > plan.Schedule.MaxTime || plan.Schedule.Repeat != 2 || plan.Schedule.MinRounds != 3 {
		t.Errorf("%g s: %+v", plan.MeasureSeconds, plan.Schedule)
	}
	if plan = build(t, model.Experiment{MaxTime: 120}, builtin(t, "quick"), directory, ample()); plan.Schedule.MaxTime != 120 {
		t.Errorf("the user's --max-time lost against the profile's: %g", plan.Schedule.MaxTime)
	}
}

// Each workload once, in Kbench's order, except that read-only ones come before those with
// after-effects.
func TestFixedIsKbenchsSchedule(t *testing.T) {
	p := builtin(t, "kbench")
	var names []string
	for _, writes := range []bool{false, true} {
		for _, w := range p.Workloads {
			if w.Writes() == writes {
				names = append(names, w.Name)
			}
		}
	}
	plan := build(t, model.Experiment{Time: 20}, p, directory, ample())
	if s := plan.Schedule; s.Mode != model.Fixed || s.Repeat != 20 || s.Ramp != 5 || s.MinRounds != 1 || s.MaxTime < plan.MeasureSeconds {
		t.Errorf("%+v", s)
	}
	for i, s := range plan.Steps {
		if want := (model.Step{Number: i + 1, Round: 1, Workload: names[i], Ramp: 5, Seconds: 20}); s != want {
			t.Errorf("step %+v, want %+v", s, want)
		}
	}
	if plan = build(t, model.Experiment{Time: 5, RampTime: 1}, p, directory, ample()); plan.Schedule.Ramp != 1 {
		t.Errorf("ramp %g, want the one that was asked for", plan.Schedule.Ramp)
	}
}

func TestSteadyIsOneRepeatBoundedPerWorkload(t *testing.T) {
	plan := build(t, model.Experiment{UntilSteady: true, MaxTime: 600}, builtin(t, "quick"), directory, ample())
	if s := plan.Schedule; s.Mode != model.Steady || s.Repeat != 600 || s.MaxTime < 6*600 || len(plan.Steps) != 6 {
		t.Errorf("%+v, %d steps", s, len(plan.Steps))
	}
}

func TestRepeatsGetShorterBeforeATimeIsRefused(t *testing.T) {
	for limit, want := range map[float64]float64{300: 3, 197.7: 3, 197: 2, 155.7: 2, 155: 2, 119.7: 2, 119: 1, 77.7: 1} {
		plan := build(t, model.Experiment{MaxTime: limit}, builtin(t, "standard"), directory, ample())
		if plan.Schedule.Repeat != want {
			t.Errorf("--max-time %g: repeats of %g s, want %g", limit, plan.Schedule.Repeat, want)
		}
	}
}

func TestFewWorkloadsAreSpreadOverTime(t *testing.T) {
	p := builtin(t, "kbench")
	p.Repeat, p.Ramp = 3, 0
	for n, want := range map[int]int{1: 5, 2: 3, 3: 3, 12: 3} {
		q := p
		q.Workloads = p.Workloads[:n]
		if got := build(t, model.Experiment{}, q, directory, ample()).Schedule.MinRounds; got != want {
			t.Errorf("%d workloads: %d rounds, want %d", n, got, want)
		}
	}
	p.Workloads = p.Workloads[:1]
	if s := build(t, model.Experiment{MaxTime: 12}, p, directory, ample()).Schedule; s.MinRounds != 3 || s.Repeat != 3 {
		t.Errorf("more rounds than --max-time allows, or shorter repeats for their sake: %+v", s)
	}
}

// Every plan that is not refused satisfies its guarantees, whatever was requested.
func TestPlansKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := Lookup(rapid.SampledFrom(Names()).Draw(t, "profile"))
		p.Workloads = p.Workloads[:rapid.IntRange(1, len(p.Workloads)).Draw(t, "workloads")]
		probe := ample()
		probe.Capacity = rapid.Int64Range(64*mib, 64*gib).Draw(t, "capacity")
		probe.Environment.Storage.Free = probe.Capacity + rapid.Int64Range(0, gib).Draw(t, "reserve")
		probe.ReadBandwidth = rapid.Float64Range(0, 20*gib).Draw(t, "read")
		probe.WriteBandwidth = rapid.Float64Range(0, 20*gib).Draw(t, "write")
		exp := model.Experiment{
			Seed: rapid.Uint64Range(1, math.MaxUint64).Draw(t, "seed"), Size: rapid.Int64Range(0, 64*gib).Draw(t, "size"),
			MaxTime: rapid.Float64Range(0, 600).Draw(t, "max time"), MaxPrefill: rapid.Float64Range(0, 100).Draw(t, "max prefill"),
		}
		plan, err := Build(exp, p, directory, probe)
		if err != nil {
			return
		}
		again, _ := Build(exp, p, directory, probe)
		if diff := cmp.Diff(plan, again); diff != "" {
			t.Fatalf("the same question, another plan:\n%s", diff)
		}
		s, v := plan.Schedule, plan.Volume
		if v.Size > probe.Capacity || v.Size < 16*mib || v.Size%4096 != 0 || v.SizeReason == "" {
			t.Fatalf("size %d of %d: %s", v.Size, probe.Capacity, v.SizeReason)
		}
		if plan.MeasureSeconds > s.MaxTime+1e-3 || s.Repeat < 1 || s.Ramp <= 0 || s.MinRounds < 3 || s.Precision <= 0 {
			t.Fatalf("%g s: %+v", plan.MeasureSeconds, s)
		}
		if len(plan.Steps) != s.MinRounds*len(p.Workloads) {
			t.Fatalf("%d steps", len(plan.Steps))
		}
		repeats := map[string]int{}
		for i, step := range plan.Steps {
			repeats[fmt.Sprint(step.Round, step.Workload)]++
			w, ok := plan.Workload(step.Workload)
			if !ok || step.Number != i+1 || step.Offset < 0 || step.Offset > 0.5 || step.Offset != 0 && w.Access == model.Random {
				t.Fatalf("step %+v", step)
			}
			if begin := int64(w.JobCount()-1) * w.OffsetIncrement; begin >= v.Size || begin > 0 && step.Offset > 0 {
				t.Fatalf("the last job of %s begins at %d of %d, beside an offset of %g", w.Name, begin, v.Size, step.Offset)
			}
		}
		for key, n := range repeats {
			if n != 1 {
				t.Fatalf("%s is measured %d times in one round", key, n)
			}
		}
	})
}

func TestRoundIsOneRule(t *testing.T) {
	plan := build(t, model.Experiment{}, builtin(t, "kbench"), directory, ample())
	for round := 1; round <= 3; round++ {
		if diff := cmp.Diff(plan.Steps[12*(round-1):12*round], Round(&plan, round, plan.Workloads, 12*(round-1)+1)); diff != "" {
			t.Errorf("round %d:\n%s", round, diff)
		}
	}
	if slices.EqualFunc(plan.Steps[:12], plan.Steps[12:24], func(a, b model.Step) bool { return a.Workload == b.Workload }) {
		t.Error("two rounds in the same order")
	}
	extra := Round(&plan, 4, plan.Workloads[2:4], 37)
	if len(extra) != 2 || extra[0].Number != 37 || extra[1].Number != 38 || extra[0].Round != 4 || extra[0].Seconds != plan.Schedule.Repeat {
		t.Errorf("%+v", extra)
	}
}

// Every order of three must occur about equally often: a sixth of 6,000 seeds has a standard deviation
// of 29, so ± 150 is about five standard deviations.
func TestRoundIsFair(t *testing.T) {
	seen := map[string]int{}
	plan := model.Plan{Workloads: kbenchWorkloads()[:3]}
	for seed := uint64(1); seed <= 6000; seed++ {
		plan.Schedule.Seed = seed
		key := ""
		for _, s := range Round(&plan, 2, plan.Workloads, 4) {
			key += s.Workload + " "
		}
		seen[key]++
		if first := Round(&plan, 1, plan.Workloads, 1); first[2].Workload != "rand-write-iops" {
			t.Fatalf("the first round is not one of reads first: %+v", first)
		}
	}
	if len(seen) != 6 {
		t.Fatalf("%d of 6 orders", len(seen))
	}
	for order, n := range seen {
		if n < 850 || n > 1150 {
			t.Errorf("%s: %d of 6000", order, n)
		}
	}
}

// A low-discrepancy sequence leaves no gap much wider than its number of points allows: after n
// repeats, at most 2.7/n of the range (three-distance theorem).
func TestSequentialRepeatsSpreadOverTheVolume(t *testing.T) {
	plan := build(t, model.Experiment{}, builtin(t, "kbench"), directory, ample())
	w, _ := plan.Workload("seq-read-bw")
	for _, n := range []int{3, 5, 10, 20} {
		points := []float64{}
		for round := 1; round <= n; round++ {
			points = append(points, 2*offset(&plan, w, round))
		}
		slices.Sort(points)
		widest := points[0] + 1 - points[n-1]
		for i := 1; i < n; i++ {
			widest = max(widest, points[i]-points[i-1])
		}
		if widest > 2.7/float64(n) {
			t.Errorf("%d repeats leave a gap of %.2f", n, widest)
		}
	}
	other, _ := plan.Workload("seq-write-bw")
	if offset(&plan, w, 1) == offset(&plan, other, 1) {
		t.Error("two workloads begin at the same place")
	}
}

// Long times are advised in hours, and never shorter than they must be.
func TestTimesAreAdvisedAsTyped(t *testing.T) {
	for seconds, want := range map[float64]string{77.2: "78s", 600: "600s", 601: "11m", 7400: "124m", 258910: "72h", 259201: "73h"} {
		if got := typedTime(seconds); got != want {
			t.Errorf("%g s: %s, want %s", seconds, got, want)
		}
	}
}
