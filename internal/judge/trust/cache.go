package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleCache = Rule{
	Name:     "cache",
	Checks:   "reads of the whole volume are as fast as reads of a small part of it",
	Evidence: "`--check-cache`: random reads within ¼, ½, 1, 2 and 4 times the RAM, or, on a smaller volume, within 1/16 to all of it (a step of more than 15 %)",
	Severity: "warning: data below the size at which the step occurs is cached",
	Advice:   "use a `--size` several times as large as the cache",
	check:    checkCache,
}

// cacheStep is how much faster reads of the smaller part may be.
const cacheStep = 0.15

// checkCache reports that reads become slower as soon as the part that is read no longer fits into a
// cache. The largest drop between two neighbours is named.
//
// Evidence: the sweep's points; bounds of their intervals are compared.
func checkCache(ev Evidence) []model.Finding {
	points := slices.Clone(ev.Recorded.Run.Beside.Cache)
	if len(points) == 0 {
		return notChecked("it was not requested (--check-cache)")
	}
	for _, p := range points {
		if p.Error != "" {
			return notChecked(fmt.Sprintf("reading within %s failed: %s", units.FormatSize(p.Size), p.Error))
		}
	}
	points = slices.DeleteFunc(points, func(p model.CachePoint) bool { return len(p.Rates) < 2 })
	if len(points) < 2 {
		return notChecked("fewer than two sizes could be measured")
	}
	slices.SortFunc(points, func(a, b model.CachePoint) int { return int(math.Copysign(1, float64(a.Size-b.Size))) })
	at, drop := -1, 1+cacheStep
	for i := 1; i < len(points); i++ {
		small, _ := around(points[i-1].Rates)
		_, large := around(points[i].Rates)
		if small > drop*large {
			at, drop = i, small/large
		}
	}
	last := points[len(points)-1]
	bounded := ""
	if ram := ev.Recorded.Environment.Memory; ram > 0 && last.Size < 4*ram {
		bounded = fmt.Sprintf("; the volume is smaller than 4 × RAM (%s), so a cache that holds all of it would not be detected", units.FormatSize(4*ram))
	}
	if at < 0 {
		return passedAll(fmt.Sprintf("no step of more than 15 %% between reads within %s and %s%s",
			units.FormatSize(points[0].Size), units.FormatSize(last.Size), bounded))
	}
	a, b := points[at-1], points[at]
	return []model.Finding{{Severity: model.SeverityWarning, Results: ev.readers(),
		Message: fmt.Sprintf("cached below %s: random reads within %s run at %s, within %s at %s",
			units.FormatSize(b.Size), units.FormatSize(a.Size), model.IOPS.Format(stats.Mean(a.Rates)),
			units.FormatSize(b.Size), model.IOPS.Format(stats.Mean(b.Rates))),
		Evidence: map[string]any{"fast_size": a.Size, "slow_size": b.Size, "fast": stats.Mean(a.Rates), "slow": stats.Mean(b.Rates)},
		Next:     ev.larger(8*b.Size, last.Size, "--check-cache")}}
}

// around is the interval around the mean of some seconds.
func around(rates []float64) (low, high float64) {
	m := stats.Mean(rates)
	half := stats.StudentT(float64(len(rates)-1)) * stats.StdDev(rates) / math.Sqrt(float64(len(rates)))
	return m - half, m + half
}

// readers lists the workloads with results that read.
func (ev Evidence) readers() []string {
	var names []string
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); !known || w.Reads() {
			names = add(names, name)
		}
	}
	return names
}
