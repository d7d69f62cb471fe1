package perf

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// setups returns the common ways of measuring: the default profile, six workloads,
// the profile quick, one workload alone.
func setups() []Setup {
	// The ramps and the time of fio's start and end are those of the profiles.
	schedule := func(ramp, repeat, precision, maxTime float64, rounds int) model.Schedule {
		return model.Schedule{Mode: model.Rounds, Ramp: ramp, Overhead: 0.35, Repeat: repeat, MinRounds: rounds,
			Precision: precision, MaxTime: maxTime}
	}
	return []Setup{
		{Name: "standard", Workloads: 14, Looks: 2, Schedule: schedule(0.5, 3, 0.05, 300, 3)},
		{Name: "six", Workloads: 6, Looks: 2, Schedule: schedule(0.5, 3, 0.05, 300, 3)},
		{Name: "quick", Workloads: 6, Looks: 2, Schedule: schedule(0.3, 2, 0.10, 84, 3)},
		{Name: "alone", Workloads: 1, Looks: 1, Schedule: schedule(0.5, 3, 0.05, 300, 5)},
	}
}

// contest is one line of a table: a storage, measured in one way, judged by one rule.
type contest struct {
	storage Storage
	setup   Setup
	rule    Rule
	truth   map[model.Metric]float64
	runs    int
	out     Outcomes
}

// hold simulates the contests concurrently, in any order.
func hold(list []contest) {
	concurrently(len(list), func(i int) {
		c := &list[i]
		c.out = Simulate(c.storage, c.setup, c.rule, c.truth, c.runs)
	})
}

// only returns the named metrics of a truth.
func only(truth map[model.Metric]float64, metrics ...model.Metric) map[model.Metric]float64 {
	list := map[model.Metric]float64{}
	for _, m := range metrics {
		list[m] = truth[m]
	}
	return list
}

// intervals returns the minimum number of intervals in a rule's line.
func intervals() int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("LOADLINE_INTERVALS"), "400"))
	if err != nil {
		panic(err)
	}
	return n
}

// runsOf returns how many runs yield that many intervals. Those of one run share the
// state of the storage, so the number of runs counts as well: 100 runs determine a coverage to 2 or 3 %. Runs
// of a minute cost little, so there are more of them.
func runsOf(s Setup, intervals int) int {
	runs := max(intervals/6, intervals/s.Workloads)
	if s.Schedule.MaxTime < 100 {
		runs *= 4
	}
	return runs
}

// BenchmarkIntervals prints coverage, width and interval score of the intervals of a
// rate by Loadline and its rivals, on every kind of storage, in every way of
// measuring: at three repeats, and when the rule ends the run.
func BenchmarkIntervals(b *testing.B) {
	for range b.N {
		for _, set := range setups() {
			three := set
			three.Rounds = 3
			three.Name += ", three repeats"
			contestOf(three, storages(), true)
			contestOf(set, append(append(append(storages(), slowSpells(false)...), slowSpells(true)...), unsteady()...), false)
		}
	}
}

func contestOf(set Setup, list []Storage, three bool) {
	var contests []contest
	for _, s := range list {
		for _, r := range rules {
			contests = append(contests, contest{storage: s, setup: set, rule: r, runs: runsOf(set, intervals()),
				truth: map[model.Metric]float64{model.IOPS: baseRate * s.Mean}})
		}
	}
	hold(contests)
	t := columns()
	fmt.Fprintf(t, "\n%s: the rate's 95 %% intervals\t", set.Name)
	for _, r := range rules {
		fmt.Fprintf(t, "%s covers\t± %%\tscore %%\t", r.Name)
		if !three {
			fmt.Fprint(t, "seconds\tended\t")
		}
	}
	if three {
		fmt.Fprint(t, "known ± %\tours / known\t")
	}
	fmt.Fprintln(t)
	for i := 0; i < len(contests); i += len(rules) {
		fmt.Fprintf(t, "%s\t", contests[i].storage.Name)
		for _, c := range contests[i : i+len(rules)] {
			o := c.out.By[model.IOPS]
			fmt.Fprintf(t, "%.1f %%\t%.2f\t%.1f\t", 100*o.Coverage(), 100*o.Width(), 100*o.MeanScore())
			if !three {
				fmt.Fprintf(t, "%.0f\t%.0f %%\t", c.out.Seconds, 100*c.out.Ended)
			}
		}
		if three {
			o := contests[i].out.By[model.IOPS]
			fmt.Fprintf(t, "%.2f\t%.2f\t", 100*o.Known(), o.Width()/o.Known())
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// tailRuns is how many runs a line about percentiles of stationary storage has at least. The p99 of
// the workloads of one run share their slow seconds: of 33 runs with 198 intervals, a line of 94.2 % showed 91.4 %.
const tailRuns = 400

// BenchmarkTails prints coverage and width of Loadline's intervals of the mean
// latency and of percentiles, at the end of runs.
func BenchmarkTails(b *testing.B) {
	for range b.N {
		for _, set := range setups() {
			var contests []contest
			for _, s := range append(append(storages(), slowSpells(false)...), slowSpells(true)...) {
				if s.Unlike > 0 {
					continue
				}
				runs := runsOf(set, intervals()/2)
				if s.Stationary {
					runs = max(runs, tailRuns)
				}
				contests = append(contests, contest{storage: s, setup: set, rule: ours, runs: runs,
					truth: only(s.Truth(), model.Latency, model.P50, model.P99)})
			}
			hold(contests)
			t := columns()
			fmt.Fprintf(t, "\n%s: 95 %% intervals of\tmean latency\t± %%\tp50\t± %%\tp99\t± %%\topen upwards\t\n", set.Name)
			for _, c := range contests {
				fmt.Fprintf(t, "%s\t", c.storage.Name)
				for _, m := range []model.Metric{model.Latency, model.P50, model.P99} {
					o := c.out.By[m]
					width := "–"
					if o.Open < o.Intervals {
						width = fmt.Sprintf("%.2f", 100*o.Width())
					}
					fmt.Fprintf(t, "%.1f %%\t%s\t", 100*o.Coverage(), width)
				}
				p := c.out.By[model.P99]
				fmt.Fprintf(t, "%.0f %%\t\n", 100*float64(p.Open)/float64(p.Intervals))
			}
			t.Flush()
		}
	}
}
