package plot

import (
	"math"
	"strings"

	"github.com/loadline/loadline/internal/show/report/term"
)

// canvas is a grid of character cells, each a small grid of dots: braille's 2 × 4 (Unicode U+2800:
// one bit per dot), or 1 × 3 in ASCII.
type canvas struct {
	style  term.Style
	w, h   int
	dx, dy int
	cells  []pixel
}

// pixel is one cell. A glyph hides its dots.
type pixel struct {
	dots  uint8
	glyph string
	paint term.Paint
}

func newCanvas(s term.Style, w, h int) *canvas {
	c := &canvas{style: s, w: w, h: h, dx: 1, dy: 3, cells: make([]pixel, w*h)}
	if s.Unicode {
		c.dx, c.dy = 2, 4
	}
	return c
}

// brailleBits are the dots of a cell, by row and column from its top left.
var brailleBits = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// asciiDots are the characters for dots at the top (1), middle (2) and bottom (4).
var asciiDots = [8]string{"", "'", "-", "'", ".", ":", ".", "|"}

// grid returns the dot at a position, counted from the top left; ok is false outside.
func (c *canvas) grid(x, y float64) (col, row int, ok bool) {
	if !usable(x) || !usable(y) {
		return 0, 0, false
	}
	col = int(math.Round(x * float64(c.w*c.dx-1)))
	row = int(math.Round((1 - y) * float64(c.h*c.dy-1)))
	return col, row, col >= 0 && col < c.w*c.dx && row >= 0 && row < c.h*c.dy
}

func (c *canvas) cell(col, row int) *pixel { return &c.cells[row*c.w+col] }

// dot draws one dot at a grid position.
func (c *canvas) dot(col, row int, p term.Paint) {
	if col < 0 || row < 0 || col >= c.w*c.dx || row >= c.h*c.dy {
		return
	}
	x := c.cell(col/c.dx, row/c.dy)
	if c.style.Unicode {
		x.dots |= brailleBits[row%4][col%2]
	} else {
		x.dots |= 1 << (row % 3)
	}
	x.paint = p
}

// segment draws a line between two positions; a dashed one has gaps.
func (c *canvas) segment(x0, y0, x1, y1 float64, p term.Paint, dashed bool) {
	if !usable(x0) || !usable(y0) || !usable(x1) || !usable(y1) {
		return
	}
	w, h := float64(c.w*c.dx-1), float64(c.h*c.dy-1)
	// A position far outside would take time and draw nothing.
	limit := func(v float64) float64 { return min(3, max(-2, v)) }
	ax, ay, bx, by := limit(x0)*w, (1-limit(y0))*h, limit(x1)*w, (1-limit(y1))*h
	n := int(math.Ceil(max(math.Abs(bx-ax), math.Abs(by-ay))))
	for i := range n + 1 {
		f := float64(i) / float64(max(1, n))
		col, row := int(math.Round(ax+f*(bx-ax))), int(math.Round(ay+f*(by-ay)))
		if !dashed || (col/2+row/2)%2 == 0 {
			c.dot(col, row, p)
		}
	}
}

// put writes a glyph into the cell at a position.
func (c *canvas) put(x, y float64, glyph string, p term.Paint) {
	if col, row, ok := c.grid(x, y); ok {
		*c.cell(col/c.dx, row/c.dy) = pixel{glyph: glyph, paint: p}
	}
}

// rule draws a vertical line behind everything else.
func (c *canvas) rule(x float64, glyph string, p term.Paint) {
	col, _, ok := c.grid(x, 0)
	if !ok {
		return
	}
	for row := range c.h {
		if cell := c.cell(col/c.dx, row); cell.dots == 0 && cell.glyph == "" {
			*cell = pixel{glyph: glyph, paint: p}
		}
	}
}

// row returns the text of one row, painting adjacent cells of the same paint together.
func (c *canvas) row(row int) string {
	var b, run strings.Builder
	paint := term.Plain
	flush := func() {
		b.WriteString(c.style.Paint(paint, run.String()))
		run.Reset()
	}
	last := -1
	for col := range c.w {
		if x := c.cell(col, row); x.dots != 0 || x.glyph != "" {
			last = col
		}
	}
	for col := range last + 1 {
		x := c.cell(col, row)
		if x.paint != paint {
			flush()
			paint = x.paint
		}
		switch {
		case x.glyph != "":
			run.WriteString(x.glyph)
		case x.dots == 0:
			run.WriteByte(' ')
		case c.style.Unicode:
			run.WriteRune(rune(0x2800 + int(x.dots)))
		default:
			run.WriteString(asciiDots[x.dots&7])
		}
	}
	flush()
	return b.String()
}
