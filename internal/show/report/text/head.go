package text

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Head prints what a run is about to measure, before it begins: how much, on what, and where. It
// fails only when w does.
func Head(w io.Writer, pl *model.Plan, env model.Environment, tools map[string]string, o Options) error {
	p := newPage(o)
	p.field("plan", planWords(pl)...)
	p.field("writes", writeWords(pl))
	p.place(several(pl.Volume, pl.Volumes), pl.Workloads, env, tools)
	p.memory(env)
	return p.flush(w)
}

// memory warns before the measurement that its numbers will be invalid.
func (p *page) memory(env model.Environment) {
	text := words.Memory(env.Storage)
	if text == "" {
		return
	}
	const label = "warning"
	lead := p.Paint(term.Yellow, label) + term.Pad(label, labelWidth)
	for _, l := range term.Wrap(p.sentence(text), p.width-labelWidth) {
		p.line(lead + l)
		lead = strings.Repeat(" ", labelWidth)
	}
}

// head writes what was measured, where and how.
func (p *page) head(r *model.Report, o Options) {
	run := &r.Run
	if !o.Brief {
		p.place(several(run.Volume, run.Volumes), run.Workloads, run.Environment, run.Tools)
	}
	p.field("ran", words.Ran(r)...)
	if run.Note != "" {
		p.field("note", run.Note)
	}
	p.labels(run.Labels)
}

// labels writes the user's labels of the run.
func (p *page) labels(l model.Labels) {
	if len(l) > 0 {
		p.field("labels", l.Words()...)
	}
}

// several returns the volumes of a run: those of a list, or the only one.
func several(one model.Volume, list []model.Volume) []model.Volume {
	if len(list) == 0 {
		return []model.Volume{one}
	}
	return list
}

// place writes the lines "target" and "where".
func (p *page) place(volumes []model.Volume, workloads []model.Workload, env model.Environment, tools map[string]string) {
	p.field("target", words.Targets(volumes), words.Storage(env.Storage), words.Volumes(volumes), words.Sharing(volumes), words.Spread(volumes))
	if log := words.Log(&volumes[0], env); log != "" {
		p.field("log", log)
	}
	p.facts("where", env.Hostname, words.Tools(tools), words.IO(volumes[0], workloads), words.Prefixed("kernel ", env.Kernel), words.Machine(env))
	p.cluster(env.Cluster)
}

// cluster writes the lines "cluster" and "storage" for a volume in Kubernetes.
func (p *page) cluster(c *model.Cluster) { p.clusterAs("cluster", c) }

// clusterAs is cluster with another title, if there are several.
func (p *page) clusterAs(title string, c *model.Cluster) {
	if c == nil {
		return
	}
	p.facts(title, words.Class(c), words.Claim(c), words.Prefixed("Kubernetes ", c.Version), parameters(c))
	if c.Log != nil {
		p.facts("log's", words.Class(c.Log), words.Claim(c.Log), parameters(c.Log))
	}
	if words := words.Unspread(c.Spread); words != "" {
		p.field("spread", words)
	}
	if c.Backing != nil {
		p.facts("storage", words.Backing(c.Backing)...)
	}
}

// parameters returns those of the StorageClass: "parameters dataLocality=disabled,
// numberOfReplicas=3".
func parameters(c *model.Cluster) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		list = append(list, name+"="+c.Parameters[name])
	}
	return words.Prefixed("parameters ", strings.Join(list, ", "))
}
