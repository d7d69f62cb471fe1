package words

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// blocks returns, for example, "4–9 blocks, interleaved", or "5 repeats or more, not interleaved".
func blocks(c *model.Comparison) string {
	least, most := 0, 0
	for _, r := range c.Rows {
		if r.Sustained {
			continue
		}
		if least == 0 || r.Blocks < least {
			least = r.Blocks
		}
		most = max(most, r.Blocks)
	}
	if most == 0 {
		return ""
	}
	noun, rest := "repeat", " or more, not interleaved"
	if c.Method == model.Paired {
		noun, rest = "block", ", interleaved"
	}
	words := units.FormatCount(least, noun)
	if most > least {
		words = fmt.Sprintf("%d–%s", least, units.FormatCount(most, noun))
	}
	return words + rest
}

// settle says what would settle an unclear row.
func settle(c *model.Comparison, r model.Row) string {
	if r.Verdict != model.Unclear {
		return ""
	}
	_, percentile := r.Metric.Percentile()
	for _, f := range c.Findings {
		if f.Rule == "skipped-transactions" && r.Metric != model.Latency && !percentile {
			continue
		}
		if r.Needed == 0 && f.Severity == model.SeverityWarning && slices.Contains(withholding, f.Rule) && slices.Contains(f.Results, r.Workload) {
			return "not judged: see " + f.Rule
		}
	}
	lead := ""
	if r.Adjusted < c.Alpha {
		lead = fmt.Sprintf("a change is certain (p %s), but not that it is more than ±%s; ", pWords(r.Adjusted), Asked(r.Margin))
	}
	unit := "blocks"
	if c.Method == model.Independent {
		unit = "repeats of each"
	}
	switch {
	case r.Needed > 0:
		return lead + fmt.Sprintf("about %d %s would narrow this to ±%s", r.Needed, unit, Percent(r.Narrow)) + more(c, r)
	case r.A.Confidence == 0 || r.B.Confidence == 0:
		return lead + "no interval: a single figure cannot tell a change from chance"
	case r.Ratio.Confidence == 0:
		return lead + "one block is not enough to tell how sure this is"
	case r.P < c.Alpha && r.Adjusted >= c.Alpha:
		return fmt.Sprintf("p %s, but %s after Holm's correction for %d rows: choose fewer with --only, or measure more blocks", pWords(r.P), pWords(r.Adjusted), len(c.Rows))
	}
	flag := "--margin"
	if r.Metric == model.P99 {
		flag = "--margin-p99"
	}
	return lead + "the change is about as large as the margin: more measuring will not settle it, another " + flag + " will"
}

// day is a day, in seconds.
const day = 24 * 3600.0

// more says how much longer an unclear row has to be measured, alone, until its interval is as narrow as it needs; "" if
// that is not known.
func more(c *model.Comparison, r model.Row) string {
	what := " more"
	if c.Method == model.Independent {
		what = " of measuring"
	}
	seconds := r.NeededSeconds
	switch {
	case seconds <= 0:
		return ""
	case seconds > day:
		return ", which takes days: this storage, as it varies now, does not give that precision in a reasonable time"
	case !r.Decidable():
		return fmt.Sprintf(", which takes about %s%s: this storage, as it varies now, does not give that precision in a reasonable time", units.FormatSpan(seconds), what)
	}
	return fmt.Sprintf(" (about %s%s)", units.FormatSpan(seconds), what)
}

// withholding are the rules that leave a row without a verdict, however clear the change is.
var withholding = []string{"placed-differently", "different-transactions", "skipped-transactions"}

// sustained describes the bursts behind a row of sustained rates.
func sustained(c *model.Comparison, r model.Row) string {
	parts := []string{"sustained rates without a pause are compared"}
	for _, f := range c.Findings {
		if f.Rule == "sustained" && f.Severity == model.SeverityNote && slices.Contains(f.Results, r.Workload) {
			parts = append(parts, f.Message)
		}
	}
	return strings.Join(parts, ". ")
}

func pWords(p float64) string {
	switch {
	case p < 0.0001:
		return "< 0.0001"
	case p < 0.1:
		return strconv.FormatFloat(p, 'g', 2, 64)
	}
	return strconv.FormatFloat(p, 'f', 2, 64)
}

// mixedRow reports whether the workload's name does not show the direction.
func mixedRow(c *model.Comparison, r model.Row) bool {
	return slices.ContainsFunc(c.Rows, func(o model.Row) bool {
		return o.Workload == r.Workload && o.Direction != r.Direction && o.Direction != model.Sync
	})
}

// Change returns the change for a ratio: "+0.8%", "−12%", "×10.3".
func Change(ratio float64, decimals int) string {
	switch v := (ratio - 1) * 100; {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case ratio >= 10:
		return "×" + Fixed(ratio, 0)
	case ratio >= 3:
		return "×" + Fixed(ratio, 1)
	case v < -99.05:
		// What is left of it must show: −99.7 % and −99.97 % are a factor of ten.
		return signed(v, 2) + "%"
	case math.Abs(v) >= 9.95:
		return signed(v, 0) + "%"
	default:
		return signed(v, decimals) + "%"
	}
}

