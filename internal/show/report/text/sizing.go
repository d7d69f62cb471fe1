package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
)

// RenderSizing prints how many nodes a demand requires. It fails only when w does.
func RenderSizing(w io.Writer, s *sizing.Sizing, o Options) error {
	p := newPage(o)
	for i, n := range s.Ask.Needs {
		label := "need"
		if len(s.Ask.Needs) > 1 {
			label = fmt.Sprintf("need %d", i+1)
		}
		p.field(label, units.FormatCount(n.Pods, "pod")+" × "+flowWords(n))
	}
	p.field("from", s.From, fmt.Sprintf("%.0f %% stay free", 100*s.Ask.Headroom), units.FormatCount(s.Ask.Survive, "node")+" may fail")
	p.blank()
	p.answer(s)
	p.blank()
	p.resources(s)
	p.blank()
	p.sources(s)
	p.podCosts(s)
	for _, l := range s.Lacking {
		p.remark("✗", term.Red, l.Message)
	}
	for _, n := range s.Notes {
		p.remark("·", term.Dim, n)
	}
	return p.flush(w)
}

// flowWords returns, for example, "rand-read 400 IOPS of 4k + rand-write 150 IOPS of 4k".
func flowWords(n sizing.Need) string {
	var parts []string
	for _, f := range n.Flows {
		rate := units.FormatNumber(f.Rate) + " IOPS of " + units.FormatBlock(f.BlockSize)
		if f.BlockSize >= 64<<10 {
			rate = units.FormatBandwidth(f.Rate*float64(f.BlockSize)) + " in " + units.FormatBlock(f.BlockSize)
		}
		parts = append(parts, fmt.Sprintf("%s-%s %s", f.Access, f.Direction, rate))
	}
	if n.Size > 0 {
		parts = append(parts, "a volume of "+units.FormatSize(n.Size))
	}
	return strings.Join(parts, " + ")
}

// answer writes the line that the rest explains.
func (p *page) answer(s *sizing.Sizing) {
	exact := fmt.Sprintf("%s by %s", units.FormatNumber(s.Exact), s.Resources[0].Resource.Name())
	if s.Fit != nil {
		p.fit(s)
		return
	}
	sum := units.FormatCount(s.Needed, "node") + " for the load (" + exact + ")"
	if s.Ask.Survive > 0 {
		sum += fmt.Sprintf(" + %d that may fail", s.Ask.Survive)
	}
	if s.Binding == hardware.LimitPlacement {
		sum += ", raised so that each copy has a node of its own"
	}
	p.field("nodes", p.Paint(term.Bold, fmt.Sprintf("%d", s.Nodes)), sum)
}

// fit writes whether the given number of nodes is enough, and how many pods of each need they have room for.
func (p *page) fit(s *sizing.Sizing) {
	f := s.Fit
	slow := slowNeeds(s)
	verdict, words := p.Paint(term.Red, units.FormatCount(f.Nodes, "node")+": not enough"), ""
	switch room := "room for " + percentOf(f.Times) + " of the load"; {
	case f.Times < 1 && len(s.Lacking) > 0:
		words = fmt.Sprintf("for only %s of the need; limited by %s", percentOf(f.Times), f.Binding.Name())
	case len(slow) > 0:
		verdict = p.Paint(term.Red, units.FormatCount(f.Nodes, "node")+": not possible")
		words = room + ", but one volume cannot reach what a pod needs"
	case len(s.Lacking) > 0:
		words = room + ", but not for each copy on a node of its own"
	default:
		verdict = p.Paint(term.Bold, units.FormatCount(f.Nodes, "node")+": enough")
		words = fmt.Sprintf("for %s times the need; limited by %s", units.FormatNumber(f.Times), f.Binding.Name())
	}
	p.field("nodes", verdict, words)
	for i, n := range f.Pods {
		if slow[i] {
			p.field("", fmt.Sprintf("need %d: room for no pod: one volume cannot reach what a pod needs", i+1))
			continue
		}
		p.field("", fmt.Sprintf("need %d: room for %s, with everything else unchanged", i+1, units.FormatCount(n, "pod")))
	}
}

