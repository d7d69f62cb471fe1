// Package text prints a report and a plan for people. Its assumptions: every number is shown next to
// its interval and its verdict, three digits are enough, numbers that cannot be trusted look
// different from those that can, and a table that does not fit loses columns rather than wrapping.
package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Options describe what the stream can show.
type Options struct {
	// Width is in columns; values below 40 mean 80.
	Width int
	// Color allows colours, Unicode allows block characters and signs beyond ASCII.
	Color, Unicode bool
	// Verbose adds the notes, the checks that passed and those that could not be made.
	Verbose bool
	// Brief omits the lines of a report that Head has already printed.
	Brief bool
	// HasPage reports whether the folder of a run or comparison has a page; nil means that each has one.
	HasPage func(dir string) bool
	// Planned is the command that printed a plan, without its arguments; empty for "loadline plan".
	Planned string
}

// Render prints a report: what was measured, the table of results, what the
// trust rules found, and where the run is saved. It fails only when w does.
func Render(w io.Writer, r *model.Report, o Options) error {
	p := newPage(o)
	notes := words.FootnotesOf(r, o.Verbose)
	switch {
	case r.Ranking != nil:
		p.ranking(r)
	case r.Sweep != nil:
		p.head(r, o)
		p.blank()
		p.sweep(r, notes)
	case measuredScale(r):
		p.head(r, o)
		p.blank()
		p.scales(r, notes)
	default:
		p.head(r, o)
		p.blank()
		p.results(r, notes)
		p.transactions(r)
		p.saturation(r)
	}
	p.blank()
	p.goals("goals", r.Goals)
	p.trust(r, notes)
	for _, d := range r.Durability {
		p.field("durable", p.Paint(paintOf(d.Result), d.Statement))
	}
	p.charts(r)
	p.saved(r.Run.Directory, o)
	return p.flush(w)
}

// saved says where a run or comparison is saved, and the name of its page; "" is nowhere.
func (p *page) saved(dir string, o Options) {
	if dir == "" {
		return
	}
	var facts []string
	if o.HasPage == nil || o.HasPage(dir) {
		facts = append(facts, "report.html")
	}
	p.savedIn(dir, facts...)
}

// savedIn says which directory holds results, and more about it. A path that is too long is not broken, so that it can be
// copied: it has a line of its own.
func (p *page) savedIn(dir string, facts ...string) {
	dir = p.Text(strings.TrimRight(dir, "/") + "/")
	if term.Columns(dir) <= p.width-labelWidth {
		p.field("saved", append([]string{dir}, facts...)...)
		return
	}
	p.line(p.Paint(term.Dim, "saved"))
	p.line(dir)
	if len(facts) > 0 {
		p.field("", facts...)
	}
}

// page collects lines in the style of the stream.
type page struct {
	term.Style
	width   int
	verbose bool
	out     strings.Builder
	// steps are the next steps that were written.
	steps []string
}

func newPage(o Options) *page {
	if o.Width < 40 {
		o.Width = 80
	}
	return &page{Style: term.Style{Color: o.Color, Unicode: o.Unicode}, width: o.Width, verbose: o.Verbose}
}

// line writes one line without trailing blanks.
func (p *page) line(s string) {
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

func (p *page) blank() { p.out.WriteByte('\n') }

func (p *page) flush(w io.Writer) error {
	if _, err := io.WriteString(term.Styled(w), p.out.String()); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

// labelWidth is the width of the labels at the left edge ("target", "trust").
const labelWidth = 8

// Text in a run may be of any length, and a run may come from somebody else: a fact such as a host
// name is limited to factColumns, a sentence to sentenceColumns. Both are more than a real run
// needs; the document has the full text.
const (
	factColumns     = 300
	sentenceColumns = 2000
)

// sentence returns a text as the stream shows it, with limited length.
func (p *page) sentence(text string) string { return p.Shorten(p.Text(text), sentenceColumns) }

// facts writes a field with short parts.
func (p *page) facts(label string, parts ...string) {
	short := make([]string, len(parts))
	for i, part := range parts {
		short[i] = p.Shorten(p.Text(part), factColumns)
	}
	p.field(label, short...)
}

// field writes a label and its parts, three blanks apart; what does not fit continues below,
// indented. Empty parts are left out.
func (p *page) field(label string, parts ...string) {
	label = p.Paint(term.Dim, label) + term.Pad(label, labelWidth)
	room := p.width - labelWidth
	line := ""
	emit := func() {
		p.line(label + line)
		label, line = strings.Repeat(" ", labelWidth), ""
	}
	for _, part := range parts {
		part = strings.TrimSpace(p.sentence(part))
		switch {
		case part == "":
			continue
		case line != "" && term.Columns(line)+3+term.Columns(part) <= room:
			line += "   " + part
			continue
		case line != "":
			emit()
		}
		wrapped := term.Wrap(part, room)
		for _, l := range wrapped[:len(wrapped)-1] {
			line = l
			emit()
		}
		line = wrapped[len(wrapped)-1]
	}
	emit()
}
