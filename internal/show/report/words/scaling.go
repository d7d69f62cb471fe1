package words

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// Growth reports in words whether a capacity grows in proportion to the nodes.
func Growth(s *study.Nodes) string {
	if len(s.Points) == 0 {
		return "whether it grows with the nodes was not measured"
	}
	first, last := s.Points[0], s.Points[len(s.Points)-1]
	switch {
	case s.Verdict == study.OneNodeNumber:
		return fmt.Sprintf("whether it grows with the nodes was not measured: all points are from %s", units.FormatCount(first.Nodes, "node"))
	case s.Exponent.Confidence == 0:
		return fmt.Sprintf("%d nodes reach %s what %d do; two numbers of nodes do not show whether that is a line", last.Nodes, times(*s.Ratio), first.Nodes)
	}
	exponent := fmt.Sprintf("it grows like nodes^%s (%s to %s, from %d numbers of nodes)", Fixed(s.Exponent.Value, 2), Fixed(s.Exponent.Low, 2), Fixed(s.Exponent.High, 2), len(s.Points))
	switch s.Verdict {
	case study.InLine:
		return exponent + ": in line with the nodes"
	case study.LessThanLine:
		return exponent + ": less than in line with the nodes"
	case study.MoreThanLine:
		return exponent + ": more than in line with the nodes"
	}
	return exponent + ": too few points to tell a line from a curve"
}

// times returns, for example, "2.01 times (1.98–2.03)".
func times(e model.Estimate) string {
	if e.Confidence == 0 {
		return fmt.Sprintf("%.2f times", e.Value)
	}
	return fmt.Sprintf("%.2f times (%.2f–%.2f)", e.Value, e.Low, e.High)
}

// Latencies explains the latencies of a scale in sentences; none if nothing is known about them.
func Latencies(x *study.Scale) (list []string) {
	if p := x.Path; p != nil {
		list = append(list, fmt.Sprintf("one volume waits %s, of which %s (%.0f %%) are known: %s", units.FormatDuration(p.Measured.Value),
			units.FormatDuration(p.Explained), 100*p.Explained/p.Measured.Value, p.How))
	}
	l := x.Latency
	if l == nil {
		return list
	}
	list = append(list, fmt.Sprintf("the latency follows from the capacity of %s (%s IOPS) by Little's law, nothing is fitted: %s alone, and from %s volumes on each further one adds %s",
		l.From, units.FormatNumber(l.Capacity.Value), units.FormatDuration(l.Alone.Value), units.FormatNumber(l.Knee), units.FormatDuration(l.Slope)))
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
			100*worst, units.FormatCount(at, "volume"), 100*behind))
	}
	if l.Implied != nil {
		list = append(list, fmt.Sprintf("the latencies themselves tell a capacity of %s IOPS", units.FormatNumber(l.Implied.Value)))
	}
	return list
}

// Largest says how large a volume can be and still be rebuilt in time.
func Largest(l study.RebuildSize) string {
	what := "full of data in one piece"
	if l.Extent > 0 {
		what = fmt.Sprintf("with %.0f %% data in pieces of %s", 100*l.Fill, units.FormatBlock(l.Extent))
	}
	if l.Snapshots > 1 {
		what += fmt.Sprintf(" and as much in each of %d snapshots", l.Snapshots)
	}
	return fmt.Sprintf("within %s a volume of %s %s is rebuilt (%s GiB)", units.FormatSpan(l.Limit), units.FormatSize(int64(l.Volume.Value)), what,
		units.FormatNumber(l.Volume.Value/(1<<30)))
}

// RebuildReach says how far the largest volumes are beyond what was timed.
func RebuildReach(r *study.Rebuilds) []string {
	if len(r.Largest) == 0 || r.Longest == 0 || r.Largest[0].Limit <= r.Longest {
		return nil
	}
	limit := r.Largest[0].Limit
	return []string{fmt.Sprintf("the longest rebuild that was timed took %s: %s is an extrapolation by a factor of %s", units.FormatSpan(r.Longest),
		units.FormatSpan(limit), units.FormatNumber(limit/r.Longest))}
}

