package text

import (
	"fmt"
	"io"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// RenderDurability prints the report of a durability test: what was written, each cut and what was
// found after it, the result, and what it proves. It fails only when w does.
func RenderDurability(w io.Writer, d *model.Durability, o Options) error {
	p := newPage(o)
	p.field("target", d.Target.Place(), words.Storage(d.Environment.Storage))
	p.field("wrote", words.Wrote(d)...)
	switch d.Status {
	case model.Interrupted, model.Failed:
		p.field("ran", string(d.Status)+words.Prefixed(": ", d.Reason))
	case model.Running:
		p.field("ran", "not finished: the process is gone, or still at work")
	}
	p.labels(d.Labels)
	for i := range d.Cuts {
		p.cut(&d.Cuts[i], d.Sync)
	}
	p.blank()
	p.field("result", p.Paint(paintOf(d.Result), d.Statement))
	p.field("proves", d.Proves)
	p.checks(d.Findings)
	if d.Directory != "" {
		p.savedIn(d.Directory)
	}
	return p.flush(w)
}

// cut writes what was cut and what was found.
func (p *page) cut(c *model.Cut, sync string) {
	p.field(fmt.Sprintf("cut %d", c.Number), words.Cut(c))
	p.field("found", found(c, sync)...)
}

// checks writes the findings that people should read.
func (p *page) checks(findings []model.Finding) {
	marks := map[model.Severity]string{model.SeverityInvalid: "✗", model.SeverityWarning: "!", model.SeverityNote: "–", model.SeverityNotChecked: "–"}
	for _, f := range findings {
		mark, ok := marks[f.Severity]
		if !ok {
			continue
		}
		p.field(p.Text(mark), f.Rule+": "+f.Message)
		if examples, ok := f.Evidence["examples"].([]string); ok {
			for _, e := range examples {
				p.field("", e)
			}
		}
		if f.Next != "" {
			p.next(f.Next)
		}
	}
}

// paintOf is never green: a clean test is no guarantee.
func paintOf(r model.DurabilityResult) term.Paint {
	switch r {
	case model.DurabilityLostWrites, model.DurabilityCorrupt:
		return term.Red
	case model.DurabilityUnproven:
		return term.Yellow
	}
	return term.Bold
}

// found says what the check after a cut found.
func found(c *model.Cut, sync string) []string {
	kept := "acknowledged"
	if sync == "none" {
		kept = "written, not flushed"
	}
	list := []string{fmt.Sprintf("%d %s, %d lost", c.Acknowledged, kept, c.Lost)}
	if c.LostBlocks > 0 {
		list[0] += fmt.Sprintf(" on %s", units.FormatCount(c.LostBlocks, "block"))
	}
	list = append(list, fmt.Sprintf("%d in flight, %d of them there", c.InFlight, c.InFlightFound))
	for _, f := range []struct {
		n    int
		what string
	}{{c.Torn, "torn"}, {c.Foreign, "foreign"}, {c.Unstable, "unstable"}, {c.Unreadable, "unreadable"}} {
		if f.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", f.n, f.what))
		}
	}
	return list
}
