package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

const (
	// surely is the p-value below which the repeats of a direction decline.
	surely = 0.005
	// mostCarried is the largest decline that is taken to go on, as a share: repeats that use up a credit decline by more.
	mostCarried = 0.25
)

// carry moves the rates of the short repeats to the time of the long ones, if those of a direction, or of both together, declined
// before: storage that gets slower steadily is slower in a later repeat, too, and has no burst credits for that.
func carry(list []observation) {
	both, known := decline(list, model.Read, model.Write)
	for _, d := range []model.Direction{model.Read, model.Write} {
		slope, ok := decline(list, d)
		if !ok {
			slope, ok = both, known
		}
		if !ok {
			continue
		}
		for i := range list {
			g := &list[i]
			if g.direction != d || len(g.looks) == 0 || g.workload.OpenLoop {
				continue
			}
			at := 0.0
			for _, look := range g.looks {
				at += (look.Seconds[0].Begin + look.Seconds[len(look.Seconds)-1].End) / 2 / float64(len(g.looks))
			}
			carried := make([]float64, len(g.repeats))
			for k, rate := range g.repeats {
				carried[k] = rate * math.Exp(slope*(at-g.begins[k]))
			}
			if stats.Mean(carried) >= (1-mostCarried)*g.rate() {
				g.repeats = carried
			}
		}
	}
}

// decline is the relative change per second that the short repeats of some directions have in common (a line through the logarithms
// of their rates, with a level for each workload); not ok unless it is surely a decline.
func decline(list []observation, of ...model.Direction) (slope float64, ok bool) {
	var times, logs []float64
	df := -1.0
	for i := range list {
		g := &list[i]
		if !slices.Contains(of, g.direction) || len(g.repeats) < 2 || g.workload.OpenLoop {
			continue
		}
		own := make([]float64, len(g.repeats))
		for k, rate := range g.repeats {
			own[k] = math.Log(rate)
		}
		time, level := stats.Mean(g.begins), stats.Mean(own)
		for k := range own {
			times, logs = append(times, g.begins[k]-time), append(logs, own[k]-level)
		}
		df += float64(len(own) - 1)
	}
	var xx, xy float64
	for k := range times {
		xx, xy = xx+times[k]*times[k], xy+times[k]*logs[k]
	}
	if df < 2 || !(xx > 0) {
		return 0, false
	}
	slope = xy / xx
	var rest float64
	for k := range times {
		e := logs[k] - slope*times[k]
		rest += e * e
	}
	t := stats.Contrast{Difference: slope, Error: math.Sqrt(rest / df / xx), DF: df}
	return slope, slope < 0 && t.P() < surely
}
