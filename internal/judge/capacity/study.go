package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// Study concludes from points what they allow: laws, limits, latencies, growth, errors in the report
// that they come from, and rebuild times. It fits the laws of the scales that have none. Contradictory
// figures are refused.
func Study(p *study.Published) (study.Study, error) {
	st := study.Study{Schema: study.Schema, Name: p.Name, Source: p.Source, System: p.System}
	if err := checkPublished(p); err != nil {
		return st, err
	}
	for i := range p.Scales {
		if s := &p.Scales[i].Scale; len(s.Laws) == 0 {
			// Too few points for a law are a caveat, not a failure.
			s.Laws, _ = Fit(s)
		}
	}
	for i := range p.Scales {
		s := &p.Scales[i]
		one := study.Scale{Scale: *s, Caveats: caveats(&s.Scale)}
		nodes := nodeGrowth(&s.Scale)
		one.Nodes = &nodes
		if ofLatencies(&s.Scale) {
			if from := sameIO(p, s); from != nil {
				if l, ok := explainLatency(&s.Scale, from); ok {
					one.Latency = &l
				}
			}
			one.Path = path(&p.System, s)
		} else {
			limit := limitsOf(&p.System, s)
			one.Limit = &limit
		}
		st.Scales = append(st.Scales, one)
	}
	for _, figure := range []struct {
		name string
		of   func(study.ControlPoint) int
	}{
		{"most volumes", func(c study.ControlPoint) int { return c.Volumes }},
		{"volumes before starting slows down", func(c study.ControlPoint) int { return c.SlowsAt }},
	} {
		figures := map[int]float64{}
		for _, c := range p.Control {
			if v := figure.of(c); v > 0 {
				figures[c.Nodes] = float64(v)
			}
		}
		if len(figures) > 0 {
			st.Control = append(st.Control, figureGrowth(figure.name, "1", figures))
		}
	}
	st.Common = commonExcess(p, st.Scales)
	st.Slips = slips(p)
	if len(p.Rebuilds) > 0 {
		r := Rebuilds(p)
		st.Rebuild = &r
	}
	return st, nil
}

func ofLatencies(s *model.Scale) bool {
	return len(s.Points) > 0 && s.Points[0].Mean != nil && s.Points[0].Total.Value == 0
}

// sameIO is the scale whose capacity explains the latencies of s: with the same direction and block
// size, in I/Os, and random if s keeps one I/O in flight, because nothing can be merged there. Of
// several, the one that carried most counts, whatever their order; nil if there is none.
func sameIO(p *study.Published, s *study.PublishedScale) *model.Scale {
	access := s.Access
	if s.Depth == 1 {
		access = model.Random
	}
	capacity := func(o *model.Scale) float64 {
		if law := o.Law(); law != nil && law.Capacity != nil {
			return law.Capacity.Value
		}
		return 0
	}
	var best *model.Scale
	for i := range p.Scales {
		o := &p.Scales[i].Scale
		if ofLatencies(o) || o.Metric != model.IOPS || o.Direction != s.Direction || o.Access != access || o.BlockSize != s.BlockSize {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(capacity(o), capacity(best)), cmp.Compare(best.Workload, o.Workload)) > 0 {
			best = o
		}
	}
	return best
}

// path adds up the known latencies along one I/O's path: a read is answered by a disk, a write by the
// slowest copy's data and extras one after the other; remote I/Os also cross the network.
func path(sys *hardware.System, s *study.PublishedScale) *study.Path {
	nodes := mainNodes(&s.Scale)
	if nodes == 0 {
		nodes = sys.Nodes
	}
	alone := aloneLatency(sys, pattern{access: s.Access, direction: s.Direction, block: float64(s.BlockSize), merge: 1}, float64(nodes))
	if alone.seconds == 0 || s.Depth != 1 {
		return nil
	}
	var first *model.ScalePoint
	for i := range s.Points {
		if p := &s.Points[i]; p.Mean != nil && (first == nil || p.Volumes < first.Volumes) {
			first = p
		}
	}
	if first == nil || first.Volumes != 1 {
		return nil
	}
	return &study.Path{Measured: *first.Mean, Explained: alone.seconds, How: alone.how}
}

