package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Plan prints what a run would do: where, how long, and what it would write; and, for a volume in
// Kubernetes, what is known about it before it exists. It fails only when w does.
func Plan(w io.Writer, pl *model.Plan, env model.Environment, o Options) error {
	p := newPage(o)
	v := pl.Volume
	all := several(v, pl.Volumes)
	p.field("target", words.Targets(all), kindWords(v.Target.Kind))
	p.memory(env)
	p.cluster(env.Cluster)
	if len(all) > 1 {
		p.field("volume", words.Volumes(all), words.Sharing(all), words.Spread(all), v.SizeReason)
	} else {
		p.field("volume", units.FormatSize(v.Size), v.SizeReason)
	}
	if v.Log != nil {
		p.field("log", words.Log(&v, env), units.FormatSize(v.Log.Size)+" at most")
	}
	if pl.App != nil {
		p.field("server", pl.App.Name+" "+pl.App.Version, imageWords(env.Cluster), "loaded by "+v.Engine)
	} else {
		p.field("engine", engineWords(v, pl.Workloads))
	}
	p.field("writes", writeWords(pl))
	if anew := words.DrawnAnew(pl.Workloads, v.Size); anew != "" {
		p.field("blocks", anew)
	}
	p.field("repeats", scheduleWords(pl)...)
	p.field("time", timeWords(pl)...)
	p.planned(pl, instead(o.Planned))
	return p.flush(w)
}

// PlanPair prints what an interleaved comparison of a baseline, A, and a target, B, would measure.
func PlanPair(w io.Writer, plans [2]model.Plan, envs [2]model.Environment, tools map[string]string, o Options) error {
	p := newPage(o)
	p.compareHead(plans, envs, tools)
	for i, side := range []model.Side{model.SideA, model.SideB} {
		p.clusterAs(string(side)+"'s", envs[i].Cluster)
	}
	p.planned(&plans[1], instead(o.Planned))
	return p.flush(w)
}

// planned writes the workloads and the settings of a plan, and which command carries it out.
func (p *page) planned(pl *model.Plan, instead string) {
	p.blank()
	name, pattern, headline := &column{title: "workload"}, &column{title: "pattern"}, &column{title: "main metric"}
	for _, work := range pl.Workloads {
		name.cells = append(name.cells, cell{text: p.Text(work.Name)})
		pattern.cells = append(pattern.cells, cell{text: p.Text(work.Describe())})
		headline.cells = append(headline.cells, cell{text: words.Metric(work.Metric)})
	}
	if len(pl.Workloads) > 0 {
		p.table([]*column{name, pattern, headline})
		p.blank()
	}
	p.settings(pl.App)
	p.remarks(pl.App)
	for _, l := range term.Wrap(instead, p.width) {
		p.line(p.Paint(term.Bold, l))
	}
}

// imageWords names the image of a server in a pod.
func imageWords(c *model.Cluster) string {
	if c == nil {
		return ""
	}
	return words.Prefixed("of the image ", c.Image)
}

// instead says which command does what was planned by the command that was typed, such as "loadline plan sweep".
func instead(planned string) string {
	measure := "run"
	if verb := strings.TrimPrefix(planned, "loadline plan "); verb != planned {
		measure = verb
		if strings.HasPrefix(verb, "-") {
			measure = "run " + verb
		}
	}
	return fmt.Sprintf("Nothing was done. To measure, type `loadline %s` instead of `%s`.", measure, cmp.Or(planned, "loadline plan"))
}

// planWords returns the plan in one line: what, in which way, for how long.
func planWords(pl *model.Plan) []string {
	s := pl.Schedule
	work := units.FormatCount(len(pl.Workloads), "workload")
	if s.Mode == model.Rounds {
		work += " × at least " + units.FormatCount(s.MinRounds, "repeat") + ", interleaved"
	}
	measure := "measuring " + units.FormatSpan(pl.MeasureSeconds)
	if s.MaxTime > pl.MeasureSeconds+1 && s.Mode != model.Fixed && units.FormatSpan(s.MaxTime) != units.FormatSpan(pl.MeasureSeconds) {
		measure += " to " + units.FormatSpan(s.MaxTime)
	}
	if pl.Volume.Prefill || pl.App != nil {
		measure = "prefill " + Prefill(pl.PrefillSeconds, pl.MostPrefill()) + ", " + measure
	}
	return []string{work, measure}
}

func kindWords(k model.TargetKind) string {
	if k == model.Fake {
		return "fake storage with a known truth"
	}
	return k.Words()
}

