package live

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
)

// p99Count is the number of I/Os below which a 99th percentile is unreliable: its 95 % interval by
// order statistics has an upper end only from ln 0.025 / ln 0.99 = 367 on (Hahn and Meeker,
// Statistical Intervals, the distribution-free interval of a quantile).
const p99Count = 367

// barMost is the width of the widest bar, barLeast that of the narrowest one that is still useful.
const (
	barMost  = 24
	barLeast = 8
)

// piece is a part of the status line. It keeps its width while the numbers in it change, so that
// the line does not jump. The pieces with the smallest drop are left out first if the terminal is
// narrow; those with drop 0 stay.
type piece struct {
	text  string
	paint term.Paint
	drop  int
	width int
}

// barDrop is the drop of the bar.
const barDrop = 3

// statusLine lays out the line that is redrawn; it is one column narrower than the terminal, so
// that no terminal wraps it.
func (l *Live) statusLine() string {
	lead, tail, share, hasBar := l.state.pieces()
	room := l.o.Width - 1
	for _, pieces := range [][]piece{lead, tail} {
		for i := range pieces {
			pieces[i].text = l.style.Text(pieces[i].text)
			pieces[i].text += term.Pad(pieces[i].text, pieces[i].width)
		}
	}
	bar := 0
	if hasBar {
		bar = barLeast + 2
	}
	for drop := 1; drop <= 7 && columns(lead, 1)+2+columns(tail, 2)+bar > room; drop++ {
		lead, tail = without(lead, drop), without(tail, drop)
		if drop == barDrop {
			bar = 0
		}
	}
	words := make([]string, len(lead))
	for i, p := range lead {
		words[i] = l.style.Paint(p.paint, l.style.Shorten(p.text, room-columns(lead[:i], 1)-min(i, 1)))
	}
	line := strings.Join(words, " ")
	used := columns(lead, 1)
	if bar > 0 {
		n := min(barMost, room-used-2-2-columns(tail, 2))
		line += "  " + l.style.Paint(term.Cyan, l.style.Bar(share, n))
		used += 2 + n
	}
	for _, p := range tail {
		text := l.style.Shorten(p.text, max(0, room-used-2))
		line += "  " + text
		used += 2 + term.Columns(text)
	}
	return strings.TrimRight(line, " ")
}

// pieces returns the pieces before and after the bar, the bar's share, and whether there is a bar.
func (s *state) pieces() (lead, tail []piece, share float64, bar bool) {
	eta := piece{drop: 7, width: len("eta 10 m")}
	if !s.unplanned && s.left > 0 {
		eta.text = "eta " + remaining(s.left)
	}
	if p := s.progress; p != nil {
		if p.Total > 0 {
			share, bar = p.Done/p.Total, true
		}
		if p.Phase.InBytes() {
			amount := piece{width: len("100 MiB of 100 GiB"), text: units.FormatSize(int64(p.Done)) + " of " + units.FormatSize(int64(p.Total))}
			rate := piece{width: len("1000 MiB/s"), drop: 2}
			if p.Rate > 0 {
				rate.text = units.FormatBandwidth(p.Rate)
			}
			tail = []piece{amount, rate}
			if rest, cut := p.Rest(p.Rate); cut && p.Rate > 0 {
				tail = append(tail, piece{text: "limit in " + remaining(rest), drop: 4})
			}
		}
		return []piece{{text: phaseWords(p.Phase), paint: term.Bold}}, append(tail, eta), share, bar
	}
	if s.step == nil {
		return []piece{{text: "starting"}}, nil, 0, false
	}
	if !s.unplanned && s.elapsed+s.left > 0 {
		share, bar = s.elapsed/(s.elapsed+s.left), true
	}
	n := s.begun
	lead = []piece{{text: fmt.Sprintf("repeat %d", n), paint: term.Dim}}
	if least := s.least(n); least != "" {
		lead = append(lead, piece{text: least, paint: term.Dim, drop: 4})
	}
	if s.side != "" {
		lead = append(lead, piece{text: string(s.side), paint: term.Dim})
	}
	lead = append(lead, piece{text: s.step.Workload, paint: term.Bold})
	loads := s.workload != nil && s.workload.Loads()
	if s.workload != nil && s.workload.Job == "" && !loads {
		lead = append(lead, piece{text: fmt.Sprintf("%s qd%d", units.FormatBlock(s.workload.BlockSize), s.workload.Depth), drop: 2})
	}
	rate := piece{width: len("10.1k IOPS")}
	if s.metric() == model.Bandwidth {
		rate.width = len("1000 MiB/s")
	}
	if !math.IsNaN(s.lastRate) {
		rate.text = s.metric().Format(s.lastRate)
	}
	p99 := piece{drop: 2, width: len("p99 10.1 ms")}
	if s.sum.Histogram.Count() >= p99Count {
		p99.text = "p99 " + model.P99.Format(s.sum.Histogram.PercentileUpTo(99, s.sum.Max))
	}
	// Of an application, latency and flushes say more than how far the run is.
	flushes := piece{drop: 6, width: len("10.1k flushes/s")}
	if loads {
		p99.drop = flushes.drop
	}
	if s.flushes > 0 {
		flushes.text = units.FormatRate(s.flushes) + " flushes/s"
	}
	half := piece{drop: 6, width: len("+10.1%")}
	if j, ok := s.judgements[s.step.Workload]; ok && j.Estimate.Telling() {
		half.text = j.Metric.FormatWidth(j.Direction, j.Estimate)
	}
	tail = []piece{{text: units.FormatSpan(s.elapsed), drop: 1, width: len("1 m 00 s")}, rate, p99}
	if loads {
		tail = append(tail, flushes)
	}
	tail = append(tail, half)
	if wanting := s.wantingShort(); wanting != "" {
		tail = append(tail, piece{text: wanting, drop: 5})
	}
	return lead, append(tail, eta), share, bar
}

// remaining formats a remaining time in as few columns as its precision deserves.
func remaining(s float64) string {
	switch {
	case s < 59.5:
		return fmt.Sprintf("%.0f s", math.Ceil(s))
	case s < 3600:
		return fmt.Sprintf("%.0f m", math.Ceil(s/60))
	}
	return units.FormatSpan(s)
}

// columns returns the width of the pieces with gap blanks between them.
func columns(pieces []piece, gap int) int {
	n := 0
	for i, p := range pieces {
		if i > 0 {
			n += gap
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