// slowNeeds returns the needs whose pods need more than one volume reaches: the room on the nodes is of no use to them.
func slowNeeds(s *sizing.Sizing) map[int]bool {
	slow := map[int]bool{}
	for _, l := range s.Lacking {
		if l.Resource == hardware.LimitPerVolume {
			slow[l.Need] = true
		}
	}
	return slow
}

// moreFit says how many more pods fit on the nodes.
func moreFit(n int) string {
	switch n {
	case 0:
		return "no more fit on these nodes"
	case 1:
		return "1 more fits on these nodes"
	}
	return units.FormatNumber(float64(n)) + " more fit on these nodes"
}

func percentOf(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// resources writes the table of demands.
func (p *page) resources(s *sizing.Sizing) {
	name, demand, each := &column{title: "resource"}, &column{title: "demand", numeric: true}, &column{title: "one node", numeric: true, drop: 3}
	nodes, used := &column{title: "nodes", numeric: true}, &column{title: "used", numeric: true}
	after, bar, from := &column{title: "after failure", numeric: true}, &column{drop: 1}, &column{title: "from", drop: 2}
	for i, r := range s.Resources {
		text := r.Resource.Name()
		paint := term.Plain
		if i == 0 {
			paint = term.Bold
		}
		name.cells = append(name.cells, cell{text: p.Text(text), paint: paint})
		demand.cells = append(demand.cells, p.number(units.FormatQuantity(r.Unit, r.Demand), false))
		each.cells = append(each.cells, p.number(units.FormatQuantity(r.Unit, r.PerNode), false))
		nodes.cells = append(nodes.cells, cell{text: units.FormatNumber(r.Nodes), paint: paint})
		used.cells = append(used.cells, cell{text: percentOf(r.Share)})
		after.cells = append(after.cells, cell{text: percentOf(r.Degraded)})
		bar.cells = append(bar.cells, cell{text: p.Bar(r.Share, barWidth), paint: term.Cyan})
		from.cells = append(from.cells, cell{text: p.Text(r.From), paint: term.Dim})
	}
	columns := []*column{name, demand, each, nodes, used, after, bar, from}
	if s.Ask.Survive == 0 {
		columns = []*column{name, demand, each, nodes, used, bar, from}
	}
	p.fitted(columns)
}

// sources writes from which points the cost of each kind of I/O is derived, each once.
func (p *page) sources(s *sizing.Sizing) {
	said := map[string]bool{}
	for _, l := range s.Sources {
		line := fmt.Sprintf("%s-%s in %s: %s", l.Access, l.Direction, units.FormatBlock(l.BlockSize), l.How)
		if !said[line] {
			p.field("cost", line)
		}
		said[line] = true
	}
}

// podCosts writes the expected latency and what one more pod requires.
func (p *page) podCosts(s *sizing.Sizing) {
	for _, l := range s.Latencies {
		about := "about "
		if l.Least {
			about = "at least "
		}
		text := about + units.FormatDuration(l.Estimate)
		if s.Ask.Survive > 0 && l.Degraded > l.Estimate {
			text += ", " + units.FormatDuration(l.Degraded) + " after failure"
		}
		p.field("latency", fmt.Sprintf("%s-%s, mean: %s", l.Access, l.Direction, text), l.How)
	}
	slow := slowNeeds(s)
	for _, m := range s.Marginal {
		takes := units.FormatQuantity(m.Unit, m.Demand) + " of " + m.Resource.Name()
		if m.Resource == hardware.LimitDiskIOPS {
			takes = units.FormatNumber(m.Demand) + " " + m.Resource.Name()
		}
		parts := []string{fmt.Sprintf("of need %d takes %s, %s of a node", m.Need+1, takes, units.FormatNumber(m.Nodes))}
		if !slow[m.Need] {
			parts = append(parts, moreFit(m.Free))
		}
		p.field("+1 pod", parts...)
	}
}
