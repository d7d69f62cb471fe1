package perf

import (
	"context"
	"fmt"
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// verdictsOf counts how the goal p99 < factor × its true value is decided, for every
// workload of the given number of runs.
func verdictsOf(s Storage, set Setup, factors []float64, runs int) []map[model.Outcome]int {
	truth := s.Truth()[model.P99]
	counts := make([]map[model.Outcome]int, len(factors))
	for i := range counts {
		counts[i] = map[model.Outcome]int{}
	}
	for seed := range runs {
		w := newWhole(s, set, uint64(seed), true)
		w.measure(ours.Stop, set.Rounds)
		results := analyze.Results(w.rec)
		var goals []model.Goal
		for _, r := range results {
			for _, f := range factors {
				goals = append(goals, model.Goal{Workload: r.Workload, Direction: r.Direction, Metric: model.P99, Bound: f * truth})
			}
		}
		for i, g := range analyze.Decide(w.rec, results, goals) {
			counts[i%len(factors)][g.Outcome]++
		}
	}
	return counts
}

// goalKinds returns storages with rare tail events, and one without.
func goalKinds() []Storage {
	list := []Storage{
		{Name: "bursts in 5 % of seconds, CV 1 %", Mean: 0.97, Start: Spiky(0.05, 0.01)},
		{Name: "bursts in 5 % of seconds, CV 3 %", Mean: 0.97, Start: Spiky(0.05, 0.03)},
		{Name: "bursts in 10 % of seconds, CV 3 %", Mean: 0.94, Start: Spiky(0.10, 0.03)},
	}
	list = append(append(list, slowSpells(false)...), slowSpells(true)...)
	return append(list, Storage{Name: "independent seconds, CV 3 %", Mean: 1, Start: Steady(0.03)}, Storage{Name: "independent seconds, CV 0.1 %", Mean: 1, Start: Steady(0.001)})
}

// goalFactors are bounds as multiples of the true p99: one that is missed, and some
// that are met.
var goalFactors = []float64{0.9, 1.2, 2, 5}

// BenchmarkGoals prints how often goals on a p99 are decided wrongly, and rightly.
func BenchmarkGoals(b *testing.B) {
	for range b.N {
		for _, set := range setups() {
			list := goalKinds()
			out := make([][]map[model.Outcome]int, len(list))
			concurrently(len(list), func(i int) { out[i] = verdictsOf(list[i], set, goalFactors, runsOf(set, intervals()/2)) })
			t := columns()
			fmt.Fprintf(t, "\n%s: goal p99 <\t0.9 × the truth: met wrongly\tundecided\t1.2 ×: met\tmissed wrongly\t2 ×: met\t5 ×: met\t\n", set.Name)
			for i, s := range list {
				share := func(factor int, o model.Outcome) float64 {
					n := 0
					for _, c := range out[i][factor] {
						n += c
					}
					return 100 * float64(out[i][factor][o]) / float64(n)
				}
				fmt.Fprintf(t, "%s\t%.1f %%\t%.0f %%\t%.0f %%\t%.1f %%\t%.0f %%\t%.0f %%\t\n", s.Name, share(0, model.Met), share(0, model.Undecided),
					share(1, model.Met), share(1, model.Missed), share(2, model.Met), share(3, model.Met))
			}
			t.Flush()
		}
	}
}

// Where bursts in a tenth of the seconds determine the p99, a workload of which no repeat met one has not met a goal below it,
// although others of the run did: what they saw says that the percentile has no upper bound, and not where it is.
func TestNoGoalIsMetByAWorkloadThatSawNoBurst(t *testing.T) {
	const runs, most = 40, 2
	met := 0
	for seed := range runs {
		// The bound is 0.9 times the p99 of three hours.
		r, err := report(context.Background(), inMemory(t), fmt.Sprintf("fake:?iops=3000&cv=0.01&spike=0.1&spike-level=0.2&seed=%d", seed+1),
			"--seed", fmt.Sprint(seed+1), "--profile", "quick", "--goal", "rand-read-iops p99 < 93.9ms")
		if err != nil && len(r.Goals) == 0 {
			t.Fatal(err)
		}
		if r.Goals[0].Outcome == model.Met {
			t.Logf("seed %d: %s", seed+1, r.Goals[0].Message)
			met++
		}
	}
	if met > most {
		t.Errorf("%d of %d goals are met, although the p99 is 104 ms", met, runs)
	}
}
