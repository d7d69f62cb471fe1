package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// leastBorrowed is how long, in seconds, a single run must have lasted before the noise of other tests
// is assumed for it: a shorter one averages too little.
const leastBorrowed = 10

// Rank ranks several systems against each other, test by test. Two numbers with intervals are
// distinguished if the interval of their ratio excludes 1. Numbers without intervals borrow their noise
// from the variation of the same systems' repeated tests; without any repeats, nothing is
// distinguished.
func Rank(sides []Measured) *model.Ranking {
	r := &model.Ranking{Alpha: Alpha, Systems: []model.RankedSystem{}, Rows: []model.RankRow{}, Groups: []model.RankGroup{}}
	for _, s := range sides {
		r.Systems = append(r.Systems, model.RankedSystem{Name: s.Report.Run.Target.Name, Directory: s.Report.Run.Directory})
	}
	r.Noise = noiseOf(sides)
	for _, k := range rankKeys(sides) {
		if row := rankRow(sides, k, r.Noise); len(row.Entries) > 0 {
			r.Rows = append(r.Rows, row)
		}
	}
	r.Groups = rankGroups(r, len(sides))
	return r
}

// rankKey identifies a row.
type rankKey struct {
	group, workload string
	direction       model.Direction
	metric          model.Metric
}

// rankKeys lists everything that any system was measured by, group by group, in order of first
// appearance.
func rankKeys(sides []Measured) []rankKey {
	var groups []string
	byGroup := map[string][]rankKey{}
	for _, s := range sides {
		for _, res := range s.Report.Results {
			g := groupOf(s.Recorded, res)
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
			for _, m := range rankMetrics(res) {
				if k := (rankKey{g, res.Workload, res.Direction, m}); !slices.Contains(byGroup[g], k) {
					byGroup[g] = append(byGroup[g], k)
				}
			}
		}
	}
	var keys []rankKey
	for _, g := range groups {
		keys = append(keys, byGroup[g]...)
	}
	return keys
}

// rankMetrics are the metrics by which a result is ranked: its headline; for a broker's throughput also
// the latency, which does not follow from it; and the p99.
func rankMetrics(r model.Result) []model.Metric {
	list := []model.Metric{r.Metric}
	if _, ok := r.Metrics[model.Latency]; ok && r.Metric == model.Records {
		list = append(list, model.Latency)
	}
	if _, ok := r.Metrics[model.P99]; ok && r.Metric != model.P99 {
		list = append(list, model.P99)
	}
	return list
}

// groupOf is the group of a result: that of its figure, otherwise the kind of run.
func groupOf(rec *model.Recorded, r model.Result) string {
	if rec.Imported != nil {
		for _, f := range rec.Imported.Figures {
			if f.Workload == r.Workload && f.Direction == r.Direction {
				return f.Group
			}
		}
	}
	return rec.Plan.Experiment.Scenario
}

// noiseOf pools the repeats of tests without samples.
func noiseOf(sides []Measured) *model.Noise {
	n := &model.Noise{}
	var square float64
	for i, s := range sides {
		for _, r := range s.Report.Results {
			if _, tail := r.Metric.Percentile(); tail || len(r.RepeatValues) < 2 || s.Recorded.Imported == nil || len(goodSamples(s.Recorded)[r.Workload]) > 0 || r.Verdict == model.Invalid {
				continue
			}
			logs := make([]float64, len(r.RepeatValues))
			for k, v := range r.RepeatValues {
				logs[k] = math.Log(v)
			}
			difference := math.Exp(slices.Max(logs)-slices.Min(logs)) - 1
			n.Repeats = append(n.Repeats, model.Repeat{System: i, Workload: r.Workload, Direction: r.Direction, Metric: r.Metric, Values: r.RepeatValues, Difference: difference})
			n.Largest = math.Max(n.Largest, difference)
			square += stats.Variance(logs) * float64(len(logs)-1)
			n.DF += len(logs) - 1
			if each := r.Seconds / float64(len(r.RepeatValues)); each > 0 && (n.Least == 0 || each < n.Least) {
				n.Least = each
			}
		}
	}
	if n.DF == 0 {
		return nil
	}
	n.Deviation = math.Max(math.Sqrt(square/float64(n.DF)), stats.Floor)
	n.Apart = math.Exp(stats.StudentT(float64(n.DF)) * math.Sqrt2 * n.Deviation)
	return n
}