type aloneWords struct {
	seconds float64
	how     string
}

// aloneLatency is the latency of one small I/O on an idle system, from the figures of its disks and of
// the network between the given number of nodes; 0 if the disks' are unknown. A read goes to one copy;
// a write waits for all of them in parallel, and at most one of several is on the pod's own node.
func aloneLatency(sys *hardware.System, p pattern, nodes float64) aloneWords {
	disk, times, trips := sys.Disk.ReadLatency, 1.0, remoteShare(sys, nodes)
	if p.direction == model.Write {
		disk, times = sys.Disk.WriteLatency, 1+extra(sys)
		if sys.Copies() > 1 {
			trips = 1
		}
	}
	if disk == 0 {
		return aloneWords{}
	}
	how := fmt.Sprintf("%s × %s on the disk", number(times), units.FormatDuration(disk))
	if trips > 0 && sys.RoundTrip > 0 {
		how += fmt.Sprintf(" + %s × %s round trip", number(trips), units.FormatDuration(sys.RoundTrip))
	}
	return aloneWords{times*disk + trips*sys.RoundTrip, how}
}

// commonExcess considers all capacities together: if all of them exceed the hardware, there is a common
// reason.
func commonExcess(p *study.Published, scales []study.Scale) *study.CommonExcess {
	var shares []float64
	c := &study.CommonExcess{}
	for _, s := range scales {
		if s.Limit == nil || s.Limit.Excess == nil || s.Limit.Binding == "" || s.Limit.MergeInferred || s.Limit.Extra > 0 || s.Limit.Copies > 0 {
			continue
		}
		shares = append(shares, math.Exp(s.Limit.Excess.Value)-1)
		if s.Limit.Excess.Low > 0 {
			c.Above++
		}
	}
	if len(shares) < 3 {
		return nil
	}
	slices.Sort(shares)
	c.Workloads, c.Least, c.Most = len(shares), shares[0], shares[len(shares)-1]
	c.Median = stats.Median(shares)
	say := func(format string, args ...any) { c.Sentences = append(c.Sentences, fmt.Sprintf(format, args...)) }
	say("%d of %d capacities exceed what the hardware allows for certain; the excess is %s to %s, in the median %s", c.Above, c.Workloads,
		signedShare(c.Least), signedShare(c.Most), signedShare(c.Median))
	if most, ok := localExcess(p); ok {
		c.LocalMost = &most
		say("a bare disk exceeds its cap by %s at most, so the disks are not faster than said", signedShare(most))
	}
	if p.LoopIdle > 0 && c.Above > c.Workloads/2 {
		least := (p.LoopRun + p.LoopIdle) / p.LoopRun
		say("likely the sums count too much: each volume's load ran %s and paused %s without a common clock, so the others sped up in the gap; "+
			"the sum of means is then ×%s, and ×%s with a second of start-up",
			units.FormatSpan(p.LoopRun), units.FormatSpan(p.LoopIdle), number(least), number((p.LoopRun+p.LoopIdle+1)/p.LoopRun))
	}
	return c
}

// localExcess is the largest factor by which a figure of the bare disk exceeds its cap.
func localExcess(p *study.Published) (most float64, ok bool) {
	most = math.Inf(-1)
	for i := range p.Scales {
		s := &p.Scales[i]
		bound := p.System.Disk.IOPS
		if s.Metric == model.Bandwidth {
			bound = p.System.Disk.Bandwidth
		}
		if s.Local > 0 && bound > 0 && !ofLatencies(&s.Scale) {
			most, ok = max(most, s.Local/bound-1), true
		}
	}
	return most, ok
}

func signedShare(v float64) string {
	s := units.TrimZeros(fmt.Sprintf("%.1f", 100*math.Abs(v))) + " %"
	if v < 0 && !strings.HasPrefix(s, "0 ") {
		return "−" + s
	}
	return s
}
