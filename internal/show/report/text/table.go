package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/show/report/term"
)

// cell is one entry of a table. A number is split from its unit so that both align: numbers to the
// right, units to the left.
type cell struct {
	text, unit string
	paint      term.Paint
}

// column is a column of a table. Those with the smallest drop are omitted first if the width is
// short; drop 0 is always kept.
//
// Adjacent columns of the same span share a heading above their titles.
type column struct {
	title string
	span  string
	// name is how the column is called where it is omitted, if the title does not tell it from others.
	name    string
	numeric bool
	drop    int
	// of is the column whose values this one qualifies: without them, it would seem to belong to another column.
	of    *column
	cells []cell
}

// widths returns the widths of a column's numbers and units. A numeric column's title is
// right-aligned over both.
func (c *column) widths() (num, unit int) {
	for _, x := range c.cells {
		num, unit = max(num, term.Columns(x.text)), max(unit, term.Columns(x.unit))
	}
	if short := term.Columns(c.title) - num - unit; short > 0 {
		num += short
	}
	return num, unit
}

func (c *column) width() int {
	num, unit := c.widths()
	return num + unit
}

// total returns the width of a table, with one blank between columns.
func total(columns []*column) int {
	n := len(columns) - 1
	for _, c := range columns {
		n += c.width()
	}
	return n
}

// fit chooses the columns that fit in the width: it omits columns in the order of their drop, then
// takes back those that still fit.
func fit(columns []*column, width int) []*column {
	order := slices.Clone(columns)
	order = slices.DeleteFunc(order, func(c *column) bool { return c.drop == 0 })
	slices.SortStableFunc(order, func(a, b *column) int { return a.drop - b.drop })
	out := map[*column]bool{}
	kept := func() []*column {
		return slices.DeleteFunc(slices.Clone(columns), func(c *column) bool { return out[c] })
	}
	for _, c := range order {
		if total(kept()) <= width {
			break
		}
		out[c] = true
	}
	for _, c := range order {
		if out[c] && !out[c.of] {
			out[c] = false
			out[c] = total(kept()) > width
		}
	}
	return slices.DeleteFunc(kept(), func(c *column) bool { return out[c.of] })
}

// leftOut names the columns that do not fit in the width; "" if all do.
func (p *page) leftOut(columns, kept []*column) string {
	var names []string
	for _, c := range columns {
		if !slices.Contains(kept, c) && c.title != "" {
			names = append(names, cmp.Or(c.name, strings.TrimSpace(c.span+" "+c.title)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("hidden at %d columns: %s", p.width, strings.Join(names, ", "))
}

// fitted writes a table of the columns that fit, explains its marks, and names the omitted columns.
func (p *page) fitted(columns []*column, legend ...string) {
	kept := fit(columns, p.width)
	p.table(kept)
	if left := p.leftOut(columns, kept); left != "" {
		legend = append(legend, left)
	}
	if len(legend) > 0 {
		p.parts(legend)
	}
}

// table writes the columns, which must all have the same number of cells.
func (p *page) table(columns []*column) {
	p.clean(columns)
	var names []cell
	if over := total(columns) - p.width; over > 0 {
		names = p.shrinkFirst(columns[0], over)
	}
	p.spans(columns)
	var b strings.Builder
	for i, c := range columns {
		num, unit := c.widths()
		title := p.Paint(term.Dim, c.title)
		if c.numeric {
			title = term.Pad(c.title, num+unit) + title
		} else if i < len(columns)-1 {
			title += term.Pad(c.title, num+unit)
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(title)
	}
	p.line(b.String())
	for row := range columns[0].cells {
		if names != nil && names[row].text != "" {
			p.line(p.Paint(names[row].paint, p.Shorten(names[row].text+names[row].unit, p.width)))
		}
		p.line(p.row(columns, row))
	}
}

// clean makes all text in the columns safe to show.
func (p *page) clean(columns []*column) {
	for _, c := range columns {
		c.title, c.span = p.Text(c.title), p.Text(c.span)
		for i := range c.cells {
			c.cells[i].text, c.cells[i].unit = p.Text(c.cells[i].text), p.Text(c.cells[i].unit)
		}
	}
}

// spans writes the headings that several columns share, underlined.
func (p *page) spans(columns []*column) {
	var names, rules strings.Builder
	at, written, any := 0, 0, false
	for i := 0; i < len(columns); {
		span, width := columns[i].span, columns[i].width()
		for i++; i < len(columns) && span != "" && columns[i].span == span; i++ {
			width += 1 + columns[i].width()
		}
		if span != "" {
			any = true
			gap := strings.Repeat(" ", at-written)
			name := p.Shorten(span, width)
			names.WriteString(gap + p.Paint(term.Bold, name) + term.Pad(name, width))
			rules.WriteString(gap + p.Paint(term.Dim, strings.Repeat(map[bool]string{true: "─", false: "-"}[p.Unicode], width)))
			written = at + width
		}
		at += width + 1
	}
	if any {
		p.line(names.String())
		p.line(rules.String())
	}
}

// row lays out one line. Blanks are written only if something follows them.
func (p *page) row(columns []*column, row int) string {
	var b strings.Builder
	gap := 0
	put := func(c cell, text string) {
		if text == "" {
			return
		}
		b.WriteString(strings.Repeat(" ", gap))
		gap = 0
		b.WriteString(p.Paint(c.paint, text))
	}
	for i, c := range columns {
		num, unit := c.widths()
		x := c.cells[row]
		if i > 0 {
			gap++
		}
		left, right := 0, num-term.Columns(x.text)
		if c.numeric {
			left, right = right, 0
		}
		gap += left
		if x.text == "" {
			gap += right
			right = 0
		}
		// A number and its unit are painted together.
		if right == 0 && x.text != "" {
			put(x, x.text+x.unit)
		} else {
			put(x, x.text)
			gap += right
			put(x, x.unit)
		}
		gap += unit - term.Columns(x.unit)
	}
	return b.String()
}

// shrinkFirst shortens the first column's texts by the excess width. If two of them would look the same, it empties the
// column and returns what was in it, for lines of their own.
func (p *page) shrinkFirst(c *column, over int) (names []cell) {
	target := max(8, c.width()-over)
	c.title = p.Shorten(c.title, target)
	whole, apart := slices.Clone(c.cells), map[string]string{}
	for i := range c.cells {
		short := p.Shorten(c.cells[i].text, target)
		if other, taken := apart[short]; taken && other != whole[i].text {
			names = whole
		}
		c.cells[i].text, apart[short] = short, whole[i].text
	}
	if names != nil {
		c.cells = make([]cell, len(whole))
	}
	return names
}
