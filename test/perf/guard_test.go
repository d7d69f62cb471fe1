package perf

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// setup returns one of setups, by its name.
func setup(t *testing.T, name string) Setup {
	for _, s := range setups() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no setup %q", name)
	return Setup{}
}

// The tests of this file guard the figures of BenchmarkIntervals, BenchmarkTails and
// BenchmarkGoals, over fewer kinds of storage with fixed seeds, with bounds that
// only a broken estimator exceeds.

func TestThreeRepeatsAreNarrowAndTrue(t *testing.T) {
	for _, way := range []string{"standard", "six", "quick"} {
		set := setup(t, way)
		set.Rounds = 3
		for _, s := range []Storage{
			{Name: "independent", Mean: 1, Start: Steady(0.06)},
			{Name: "correlated", Mean: 1, Start: Correlated(0.8, 0.06)},
			{Name: "repeats differ", Mean: 1, Start: UnequalRepeats(0.06, 0.01)},
			{Name: "unlike each other", Mean: 1, Start: UnequalRepeats(0.03, 0.01), Unlike: 0.3},
		} {
			o := Simulate(s, set, ours, map[model.Metric]float64{model.IOPS: baseRate}, runsOf(set, 400)).By[model.IOPS]
			if c := o.Coverage(); c < 0.91 || c > 0.985 {
				t.Errorf("%s, %s: %.1f %% of the intervals hold the truth", way, s.Name, 100*c)
			}
			if w := o.Width() / o.Known(); w > 1.5 {
				t.Errorf("%s, %s: %.2f times as wide as with a known spread", way, s.Name, w)
			}
		}
	}
}

// Five minutes are enough for slow spells that come regularly. A throttled device ends
// after two repeats over 15 s and the long ones, and a noisy one when a slow spell would have occurred.
func TestSlowSpellsAreWaitedFor(t *testing.T) {
	for _, way := range []string{"standard", "six", "alone"} {
		set := setup(t, way)
		for _, s := range slowSpells(false) {
			o := Simulate(s, set, ours, map[model.Metric]float64{model.IOPS: baseRate * s.Mean}, runsOf(set, 240)).By[model.IOPS]
			if o.Coverage() < 0.86 {
				t.Errorf("%s, %s: %.1f %% of the intervals hold the truth", way, s.Name, 100*o.Coverage())
			}
		}
		looks := float64(set.Looks) * (lookSeconds - set.Schedule.Repeat)
		slot := float64(set.Workloads) * (set.Schedule.Ramp + set.Schedule.Overhead + set.Schedule.Repeat)
		for _, c := range []struct {
			storage  Storage
			from, to float64
		}{
			{Storage{Name: "throttled", Mean: 1, Start: Steady(0.001)}, 2*slot - 1, max(2*slot+1, 20) + looks},
			{Storage{Name: "noisy", Mean: 1, Start: UnequalRepeats(0.01, 0.01)}, 200, 290},
		} {
			out := Simulate(c.storage, set, ours, map[model.Metric]float64{model.IOPS: baseRate}, runsOf(set, 60))
			if out.Seconds < c.from || out.Seconds > c.to || out.Ended < 0.99 {
				t.Errorf("%s, %s: %.0f s and %.0f %% ended, want %.0f to %.0f s", way, c.storage.Name, out.Seconds, 100*out.Ended, c.from, c.to)
			}
		}
	}
}

func TestAPercentileIsTrueOrOpen(t *testing.T) {
	for _, way := range []string{"standard", "quick"} {
		set := setup(t, way)
		for _, c := range []struct {
			storage        Storage
			least          float64
			openFrom, open float64
		}{
			{Storage{Name: "repeats differ", Mean: 1, Start: UnequalRepeats(0.03, 0.01)}, 0.91, 0, 0.02},
			{Storage{Name: "spikes", Mean: 0.97, Start: Spiky(0.05, 0.03)}, 0.85, 0.7, 1},
		} {
			o := Simulate(c.storage, set, ours, only(c.storage.Truth(), model.P99), runsOf(set, 120)).By[model.P99]
			if share := float64(o.Open) / float64(o.Intervals); o.Coverage() < c.least || share < c.openFrom || share > c.open {
				t.Errorf("%s, %s: %.1f %% of the intervals of the p99 hold the truth, %.0f %% are open", way, c.storage.Name, 100*o.Coverage(), 100*share)
			}
		}
	}
}

func TestAGoalIsHardlyEverMetWrongly(t *testing.T) {
	for _, way := range []string{"six", "quick"} {
		set := setup(t, way)
		wrong, runs := 0, 0
		for _, s := range []Storage{
			{Name: "bursts in 5 %", Mean: 0.97, Start: Spiky(0.05, 0.03)}, {Name: "bursts in 10 %", Mean: 0.94, Start: Spiky(0.10, 0.03)},
			slowSpells(false)[0], slowSpells(true)[0],
		} {
			counts := verdictsOf(s, set, []float64{0.9, 12}, 12)
			wrong, runs = wrong+counts[0][model.Met], runs+12*set.Workloads
			if way == "quick" && counts[1][model.Met] == 0 {
				t.Errorf("%s: a bound of twelve times the p99 is never met", s.Name)
			}
		}
		if share := float64(wrong) / float64(runs); share > 0.05 {
			t.Errorf("%s: p99 < 0.9 × its truth was met in %.1f %% of the cases", way, 100*share)
		}
	}
}
