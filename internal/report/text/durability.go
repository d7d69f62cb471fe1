package text

import (
	"fmt"
	"io"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
)

// RenderDurability prints the report of a durability test: what was written, each
// cut with what was found after it, the result, and what it proves. It fails only
// when w does.
func RenderDurability(w io.Writer, d *model.Durability, o Options) error {
	p := newPage(o)
	p.field("target", d.Target.Name, storageWords(d.Environment.Storage))
	p.field("wrote", fmt.Sprintf("%s of %s", count(d.Blocks, "block"), model.FormatBlock(d.BlockSize)), syncWords(d.Sync), fmt.Sprintf("%d at a time", d.Jobs))
	switch d.Status {
	case model.Interrupted, model.Failed:
		p.field("ran", string(d.Status)+prefixed(": ", d.Reason))
	case model.Running:
		p.field("ran", "not finished: the process is gone, or still at work")
	}
	for i := range d.Cuts {
		p.cut(&d.Cuts[i], d.Sync)
	}
	p.blank()
	p.field("result", p.Paint(paintOf(d.Result), d.Statement))
	p.field("proves", d.Proves)
	p.checks(d.Findings)
	if d.Directory != "" {
		p.field("saved", d.Directory+"/")
	}
	return p.flush(w)
}

// syncWords says what made a write count.
func syncWords(sync string) string {
	switch sync {
	case "none":
		return "not flushed"
	case "dsync":
		return "O_DSYNC"
	case "fua":
		return "FUA"
	case "flush":
		return "flush after each write"
	}
	return sync + " after each write"
}

// cut writes what was cut and what was found.
func (p *page) cut(c *model.Cut, sync string) {
	p.field(fmt.Sprintf("cut %d", c.Number), cutWords(c))
	kept := "acknowledged"
	if sync == "none" {
		kept = "written, not flushed"
	}
	words := []string{fmt.Sprintf("%d %s, %d lost", c.Acknowledged, kept, c.Lost)}
	if c.LostBlocks > 0 {
		words[0] += fmt.Sprintf(" on %s", count(c.LostBlocks, "block"))
	}
	words = append(words, fmt.Sprintf("%d in flight, %d of them there", c.InFlight, c.InFlightFound))
	for _, f := range []struct {
		n    int
		what string
	}{{c.Torn, "torn"}, {c.Foreign, "foreign"}, {c.Unstable, "unstable"}, {c.Unreadable, "unreadable"}} {
		if f.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", f.n, f.what))
		}
	}
	p.field("found", words...)
}

func cutWords(c *model.Cut) string {
	words := c.What
	if !c.Noticed {
		words += "; the writer noticed nothing"
	}
	return words
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
			p.field("", "next: "+f.Next)
		}
	}
}

// paintOf is green for nothing: a clean test is no promise.
func paintOf(r model.DurabilityResult) term.Paint {
	switch r {
	case model.DurabilityLies, model.DurabilityCorrupt:
		return term.Red
	case model.DurabilityUnproven:
		return term.Yellow
	}
	return term.Bold
}
