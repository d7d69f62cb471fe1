package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
)

// sweep writes the points of a sweep, one row each.
func (p *page) sweep(r *model.Report, notes words.Footnotes) {
	s := r.Sweep
	load := s.Kind == model.SweepLoad
	titles := []string{"flow", "block:", "depth:", "jobs:", "IOPS:", "95% CI:", "bandwidth:", "mean:", "p50:", "p99:", "verdict"}
	if load {
		// The precision is requested of the mean.
		titles = slices.Concat([]string{"flow", "offered:", "of capacity:"}, titles[4:8], []string{"95% CI:"}, titles[8:])
	}
	var rows [][]string
	for _, c := range s.Points {
		row := []string{inline(string(c.Direction))}
		if load {
			row = append(row, model.IOPS.Format(c.Offered), fmt.Sprintf("%.0f%%", 100*c.Fraction))
		} else {
			row = append(row, units.FormatBlock(c.BlockSize), strconv.Itoa(c.Depth), strconv.Itoa(c.Jobs))
		}
		converged := r.Converged(c.Result, c.Direction)
		row = append(row, value(model.IOPS.Format(c.IOPS.Value), c.Verdict), width(model.IOPS, c.Direction, c.IOPS, load || converged),
			value(units.FormatBandwidth(c.Bandwidth.Value), c.Verdict), latency(c.Mean, c.Verdict))
		switch {
		case load && c.Mean != nil:
			row = append(row, width(model.Latency, c.Direction, *c.Mean, converged))
		case load:
			row = append(row, "–")
		}
		rows = append(rows, append(row, latency(c.P50, c.Verdict), latency(c.P99, c.Verdict), strings.TrimSpace(mark(c.Verdict)+" "+marks(notes.Of(c.Result)))))
	}
	p.table(titles, rows)
	p.star(r.Only(s.Shows))
	var lines []string
	if s.Capacity != nil {
		lines = append(lines, fmt.Sprintf("- capacity of the closed loop: %s %s", model.IOPS.Format(s.Capacity.Value), model.IOPS.FormatWidth("", *s.Capacity)))
	}
	switch {
	case s.Knee != nil:
		lines = append(lines, fmt.Sprintf("- **knee** %s, p99 %s: %s", model.IOPS.Format(s.Knee.Offered), model.P99.Format(s.Knee.P99), inline(s.Knee.Why)))
	case load:
		lines = append(lines, "- knee: none was found")
	}
	p.para(strings.Join(lines, "\n"))
}

// scale writes the points of N volumes at once, and the chosen law.
func (p *page) scale(r *model.Report, s *model.Scale) {
	var rows [][]string
	head := []string{"volumes:", "total:", "95% CI:", "per volume:", "fairness:", "p50:", "p99:", "verdict"}
	amplified := s.Amplified()
	if len(amplified) > 0 {
		head = slices.Insert(head, len(head)-1, "amplification:")
	}
	for _, c := range s.Points {
		fair := "–"
		if c.Fairness > 0 {
			fair = words.Fixed(c.Fairness, 2)
		}
		row := []string{strconv.Itoa(c.Volumes), value(s.Metric.Format(c.Total.Value), c.Verdict), width(s.Metric, s.Direction, c.Total, r.Converged(c.Result, s.Direction)),
			value(s.Metric.Format(c.PerVolume.Value), c.Verdict), fair, latency(c.P50, c.Verdict), latency(c.P99, c.Verdict), mark(c.Verdict)}
		if len(amplified) > 0 {
			disks := "–"
			if c.Amplification != nil {
				disks = value(c.Amplification.OfExpected(), c.Verdict)
			}
			row = slices.Insert(row, len(row)-1, disks)
		}
		rows = append(rows, row)
	}
	p.para(fmt.Sprintf("%s %s, N volumes at once%s:", code(s.Workload), inline(string(s.Direction)), words.Prefixed(", from ", inline(s.Source))))
	p.table(head, rows)
	p.star(r.Only(s.Shows))
	for _, l := range amplified {
		p.para(inline(l) + ".")
	}
	for _, l := range s.Laws {
		if l.Chosen {
			p.para("Law: " + lawWords(l, s.Metric) + ".")
		}
	}
	var held []string
	for _, l := range words.RateHeld(s) {
		held = append(held, "- "+inline(l))
	}
	p.para(strings.Join(held, "\n"))
}

func lawWords(l model.Law, m model.Metric) string {
	if l.AllSaturated && l.Capacity != nil {
		return fmt.Sprintf("%s, every number of volumes reaches the capacity of %s, and one volume alone at least %s; its error of prediction is %s",
			inline(words.Law(l.Kind)), m.Format(l.Capacity.Value), m.Format(l.First.Value), words.Percent(l.Error))
	}
	text := fmt.Sprintf("%s, one volume reaches %s", inline(words.Law(l.Kind)), m.Format(l.First.Value))
	if l.Capacity != nil {
		text += ", all together at most " + m.Format(l.Capacity.Value)
	}
	if l.Knee > 0 {
		text += fmt.Sprintf(", from %.3g volumes on", l.Knee)
	}
	return text + fmt.Sprintf("; its error of prediction is %s", words.Percent(l.Error))
}
