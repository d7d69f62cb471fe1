package plot

import (
	"strings"

	"github.com/loadline/loadline/internal/show/report/term"
)

// chart is what is drawn: curves in a pair of axes.
type chart struct {
	title  string
	x, y   axis
	curves []curve
	rules  []rule
	// below are lines under the chart, already cleaned and cut.
	below []string
}

// curve is a sequence of points.
type curve struct {
	// label is written at the right end; empty for none.
	label string
	paint term.Paint
	// mark is drawn at each point: two glyphs, Unicode and ASCII; none if empty.
	mark   [2]string
	joined bool
	dashed bool
	points []point
}

// name returns the label at the right end, with the mark.
func (k curve) name(s term.Style) string {
	return strings.TrimSpace(glyph(s, k.mark) + " " + s.Text(k.label))
}

// point is a value and its interval; it has none if low equals high. A point whose x or y is NaN
// breaks the line.
type point struct{ x, y, low, high float64 }

// rule is a vertical line behind the curves.
type rule struct {
	x     float64
	glyph [2]string
	paint term.Paint
}

// The colours of curves, in order; each curve also has a label or a mark.
var paints = []term.Paint{term.Cyan, term.Yellow, term.Magenta, term.Green}

// The marks of curves, in order: the second glyph is for ASCII.
var marks = [][2]string{{"●", "o"}, {"◆", "x"}, {"▲", "^"}, {"■", "#"}, {"○", "*"}, {"◇", "%"}}

// The lines that separate repeats, and the one at a knee.
var (
	repeatLine = [2]string{"┊", ":"}
	kneeLine   = [2]string{"╎", "!"}
)

func glyph(s term.Style, pair [2]string) string {
	if s.Unicode {
		return pair[0]
	}
	return pair[1]
}

// yTicks returns how many tick labels fit beside h rows.
func yTicks(h int) int { return max(2, (h+2)/2) }

// xTicks returns how many tick labels of about n characters fit below w columns.
func xTicks(w, n int) int { return max(2, w/(n+4)) }

// draw lays the chart out: title, rows with the y axis at the left and labels at
// the right, the x axis, and the lines below.
func (c chart) draw(o Options) []string {
	left, right := 0, 0
	for i, t := range c.y.ticks {
		// Longer labels occur only for values that no storage has.
		c.y.ticks[i].label = o.Shorten(o.Text(t.label), 8)
		left = max(left, term.Columns(c.y.ticks[i].label))
	}
	for _, k := range c.curves {
		if k.label != "" {
			right = max(right, term.Columns(k.name(o.Style))+1)
		}
	}
	w := max(4, o.Width-left-2-right)
	g := newCanvas(o.Style, w, o.Height)
	for _, k := range c.curves {
		c.trace(g, k)
	}
	for _, k := range c.curves {
		c.mark(g, k)
	}
	for _, r := range c.rules {
		g.rule(c.x.at(r.x), glyph(o.Style, r.glyph), r.paint)
	}
	labels := c.labels(g)
	ticks := map[int]string{}
	for _, t := range c.y.ticks {
		if _, row, ok := g.grid(0, c.y.at(t.at)); ok {
			ticks[row/g.dy] = t.label
		}
	}
	lines := []string{o.Paint(term.Bold, o.words(c.title))}
	for row := range o.Height {
		text, side := ticks[row], glyph(o.Style, [2]string{"│", "|"})
		if text != "" {
			side = glyph(o.Style, [2]string{"┤", "+"})
		}
		body := g.row(row)
		if k, ok := labels[row]; ok {
			label := k.name(o.Style)
			body += strings.Repeat(" ", w-term.Columns(unpainted(body))+1) + o.Paint(k.paint, label)
		}
		lines = append(lines, o.Paint(term.Dim, term.Pad(text, left)+text+" "+side)+body)
	}
	lines = append(lines, c.bottom(g, o, left)...)
	return append(lines, c.below...)
}

// trace draws the line and the intervals of a curve.
func (c chart) trace(g *canvas, k curve) {
	for i, p := range k.points {
		x, y := c.x.at(p.x), c.y.at(p.y)
		if p.low < p.high {
			low, high := c.y.at(p.low), c.y.at(p.high)
			if !usable(low) {
				low = 0
			}
			g.segment(x, max(0, low), x, min(1, high), k.paint, false)
		}
		if !k.joined {
			continue
		}
		if i > 0 {
			q := k.points[i-1]
			g.segment(c.x.at(q.x), c.y.at(q.y), x, y, k.paint, k.dashed)
		}
		if col, row, ok := g.grid(x, y); ok {
			g.dot(col, row, k.paint)
		}
	}
}

func (c chart) mark(g *canvas, k curve) {
	for _, p := range k.points {
		if m := glyph(g.style, k.mark); m != "" {
			g.put(c.x.at(p.x), c.y.at(p.y), m, k.paint)
		}
	}
}

// labels chooses a row for the label of each curve: that of its last point, or the nearest free
// one.
func (c chart) labels(g *canvas) map[int]curve {
	rows := map[int]curve{}
	for _, k := range c.curves {
		if k.label == "" {
			continue
		}
		want := -1
		for _, p := range k.points {
			if _, row, ok := g.grid(c.x.at(p.x), c.y.at(p.y)); ok {
				want = row / g.dy
			}
		}
		if want < 0 {
			continue
		}
		for distance := range g.h {
			if free(rows, want-distance, g.h) {
				rows[want-distance] = k
				break
			}
			if free(rows, want+distance, g.h) {
				rows[want+distance] = k
				break
			}
		}
	}
	return rows
}

func free(rows map[int]curve, row, h int) bool {
	_, taken := rows[row]
	return row >= 0 && row < h && !taken
}

// bottom draws the x axis and its labels; a label that would touch its neighbour is omitted.
func (c chart) bottom(g *canvas, o Options, left int) []string {
	line, tee := "─", "┴"
	corner := "└"
	if !o.Unicode {
		line, tee, corner = "-", "+", "+"
	}
	axis := make([]string, g.w)
	for i := range axis {
		axis[i] = line
	}
	var words strings.Builder
	used, unit := 0, o.Text(c.x.unit)
	room := g.w
	if unit != "" {
		room -= 1 + term.Columns(unit)
	}
	for _, t := range c.x.ticks {
		col, _, ok := g.grid(c.x.at(t.at), 0)
		if !ok {
			continue
		}
		col /= g.dx
		text := o.Text(t.label)
		n := term.Columns(text)
		// The label is below its tick, and within the chart.
		at := min(max(0, col-(n-1)/2), room-n)
		if at < 0 || used > 0 && at < used+1 {
			continue
		}
		axis[col] = tee
		words.WriteString(strings.Repeat(" ", at-used) + text)
		used = at + n
	}
	words.WriteString(" " + unit)
	indent := strings.Repeat(" ", left+1)
	return []string{
		o.Paint(term.Dim, indent+corner+strings.Join(axis, "")),
		o.Paint(term.Dim, strings.TrimRight(indent+" "+words.String(), " ")),
	}
}
