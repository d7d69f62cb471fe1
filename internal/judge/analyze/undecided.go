package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// neededSeconds returns how much longer a row has to be measured, alone, until its interval is as narrow as it needs; 0 if it
// needs no more, or if the time of a repeat is unknown. Runs that were not interleaved are measured anew.
func neededSeconds(c *model.Comparison, r model.Row) float64 {
	blocks := r.Needed
	if c.Method == model.Paired {
		blocks -= r.Blocks
	}
	return max(0, float64(blocks)*blockSeconds(c))
}

// blockSeconds is the time of a repeat on both sides together; 0 if it is unknown.
func blockSeconds(c *model.Comparison) (seconds float64) {
	for _, s := range []model.Schedule{c.A.Schedule, c.B.Schedule} {
		if s.Repeat <= 0 {
			return 0
		}
		seconds += s.Ramp + s.Repeat + s.Overhead
	}
	return seconds
}

// reserve is how many more blocks are advised than the variation so far needs, because it is known from few of them.
const reserve = 1.5

// looksTime is how much longer the long repeats of a comparison like this one take than the repeats that they replace, in seconds.
func looksTime(c *model.Comparison) (seconds float64) {
	for _, s := range []model.Schedule{c.A.Schedule, c.B.Schedule} {
		seconds += float64(s.Looks) * max(0, s.Look-s.Repeat)
	}
	return seconds
}

// undecided returns the command that would probably decide the unclear rows that can be decided in a reasonable time, and how
// long it takes; "" if there are none, or if no command measures both sides again.
func undecided(c *model.Comparison) string {
	again := c.A.Again
	if c.Method != model.Paired {
		if oneTarget(c) {
			return ""
		}
		again = c.A.Again.Against(c.B.Again, c.A.Target.InCommand(), c.B.Target.InCommand())
	}
	if len(again) == 0 || again.Repeats() {
		return ""
	}
	names, most := toDecide(c)
	if len(names) == 0 {
		return ""
	}
	minutes, about := 0.0, "about"
	var options []string
	if c.A.Schedule.Mode == model.Rounds && c.B.Schedule.Mode == model.Rounds {
		// A new comparison begins from nothing. Without a number of blocks it would end like this one as soon as its intervals are
		// narrower than the margin, wherever they are.
		minutes = math.Ceil((float64(most*len(names))*blockSeconds(c) + looksTime(c)) / 60)
		options = []string{"--repeat", strconv.Itoa(most)}
	} else {
		// The repeats of a comparison have another length than these.
		minutes, about = math.Ceil(float64(most*len(names))*blockSeconds(c)/60), "at most"
	}
	options = append(options, "--max-time", fmt.Sprintf("%.0fm", minutes))
	if len(names) < len(workloadsOf(c)) {
		options = append(options, "--only", strings.Join(slices.Sorted(slices.Values(names)), ","))
	}
	rows := 0
	for _, r := range c.Rows {
		if r.Decidable() && slices.Contains(names, r.Workload) {
			rows++
		}
	}
	return fmt.Sprintf("%s   # %s %s of measuring, for %s", again.With(options...), about, units.FormatSpan(60*minutes), units.FormatCount(rows, "unclear row"))
}

// longestTogether is the most time that the advised command takes for several workloads, in seconds: all of them get as many
// blocks as the one that needs most.
const longestTogether = 2 * 3600.0

// toDecide returns the workloads with rows that can be decided, those first that need the fewest blocks, as many as fit into
// longestTogether, and how many blocks they need.
func toDecide(c *model.Comparison) (names []string, most int) {
	blocks := map[string]int{}
	for _, r := range c.Rows {
		if r.Decidable() {
			blocks[r.Workload] = max(blocks[r.Workload], r.Needed)
		}
	}
	all := slices.SortedStableFunc(maps.Keys(blocks), func(a, b string) int {
		return cmp.Or(cmp.Compare(blocks[a], blocks[b]), cmp.Compare(a, b))
	})
	most = c.A.Schedule.MinRounds
	for _, name := range all {
		n := max(most, int(math.Ceil(reserve*float64(blocks[name]))))
		if len(names) > 0 && float64(n*(len(names)+1))*blockSeconds(c) > longestTogether {
			break
		}
		names, most = append(names, name), n
	}
	return names, most
}

// workloadsOf lists the workloads that have a row.
func workloadsOf(c *model.Comparison) (names []string) {
	for _, r := range c.Rows {
		if !slices.Contains(names, r.Workload) {
			names = append(names, r.Workload)
		}
	}
	return names
}
