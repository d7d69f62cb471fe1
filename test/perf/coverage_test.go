package perf

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/model"
)

// storages is the grid over which coverage is measured. A gap of 52 s is that
// of a profile of fourteen workloads, 20 s of six, 1 s of a workload alone.
func storages() []Storage {
	list := []Storage{}
	add := func(name string, gap, mean float64, start func(r *rand.Rand) func(float64) float64) {
		list = append(list, Storage{Name: name, Stationary: true, Gap: gap, Mean: mean, Start: start})
	}
	for _, cv := range []float64{0.001, 0.01, 0.03, 0.06, 0.10, 0.17} {
		add(fmt.Sprintf("independent seconds, CV %.3g %%", 100*cv), 52, 1, Steady(cv))
	}
	for _, phi := range []float64{0.5, 0.8, 0.9} {
		for _, gap := range []float64{52, 20, 1} {
			add(fmt.Sprintf("correlated %.1f, CV 6 %%, gap %g s", phi, gap), gap, 1, Correlated(phi, 0.06))
		}
	}
	for _, cv := range []float64{0.01, 0.03, 0.06, 0.09} {
		add(fmt.Sprintf("moody %.3g %%, within 1 %%", 100*cv), 52, 1, Moody(cv, 0.01))
	}
	add("moody 6 %, within 6 %", 20, 1, Moody(0.06, 0.06))
	add("moody 6 %, within 1 %, alone", 1, 1, Moody(0.06, 0.01))
	add("spikes in 5 % of seconds, CV 1 %", 52, 0.97, Spiky(0.05, 0.01))
	add("spikes in 5 % of seconds, CV 3 %", 52, 0.97, Spiky(0.05, 0.03))
	add("spikes in 5 % of seconds, CV 6 %", 52, 0.97, Spiky(0.05, 0.06))
	list = append(list, Storage{Name: "warming by 10 % in 120 s, CV 3 %", Gap: 52, Mean: 1, Start: Drifting(0.10, 120, 0.03)})
	return list
}

// rounds is the default schedule. A workload among others gets at most 25
// visits within the time of a run, a workload alone more.
func rounds(s Storage) model.Schedule {
	sc := model.Schedule{Mode: model.Rounds, Visit: 3, MinRounds: 3, Precision: 0.05, MaxTime: 75}
	if s.Gap < 5 {
		sc.MaxTime = 180
	}
	return sc
}

// table prints one line per storage and what its stationary ones add up to.
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
	fmt.Fprintf(t, "\n%s\trate\tmean lat.\tp50\tp99\t± rate\tvisits\tseconds\tstopped\t\n", title)
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
	fmt.Fprintf(t, "%.2f %%\t%.1f\t%.0f\t%.0f %%\t\n", 100*c.Half/n, float64(c.Visits)/n, c.Seconds/n, 100*float64(c.Stopped)/n)
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

// alone is the grid for one visit: what it cannot see, the moods of visits, is
// not in it.
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

// measureAll measures storages at the same time, in any order; each run has its
// own seed, so the outcome is always the same.
func measureAll(list []Storage, schedule func(Storage) model.Schedule, runs int) []Coverage {
	out := make([]Coverage, len(list))
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, s := range list {
		limit <- struct{}{}
		wg.Go(func() {
			out[i] = Measure(s, schedule(s), runs)
			<-limit
		})
	}
	wg.Wait()
	return out
}

// BenchmarkCoverage prints how often the published 95 % intervals contain the
// truth, for the three ways of spending the time.
func BenchmarkCoverage(b *testing.B) {
	const runs = 200
	for range b.N {
		for _, way := range []struct {
			title    string
			storages []Storage
			schedule func(Storage) model.Schedule
		}{
			{"rounds of 3 s until ±5 %", storages(), rounds},
			{"one visit of 20 s", alone(), func(Storage) model.Schedule { return oneVisit(model.Fixed, 20) }},
			{"one visit until steady within ±5 %", alone(), func(Storage) model.Schedule { return oneVisit(model.Steady, 600) }},
		} {
			t := newTable(way.title)
			for i, c := range measureAll(way.storages, way.schedule, runs) {
				t.add(way.storages[i], c)
			}
			t.print()
		}
	}
}

func oneVisit(mode model.Mode, seconds float64) model.Schedule {
	return model.Schedule{Mode: mode, Visit: seconds, MinRounds: 1, Precision: 0.05, MaxTime: seconds}
}

// TestCoverageOfRounds guards what BenchmarkCoverage prints, over fewer kinds
// of storage, in bounds that only a broken estimator leaves.
func TestCoverageOfRounds(t *testing.T) {
	list := []Storage{
		{Name: "correlated", Stationary: true, Gap: 20, Mean: 1, Start: Correlated(0.8, 0.06)},
		{Name: "independent", Stationary: true, Gap: 52, Mean: 1, Start: Steady(0.10)},
		{Name: "moody", Stationary: true, Gap: 52, Mean: 1, Start: Moody(0.06, 0.01)},
		{Name: "alone", Stationary: true, Gap: 1, Mean: 1, Start: Correlated(0.8, 0.06)},
	}
	pooled := map[model.Metric]float64{}
	for i, c := range measureAll(list, rounds, 100) {
		for _, m := range tableMetrics {
			pooled[m] += c.Share(m) / float64(len(list))
			if c.Share(m) < 0.85 {
				t.Errorf("%s: the interval of %s covers the truth in %.0f %% of the runs", list[i].Name, m, 100*c.Share(m))
			}
		}
	}
	for _, m := range tableMetrics {
		if pooled[m] < 0.93 || pooled[m] > 0.985 {
			t.Errorf("pooled, the interval of %s covers the truth in %.1f %%, want 93–98.5 %%", m, 100*pooled[m])
		}
	}
}

// TestVisitsFollowTheNoise pins what precision costs: three visits on a
// throttled device, more on a noisy one.
func TestVisitsFollowTheNoise(t *testing.T) {
	for _, c := range []struct {
		storage  Storage
		from, to float64
	}{
		{Storage{Gap: 52, Mean: 1, Start: Steady(0.001)}, 3, 3},
		{Storage{Gap: 52, Mean: 1, Start: Moody(0.03, 0.01)}, 4, 8},
		{Storage{Gap: 52, Mean: 1, Start: Moody(0.06, 0.01)}, 8, 13},
		{Storage{Gap: 52, Mean: 1, Start: Moody(0.09, 0.01)}, 12, 20},
	} {
		got := Measure(c.storage, rounds(c.storage), 50)
		if mean := float64(got.Visits) / 50; mean < c.from || mean > c.to {
			t.Errorf("%.1f visits, want %v to %v", mean, c.from, c.to)
		}
		if got.Half/50 < 0.0025 {
			t.Errorf("a half-width of %.3f %% was published: less than the instrument knows", 100*got.Half/50)
		}
	}
}
