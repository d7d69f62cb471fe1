// Package plot draws charts in characters: braille dots and box lines, or plain ASCII. Its assumptions:
// a chart in a terminal is for the shape, the table beside it for the numbers, so only measurements
// whose shape matters are drawn, a sweep or several volumes at once; the axis of a rate begins at
// zero and that of a latency is logarithmic over at least one decade, so that noise is not
// exaggerated; anything distinguished by colour is also labelled in words; and a chart is never
// wider than requested.
//
// All functions return lines without trailing blanks, and are pure.
package plot

import (
	"strings"

	"github.com/loadline/loadline/internal/show/report/term"
)

// Options describe where a chart is shown.
type Options struct {
	term.Style
	// Width is that of the whole chart in columns, at least 24 (0: 80). Height is the number of
	// rows inside the axes (0: 9).
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

// wrapped cleans a text and breaks it into lines, indented by two.
func (o Options) wrapped(text string) []string {
	lines := term.Wrap(o.Text(text), o.Width-2)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// unpainted returns a line without its colours.
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
