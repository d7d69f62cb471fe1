package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// ranking writes several systems test by test, and what follows from all tests. The best place is
// 1; "2–3" means that the numbers allow either.
func (p *page) ranking(r *model.Report) {
	k := r.Ranking
	var names []string
	for _, s := range k.Systems {
		names = append(names, s.Name)
	}
	p.field("systems", names...)
	p.field("noise", words.RankNoise(k))
	if r.Run.Note != "" {
		p.field("note", r.Run.Note)
	}
	p.labels(r.Run.Labels)
	p.blank()
	notes := words.RankNotes(k)
	p.rankRows(k, notes)
	p.blank()
	p.remark("1", term.Green, "the place beside each number: 2–3 means that the numbers allow either; – means that the number cannot be used")
	for i, n := range notes {
		p.remark(p.Footnote(strconv.Itoa(i+1)), term.Plain, n)
	}
	p.blank()
	p.rankGroups(k)
}

// rankRows writes the table: a row for each test, a column for each system.
func (p *page) rankRows(k *model.Ranking, notes []string) {
	name, metric := &column{title: "test"}, &column{title: "metric", drop: 1}
	systems := make([]*column, len(k.Systems))
	for i, s := range k.Systems {
		systems[i] = &column{title: p.Text(s.Name), numeric: true}
	}
	verdict := &column{}
	last, lastGroup := "", ""
	for _, r := range k.Rows {
		if r.Group != lastGroup {
			last, lastGroup = "", r.Group
			name.cells = append(name.cells, cell{text: p.Text(r.Group), paint: term.Bold})
			for _, c := range append([]*column{metric, verdict}, systems...) {
				c.cells = append(c.cells, cell{})
			}
		}
		test := words.RankTest(k, r)
		if test == last {
			test = ""
		} else {
			last = test
		}
		name.cells = append(name.cells, cell{text: p.Text("  " + test)})
		unit := rowUnit(r)
		metric.cells = append(metric.cells, cell{text: rankMetric(r.Metric, unit)})
		for i, c := range systems {
			c.cells = append(c.cells, p.rankCell(r, i, unit))
		}
		v := cell{text: words.RankVerdict(r.Verdict, len(r.Entries) == 1), paint: term.Yellow}
		if r.Verdict == model.Better {
			v.paint = term.Green
		}
		v.text += p.rankNote(r, notes)
		verdict.cells = append(verdict.cells, v)
	}
	columns := append([]*column{name, metric}, append(systems, verdict)...)
	if total(fit(columns, p.width)) > p.width {
		p.rankList(k, notes)
		return
	}
	p.fitted(columns)
}

// rowUnit returns the unit of all numbers in a rate's row, so that it need not follow each of them;
// "" if they differ.
func rowUnit(r model.RankRow) string {
	unit := ""
	for i, e := range r.Entries {
		value := r.Metric.Format(e.Estimate.Value)
		u := value[max(0, strings.IndexAny(value, " /")):]
		if i > 0 && u != unit {
			return ""
		}
		unit = u
	}
	return unit
}

// rankMetric returns a metric's short name, with its unit if the numbers leave it out.
func rankMetric(m model.Metric, unit string) string {
	switch m {
	case model.IOPS:
		return "IOPS"
	case model.Latency:
		return strings.TrimSpace("mean" + unit)
	case model.Bandwidth:
		if unit != "" {
			return strings.TrimSpace(unit)
		}
		return "rate"
	case model.Transactions, model.Records:
		return string(m)
	}
	return string(m) + unit
}

// rankCell returns a system's number in a row, with its place.
func (p *page) rankCell(r model.RankRow, system int, unit string) cell {
	for _, e := range r.Entries {
		if e.System != system {
			continue
		}
		bad := e.Trust == model.Invalid
		value := strings.TrimSuffix(r.Metric.Format(e.Estimate.Value), unit)
		if bad {
			value = "(" + value + ")"
		}
		c := cell{text: p.Text(value), unit: " " + p.Text(words.Place(e))}
		switch {
		case bad:
			c.paint = term.Crossed
		case e.First == 1 && e.Last == 1:
			c.paint = term.Green
		}
		return c
	}
	return cell{text: p.Text("–"), unit: "  ", paint: term.Dim}
}

// rankNote is the mark of the note on a row; "" if it has none.
func (p *page) rankNote(r model.RankRow, notes []string) string {
	if i := slices.Index(notes, r.Reason); i >= 0 {
		return " " + p.Footnote(strconv.Itoa(i+1))
	}
	return ""
}

// rankList writes the rows one below the other, if a table does not fit.
func (p *page) rankList(k *model.Ranking, notes []string) {
	for _, r := range k.Rows {
		test := r.Group + " " + words.RankTest(k, r)
		p.line(p.Paint(term.Bold, p.Text(test+" "+rankMetric(r.Metric, ""))) + " " + p.Text(words.RankVerdict(r.Verdict, len(r.Entries) == 1)) + p.rankNote(r, notes))
		var parts []string
		for _, e := range r.Entries {
			parts = append(parts, fmt.Sprintf("%s %s %s", words.Place(e), k.Systems[e.System].Name, r.Metric.Format(e.Estimate.Value)))
		}
		p.field("", parts...)
	}
}

// rankGroups writes what follows from each group of tests.
func (p *page) rankGroups(k *model.Ranking) {
	for _, g := range k.Groups {
		var parts []string
		for _, e := range g.Entries {
			parts = append(parts, words.Place(e)+" "+k.Systems[e.System].Name)
		}
		line := words.RankGroup(g) + ": " + words.RankVerdict(g.Verdict, false)
		if g.Reason != "" {
			line += " (" + g.Reason + ")"
		}
		paint := term.Yellow
		if g.Verdict == model.Better {
			paint = term.Green
		}
		for _, l := range term.Wrap(p.Text(line), p.width) {
			p.line(p.Paint(paint, l))
		}
		if len(parts) > 0 {
			p.field("", parts...)
		}
	}
}
