package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

// details writes what is needed to repeat the run.
func (p *page) details(r *model.Report) {
	end := p.fold("Environment, command and jobs")
	defer end()
	p.run(&r.Run, words.Ran(r), r.Run.Targets())
	var jobs []string
	for _, name := range slices.Sorted(maps.Keys(r.Run.Jobs)) {
		jobs = append(jobs, strings.TrimSpace(r.Run.Jobs[name]))
	}
	if len(jobs) > 0 {
		p.para("The exact jobs:")
		p.para(block(strings.Join(jobs, "\n\n"), "ini"))
	}
}

// run writes the facts of a run; its command names the targets.
func (p *page) run(run *model.RunInfo, ran []string, targets []model.Target) {
	v, e, volume := run.Volume, run.Environment, ""
	switch {
	case len(run.Volumes) > 1:
		volume = phrase(words.Volumes(run.Volumes), words.Sharing(run.Volumes), words.Spread(run.Volumes), v.SizeReason)
	case v.Size > 0:
		volume = phrase(words.Volume(v), v.SizeReason)
	}
	var system []string
	spread := ""
	if c := e.Cluster; c != nil {
		spread = words.Unspread(c.Spread)
		if c.Backing != nil {
			system = words.Backing(c.Backing)
		}
	}
	p.facts([][2]string{
		{"run", code(run.ID)},
		{"target", phrase(run.Target.Place(), string(run.Target.Kind), run.Target.URI)},
		{"volume", volume},
		{"spread", spread},
		{"storage", phrase(words.Storage(e.Storage), prefixed("mount options ", e.Storage.MountOpts), prefixed("scheduler ", e.Storage.Scheduler), prefixed("write cache ", e.Storage.WriteCache))},
		{"storage system", phrase(system...)},
		{"I/O", phrase(words.IO(v, run.Workloads), words.Tools(run.Tools), prefixed("loadline ", run.Tools["loadline"]))},
		{"machine", phrase(e.Hostname, e.CPUModel, words.Machine(e), prefixed("kernel ", e.Kernel), e.Virtualization)},
		{"ran", phrase(ran...)},
		{"saved", code(run.Directory)},
	})
	if len(run.Command) > 0 {
		p.para(block(words.Command(model.CommandLine(run.Command).Placed(targets)), "console"))
	}
}

func prefixed(prefix, s string) string { return words.Prefixed(prefix, s) }

// phrase joins the non-empty parts.
func phrase(parts ...string) string {
	var kept []string
	for _, s := range parts {
		if s = inline(s); s != "" && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " · ")
}

