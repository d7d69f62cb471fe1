package reference

import (
	"fmt"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
)

// control writes how many volumes the control plane supports.
func (b *builder) control() {
	b.chapter(1, "Control plane")
	if len(b.study.Control) == 0 {
		b.missing("how many volumes the control plane carries, and how fast it starts them, was not measured")
		return
	}
	for _, c := range b.study.Control {
		var rows [][]string
		for _, p := range c.Points {
			rows = append(rows, []string{strconv.Itoa(p.Nodes), units.FormatNumber(p.Capacity.Value), units.FormatNumber(p.Capacity.Value / float64(p.Nodes))})
		}
		b.table([]string{"nodes:", c.Workload + ":", "of each node:"}, rows)
		b.items([]string{words.Growth(&c)})
	}
}

// rebuild writes how large a volume may be.
func (b *builder) rebuild() {
	b.chapter(1, "Largest volume")
	r := b.study.Rebuild
	if r == nil {
		b.missing("no rebuild of a replica was timed, so nothing is known of how large a volume may be")
		return
	}
	b.text("A volume may be as large as a replica of it can be made again in time, after a failure.")
	var list []string
	for _, l := range r.Largest {
		list = append(list, words.Largest(l))
	}
	b.items(list)
	b.items(append(words.RebuildReach(r), r.Notes...))
}

// slips writes where the source contradicts itself.
func (b *builder) slips() {
	if len(b.study.Slips) == 0 {
		return
	}
	b.chapter(1, "Contradictions in the source")
	b.text("The points above are taken over from elsewhere. There, these figures do not agree with each other or with the points:")
	var list []string
	for _, s := range b.study.Slips {
		list = append(list, s.Where+": "+s.Message)
	}
	b.items(list)
}

// answers writes users' common questions, with measured answers.
func (b *builder) answers() {
	b.chapter(1, "Questions and answers")
	b.text("The answers are about this system. An interval is that of 95 %; where there is none, what was measured does not tell how sure the figure is.")
	b.question("How many IOPS does one volume reach?", model.IOPS, true)
	b.question("How much bandwidth does one volume reach?", model.Bandwidth, true)
	b.latencyAnswers()
	on := ""
	if n := b.study.System.Nodes; n > 0 {
		on = " on " + units.FormatCount(n, "node")
	}
	b.question("How many IOPS do all volumes reach together"+on+"?", model.IOPS, false)
	b.question("How much bandwidth do all volumes have together"+on+"?", model.Bandwidth, false)
	b.growthAnswer()
	b.volumeAnswers()
	b.chapter(2, "How large may a volume be?")
	if r := b.study.Rebuild; r != nil {
		var list []string
		for _, l := range r.Largest {
			list = append(list, words.Largest(l)+intervalOf(l.Volume))
		}
		b.items(append(list, words.RebuildReach(r)...))
	} else {
		b.missing("it was not measured")
	}
	b.chapter(2, "How many nodes does a need take?")
	b.text("loadline size answers that from the same points: what binds, how full everything is, the latency to expect, and what one more pod costs.")
}

func intervalOf(e model.Estimate) string {
	if e.Confidence == 0 {
		return "; no interval"
	}
	return fmt.Sprintf("; 95 %% between %s and %s", units.FormatSize(int64(e.Low)), units.FormatSize(int64(e.High)))
}

// question writes a table of what one volume alone, or all together, reach in a metric.
func (b *builder) question(title string, m model.Metric, alone bool) {
	b.chapter(2, title)
	var rows [][]string
	for i := range b.study.Scales {
		x := &b.study.Scales[i]
		l := x.Scale.Law()
		if l == nil || x.Scale.Metric != m || x.Limit == nil {
			continue
		}
		switch {
		case alone && l.AllSaturated:
			rows = append(rows, []string{x.Scale.Workload, "at least " + m.FormatTotal(l.First.Value), "–"})
		case alone:
			rows = append(rows, []string{x.Scale.Workload, m.FormatTotal(l.First.Value), interval(m, l.First)})
		case l.Capacity == nil:
			rows = append(rows, []string{x.Scale.Workload, "not reached", "–"})
		default:
			rows = append(rows, []string{x.Scale.Workload, m.FormatTotal(l.Capacity.Value), interval(m, *l.Capacity)})
		}
	}
	for _, r := range b.single() {
		for _, res := range r.Results {
			if alone && res.Metric == m {
				rows = append(rows, []string{words.ResultName(r, res), m.FormatTotal(res.Value), interval(m, res.Estimate)})
			}
		}
	}
	if len(rows) == 0 {
		b.missing("it was not measured")
		return
	}
	b.table([]string{"workload", "answer:", "95 % interval:"}, rows)
}

// latencyAnswers writes the lowest latency of each workload, with one volume alone.
func (b *builder) latencyAnswers() {
	b.chapter(2, "What is the least latency of a volume?")
	var rows [][]string
	for i := range b.study.Scales {
		x := &b.study.Scales[i]
		if l := x.Latency; l != nil {
			rows = append(rows, []string{x.Scale.Workload, units.FormatDuration(l.Alone.Value), latencyInterval(l.Alone)})
		}
	}
	for _, r := range b.single() {
		for _, res := range r.Results {
			if res.Metric.Unit() == "s" {
				rows = append(rows, []string{words.ResultName(r, res), units.FormatDuration(res.Value), latencyInterval(res.Estimate)})
			}
		}
	}
	if len(rows) == 0 {
		b.missing("it was not measured")
		return
	}
	b.table([]string{"workload", "answer:", "95 % interval:"}, rows)
}

func latencyInterval(e model.Estimate) string {
	if e.Confidence == 0 {
		return "none"
	}
	return units.FormatDuration(e.Low) + " – " + units.FormatDuration(e.High)
}

// growthAnswer writes whether capacities grow with the nodes.
func (b *builder) growthAnswer() {
	b.chapter(2, "Does it grow in line with the nodes?")
	var list []string
	for i := range b.study.Scales {
		if x := &b.study.Scales[i]; x.Nodes != nil && len(x.Nodes.Points) > 1 {
			list = append(list, x.Scale.Workload+": "+words.Growth(x.Nodes))
		}
	}
	if len(list) == 0 {
		b.missing("only one number of nodes was measured")
		return
	}
	b.items(list)
}

// volumeAnswers writes the maximum number of volumes of a cluster and of a node.
func (b *builder) volumeAnswers() {
	b.chapter(2, "How many volumes does the cluster carry?")
	if len(b.study.Control) == 0 {
		b.missing("it was not measured")
		return
	}
	copies := b.study.System.Copies()
	var rows [][]string
	for _, p := range b.study.Control[0].Points {
		each := p.Capacity.Value / float64(p.Nodes)
		rows = append(rows, []string{strconv.Itoa(p.Nodes), units.FormatNumber(p.Capacity.Value), units.FormatNumber(each), units.FormatNumber(copies * each), "none"})
	}
	b.table([]string{"nodes:", b.study.Control[0].Workload + ":", "of each node:", "replicas of each node:", "95 % interval:"}, rows)
}
