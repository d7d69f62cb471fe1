// Package plot draws charts in characters: braille dots and box lines, or plain
// ASCII. Its opinion: a chart in a terminal is for the shape, the table beside it
// for the numbers; a rate begins at zero and a latency gets a logarithmic axis of
// at least one decade, so that noise does not look like drama; what is drawn in
// colour is also named in words; and a chart never is wider than it was told.
//
// All functions return lines without trailing blanks, and are pure.
package plot

import (
	"strings"

	"github.com/loadline/loadline/internal/report/term"
)

// Options tells where a chart is shown.
type Options struct {
	term.Style
	// Width is that of the whole chart in columns, at least 24 (0: 80). Height is
	// the number of rows inside the axes (0: 9).
	Width, Height int
}

func (o Options) filled() Options {
	if o.Width == 0 {
		o.Width = 80
	}
	if o.Height == 0 {
		o.Height = 9
	}
	o.Width, o.Height = max(24, o.Width), max(2, o.Height)
	return o
}

// words cleans a text and cuts it to the width of the chart.
func (o Options) words(text string) string { return o.Shorten(o.Text(text), o.Width) }

// wrapped cleans a text and breaks it into lines, with an indent of two.
func (o Options) wrapped(text string) []string {
	lines := term.Wrap(o.Text(text), o.Width-2)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// Beside puts charts into rows, as many next to each other as the width has room
// for; each was drawn at panel columns. Rows are separated by a blank line.
func Beside(charts [][]string, panel, width int) []string {
	const gap = 2
	perRow := max(1, (width+gap)/(panel+gap))
	var out []string
	for len(charts) > 0 {
		row := charts[:min(perRow, len(charts))]
		charts = charts[len(row):]
		if out != nil {
			out = append(out, "")
		}
		out = append(out, join(row, panel+gap)...)
	}
	return out
}

// Panel is the width at which to draw charts that Beside shall put next to each
// other: the widest that leaves none narrower than least columns, at most n.
func Panel(n, least, width int) int {
	const gap = 2
	for ; n > 1; n-- {
		if w := (width - (n-1)*gap) / n; w >= least {
			return w
		}
	}
	return width
}

func join(charts [][]string, step int) []string {
	height := 0
	for _, c := range charts {
		height = max(height, len(c))
	}
	lines := make([]string, height)
	for i := range lines {
		var b strings.Builder
		column, written := 0, 0
		for _, c := range charts {
			if i < len(c) && c[i] != "" {
				b.WriteString(strings.Repeat(" ", column-written))
				b.WriteString(c[i])
				written = column + term.Columns(unpainted(c[i]))
			}
			column += step
		}
		lines[i] = b.String()
	}
	return lines
}

// unpainted is a line without its colours.
func unpainted(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}
