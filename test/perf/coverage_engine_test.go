package perf

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/load/fake"
	"github.com/loadline/loadline/internal/model"
)

// fakes are stationary devices with parameters other than those of the grid in
// storages, for which the interval was developed. With repeat-cv, whole repeats differ.
var fakes = []string{
	"iops=2700&cv=0.002",
	"iops=2700&cv=0.02",
	"iops=14300&cv=0.08",
	"iops=900&cv=0.045&phi=0.65",
	"iops=5200&cv=0.07&phi=0.85",
	"iops=7700&cv=0.013&repeat-cv=0.02",
	"iops=7700&cv=0.02&repeat-cv=0.045",
	"iops=3100&cv=0.04&phi=0.7&repeat-cv=0.03",
	"iops=3100&cv=0.02&spike=0.03&spike-level=0.5",
	"iops=6100&cv=0.04&phi=0.4&spike=0.07&spike-level=0.35",
}

// engineRuns is the number of runs of each fake with each profile.
const engineRuns = 25

// covered counts intervals and those that contain the truth.
type covered struct{ hits, intervals int }

func (c *covered) count(e model.Estimate, truth float64) {
	c.intervals++
	if e.Low <= truth && truth <= e.High {
		c.hits++
	}
}

func (c covered) share() float64 { return 100 * float64(c.hits) / float64(max(1, c.intervals)) }

// BenchmarkCoverageEngine runs whole commands (plan, engine, worker, run
// directory, analysis, report) on fake devices in virtual time, each with its own
// seeds, and prints how often the published intervals contain the truth.
// The intervals of one run share the device's state, so a case has less weight
// than its number of intervals suggests; all cases together have enough runs.
func BenchmarkCoverageEngine(b *testing.B) {
	ways := []string{"quick", "kbench", "quick --time 20s"}
	for range b.N {
		t := columns()
		fmt.Fprintf(t, "\nwhole runs in virtual time\truns\tintervals\tcoverage\trates\tlatencies\tof converged\t± mean\tminutes\t\n")
		seeds := rand.New(rand.NewPCG(7, 9))
		// One repeat of each workload is another rule: it has a line of its own.
		var all, converged, fixed covered
		runs := 0
		byMetric := map[model.Metric]*covered{model.IOPS: {}, model.Bandwidth: {}, model.Latency: {}}
		for _, way := range ways {
			single := strings.Contains(way, "--time")
			for _, parameters := range fakes {
				var c, good, rates, latencies covered
				var half, minutes float64
				for range engineRuns {
					target := fmt.Sprintf("fake:?%s&seed=%d", parameters, 1+seeds.Uint64N(1<<40))
					r := measured(b, target, append([]string{"--seed", fmt.Sprint(1 + seeds.Uint64N(1<<40)), "--profile"}, strings.Fields(way)...)...)
					p, err := fake.ParseParameters(parameters)
					if err != nil {
						b.Fatal(err)
					}
					minutes += r.Run.MeasuredSeconds / 60 / engineRuns
					for i, result := range r.Results {
						truth := truthOf(p, r.Run.Workloads[i])
						c.count(result.Estimate, truth)
						if !single {
							byMetric[result.Metric].count(result.Estimate, truth)
						}
						if result.Metric == model.Latency {
							latencies.count(result.Estimate, truth)
						} else {
							rates.count(result.Estimate, truth)
						}
						if result.Converged {
							good.count(result.Estimate, truth)
						}
						half += result.HalfWidth()
					}
				}
				fmt.Fprintf(t, "%s: %s\t%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.2f %%\t%.1f\t\n", way, parameters, engineRuns, c.intervals,
					c.share(), rates.share(), latencies.share(), good.share(), 100*half/float64(c.intervals), minutes)
				if single {
					fixed.hits, fixed.intervals = fixed.hits+c.hits, fixed.intervals+c.intervals
					continue
				}
				runs += engineRuns
				all.hits, all.intervals = all.hits+c.hits, all.intervals+c.intervals
				converged.hits, converged.intervals = converged.hits+good.hits, converged.intervals+good.intervals
			}
		}
		rates := covered{byMetric[model.IOPS].hits + byMetric[model.Bandwidth].hits, byMetric[model.IOPS].intervals + byMetric[model.Bandwidth].intervals}
		fmt.Fprintf(t, "all\t%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t\t\t\n", runs, all.intervals, all.share(), rates.share(), byMetric[model.Latency].share(), converged.share())
		fmt.Fprintf(t, "all of one repeat\t%d\t%d\t%.1f %%\t\t\t\t\t\t\n", engineRuns*len(fakes), fixed.intervals, fixed.share())
		t.Flush()
		b.ReportMetric(all.share(), "%covered")
	}
}

// truthOf returns the long-run value of a workload's headline. A fake keeps Depth
// I/Os in flight, so by Little's law its mean latency is Depth over the rate.
func truthOf(p fake.Parameters, w model.Workload) float64 {
	rate := p.Truth(w)
	switch w.Metric {
	case model.Bandwidth:
		return rate * float64(w.BlockSize)
	case model.Latency:
		return float64(w.Depth) / rate
	}
	return rate
}
