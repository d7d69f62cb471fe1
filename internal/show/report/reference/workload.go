package reference

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
)

// direction writes a section for each workload of a direction.
func (b *builder) direction(title string, d model.Direction) {
	b.chapter(1, title)
	at := len(b.chapters)
	for i := range b.study.Scales {
		if x := &b.study.Scales[i]; x.Scale.Direction == d {
			b.chapter(2, x.Scale.Workload)
			b.workload(x)
		}
	}
	for _, r := range b.single() {
		for _, res := range r.Results {
			if res.Direction == d {
				b.chapter(2, words.ResultName(r, res))
				b.oneVolume(r, res)
			}
		}
	}
	if len(b.chapters) == at {
		b.missing(fmt.Sprintf("no workload that only %ss was measured", d))
	}
}

// workload writes the result, the law and the analysis of a scale.
func (b *builder) workload(x *study.Scale) {
	latency := x.Latency != nil
	all := &x.Scale.Scale
	if latency {
		all = implied(all)
	}
	s := words.Fitted(all)
	b.text("Pattern: " + pattern(s) + words.Prefixed(", depth ", positive(s.Depth)) + ".")
	if latency {
		b.latencies(x)
	} else {
		b.points(&x.Scale.Scale, s)
	}
	if len(s.Points) > 0 {
		if latency {
			b.text("The totals below are what Little's law makes of the latencies: volumes × depth / latency.")
		}
		b.add(study.Part{Scale: s})
	}
	var found []string
	if !latency {
		fit := words.Fit(s)
		if len(fit) == 0 {
			fit = []string{"No law: it takes three numbers of volumes without a rate limit."}
		}
		b.text(fit...)
	}
	if x.Limit != nil {
		found = append(found, x.Limit.Sentences...)
	}
	found = append(append(found, words.Latencies(x)...), verification(&x.Scale.Scale)...)
	if !latency && x.Nodes != nil && len(x.Nodes.Points) > 0 {
		found = append(found, words.Growth(x.Nodes))
	}
	b.items(found)
	if len(x.Caveats) > 0 {
		b.text("What this does not tell:")
		b.items(x.Caveats)
	}
}

// implied returns a scale of latencies with the totals implied by Little's law.
func implied(s *model.Scale) *model.Scale {
	c := *s
	c.Points = slices.Clone(s.Points)
	for i, p := range c.Points {
		if p.Mean == nil || !(p.Mean.Value > 0) {
			continue
		}
		each := float64(s.Depth) / p.Mean.Value
		total := each * float64(p.Volumes)
		c.Points[i].PerVolume = model.Estimate{Unit: s.Metric.Unit(), Value: each, Low: each, High: each}
		c.Points[i].Total = model.Estimate{Unit: s.Metric.Unit(), Value: total, Low: total, High: total}
	}
	return &c
}

// points writes the table of all points, including those with a rate limit and those of other
// numbers of nodes; fitted are those that the law covers.
func (b *builder) points(s, fitted *model.Scale) {
	law := fitted.Law()
	var rows [][]string
	for _, p := range ordered(s) {
		off, limit := "–", "none"
		if p.Offered > 0 {
			limit = s.Metric.FormatTotal(p.Offered)
		}
		if i := slices.IndexFunc(fitted.Points, p.Same); law != nil && i >= 0 && i < len(law.Residuals) {
			off = fmt.Sprintf("%+.1f %%", 100*math.Expm1(law.Residuals[i]))
		}
		total := s.Metric.FormatTotal(p.Total.Value)
		if p.Total.Confidence > 0 {
			total += " " + s.Metric.FormatWidth("", p.Total)
		}
		row := []string{strconv.Itoa(p.Volumes), dashed(positive(p.Nodes)), limit, s.Metric.FormatTotal(p.PerVolume.Value), total, off,
			estimated(p.Mean), estimated(p.P99), string(p.Verdict)}
		rows = append(rows, row)
	}
	b.columns([]string{"volumes:", "nodes:", "rate limit of each:", "each:", "total:", "off the law:", "mean latency:", "p99 latency:", "verdict"}, rows)
}

// ordered returns the points of a scale: those without a limit first, then by nodes and volumes.
func ordered(s *model.Scale) []model.ScalePoint {
	list := slices.Clone(s.Points)
	slices.SortStableFunc(list, func(a, b model.ScalePoint) int {
		return cmp.Or(cmp.Compare(a.Offered, b.Offered), a.Nodes-b.Nodes, a.Volumes-b.Volumes)
	})
	return list
}

