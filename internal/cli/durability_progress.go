package cli

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/term"
)

// cutProgress shows a running durability test: one line that is redrawn on a
// terminal, one line per phase elsewhere.
type cutProgress struct {
	env   *env.Env
	quiet bool
	phase string
	drawn bool
}

func newCutProgress(e *env.Env, quiet bool) *cutProgress { return &cutProgress{env: e, quiet: quiet} }

func (p *cutProgress) observe(u durability.Update) {
	if p.quiet {
		return
	}
	if u.Message != "" {
		printLine(p.env.Stderr, "note    %s", u.Message)
		return
	}
	if emitsEvents(p.env) {
		if u.Checked == nil {
			eventsOf(p.env).Cut(u.Phase, u.Cut, u.Cuts, min(u.Done, u.Total), u.Total)
			return
		}
	}
	words := ""
	switch {
	case u.Checked != nil:
		c := u.Checked
		words = fmt.Sprintf("%d acknowledged, %d lost, %d damaged blocks", c.Acknowledged, c.Lost, c.Damaged())
	case u.Phase == "write":
		words = fmt.Sprintf("writing: %d of %d acknowledged", min(u.Done, u.Total), u.Total)
	default:
		words = map[string]string{"cut": "cutting", "restart": "restarting the target", "wait": "waiting for the target", "check": "checking"}[u.Phase]
	}
	line := fmt.Sprintf("[cut %d/%d] %s", u.Cut, u.Cuts, words)
	if p.env.Terminal.Interactive {
		line = safetext.Clean(line)
		if width := p.env.Terminal.Width; width > 1 {
			line = term.Cut(line, width-1) // a longer line would scroll the terminal when redrawn
		}
		fmt.Fprint(term.Styled(p.env.Stderr), term.EraseLine+line)
		if p.drawn = u.Checked == nil; !p.drawn {
			fmt.Fprintln(p.env.Stderr)
		}
		return
	}
	// A log gets only the phases, not the running count.
	if phase := fmt.Sprint(u.Phase, u.Cut); u.Checked != nil || phase != p.phase {
		p.phase = phase
		if u.Phase == "write" {
			line = strings.Split(line, ": ")[0]
		}
		printLine(p.env.Stderr, "%s", line)
	}
}

// close ends a line that is being redrawn. It may be called twice.
func (p *cutProgress) close() {
	if p.drawn {
		fmt.Fprint(term.Styled(p.env.Stderr), term.EraseLine)
		p.drawn = false
	}
}
