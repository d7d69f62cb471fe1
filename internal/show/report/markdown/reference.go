package markdown

import (
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/show/report/plot"
	"github.com/loadline/loadline/internal/show/report/term"
)

// ReferenceMark is the first line of every reference report.
const ReferenceMark = "<!-- written by loadline report --reference -->"

// chartWidth is the width that a code block shows without scrolling.
const chartWidth = 96

// RenderReference writes a reference report, with its charts in characters. It fails
// only when w does.
func RenderReference(w io.Writer, r *study.Reference) error {
	var p page
	p.para(ReferenceMark)
	p.para("# " + inline(r.Title))
	if len(r.Sources) > 0 {
		p.para("Made from " + inline(strings.Join(r.Sources, ", ")) + ".")
	}
	p.contents(r)
	for _, c := range r.Chapters {
		p.para(strings.Repeat("#", 1+c.Level) + " " + inline(c.Title))
		for _, part := range c.Parts {
			p.part(part)
		}
		if c.Missing != "" {
			p.para("*Not measured:* " + inline(c.Missing) + ".")
		}
	}
	return p.flush(w)
}

// contents lists the chapters. Their links are the ones that Markdown sites generate from headings:
// lower-case letters, digits, and dashes for spaces.
func (p *page) contents(r *study.Reference) {
	var b strings.Builder
	seen := map[string]int{}
	for _, c := range r.Chapters {
		link := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
				return r
			}
			return -1
		}, strings.ToLower(plain(c.Title)))
		if seen[link]++; c.Level == 1 && seen[link] == 1 {
			b.WriteString("- [" + inline(c.Title) + "](#" + link + ")\n")
		}
	}
	p.para(strings.TrimRight(b.String(), "\n"))
}

func (p *page) part(part study.Part) {
	switch {
	case part.Table != nil:
		titles := make([]string, len(part.Table.Titles))
		for i, t := range part.Table.Titles {
			titles[i] = inline(t)
			if part.Table.Numeric[i] {
				titles[i] += ":"
			}
		}
		rows := make([][]string, len(part.Table.Rows))
		for i, row := range part.Table.Rows {
			for _, c := range row {
				rows[i] = append(rows[i], inline(c))
			}
		}
		p.table(titles, rows)
	case part.Scale != nil:
		drawn := plot.Scale(part.Scale, plot.Options{Style: term.Style{Unicode: true}, Width: chartWidth})
		p.para(block(strings.Join(drawn, "\n"), "text"))
	case len(part.Items) > 0:
		lines := make([]string, len(part.Items))
		for i, item := range part.Items {
			lines[i] = "- " + inline(item)
		}
		p.para(strings.Join(lines, "\n"))
	default:
		p.para(inline(part.Text))
	}
}
