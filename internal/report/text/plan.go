package text

import (
	"fmt"
	"io"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// Plan prints what a run would do: where, how long, what it would write. It
// fails only when w does.
func Plan(w io.Writer, pl *model.Plan, o Options) error {
	p := newPage(o)
	v := pl.Volume
	p.field("target", v.Target.Name, kindWords(v.Target.Kind))
	p.field("volume", model.FormatSize(v.Size), v.SizeReason)
	p.field("engine", ioWords(v))
	p.field("writes", writeWords(pl))
	p.field("visits", scheduleWords(pl)...)
	p.field("time", timeWords(pl)...)
	p.blank()
	name, pattern, headline := &column{title: "workload"}, &column{title: "pattern"}, &column{title: "precision is asked of"}
	for _, work := range pl.Workloads {
		name.cells = append(name.cells, cell{text: p.Text(work.Name)})
		pattern.cells = append(pattern.cells, cell{text: p.Text(work.Describe())})
		headline.cells = append(headline.cells, cell{text: metricWords(work.Metric)})
	}
	if len(pl.Workloads) > 0 {
		p.table([]*column{name, pattern, headline})
		p.blank()
	}
	p.line(p.Paint(term.Bold, "Nothing was done.") + p.Text(" The same words after `loadline run` do it."))
	return p.flush(w)
}

// planWords is the plan in one line: "6 workloads × 3 rounds, about 4 m 05 s".
func planWords(pl *model.Plan) []string {
	s := pl.Schedule
	words := count(len(pl.Workloads), "workload")
	if s.Mode == model.Rounds {
		words += " × at least " + count(s.MinRounds, "round") + ", interleaved"
	}
	measure := "measuring " + model.FormatSpan(pl.MeasureSeconds)
	if s.MaxTime > pl.MeasureSeconds+1 && s.Mode != model.Fixed {
		measure += " to " + model.FormatSpan(s.MaxTime)
	}
	if pl.Volume.Prefill {
		measure = "prefill about " + model.FormatSpan(pl.PrefillSeconds) + ", " + measure
	}
	return []string{words, measure, writeWords(pl)}
}

// metricWords names a metric for people.
func metricWords(m model.Metric) string {
	switch m {
	case model.IOPS:
		return "IOPS"
	case model.Latency:
		return "mean latency"
	case model.P50, model.P90, model.P99, model.P999, model.P9999:
		return string(m) + " latency"
	}
	return string(m)
}

func kindWords(k model.TargetKind) string {
	switch k {
	case model.BlockDevice:
		return "block device"
	case model.NBD:
		return "NBD volume"
	case model.RBD:
		return "Ceph image"
	case model.Fake:
		return "fake storage with a known truth"
	}
	return string(k)
}

// writeWords tells what would be written, and what would become of it.
func writeWords(pl *model.Plan) string {
	v := pl.Volume
	size := model.FormatSize(v.Size)
	writes := false
	for _, w := range pl.Workloads {
		writes = writes || w.Writes()
	}
	where := v.Path
	if where == "" {
		where = v.Target.Name
	}
	switch {
	case v.Owned:
		return fmt.Sprintf("one new file of %s (%s), removed at the end", size, where)
	case v.Target.Kind == model.Fake:
		return "nothing: this storage exists only as numbers"
	case v.Prefill && v.Size > 0:
		return fmt.Sprintf("overwrites the first %s of %s: what is there will be lost", size, where)
	case writes:
		return fmt.Sprintf("overwrites parts of the first %s of %s: what is there will be lost", size, where)
	}
	return "nothing: " + where + " is only read"
}

// scheduleWords is "14 workloads × 3 rounds = 42 visits of 3 s after a ramp of
// 1 s" and what comes after them.
func scheduleWords(pl *model.Plan) []string {
	s := pl.Schedule
	visit := model.FormatSpan(s.Visit)
	if s.Ramp > 0 {
		visit += " after a ramp of " + model.FormatDuration(s.Ramp)
	}
	switch s.Mode {
	case model.Fixed:
		return []string{fmt.Sprintf("one of %s for each of %s", visit, count(len(pl.Workloads), "workload"))}
	case model.Steady:
		return []string{fmt.Sprintf("one for each of %s, until it is steady within ±%s",
			count(len(pl.Workloads), "workload"), percent(s.Precision))}
	}
	return []string{
		fmt.Sprintf("%s × %s = %d of %s", count(len(pl.Workloads), "workload"), count(s.MinRounds, "round"), len(pl.Steps), visit),
		fmt.Sprintf("then more where the interval is wider than ±%s", percent(s.Precision)),
	}
}

// timeWords tells how long it takes.
func timeWords(pl *model.Plan) []string {
	var parts []string
	least, most := pl.MeasureSeconds, pl.MeasureSeconds
	if pl.Volume.Prefill {
		parts = append(parts, "prefill about "+model.FormatSpan(pl.PrefillSeconds))
		least, most = least+pl.PrefillSeconds, most+pl.PrefillSeconds
	}
	if more := pl.Schedule.MaxTime - pl.MeasureSeconds; more > 1 && pl.Schedule.Mode != model.Fixed {
		most += more
	}
	parts = append(parts, "measuring "+fromTo(pl.MeasureSeconds, pl.MeasureSeconds+most-least))
	return append(parts, "in all "+fromTo(least, most))
}

// fromTo writes a range of times, or one when it has no width.
func fromTo(least, most float64) string {
	if most <= least {
		return "about " + model.FormatSpan(least)
	}
	return model.FormatSpan(least) + " to " + model.FormatSpan(most)
}