// Fitted returns a scale with only those points that have a total and that its laws cover: valid or
// suspect, without a rate limit, and on the number of nodes that has the most points; sorted by the
// number of volumes, which is the order of the laws' residuals.
func Fitted(s *model.Scale) *model.Scale {
	counts := map[int]int{}
	nodes := 0
	counted := func(p model.ScalePoint) bool {
		return p.Offered == 0 && p.Volumes > 0 && p.Total.Value > 0 && p.Verdict != model.Invalid
	}
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
	slices.SortStableFunc(c.Points, func(a, b model.ScalePoint) int { return a.Volumes - b.Volumes })
	return &c
}

// Fit says in sentences what the chosen law of a scale is, how far the points are from it, and how
// far off the other laws would have been; none without a law.
func Fit(s *model.Scale) (list []string) {
	l := s.Law()
	if l == nil {
		return nil
	}
	alone := s.Metric.FormatInterval(l.First)
	switch {
	case l.AllSaturated:
		list = append(list, fmt.Sprintf("%s the system: the total stays at %s, and one volume alone reaches at least %s.", fills(l.Knee),
			s.Metric.FormatInterval(*l.Capacity), s.Metric.FormatTotal(l.First.Value)))
	case l.Kind == model.SaturationLaw && l.Capacity != nil:
		list = append(list, fmt.Sprintf("One volume reaches %s, and the total grows in line with the volumes up to %s of them; from there on it stays at %s, which the volumes share.",
			alone, units.FormatNumber(l.Knee), s.Metric.FormatInterval(*l.Capacity)))
	case l.Capacity != nil:
		list = append(list, fmt.Sprintf("One volume reaches %s; the more volumes there are, the less each further one adds, and the total comes to %s at most.",
			alone, s.Metric.FormatInterval(*l.Capacity)))
	case l.Kind != model.SaturationLaw:
		list = append(list, fmt.Sprintf("One volume reaches %s; the more volumes there are, the less each further one adds, but the points set no limit to the total.", alone))
	default:
		list = append(list, fmt.Sprintf("One volume reaches %s, and the total grows in line with the volumes as far as was measured: nothing is full yet.", alone))
	}
	if worst := largest(l.Residuals); len(l.Residuals) > 0 {
		list = append(list, fmt.Sprintf("The points lie within %s of this law (%s).", share(worst), lawFormula(l.Kind)))
	}
	var others []string
	for _, o := range s.Laws {
		if !o.Chosen && number(o.Error) && o.Error < 10 {
			others = append(others, fmt.Sprintf("%s %s", lawFormula(o.Kind), share(o.Error)))
		}
	}
	if len(others) > 0 {
		list = append(list, fmt.Sprintf("Points that were left out it predicts within %s; %s.", share(l.Error), strings.Join(others, ", ")))
	}
	return list
}

func fills(n float64) string {
	if n == 1 {
		return "Already one volume fills"
	}
	return "Already " + units.FormatNumber(n) + " volumes fill"
}

func largest(residuals []float64) float64 {
	most := 0.0
	for _, r := range residuals {
		most = math.Max(most, math.Abs(r))
	}
	return most
}

// share formats the size of a logarithm of a ratio as a percentage.
func share(log float64) string { return Fixed(100*math.Expm1(math.Abs(log)), 1) + " %" }

// lawFormula returns a law as a formula.
func lawFormula(k model.LawKind) string {
	switch k {
	case model.AmdahlLaw:
		return "λN/(1 + α(N−1))"
	case model.USLLaw:
		return "λN/(1 + α(N−1) + βN(N−1))"
	}
	return "min(N·x₁, C)"
}

// RateHeld says for each point with a rate limit whether every volume reached it.
func RateHeld(s *model.Scale) []string {
	var list []string
	for _, p := range s.Points {
		if p.Offered <= 0 || p.Verdict == model.Invalid {
			continue
		}
		least := p.PerVolume.Value
		for _, v := range p.Each {
			least = math.Min(least, v)
		}
		text := fmt.Sprintf("%s of %s each: %.1f %% achieved, slowest volume %s", units.FormatCount(p.Volumes, "volume"), s.Metric.Format(p.Offered),
			100*p.PerVolume.Value/p.Offered, s.Metric.Format(least))
		if p.P99 != nil {
			text += ", p99 " + model.P99.Format(p.P99.Value)
		}
		list = append(list, text)
	}
	return list
}
