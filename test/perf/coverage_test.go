package perf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/analyze"
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

func maxVisits(s Storage) int { if s.Gap<5 {return 60}; return 25 }

type coverage struct {
	runs, covered, stopped, visits int
	half                           float64
}

// cover measures a storage as the engine does: visits until the judge is
// content or the time is up.
func cover(s Storage, runs int) coverage {
	c := coverage{runs: runs}
	w := model.Workload{Name: "w", Direction: model.Read, BlockSize: 4096, Depth: 32, Metric: model.IOPS}
	schedule := model.Schedule{Mode: model.Rounds, MinRounds: 3, Precision: 0.05}
	for seed := range runs {
		v := NewVisits(s, uint64(seed), false)
		var j model.Judgement
		for range maxVisits(s) {
			v.Next()
			j = analyze.Judge{}.Judge(w, schedule, v.Samples)
			if j.Converged {
				c.stopped++
				break
			}
		}
		c.visits += j.Visits
		c.half += j.HalfWidth()
		if truth := baseRate * s.Mean; j.Low <= truth && truth <= j.High {
			c.covered++
		}
	}
	return c
}

func BenchmarkCoverage(b *testing.B) {
	for b.Loop() {
		t := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "storage\tcovered\tvisits\t± mean\tstopped\t")
		var sum, n float64
		low := math.Inf(1)
		for _, s := range storages() {
			c := cover(s, 600)
			p := float64(c.covered) / float64(c.runs)
			fmt.Fprintf(t, "%s\t%.1f %%\t%.1f\t%.2f %%\t%.0f %%\t\n", s.Name, 100*p,
				float64(c.visits)/float64(c.runs), 100*c.half/float64(c.runs), 100*float64(c.stopped)/float64(c.runs))
			if s.Stationary {
				sum, n, low = sum+p, n+1, math.Min(low, p)
			}
		}
		fmt.Fprintf(t, "stationary, pooled\t%.1f %%\t\t\t\t\nlowest\t%.1f %%\t\t\t\t\n", 100*sum/n, 100*low)
		t.Flush()
	}
}
