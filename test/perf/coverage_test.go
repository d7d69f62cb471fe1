package perf

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/model"
)

// table prints one line per storage and the totals of the stationary ones.
type table struct {
	*tabwriter.Writer
	cases  float64
	pooled map[model.Metric]float64
	low    map[model.Metric]float64
}

var tableMetrics = []model.Metric{model.IOPS, model.Latency, model.P50, model.P99}

func newTable(title string) *table {
	t := &table{Writer: tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight),
		pooled: map[model.Metric]float64{}, low: map[model.Metric]float64{}}
	fmt.Fprintf(t, "\n%s\trate\tmean lat.\tp50\tp99\t± rate\trepeats\tseconds\tstopped\t\n", title)
	return t
}

func (t *table) add(s Storage, c Coverage) {
	name := s.Name
	if !s.Stationary {
		name += " (not stationary)"
	}
	fmt.Fprintf(t, "%s\t", name)
	for _, m := range tableMetrics {
		p := c.Share(m)
		fmt.Fprintf(t, "%.1f %%\t", 100*p)
		if !s.Stationary {
			continue
		}
		t.pooled[m] += p
		if t.cases == 0 || p < t.low[m] {
			t.low[m] = p
		}
	}
	if s.Stationary {
		t.cases++
	}
	n := float64(c.Runs)
	fmt.Fprintf(t, "%.2f %%\t%.1f\t%.0f\t%.0f %%\t\n", 100*c.Half/n, float64(c.Repeats)/n, c.Seconds/n, 100*float64(c.Stopped)/n)
}

func (t *table) print() {
	for _, line := range []struct {
		name string
		of   func(model.Metric) float64
	}{
		{"stationary, pooled", func(m model.Metric) float64 { return t.pooled[m] / t.cases }},
		{"stationary, lowest", func(m model.Metric) float64 { return t.low[m] }},
	} {
		fmt.Fprintf(t, "%s\t", line.name)
		for _, m := range tableMetrics {
			fmt.Fprintf(t, "%.1f %%\t", 100*line.of(m))
		}
		fmt.Fprintln(t, "\t\t\t\t")
	}
	t.Flush()
}

// alone returns the grid for one repeat. It leaves out differences between whole repeats, which a
// single repeat cannot see.
func alone() []Storage {
	list := []Storage{
		{Name: "independent seconds, CV 0.1 %", Stationary: true, Mean: 1, Start: Steady(0.001)},
		{Name: "independent seconds, CV 6 %", Stationary: true, Mean: 1, Start: Steady(0.06)},
		{Name: "spikes in 5 % of seconds, CV 3 %", Stationary: true, Mean: 0.97, Start: Spiky(0.05, 0.03)},
		{Name: "warming by 10 % in 120 s, CV 3 %", Mean: 1, Start: Drifting(0.10, 120, 0.03)},
	}
	for _, phi := range []float64{0.5, 0.8, 0.9} {
		list = append(list, Storage{Name: fmt.Sprintf("correlated %.1f, CV 6 %%", phi), Stationary: true, Mean: 1, Start: Correlated(phi, 0.06)})
	}
	return list
}

// measureAll measures storages concurrently, in any order; each run has its
// own seed, so the outcome is always the same.
func measureAll(list []Storage, schedule func(Storage) model.Schedule, runs int) []Coverage {
	out := make([]Coverage, len(list))
	concurrently(len(list), func(i int) { out[i] = Measure(list[i], schedule(list[i]), runs) })
	return out
}

// BenchmarkCoverage prints how often the published 95 % intervals contain the
// truth if each workload is measured once; BenchmarkIntervals does so for rounds.
func BenchmarkCoverage(b *testing.B) {
	const runs = 200
	for range b.N {
		for _, way := range []struct {
			title    string
			storages []Storage
			schedule func(Storage) model.Schedule
		}{
			{"one repeat of 20 s", alone(), func(Storage) model.Schedule { return oneRepeat(model.Fixed, 20) }},
			{"one repeat until steady within ±5 %", alone(), func(Storage) model.Schedule { return oneRepeat(model.Steady, 600) }},
		} {
			t := newTable(way.title)
			for i, c := range measureAll(way.storages, way.schedule, runs) {
				t.add(way.storages[i], c)
			}
			t.print()
		}
	}
}

func oneRepeat(mode model.Mode, seconds float64) model.Schedule {
	return model.Schedule{Mode: mode, Repeat: seconds, MinRounds: 1, Precision: 0.05, MaxTime: seconds}
}
