package live

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// p99Count is the number of I/Os below which a 99th percentile says little
// (methodology 3: its upper limit needs 367).
const p99Count = 367

// barMost is the widest bar, barLeast the narrowest that still tells something.
const (
	barMost  = 24
	barLeast = 6
)

// piece is a part of the status line. The parts with the smallest drop are left
// out first when the terminal is narrow; drop 0 stays.
type piece struct {
	text  string
	paint term.Paint
	drop  int
}

// statusLine lays out the line that is redrawn; it is shorter than the terminal
// by one column, so that no terminal wraps it.
func (l *Live) statusLine() string {
	lead, tail, share := l.state.pieces()
	room := l.o.Width - 1
	for i := range lead {
		lead[i].text = l.style.Text(lead[i].text)
	}
	for i := range tail {
		tail[i].text = l.style.Text(tail[i].text)
	}
	all := func() []piece { return append(append([]piece{}, lead...), tail...) }
	for drop := 1; drop <= 6 && columns(all()) > room; drop++ {
		lead, tail = without(lead, drop), without(tail, drop)
	}
	bar := min(barMost, room-columns(all())-2)
	var b strings.Builder
	used := 0
	put := func(gap, text string, paint term.Paint) {
		if used == 0 {
			gap = ""
		}
		text = l.style.Shorten(text, max(0, room-used-len(gap)))
		if text == "" {
			return
		}
		b.WriteString(gap)
		b.WriteString(l.style.Paint(paint, text))
		used += len(gap) + term.Columns(text)
	}
	for _, p := range lead {
		put(" ", p.text, p.paint)
	}
	if bar >= barLeast && share >= 0 {
		put("  ", l.style.Bar(share, bar), term.Cyan)
	}
	for i, p := range tail {
		gap := "  "
		if i == 0 && bar >= barLeast && share >= 0 {
			gap = " "
		}
		put(gap, p.text, p.paint)
	}
	return b.String()
}

// pieces returns what stands before and after the bar, and the bar's share
// (negative for no bar).
func (s *state) pieces() (lead, tail []piece, share float64) {
	share = -1
	eta := piece{drop: 3}
	if s.left >= 0 {
		eta.text = "eta " + eta4(s.left)
	}
	if p := s.progress; p != nil {
		lead = []piece{{text: p.Phase, paint: term.Bold}}
		if p.Total > 0 {
			share = p.Done / p.Total
			if inBytes(p.Phase) {
				tail = append(tail, piece{text: model.FormatSize(int64(p.Done)) + " of " + model.FormatSize(int64(p.Total))})
			}
		}
		if p.Rate > 0 && inBytes(p.Phase) {
			tail = append(tail, piece{text: model.FormatBandwidth(p.Rate), drop: 2})
		}
		return lead, nonEmpty(append(tail, eta)), share
	}
	if s.step == nil {
		return []piece{{text: "starting"}}, nil, share
	}
	lead = []piece{{text: fmt.Sprintf("[%d/%d]", s.step.Number, max(s.steps, s.step.Number)), paint: term.Dim},
		{text: s.step.Workload, paint: term.Bold}}
	if s.workload != nil && s.workload.Job == "" {
		lead = append(lead, piece{text: fmt.Sprintf("%s qd%d", model.FormatBlock(s.workload.BlockSize), s.workload.Depth), drop: 1})
	}
	if s.left >= 0 && s.elapsed+s.left > 0 {
		share = s.elapsed / (s.elapsed + s.left)
	}
	tail = append(tail, piece{text: model.FormatSpan(s.elapsed), drop: 2})
	if !math.IsNaN(s.lastRate) {
		tail = append(tail, piece{text: model.FormatMetric(s.metric(), s.lastRate)})
	}
	if s.sum.Histogram.Count() >= p99Count && s.metric() != model.P99 {
		tail = append(tail, piece{text: "p99 " + model.FormatDuration(s.sum.Histogram.Percentile(99)), drop: 4})
	}
	if j, ok := s.judgements[s.step.Workload]; ok && j.Confidence > 0 {
		tail = append(tail, piece{text: halfWidth(j.Estimate), drop: 5})
	}
	return lead, nonEmpty(append(tail, eta)), share
}

// eta4 writes a time that is left, in as few columns as it deserves.
func eta4(s float64) string {
	switch {
	case s < 59.5:
		return fmt.Sprintf("%.0f s", math.Ceil(s))
	case s < 3600:
		return fmt.Sprintf("%.0f m", math.Ceil(s/60))
	}
	return model.FormatSpan(s)
}

// columns is the width of the pieces with two blanks between them.
func columns(pieces []piece) int {
	n := 0
	for i, p := range pieces {
		if i > 0 {
			n += 2
		}
		n += term.Columns(p.text)
	}
	return n
}

func without(pieces []piece, drop int) []piece {
	var kept []piece
	for _, p := range pieces {
		if p.drop != drop {
			kept = append(kept, p)
		}
	}
	return kept
}

func nonEmpty(pieces []piece) []piece {
	var kept []piece
	for _, p := range pieces {
		if p.text != "" {
			kept = append(kept, p)
		}
	}
	return kept
}
