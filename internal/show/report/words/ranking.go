package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// RankNoise says what single numbers can support.
func RankNoise(k *model.Ranking) string {
	n := k.Noise
	if n == nil {
		if slices.ContainsFunc(k.Rows, func(r model.RankRow) bool {
			return slices.ContainsFunc(r.Entries, func(e model.RankEntry) bool { return e.Estimate.Confidence == 0 })
		}) {
			return "no test was run twice, so it is not known how much results vary by chance: a difference between two single numbers decides nothing"
		}
		return ""
	}
	most := slices.MaxFunc(n.Repeats, func(a, b model.Repeat) int {
		switch {
		case a.Difference < b.Difference:
			return -1
		case a.Difference > b.Difference:
			return 1
		}
		return 0
	})
	var values []string
	for _, v := range most.Values {
		values = append(values, most.Metric.Format(v))
	}
	return fmt.Sprintf("the sources' own repeats differ by up to %s (%s, %s: %s), so smaller differences mean nothing; two single runs are told apart from %s on (%s, 5%% error for each pair, if the other tests are no noisier)",
		Percent(n.Largest), k.Systems[most.System].Name, most.Workload, strings.Join(values, ", "), Percent(n.Apart-1), units.FormatCount(len(n.Repeats), "repeat"))
}

// RankNotes returns the reasons why rows are inconclusive, each once.
func RankNotes(k *model.Ranking) []string {
	var notes []string
	for _, r := range k.Rows {
		if r.Reason != "" && !slices.Contains(notes, r.Reason) {
			notes = append(notes, r.Reason)
		}
	}
	return notes
}

// RankTest names a test: the part before a slash is the name of its group.
func RankTest(k *model.Ranking, r model.RankRow) string {
	name := r.Workload[strings.LastIndexByte(r.Workload, '/')+1:]
	switch {
	case r.Direction == model.Sync:
		name += " flush"
	case rankMixed(k, r):
		name += " " + string(r.Direction)
	}
	return name
}

// rankMixed reports whether the test's name does not show the direction.
func rankMixed(k *model.Ranking, r model.RankRow) bool {
	return r.Direction != model.Mixed && slices.ContainsFunc(k.Rows, func(o model.RankRow) bool {
		return o.Group == r.Group && o.Workload == r.Workload && o.Direction != r.Direction && o.Direction != model.Sync
	})
}

// Place returns "1", "2–3", or "–" for a number without a place.
func Place(e model.RankEntry) string {
	switch {
	case e.First == 0:
		return "–"
	case e.First == e.Last:
		return strconv.Itoa(e.First)
	}
	return fmt.Sprintf("%d–%d", e.First, e.Last)
}

// RankVerdict returns the verdict on an order of systems. A test of one system alone orders nothing.
func RankVerdict(v model.Change, alone bool) string {
	switch {
	case v == model.Better:
		return "clear"
	case v == model.Unusable && alone:
		return "only one system"
	}
	return string(v)
}

// RankGroup returns a group and what it summarises: "FIO, 10 tests".
func RankGroup(g model.RankGroup) string {
	if g.Name == "" {
		return "overall, " + units.FormatCount(g.Rows, "group")
	}
	return g.Name + ", " + units.FormatCount(g.Rows, "test")
}
