package live

import (
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/term"
)

// Cuts shows a running durability test: one line that is redrawn on a terminal, one line per phase
// elsewhere.
type Cuts struct {
	w     io.Writer
	o     Options
	phase string
	drawn bool
}

// CutUpdate is one progress report from a running durability test, with the fields of durability.Update: a display does
// not import what measures.
type CutUpdate struct {
	// Phase is "write", "cut", "restart", "wait" or "check".
	Phase string
	// Cut is the number of the current cut, of Cuts.
	Cut, Cuts int
	// Done of Total acknowledged writes, in phase "write".
	Done, Total int
	// Checked is set once a cut has been checked.
	Checked *model.Cut
	// Message is a sentence for the user; nothing else is set then.
	Message string
}

// NewCuts starts a display on w. With Quiet it shows nothing; without a Width, lines are not cut.
func NewCuts(w io.Writer, o Options) *Cuts { return &Cuts{w: w, o: o} }

// Observe shows an update.
func (p *Cuts) Observe(u CutUpdate) {
	if p.o.Quiet {
		return
	}
	if u.Message != "" {
		term.PrintLine(p.w, "note    %s", u.Message)
		return
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
	if p.o.Interactive {
		line = safetext.Clean(line)
		if p.o.Width > 1 {
			line = term.Cut(line, p.o.Width-1) // a longer line would scroll the terminal when redrawn
		}
		fmt.Fprint(term.Styled(p.w), term.EraseLine+line)
		if p.drawn = u.Checked == nil; !p.drawn {
			fmt.Fprintln(p.w)
		}
		return
	}
	// A log gets only the phases, not the running count.
	if phase := fmt.Sprint(u.Phase, u.Cut); u.Checked != nil || phase != p.phase {
		p.phase = phase
		if u.Phase == "write" {
			line = strings.Split(line, ": ")[0]
		}
		term.PrintLine(p.w, "%s", line)
	}
}

// Close ends a line that is being redrawn. It may be called twice.
func (p *Cuts) Close() {
	if p.drawn {
		fmt.Fprint(term.Styled(p.w), term.EraseLine)
		p.drawn = false
	}
}
