package markdown

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

// ranking writes the summary of each kind of test, and every test.
func (p *page) ranking(r *model.Report) {
	k := r.Ranking
	p.para("### " + title(r.Run.Target.Name))
	p.para(inline(words.RankNoise(k)))
	var rows [][]string
	for _, g := range k.Groups {
		var order []string
		for _, e := range g.Entries {
			order = append(order, "**"+words.Place(e)+"** "+inline(k.Systems[e.System].Name))
		}
		verdict := words.RankVerdict(g.Verdict, false)
		if g.Reason != "" {
			verdict += ": " + inline(g.Reason)
		}
		rows = append(rows, []string{inline(words.RankGroup(g)), strings.Join(order, " · "), verdict})
	}
	p.table([]string{"tests", "from best to worst", "verdict"}, rows)
	p.para("The number before a value is its place: 2–3 means that the numbers allow either, – that the number cannot be used.")
	p.tests(k)
	p.findings(r, words.FootnotesOf(r, true))
	p.details(r)
}

// tests writes a row for each test.
func (p *page) tests(k *model.Ranking) {
	notes := words.RankNotes(k)
	titles := []string{"test", "metric"}
	for _, s := range k.Systems {
		titles = append(titles, inline(s.Name))
	}
	var rows [][]string
	for _, r := range k.Rows {
		row := []string{inline(r.Group) + " " + code(words.RankTest(k, r)), inline(words.Metric(r.Metric))}
		for i := range k.Systems {
			text := "–"
			for _, e := range r.Entries {
				if e.System == i {
					text = "**" + words.Place(e) + "** " + value(r.Metric.Format(e.Estimate.Value), e.Trust)
				}
			}
			row = append(row, text)
		}
		verdict := words.RankVerdict(r.Verdict, len(r.Entries) == 1)
		if i := slices.Index(notes, r.Reason); i >= 0 {
			verdict += " " + looks.Footnote(strconv.Itoa(i+1))
		}
		rows = append(rows, append(row, verdict))
	}
	p.table(append(titles, "verdict"), rows)
	var list strings.Builder
	for i, n := range notes {
		list.WriteString("- " + looks.Footnote(strconv.Itoa(i+1)) + " " + inline(n) + "\n")
	}
	p.para(strings.TrimSuffix(list.String(), "\n"))
}
