package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
	"github.com/loadline/loadline/internal/report/words"
)

// ranking writes several systems test by test, and what follows from all tests. The
// best place is 1; "2–3" means that the numbers allow either.
func (p *page) ranking(r *model.Report) {
	k := r.Ranking
	var names []string
	for _, s := range k.Systems {
		names = append(names, s.Name)
	}
	p.field("systems", names...)
	p.field("noise", noiseWords(k))
	if r.Run.Note != "" {
		p.field("note", r.Run.Note)
	}
	p.blank()
	notes := rankNotes(k)
	p.rankRows(k, notes)
	p.blank()
	p.remark("1", term.Green, "the place behind each number: 2–3 means that the numbers allow either; – means that the number cannot be used")
	for i, n := range notes {
		p.remark(p.Footnote(strconv.Itoa(i+1)), term.Plain, n)
	}
	p.blank()
	p.rankGroups(k)
}

// noiseWords tells what single numbers can support.
func noiseWords(k *model.Ranking) string {
	n := k.Noise
	if n == nil {
		if slices.ContainsFunc(k.Rows, func(r model.RankRow) bool {
			return slices.ContainsFunc(r.Entries, func(e model.RankEntry) bool { return e.Estimate.Confidence == 0 })
		}) {
			return "nothing was run twice, so nobody knows what differs by chance: single numbers are not told apart"
		}
		return ""
	}
	most := slices.MaxFunc(n.Repeats, func(a, b model.Repeat) int {
		switch {
		case a.Difference < b.Difference:
			return -1
		case a.Difference > b.Difference:
			return 1
		}
		return 0
	})
	var values []string
	for _, v := range most.Values {
		values = append(values, model.FormatMetric(most.Metric, v))
	}
	return fmt.Sprintf("the sources' own repeats differ by up to %s (%s, %s: %s), so smaller differences mean nothing; two single runs are told apart from %s on (%s, 5%% error for each pair, if the other tests are no noisier)",
		words.Percent(n.Largest), k.Systems[most.System].Name, most.Workload, strings.Join(values, ", "), words.Percent(n.Apart-1), words.Count(len(n.Repeats), "repeat"))
}

// rankNotes are the reasons why rows say nothing, each once.
func rankNotes(k *model.Ranking) []string {
	var notes []string
	for _, r := range k.Rows {
		if r.Reason != "" && !slices.Contains(notes, r.Reason) {
			notes = append(notes, r.Reason)
		}
	}
	return notes
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
		test := testWords(k, r)
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
		v := cell{text: string(r.Verdict), paint: term.Yellow}
		if r.Verdict == model.Better {
			v = cell{text: "clear", paint: term.Green}
		}
		if i := slices.Index(notes, r.Reason); i >= 0 {
			v.text += " " + p.Footnote(strconv.Itoa(i+1))
		}
		verdict.cells = append(verdict.cells, v)
	}
	columns := append([]*column{name, metric}, append(systems, verdict)...)
	columns = fit(columns, p.width)
	if total(columns) > p.width {
		p.rankList(k)
		return
	}
	p.table(columns)
}

// testWords names a test: what stands before a slash is its group's.
func testWords(k *model.Ranking, r model.RankRow) string {
	name := r.Workload[strings.LastIndexByte(r.Workload, '/')+1:]
	if r.Direction == model.Sync || rankMixed(k, r) {
		name += " " + string(r.Direction)
	}
	return name
}

// rankMixed tells whether the test's name does not tell the direction.
func rankMixed(k *model.Ranking, r model.RankRow) bool {
	return r.Direction != model.Mixed && slices.ContainsFunc(k.Rows, func(o model.RankRow) bool {
		return o.Group == r.Group && o.Workload == r.Workload && o.Direction != r.Direction && o.Direction != model.Sync
	})
}

// rowUnit is the unit that all numbers of a rate's row are written in, so that it need
// not stand behind each; "" when they differ.
func rowUnit(r model.RankRow) string {
	unit := ""
	for i, e := range r.Entries {
		value := model.FormatMetric(r.Metric, e.Estimate.Value)
		u := value[max(0, strings.IndexAny(value, " /")):]
		if i > 0 && u != unit {
			return ""
		}
		unit = u
	}
	return unit
}

// rankMetric names a metric in short, with its unit where the numbers leave it out.
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

// rankCell is a system's number in a row, with its place.
func (p *page) rankCell(r model.RankRow, system int, unit string) cell {
	for _, e := range r.Entries {
		if e.System != system {
			continue
		}
		bad := e.Trust == model.Invalid
		value := strings.TrimSuffix(model.FormatMetric(r.Metric, e.Estimate.Value), unit)
		if bad {
			value = "(" + value + ")"
		}
		c := cell{text: p.Text(value), unit: " " + p.Text(placeWords(e))}
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

// placeWords is "1", "2–3", or "–" for a number that has no place.
func placeWords(e model.RankEntry) string {
	switch {
	case e.First == 0:
		return "–"
	case e.First == e.Last:
		return strconv.Itoa(e.First)
	}
	return fmt.Sprintf("%d–%d", e.First, e.Last)
}

// rankList writes the rows one below the other, where a table does not fit.
func (p *page) rankList(k *model.Ranking) {
	for _, r := range k.Rows {
		test := r.Group + " " + testWords(k, r)
		p.line(p.Paint(term.Bold, p.Text(test+" "+rankMetric(r.Metric, ""))) + " " + p.Text(string(r.Verdict)))
		var parts []string
		for _, e := range r.Entries {
			parts = append(parts, fmt.Sprintf("%s %s %s", placeWords(e), k.Systems[e.System].Name, model.FormatMetric(r.Metric, e.Estimate.Value)))
		}
		p.field("", parts...)
	}
}

// rankGroups writes what follows from each group of tests.
func (p *page) rankGroups(k *model.Ranking) {
	for _, g := range k.Groups {
		label := g.Name
		if label == "" {
			label = "overall"
		}
		var parts []string
		for _, e := range g.Entries {
			parts = append(parts, placeWords(e)+" "+k.Systems[e.System].Name)
		}
		verdict := string(g.Verdict)
		if g.Verdict == model.Better {
			verdict = "clear"
		}
		over := words.Count(g.Rows, "test")
		if g.Name == "" {
			over = words.Count(g.Rows, "group")
		}
		line := fmt.Sprintf("%s, %s: %s", label, over, verdict)
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
