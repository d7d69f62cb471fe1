package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// looks is the style of sparklines and footnote marks: Markdown supports Unicode.
var looks = term.Style{Unicode: true}

// sparkWidth is the width of "over time" in characters.
const sparkWidth = 10

// numbers writes the tables.
func (p *page) numbers(r *model.Report, notes words.Footnotes) {
	if r.Sweep != nil {
		p.sweep(r, notes)
	} else {
		p.results(r, notes)
	}
	p.costs(r)
	for i := range r.Scales {
		p.scale(r, &r.Scales[i])
	}
}

// results writes one row for each result, and one for each planned workload without a result.
func (p *page) results(r *model.Report, notes words.Footnotes) {
	seen := map[string]bool{}
	var rows [][]string
	for i := range r.Results {
		res := &r.Results[i]
		lat := res.Latency
		if lat == nil {
			lat = &model.LatencySummary{}
		}
		seen[res.Workload] = true
		rows = append(rows, []string{
			code(words.ResultName(r, *res)), inline(res.Description), value(res.Metric.FormatOf(res.Direction, res.Value), res.Verdict), half(res),
			percentile(lat.P50, res.Verdict), percentile(lat.P99, res.Verdict), percentile(lat.P999, res.Verdict),
			span(res.Span), looks.Spark(res.Series, sparkWidth), strings.TrimSpace(mark(res.Verdict) + " " + marks(notes.Of(res.Workload))),
		})
	}
	for _, w := range r.Run.Workloads {
		if !seen[w.Name] {
			rows = append(rows, []string{code(w.Name), inline(w.Describe()), "–", "–", "–", "–", "–", "–", "", strings.TrimSpace("not measured " + marks(notes.Of(w.Name)))})
		}
	}
	titles := []string{"workload", "pattern", "result:", words.Confidence(r.Results) + ":", "p50:", "p99:", "p99.9:", "observed:", "over time", "verdict"}
	if at := slices.Index(titles, "observed:"); !words.Looked(r) {
		titles = slices.Delete(titles, at, at+1)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], at, at+1)
		}
	}
	p.table(titles, rows)
	p.star(r)
}

// star explains the star beside the intervals of a table, if one has it.
func (p *page) star(r *model.Report) {
	if star := words.Star(r); star != "" {
		p.para(`\* ` + star)
	}
}

// span formats how long a workload was observed, including pauses.
func span(seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return words.Span(seconds)
}

// value formats a number; one that must not be used is crossed out.
func value(s string, v model.Verdict) string {
	if v == model.Invalid && s != "–" {
		return "~~" + s + "~~"
	}
	return s
}

// half formats the interval; words.Star says what its star means.
func half(res *model.Result) string {
	return width(res.Metric, res.Direction, res.Estimate, res.Converged || res.Direction == model.Sync)
}

// width is half for an estimate of a metric.
func width(m model.Metric, d model.Direction, e model.Estimate, converged bool) string {
	words := m.FormatWidth(d, e)
	if words != "–" && !converged {
		words += `\*`
	}
	return words
}

// percentile formats a latency, or a dash if too few I/Os support it.
func percentile(v *float64, verdict model.Verdict) string {
	if v == nil {
		return "–"
	}
	return value(model.P99.Format(*v), verdict)
}

// latency is percentile for an estimate.
func latency(e *model.Estimate, verdict model.Verdict) string {
	if e == nil {
		return "–"
	}
	return percentile(&e.Value, verdict)
}

// mark formats a verdict: anything but valid stands out.
func mark(v model.Verdict) string {
	switch v {
	case model.Invalid:
		return "**✗ invalid**"
	case model.Suspect:
		return "! suspect"
	case model.Valid:
		return "✓ valid"
	}
	return "not checked"
}

func marks(notes []int) string {
	var list []string
	for _, n := range notes {
		list = append(list, looks.Footnote(strconv.Itoa(n)))
	}
	return strings.Join(list, " ")
}

// goals writes the goals and whether they were met.
func (p *page) goals(goals []model.Goal) {
	var lines []string
	for _, g := range goals {
		sign := map[model.Outcome]string{model.Met: "✓", model.Missed: "✗"}[g.Outcome]
		if sign == "" {
			sign = "?"
		}
		lines = append(lines, fmt.Sprintf("- %s **%s** %s: %s%s", sign, inline(string(g.Outcome)), code(g.Text), inline(g.Message), next(g.Next)))
	}
	p.para(strings.Join(lines, "\n"))
}

// next writes the next step, on a line of its own; commands are shown as code.
func next(command string) string {
	if plain(command) == "" {
		return ""
	}
	if strings.HasPrefix(command, "loadline ") {
		return "<br>next: " + code(command)
	}
	return "<br>next: " + inline(command)
}

// findings writes what people should read, under the counts.
func (p *page) findings(r *model.Report, notes words.Footnotes) {
	if len(r.Findings) == 0 && len(r.Results) == 0 {
		return
	}
	p.para("**Trust** " + inline(strings.Join(words.Tally(r.Findings, true), ", ")))
	var lines []string
	for _, n := range notes {
		lead := ""
		if n.Number > 0 {
			lead = looks.Footnote(strconv.Itoa(n.Number)) + " "
		}
		lines = append(lines, "- "+lead+finding(n.Finding))
	}
	p.para(strings.Join(lines, "\n"))
}

func finding(f model.Finding) string {
	return fmt.Sprintf("**%s** %s: %s%s", inline(string(f.Severity)), code(f.Rule), inline(f.Message), next(f.Next))
}