// rankRow ranks the systems by one metric.
func rankRow(sides []Measured, k rankKey, noise *model.Noise) model.RankRow {
	row := model.RankRow{Group: k.group, Workload: k.workload, Direction: k.direction, Metric: k.metric, Entries: []model.RankEntry{}, Verdict: model.Unclear}
	var kinds []model.Workload
	shortest := math.Inf(1)
	for i, s := range sides {
		r := find(s.Report.Results, k.workload, k.direction)
		if r == nil || groupOf(s.Recorded, *r) != k.group {
			continue
		}
		e, ok := r.Metrics[k.metric]
		if !ok || !(e.Value > 0) {
			continue
		}
		w, _ := s.Recorded.Plan.Workload(k.workload)
		if !slices.Contains(kinds, w) {
			kinds = append(kinds, w)
		}
		if r.Seconds > 0 {
			shortest = math.Min(shortest, r.Seconds/float64(max(1, r.Repeats)))
		}
		row.Description = r.Description
		row.Entries = append(row.Entries, model.RankEntry{System: i, Estimate: e, Trust: r.Verdict, Repeats: r.Repeats})
	}
	sortEntries(row.Entries, k.metric.LowerIsBetter())
	usable := slices.DeleteFunc(slices.Clone(row.Entries), func(e model.RankEntry) bool { return e.Trust == model.Invalid })
	bare := slices.ContainsFunc(usable, func(e model.RankEntry) bool { return e.Estimate.Confidence == 0 })
	_, tail := k.metric.Percentile()
	switch {
	case len(usable) < 2:
		row.Verdict = model.Unusable
		row.Reason = "it has fewer than two usable numbers"
	case len(kinds) > 1:
		row.Reason = "the systems ran different workloads under this name"
	case !bare:
	case noise == nil:
		row.Reason = "single runs, and nothing was repeated: what differs by chance is not known"
	case tail:
		row.Reason = "single runs: the noise of other tests' totals says nothing about a percentile"
	case shortest < leastBorrowed:
		row.Reason = fmt.Sprintf("single runs of %s: too short to have the noise of other tests", units.FormatDuration(shortest))
	default:
		row.Apart = noise.Apart
	}
	apart := toldApart(k.metric, row.Apart)
	placeEntries(row.Entries, func(a, b int) bool { return row.Reason == "" && apart(row.Entries[a], row.Entries[b]) })
	if row.Verdict != model.Unusable && !slices.ContainsFunc(row.Entries, func(e model.RankEntry) bool { return e.First != e.Last }) {
		row.Verdict = model.Better
	}
	return row
}

// sortEntries sorts by quality, best first; systems with equal values keep their order.
func sortEntries(list []model.RankEntry, lowerIsBetter bool) {
	slices.SortStableFunc(list, func(a, b model.RankEntry) int {
		switch x, y := a.Estimate.Value, b.Estimate.Value; {
		case x == y:
			return 0
		case (x < y) == lowerIsBetter:
			return -1
		}
		return 1
	})
}

// toldApart returns the test of whether two numbers differ beyond chance: by their own intervals, or, if one of
// them has none, by more than borrowed, the ratio that the noise of other tests allows.
func toldApart(m model.Metric, borrowed float64) func(a, b model.RankEntry) bool {
	return func(a, b model.RankEntry) bool {
		if borrowed > 0 && (a.Estimate.Confidence == 0 || b.Estimate.Confidence == 0) {
			return math.Abs(math.Log(a.Estimate.Value/b.Estimate.Value)) > math.Log(borrowed)
		}
		c, ok := publishedContrast(a.Estimate, b.Estimate, m)
		return ok && c.P() < stats.Alpha
	}
}

// placeEntries sets the range of places that each usable entry may have: told reports whether two
// entries, the first of which is better, are distinguished.
func placeEntries(list []model.RankEntry, told func(a, b int) bool) {
	for i := range list {
		if list[i].Trust == model.Invalid {
			continue
		}
		first, last := 1, 0
		for j := range list {
			switch {
			case list[j].Trust == model.Invalid:
				continue
			case j < i && told(j, i):
				first++
			}
			if !(j > i && told(i, j)) {
				last++
			}
		}
		list[i].First, list[i].Last = first, last
	}
}