// comparison writes a comparison.
func (p *page) comparison(c *model.Comparison) {
	heading := placed(&c.A) + " → " + placed(&c.B)
	if where := words.Where(&c.B); where == words.Where(&c.A) {
		heading = title(c.A.Target.Place()) + " → " + placed(&c.B)
	}
	p.para("### " + heading)
	p.para("**" + inline(words.Better(c)) + "** " + inline(words.Margins(c)))
	var lines []string
	if common := phrase(words.Common(c)...); common != "" {
		lines = append(lines, "- same: "+common)
	}
	for _, d := range c.Differences {
		lines = append(lines, "- differs: "+inline(words.Difference(d)))
	}
	p.para(strings.Join(lines, "\n"))
	notes := words.Notes(c)
	var rows [][]string
	for i, r := range c.Rows {
		var numbers []int
		for k, n := range notes {
			if slices.Contains(n.Rows, i) {
				numbers = append(numbers, k+1)
			}
		}
		rows = append(rows, []string{
			code(words.RowName(c, r)), inline(r.Description), inline(words.ShortMetric(r.Metric)), r.Metric.FormatOf(r.Direction, r.A.Value), r.Metric.FormatWidth(r.Direction, r.A),
			r.Metric.FormatOf(r.Direction, r.B.Value), r.Metric.FormatWidth(r.Direction, r.B), words.Change(r.Ratio.Value, 1), words.Interval(r.Ratio), strings.TrimSpace(changeMark(r) + " " + marks(numbers)),
		})
	}
	p.table([]string{"workload", "pattern", "metric", "A:", "95% CI:", "B:", "95% CI:", "change:", "95% CI:", "verdict"}, rows)
	lines = nil
	for i, n := range notes {
		lines = append(lines, "- "+marks([]int{i + 1})+" "+inline(n.Text))
	}
	if c.Next != "" {
		lines = append(lines, "- to decide unclear rows"+next(c.Next))
	}
	for _, f := range words.Readable(c.Findings, true) {
		lines = append(lines, "- "+finding(f))
	}
	p.para(strings.Join(lines, "\n"))
	p.compared(c.Budgets)
	end := p.fold("Environment and commands")
	defer end()
	for _, side := range []struct {
		name       model.Side
		run, other *model.RunInfo
	}{{model.SideA, &c.A, &c.B}, {model.SideB, &c.B, &c.A}} {
		targets := side.run.Targets()
		if slices.Equal(side.run.Command, side.other.Command) {
			// Both were measured by one command.
			targets = append(targets, side.other.Targets()...)
		}
		p.para("**" + string(side.name) + "**")
		p.run(side.run, []string{strings.Trim(startWords(side.run), "()"), words.Ended(side.run.Status, side.run.Reason)}, targets)
	}
}

// changeMark returns the verdict on a row; a change for better or worse stands out.
func changeMark(r model.Row) string {
	mark := inline(string(r.Verdict))
	if r.Verdict == model.Worse || r.Verdict == model.Better || r.Verdict == model.Unusable {
		mark = "**" + mark + "**"
	}
	if r.Trust == model.Suspect {
		mark += " !"
	}
	return mark
}

// durability writes a durability test.
func (p *page) durability(d *model.Durability) {
	p.para("### Durability of " + title(d.Target.Place()) + prefixed(" on ", inline(d.Environment.Hostname)))
	if d.Statement != "" {
		p.para("**" + inline(d.Statement) + "**")
	}
	p.para(words.Prefixed("What this shows: ", inline(d.Proves)))
	if ended := words.Ended(d.Status, d.Reason); ended != "" {
		p.para(inline(ended))
	}
	var rows [][]string
	for i := range d.Cuts {
		c := &d.Cuts[i]
		rows = append(rows, []string{fmt.Sprint(c.Number), inline(words.Cut(c)), fmt.Sprint(c.Acknowledged), fmt.Sprint(c.Lost), fmt.Sprint(c.Damaged()), fmt.Sprint(c.InFlight), fmt.Sprint(c.InFlightFound)})
	}
	p.table([]string{"cut:", "what was cut", "acknowledged:", "lost:", "damaged:", "in flight:", "of them there:"}, rows)
	var lines []string
	for _, f := range d.Findings {
		if f.Severity != model.SeverityPassed {
			lines = append(lines, "- "+finding(f))
		}
	}
	for i := range d.Cuts {
		for _, example := range d.Cuts[i].Examples {
			lines = append(lines, "- "+inline(example))
		}
	}
	p.para(strings.Join(lines, "\n"))
	end := p.fold("Environment and command")
	defer end()
	p.facts([][2]string{
		{"test", code(d.ID)},
		{"target", phrase(d.Target.Place(), string(d.Target.Kind), d.Path, words.Storage(d.Environment.Storage))},
		{"wrote", phrase(words.Wrote(d)...)},
		{"machine", phrase(d.Environment.Hostname, words.Machine(d.Environment), prefixed("kernel ", d.Environment.Kernel))},
		{"saved", code(d.Directory)},
	})
	if len(d.Command) > 0 {
		p.para(block(words.Command(model.CommandLine(d.Command).Placed([]model.Target{d.Target})), "console"))
	}
}