// columns is table without the columns that are empty in every row.
func (b *builder) columns(titles []string, rows [][]string) {
	var kept []string
	cut := make([][]string, len(rows))
	for c, title := range titles {
		used := false
		for _, row := range rows {
			used = used || row[c] != "" && row[c] != "–" && row[c] != "none"
		}
		if !used {
			continue
		}
		kept = append(kept, title)
		for i, row := range rows {
			cut[i] = append(cut[i], row[c])
		}
	}
	b.table(kept, cut)
}

func estimated(e *model.Estimate) string {
	if e == nil {
		return ""
	}
	return units.FormatDuration(e.Value)
}

// latencies writes the table of measured and predicted latencies.
func (b *builder) latencies(x *study.Scale) {
	var rows [][]string
	for _, p := range x.Latency.Points {
		rows = append(rows, []string{strconv.Itoa(p.Volumes), units.FormatDuration(p.Measured), units.FormatDuration(p.Predicted.Value),
			fmt.Sprintf("%+.1f %%", 100*(p.Measured/p.Predicted.Value-1))})
	}
	b.table([]string{"volumes:", "mean latency:", "by Little's law:", "off by:"}, rows)
}

// verification reports in words whether volumes with a rate limit reached it.
func verification(s *model.Scale) (list []string) {
	for _, p := range s.Points {
		if p.Offered == 0 || p.PerVolume.Value == 0 {
			continue
		}
		text := fmt.Sprintf("%s held to %s each reached %s each, %.1f %% of it: ", units.FormatCount(p.Volumes, "volume"), s.Metric.FormatTotal(p.Offered),
			s.Metric.FormatTotal(p.PerVolume.Value), 100*p.PerVolume.Value/p.Offered)
		if p.PerVolume.Value >= 0.99*p.Offered {
			text += "the system carries " + s.Metric.FormatTotal(p.Offered*float64(p.Volumes))
		} else {
			text += "the system was full below " + s.Metric.FormatTotal(p.Offered*float64(p.Volumes))
		}
		list = append(list, text)
	}
	return list
}

// oneVolume writes the result of one volume.
func (b *builder) oneVolume(r *model.Report, res model.Result) {
	b.text("Pattern: " + res.Description + ".")
	verdict := string(res.Verdict)
	if !res.Converged {
		verdict += ", not converged"
	}
	row := []string{r.Run.Target.Place(), words.Metric(res.Metric), res.Metric.Format(res.Value), "–", verdict}
	if res.Confidence > 0 {
		row[3] = res.Metric.Format(res.Low) + " – " + res.Metric.Format(res.High)
	}
	b.table([]string{"target", "metric", "one volume:", "95 % interval:", "verdict"}, [][]string{row})
	b.missing("how it grows with the number of volumes was not measured: there is no law, no capacity and no limit with a name (loadline scale)")
}

// together writes what all workloads have in common.
func (b *builder) together() {
	b.chapter(1, "Limits")
	var rows [][]string
	for i := range b.study.Scales {
		x := &b.study.Scales[i]
		l := x.Limit
		if l == nil {
			continue
		}
		binds, allows, amplification := "not known", "–", "–"
		if len(l.Resources) > 0 {
			binds, allows = "none of those known", x.Scale.Metric.FormatTotal(l.Resources[0].Allows)
		}
		if l.Binding != "" {
			binds = l.Binding.Name()
		}
		if l.Rival != "" {
			binds += " or " + l.Rival.Name()
		}
		measured, off := "–", "–"
		if l.Measured != nil {
			measured = x.Scale.Metric.FormatInterval(*l.Measured)
		}
		if l.Excess != nil {
			off = fmt.Sprintf("%+.1f %%", 100*math.Expm1(l.Excess.Value))
		}
		if a := l.Amplification; a != nil {
			amplification = fmt.Sprintf("%s of %s", units.FormatNumber(a.Value), units.FormatNumber(l.Expected))
		}
		rows = append(rows, []string{x.Scale.Workload, binds, allows, measured, off, amplification})
	}
	if len(rows) == 0 {
		b.missing("no capacity was measured, so no limit has a name")
		return
	}
	b.columns([]string{"workload", "what binds", "the hardware allows:", "measured:", "off by:", "device I/Os for one, of those expected:"}, rows)
	if c := b.study.Common; c != nil {
		b.items(c.Sentences)
	}
}