// writeWords says what would be written, and what would become of it.
func writeWords(pl *model.Plan) string {
	v := pl.Volume
	size := units.FormatSize(v.Size)
	writes := false
	for _, w := range pl.Workloads {
		writes = writes || w.Writes()
	}
	where := v.Path
	if where == "" || v.Target.Cluster != nil {
		// The path in a pod means nothing outside it.
		where = v.Target.Place()
	}
	if len(pl.Volumes) > 1 {
		where = words.Targets(pl.Volumes)
	}
	switch {
	case pl.App != nil && pl.App.Server != nil:
		return fmt.Sprintf("a schema of its own in the database of %s, with about %s of tables, removed at the end; and the server's log", where, size)
	case pl.App != nil && v.Log != nil:
		return fmt.Sprintf("a new server's directory in %s, of about %s, and its log's in %s, both removed at the end", where, size, v.Log.Target.Place())
	case pl.App != nil:
		return fmt.Sprintf("a new server's directory in %s, of about %s and its log, removed at the end", where, size)
	case v.Owned && len(pl.Volumes) > 1:
		return fmt.Sprintf("%d new files of %s each (%s), removed at the end", len(pl.Volumes), size, where)
	case v.Owned:
		return fmt.Sprintf("one new file of %s (%s), removed at the end", size, where)
	case v.Target.Kind == model.Fake:
		return "nothing: this storage exists only as numbers"
	case v.Prefill && v.Size > 0:
		return fmt.Sprintf("overwrites the first %s of %s: what is there will be lost", size, where)
	case writes:
		return fmt.Sprintf("overwrites parts of the first %s of %s: what is there will be lost", size, where)
	}
	if strings.Contains(where, ", ") && len(pl.Volumes) > 1 {
		return "nothing: " + where + " are only read"
	}
	return "nothing: " + where + " is only read"
}

// scheduleWords returns, for example, "18 = 6 workloads × 3 repeats, each 3 s after a ramp of 1 s"
// and what follows them.
func scheduleWords(pl *model.Plan) []string {
	s := pl.Schedule
	repeat := words.Seconds(s.Repeat)
	if s.Ramp > 0 {
		repeat += " after a ramp of " + words.Seconds(s.Ramp)
	}
	work := units.FormatCount(len(pl.Workloads), "workload")
	switch s.Mode {
	case model.Fixed:
		return []string{work + ", one repeat each: " + repeat}
	case model.Steady:
		return []string{work + ", one repeat each until it is steady", "precision asked ±" + words.Asked(s.Precision)}
	}
	return []string{
		fmt.Sprintf("%d = %s × %s, each %s", len(pl.Steps), work, units.FormatCount(s.MinRounds, "repeat"), repeat) + lookWords(s),
		"then more where the interval is wider than ±" + words.Asked(s.Precision),
	}
}

// lookWords describes the repeats that run longer.
func lookWords(s model.Schedule) string {
	short := ""
	if s.ShortWriteLook {
		short = " (" + words.Seconds(s.ShortLook()) + " if it writes, after a steady prefill of " + words.Seconds(s.Look) + ")"
	}
	switch {
	case s.Look <= 0:
		return ""
	case s.Looks == 0:
		return "; the first repeat of the closed loop is extended to " + words.Seconds(s.Look) + ", to see the sustained rate"
	case s.Looks == 1:
		return "; the last repeat of the heaviest workload is extended to " + words.Seconds(s.Look) + short + ", to see the sustained rate"
	}
	return "; in each direction, the last repeat of the heaviest workload is extended to " + words.Seconds(s.Look) + short + ", to see the sustained rate"
}

// timeWords says how long it takes.
func timeWords(pl *model.Plan) []string {
	var parts []string
	least, most := pl.MeasureSeconds, pl.MeasureSeconds
	switch {
	case (pl.Volume.Prefill || pl.App != nil) && pl.PrefillSeconds > 0:
		parts = append(parts, "prefill "+Prefill(pl.PrefillSeconds, pl.MostPrefill()))
		least, most = least+pl.PrefillSeconds, most+max(pl.PrefillSeconds, pl.MostPrefill())
	case pl.Volume.Prefill:
		// The bandwidth was not probed, so the time of the prefill and the total are unknown.
		return append(parts, "prefill "+Prefill(0, pl.MostPrefill()), "measuring "+fromTo(least, max(least, pl.Schedule.MaxTime)))
	}
	measured := pl.MeasureSeconds
	if more := pl.Schedule.MaxTime - pl.MeasureSeconds; more > 1 && pl.Schedule.Mode != model.Fixed {
		most, measured = most+more, measured+more
	}
	parts = append(parts, "measuring "+fromTo(pl.MeasureSeconds, measured))
	total := "in all " + fromTo(least, most)
	if pl.App == nil && slices.ContainsFunc(pl.Workloads, model.Workload.Writes) {
		total += ", more if a write cache has to drain"
	}
	return append(parts, total)
}

// Prefill says how long a prefill takes, from what is expected and what it may take; 0 is unknown.
func Prefill(expected, most float64) string {
	switch {
	case expected <= 0 && most > 0:
		return "at most " + units.FormatSpan(most)
	case expected <= 0:
		return "duration not known"
	}
	return fromTo(expected, most)
}

// engineWords returns words.IO, or the engines that will be tried if nothing was probed.
func engineWords(v model.Volume, workloads []model.Workload) string {
	if v.Engine == "" {
		return "io_uring, libaio or psync, whichever a probe finds to work"
	}
	return words.IO(v, workloads)
}

// fromTo formats a range of times, or a single time if both are the same.
func fromTo(least, most float64) string {
	if most <= least || units.FormatSpan(most) == units.FormatSpan(least) {
		return "about " + units.FormatSpan(least)
	}
	return units.FormatSpan(least) + " to " + units.FormatSpan(most)
}