// signed formats a number with its sign; zero has none.
func signed(v float64, decimals int) string {
	s := Fixed(math.Abs(v), decimals)
	switch zero, _ := strconv.ParseFloat(s, 64); {
	case zero == 0:
		return s
	case v < 0:
		return "−" + s
	}
	return "+" + s
}

// Interval returns, for example, "[−1.0%, +2.6%]".
func Interval(e model.Estimate) string {
	if e.Confidence == 0 {
		return "–"
	}
	return "[" + Change(e.Low, 1) + ", " + Change(e.High, 1) + "]"
}

// Verdicts counts the verdicts: "2 worse   3 same   1 unclear".
func Verdicts(c *model.Comparison) []string {
	var parts []string
	for _, v := range []model.Change{model.Worse, model.Better, model.Same, model.Unclear, model.Unusable} {
		n := 0
		for _, r := range c.Rows {
			if r.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) == 0 {
		return []string{"nothing was compared"}
	}
	return append(parts, Margins(c))
}

// Decided says in a sentence what the rows decide: what is worse, or that nothing is, how many are
// inconclusive because their interval allows more than one verdict, and how many are unusable because
// a number behind them is invalid.
func Decided(c *model.Comparison) string {
	count := map[model.Change]int{}
	for _, r := range c.Rows {
		count[r.Verdict]++
	}
	n := len(c.Rows)
	var parts []string
	switch decided := n - count[model.Unclear] - count[model.Unusable]; {
	case n == 0:
		return "nothing was compared"
	case count[model.Worse] > 0:
		parts = append(parts, fmt.Sprintf("B is worse in %d of %s", count[model.Worse], units.FormatCount(n, "row")))
	case count[model.Better] > 0:
		parts = append(parts, fmt.Sprintf("B is better in %d of %s, and in none worse", count[model.Better], units.FormatCount(n, "row")))
	case decided > 0:
		parts = append(parts, fmt.Sprintf("no difference beyond the margin in %d of %s", decided, units.FormatCount(n, "row")))
	}
	if k := count[model.Unclear]; k > 0 {
		parts = append(parts, fmt.Sprintf("inconclusive: %d of %s", k, units.FormatCount(n, "row")))
	}
	if k := count[model.Unusable]; k > 0 {
		parts = append(parts, fmt.Sprintf("unusable: %d of %s", k, units.FormatCount(n, "row")))
	}
	return strings.Join(parts, "; ")
}

// Margins returns, for example, "(margin ±5%, p99 ±10%)"; "" if nothing was compared.
func Margins(c *model.Comparison) string {
	if len(c.Rows) == 0 {
		return ""
	}
	margins := "margin ±" + Asked(c.Margins.Rate)
	if c.Margins.P99 != c.Margins.Rate {
		margins += ", p99 ±" + Asked(c.Margins.P99)
	}
	return "(" + margins + ")"
}

// RowName returns the workload's name, with the direction if the name alone does not show it.
func RowName(c *model.Comparison, r model.Row) string {
	switch {
	case r.Direction == model.Sync:
		return r.Workload + " flush"
	case mixedRow(c, r):
		return r.Workload + " " + string(r.Direction)
	}
	return r.Workload
}

// Difference returns, for example, "replicas 3 → 2", with a warning if the difference makes the
// sides incomparable.
func Difference(d model.Difference) string {
	words := d.Name + " " + d.A + " → " + d.B
	if d.NotComparable {
		words += " (not comparable)"
	}
	return words
}

// shortTraits are the common traits worth showing to people; the document has all of them.
var shortTraits = []string{"fio", "fake", "host", "kind", "size", "engine", "direct", "filesystem", "kernel", "profile"}

// Common returns what the sides of a comparison share: "fio 3.33", "4 GiB" …
func Common(c *model.Comparison) []string {
	var parts []string
	for _, name := range shortTraits {
		for _, t := range c.Common {
			if t.Name != name {
				continue
			}
			switch name {
			case "fio", "fake", "kernel", "profile":
				parts = append(parts, name+" "+t.Value)
			default:
				parts = append(parts, t.Value)
			}
		}
	}
	return append(parts, blocks(c))
}

// Note explains rows of a comparison that are unclear, or that are not based on its blocks.
type Note struct {
	Text string
	// Rows are indices of the comparison's rows.
	Rows []int
}

// NoteOf says what would settle an unclear row, or which burst is not compared; "" for any other row.
func NoteOf(c *model.Comparison, r model.Row) string {
	if r.Sustained {
		return sustained(c, r)
	}
	return settle(c, r)
}

// Notes collects the notes of all rows.
func Notes(c *model.Comparison) []Note {
	var notes []Note
	for i, r := range c.Rows {
		text := NoteOf(c, r)
		if text == "" {
			continue
		}
		k := slices.IndexFunc(notes, func(n Note) bool { return n.Text == text })
		if k < 0 {
			k = len(notes)
			notes = append(notes, Note{Text: text})
		}
		notes[k].Rows = append(notes[k].Rows, i)
	}
	return notes
}
