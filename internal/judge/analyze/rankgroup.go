package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// standing is the input of a group's summary: how good each system is in each row, on the logarithmic
// scale (more is better), and which pairs the row distinguishes.
type standing struct {
	good map[int]float64
	told func(a, b int) int
}

// rankGroups summarizes each group of tests, and then all groups with equal weight.
func rankGroups(r *model.Ranking, systems int) []model.RankGroup {
	var names []string
	for _, row := range r.Rows {
		if !slices.Contains(names, row.Group) {
			names = append(names, row.Group)
		}
	}
	groups := []model.RankGroup{}
	var all []standing
	for _, name := range names {
		var rows []standing
		for _, row := range r.Rows {
			if s, ok := standingOf(row); ok && row.Group == name {
				rows = append(rows, s)
			}
		}
		g := sumUp(name, rows, systems)
		groups = append(groups, g)
		if len(g.Entries) > 0 {
			all = append(all, standingOfGroup(g))
		}
	}
	if len(names) > 1 {
		groups = append(groups, sumUp("", all, systems))
	}
	return groups
}

// standingOf is a row's standing; false if it has no usable number. A percentile is left out: it would
// give the same test double weight.
func standingOf(row model.RankRow) (standing, bool) {
	_, tail := row.Metric.Percentile()
	if row.Verdict == model.Unusable || tail {
		return standing{}, false
	}
	s := standing{good: map[int]float64{}}
	apart := toldApart(row.Metric, row.Apart)
	entries := map[int]model.RankEntry{}
	for _, e := range row.Entries {
		if e.Trust == model.Invalid {
			continue
		}
		v := math.Log(e.Estimate.Value)
		if row.Metric.LowerIsBetter() {
			v = -v
		}
		s.good[e.System], entries[e.System] = v, e
	}
	s.told = func(a, b int) int {
		switch {
		case row.Reason != "" || !apart(entries[a], entries[b]):
			return 0
		case s.good[b] > s.good[a]:
			return 1
		}
		return -1
	}
	return s, true
}

// standingOfGroup is a group's standing, for the summary over all groups.
func standingOfGroup(g model.RankGroup) standing {
	s := standing{good: map[int]float64{}}
	for _, e := range g.Entries {
		s.good[e.System] = math.Log(e.Estimate.Value)
	}
	s.told = func(a, b int) int {
		for _, p := range g.Pairs {
			switch {
			case p.A == a && p.B == b && p.Verdict == model.Better, p.A == b && p.B == a && p.Verdict == model.Worse:
				return 1
			case p.A == a && p.B == b && p.Verdict == model.Worse, p.A == b && p.B == a && p.Verdict == model.Better:
				return -1
			}
		}
		return 0
	}
	return s
}

// sumUp ranks the systems that occur in any of the rows, using only the rows that contain all of them.
func sumUp(name string, rows []standing, systems int) model.RankGroup {
	g := model.RankGroup{Name: name, Entries: []model.RankEntry{}, Pairs: []model.RankPair{}, Verdict: model.Unclear}
	var in []int
	for i := range systems {
		if slices.ContainsFunc(rows, func(s standing) bool { _, ok := s.good[i]; return ok }) {
			in = append(in, i)
		}
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(s standing) bool { return len(s.good) < len(in) })
	g.Rows = len(rows)
	if len(in) < 2 || len(rows) == 0 {
		g.Verdict, g.Reason = model.Unusable, "no test has two usable numbers"
		if len(in) > 1 {
			g.Reason = "no test has usable numbers of all of them"
		}
		return g
	}
	for _, i := range in {
		var sum float64
		for _, s := range rows {
			var mean float64
			for _, k := range in {
				mean += s.good[k] / float64(len(in))
			}
			sum += s.good[i] - mean
		}
		v := math.Exp(sum / float64(len(rows)))
		g.Entries = append(g.Entries, model.RankEntry{System: i, Estimate: model.Estimate{Value: v, Low: v, High: v}, Trust: model.Suspect, Repeats: len(rows)})
	}
	sortEntries(g.Entries, false)
	better := map[[2]int]bool{}
	for x, a := range in {
		for _, b := range in[x+1:] {
			p := pairOver(a, b, rows)
			g.Pairs = append(g.Pairs, p)
			better[[2]int{b, a}], better[[2]int{a, b}] = p.Verdict == model.Better, p.Verdict == model.Worse
		}
	}
	placeEntries(g.Entries, func(i, j int) bool { return better[[2]int{g.Entries[i].System, g.Entries[j].System}] })
	if !slices.ContainsFunc(g.Entries, func(e model.RankEntry) bool { return e.First != e.Last }) {
		g.Verdict = model.Better
	} else {
		g.Reason = openReason(g)
	}
	return g
}

// pairOver compares b with a over rows. b is better if it is significantly better in at least half of
// the rows and worse in none, or if it is better on average with 95 % confidence, treating the tests as
// a sample of all tests of this kind.
func pairOver(a, b int, rows []standing) model.RankPair {
	p := model.RankPair{A: a, B: b, Verdict: model.Unclear}
	var d []float64
	for _, s := range rows {
		d = append(d, s.good[b]-s.good[a])
		switch s.told(a, b) {
		case 1:
			p.Wins++
		case -1:
			p.Losses++
		default:
			p.Open++
		}
	}
	p.Ratio.Value = math.Exp(stats.Mean(d))
	p.Ratio.Low, p.Ratio.High = p.Ratio.Value, p.Ratio.Value
	if n := float64(len(d)); n > 1 {
		half := stats.StudentT(n-1) * stats.StdDev(d) / math.Sqrt(n)
		p.Ratio.Low, p.Ratio.High, p.Ratio.Confidence = p.Ratio.Value*math.Exp(-half), p.Ratio.Value*math.Exp(half), stats.Confidence
	}
	known := p.Ratio.Confidence > 0 && p.Wins+p.Losses > 0
	switch {
	case p.Losses == 0 && 2*p.Wins >= len(rows) && p.Wins > 0, known && p.Ratio.Low > 1:
		p.Verdict = model.Better
	case p.Wins == 0 && 2*p.Losses >= len(rows) && p.Losses > 0, known && p.Ratio.High < 1:
		p.Verdict = model.Worse
	}
	return p
}

// openReason explains why some places are open.
func openReason(g model.RankGroup) string {
	mixed, open, told := 0, 0, 0
	for _, p := range g.Pairs {
		told += p.Wins + p.Losses
		switch {
		case p.Verdict != model.Unclear:
		case p.Wins > 0 && p.Losses > 0:
			mixed++
		default:
			open++
		}
	}
	switch {
	case told == 0:
		return "no test tells any of them apart"
	case mixed > 0 && open > 0:
		return fmt.Sprintf("in %s each wins some tests, and %s differ too little", pairsWords(mixed), pairsWords(open))
	case mixed > 0:
		return "in " + pairsWords(mixed) + " each wins some tests: it depends on which test matters"
	}
	return pairsWords(open) + " of systems differ too little to be told apart"
}

func pairsWords(n int) string {
	if n == 1 {
		return "one pair"
	}
	return fmt.Sprintf("%d pairs", n)
}
