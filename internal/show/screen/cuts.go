package screen

import (
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/show/report/live"
)

// Cuts shows the progress of a test of durability.
type Cuts struct {
	*live.Cuts
	env   *env.Env
	quiet bool
}

// NewCuts returns what shows a test of durability.
func NewCuts(e *env.Env, quiet bool) *Cuts {
	return &Cuts{live.NewCuts(e.Stderr, Live(e, quiet)), e, quiet}
}

// Observe shows an update of the test, or makes it an event.
func (c *Cuts) Observe(u durability.Update) {
	if c.quiet || !EmitsEvents(c.env) || u.Message != "" || u.Checked != nil {
		c.Cuts.Observe(live.CutUpdate(u))
		return
	}
	Events(c.env).Cut(u.Phase, u.Cut, u.Cuts, min(u.Done, u.Total), u.Total)
}
