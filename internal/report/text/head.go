package text

import (
	"io"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/words"
)

// Head prints what a run is about to do, before it begins: how much, on what,
// and where. It fails only when w does.
func Head(w io.Writer, pl *model.Plan, env model.Environment, tools map[string]string, o Options) error {
	p := newPage(o)
	p.field("plan", planWords(pl)...)
	p.field("writes", writeWords(pl))
	p.place(pl.Volume, env, tools)
	return p.flush(w)
}

// head writes what was measured, where and how.
func (p *page) head(r *model.Report, o Options) {
	run := &r.Run
	if !o.Brief {
		p.place(run.Volume, run.Environment, run.Tools)
	}
	p.field("ran", words.Ran(r)...)
	if run.Note != "" {
		p.field("note", run.Note)
	}
}

// place writes the lines "target" and "where".
func (p *page) place(v model.Volume, env model.Environment, tools map[string]string) {
	p.field("target", v.Target.Name, words.Storage(env.Storage), words.Volume(v))
	p.field("where", env.Hostname, words.Tools(tools), words.IO(v), words.Prefixed("kernel ", env.Kernel), words.Machine(env))
	if c := env.Cluster; c != nil {
		p.field("cluster", words.Class(c), words.Claim(c), words.Prefixed("Kubernetes ", c.Version))
	}
}
