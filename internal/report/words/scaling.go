package words

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
)

// Growth says whether a capacity grows in line with the nodes.
func Growth(s *model.NodeStudy) string {
	if len(s.Points) == 0 {
		return "whether it grows with the nodes was not measured"
	}
	first, last := s.Points[0], s.Points[len(s.Points)-1]
	switch {
	case s.Verdict == model.OneNodeNumber:
		return fmt.Sprintf("whether it grows with the nodes was not measured: all points are from %s", Count(first.Nodes, "node"))
	case s.Exponent.Confidence == 0:
		return fmt.Sprintf("%d nodes reach %s what %d do; two numbers of nodes do not show whether that is a line", last.Nodes, times(*s.Ratio), first.Nodes)
	}
	exponent := fmt.Sprintf("it grows like nodes^%s (%s to %s, from %d numbers of nodes)", Fixed(s.Exponent.Value, 2), Fixed(s.Exponent.Low, 2), Fixed(s.Exponent.High, 2), len(s.Points))
	switch s.Verdict {
	case model.InLine:
		return exponent + ": in line with the nodes"
	case model.LessThanLine:
		return exponent + ": less than in line with the nodes"
	case model.MoreThanLine:
		return exponent + ": more than in line with the nodes"
	}
	return exponent + ": too few points to tell a line from a curve"
}

// times is "2.01 times (1.98–2.03)".
func times(e model.Estimate) string {
	if e.Confidence == 0 {
		return fmt.Sprintf("%.2f times", e.Value)
	}
	return fmt.Sprintf("%.2f times (%.2f–%.2f)", e.Value, e.Low, e.High)
}

// Latencies explains the latencies of a scale in sentences; none where nothing is
// known of them.
func Latencies(x *model.ScaleStudy) (list []string) {
	if p := x.Path; p != nil {
		list = append(list, fmt.Sprintf("one volume waits %s, of which %s (%.0f %%) are known: %s", model.FormatDuration(p.Measured.Value),
			model.FormatDuration(p.Explained), 100*p.Explained/p.Measured.Value, p.How))
	}
	l := x.Latency
	if l == nil {
		return list
	}
	list = append(list, fmt.Sprintf("the latency follows from the capacity of %s (%s/s) by Little's law, nothing is fitted: %s alone, and from %s volumes on each further one adds %s",
		l.From, model.FormatNumber(l.Capacity.Value), model.FormatDuration(l.Alone.Value), model.FormatNumber(l.Knee), model.FormatDuration(l.Slope)))
	worst, behind, at := 0.0, 0.0, 0
	for _, p := range l.Points {
		miss := p.Measured/p.Predicted.Value - 1
		if math.Abs(miss) > math.Abs(worst) {
			worst, at = miss, p.Volumes
		}
		if float64(p.Volumes) > 1.5*l.Knee && math.Abs(miss) > math.Abs(behind) {
			behind = miss
		}
	}
	if worst != 0 {
		list = append(list, fmt.Sprintf("measured is at most %+.1f %% off that, at %s; %+.1f %% behind 1.5 knees. Before the knee queues already form, which the law leaves out",
			100*worst, Count(at, "volume"), 100*behind))
	}
	if l.Implied != nil {
		list = append(list, fmt.Sprintf("the latencies themselves tell a capacity of %s/s", model.FormatNumber(l.Implied.Value)))
	}
	return list
}

// RebuildReach says how far beyond what was timed the largest volumes lie.
func RebuildReach(r *model.RebuildStudy) []string {
	if len(r.Largest) == 0 || r.Longest == 0 || r.Largest[0].Limit <= r.Longest {
		return nil
	}
	limit := r.Largest[0].Limit
	return []string{fmt.Sprintf("the longest rebuild that was timed took %s: %s is an extrapolation by a factor of %s", model.FormatSpan(r.Longest),
		model.FormatSpan(limit), model.FormatNumber(limit/r.Longest))}
}

// Fitted is a scale with those points only that have a total and that its laws are
// about: without a rate, and on the number of nodes that has the most points.
func Fitted(s *model.Scale) *model.Scale {
	counts := map[int]int{}
	nodes := 0
	counted := func(p model.ScalePoint) bool { return p.Offered == 0 && p.Total.Value > 0 }
	for _, p := range s.Points {
		if counted(p) {
			counts[p.Nodes]++
			if counts[p.Nodes] > counts[nodes] || counts[p.Nodes] == counts[nodes] && p.Nodes < nodes {
				nodes = p.Nodes
			}
		}
	}
	c := *s
	c.Points = nil
	for _, p := range s.Points {
		if counted(p) && p.Nodes == nodes {
			c.Points = append(c.Points, p)
		}
	}
	return &c
}
