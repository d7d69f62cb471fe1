package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// volumes compares what one pod needs with what one volume reaches: more nodes do not help there.
func (z *sizer) volumes() {
	for i, n := range z.ask.Needs {
		for _, f := range n.Flows {
			allowed, how := z.volumeAllows(f)
			if !exceeds(f.Rate, allowed) {
				continue
			}
			z.lack(hardware.LimitPerVolume, i, f.Rate, allowed, "1/s", "one volume reaches %s IOPS of %s %ss (%s), and %s IOPS are asked of it: %s too many, whatever the number of nodes; "+
				"split the load over %d volumes", number(allowed), accessWord(f.Access), f.Direction, how, number(f.Rate), shareWords(f.Rate/allowed-1),
				roundUp(f.Rate/allowed))
		}
	}
}

func accessWord(a model.Access) string {
	if a == model.Sequential {
		return "sequential"
	}
	return "random"
}

// volumeReach is what one volume reaches with a block size, as measured.
type volumeReach struct {
	scale *study.PublishedScale
	block float64
	rate  float64 // I/Os per second
}

// reaches are what one volume reaches by block size; of several depths the one with the highest rate.
// One I/O in flight shows how long an I/O takes, not what a volume can do: such scales are in lone, and
// are no bounds.
func (z *sizer) reaches(f sizing.Flow) (list []volumeReach, lone []string) {
	for i := range z.p.Scales {
		s := &z.p.Scales[i]
		law := s.Scale.Law()
		if law == nil || law.AllSaturated || s.BlockSize <= 0 || ofLatencies(&s.Scale) || s.Access != f.Access || s.Direction != f.Direction {
			continue
		}
		if s.Depth == 1 {
			lone = append(lone, s.Workload)
			continue
		}
		r := volumeReach{s, float64(s.BlockSize), law.First.Value}
		if s.Metric == model.Bandwidth {
			r.rate /= r.block
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b volumeReach) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(b.rate, a.rate), cmp.Compare(a.scale.Workload, b.scale.Workload))
	})
	slices.Sort(lone)
	return slices.CompactFunc(list, func(a, b volumeReach) bool { return a.block == b.block }), lone
}

// volumeAllows is the rate in 1/s that one volume reaches, as measured or as limited by its extra
// writes, and which of the two it is. Other block sizes are bounds from both sides: no more I/Os than
// with the nearest smaller one, and no more bytes than with the nearest larger one.
func (z *sizer) volumeAllows(f sizing.Flow) (allowed float64, how string) {
	list, lone := z.reaches(f)
	block, by := float64(f.BlockSize), (*volumeReach)(nil)
	allowed = math.Inf(1)
	i, exact := slices.BinarySearchFunc(list, block, func(r volumeReach, b float64) int { return cmp.Compare(r.block, b) })
	if i > 0 && !exact {
		allowed, by = list[i-1].rate, &list[i-1]
	}
	if i < len(list) && list[i].rate*list[i].block/block < allowed {
		allowed, by = list[i].rate*list[i].block/block, &list[i]
	}
	if by != nil {
		how = by.words(f.BlockSize)
	} else if len(lone) > 0 {
		z.guess("what one volume reaches is not checked: %s kept one I/O in flight", units.FormatList(lone))
	}
	bound, ok := volumeLimit(&z.p.System, pattern{f.Access, f.Direction, block, max(1, f.Merge)})
	if ok && bound <= allowed {
		return bound, "its extra writes follow one another"
	}
	return allowed, how
}

// words say where a reach was measured, with its block size if it is not the requested one.
func (r *volumeReach) words(asked int64) string {
	how := "measured by " + r.scale.Workload
	if r.scale.BlockSize != asked {
		how += " in " + units.FormatBlock(r.scale.BlockSize)
	}
	if r.scale.Depth > 0 {
		how += fmt.Sprintf(" with %d in flight", r.scale.Depth)
	}
	return how
}

// latencies are what the flows of the needs may expect: read from a measured curve at the utilization
// of the fullest resource, otherwise the minimum sum of the latencies along the path.
func (z *sizer) latencies() {
	share, degraded := 0.0, 0.0
	for _, r := range z.out.Resources {
		share, degraded = max(share, r.Share), max(degraded, r.Degraded)
	}
	degraded = max(degraded, share)
	if degraded >= 1 {
		// Beyond full utilization there is no steady latency.
		return
	}
	for i, n := range z.ask.Needs {
		for _, f := range n.Flows {
			l := sizing.Latency{Need: i, Access: f.Access, Direction: f.Direction}
			if curve, name := z.curve(f, share); curve != nil {
				l.Estimate, l.Degraded = curve.at(share), curve.at(degraded)
				l.How = fmt.Sprintf("from %s at the same utilization", name)
				l.Least = share > curve[len(curve)-1].share || degraded > curve[len(curve)-1].share
			} else if alone := aloneLatency(&z.p.System, pattern{f.Access, f.Direction, float64(f.BlockSize), 1}, float64(z.out.Nodes)); alone.seconds > 0 {
				l.Estimate, l.Degraded, l.Least = alone.seconds, alone.seconds, true
				l.How = alone.how + ", on an idle system"
			} else {
				continue
			}
			z.out.Latencies = append(z.out.Latencies, l)
		}
	}
}

// latencyCurve is latency in seconds by utilization.
type latencyCurve []struct{ share, seconds float64 }

// at is the latency at a utilization, linearly interpolated between the points; beyond the ends it is
// that of the end.
func (c latencyCurve) at(share float64) float64 {
	for i, p := range c {
		if share > p.share {
			continue
		}
		if i == 0 {
			return p.seconds
		}
		last := c[i-1]
		return last.seconds + (p.seconds-last.seconds)*(share-last.share)/(p.share-last.share)
	}
	return c[len(c)-1].seconds
}

// curve is the measured latency of a flow's direction and block size by the system's utilization, which
// is the rate from Little's law divided by the capacity of the same scale; the flow's own access
// pattern is preferred. Of several, the slowest at the given share counts.
func (z *sizer) curve(f sizing.Flow, share float64) (slowest latencyCurve, name string) {
	for _, access := range []model.Access{f.Access, model.Random, model.Sequential} {
		for i := range z.p.Scales {
			s := &z.p.Scales[i].Scale
			if !ofLatencies(s) || s.Access != access || s.Direction != f.Direction || s.BlockSize != f.BlockSize || s.Depth != 1 {
				continue
			}
			c := curveOf(s)
			if c == nil {
				continue
			}
			if slowest == nil || cmp.Or(cmp.Compare(c.at(share), slowest.at(share)), cmp.Compare(name, s.Workload)) > 0 {
				slowest, name = c, s.Workload
			}
		}
		if slowest != nil {
			break
		}
	}
	return slowest, name
}

// curveOf is the latency curve of one scale, nil if it has too few points.
func curveOf(s *model.Scale) (c latencyCurve) {
	law := s.Law()
	if law == nil || law.Capacity == nil {
		return nil
	}
	for _, p := range s.Points {
		if total, _ := pointTotal(s, p); usable(p) && p.Nodes == mainNodes(s) && p.Mean != nil {
			// Beyond the knee the share stays constant and the latency grows with the pods: a need with
			// a steady rate never gets there.
			if share := total / law.Capacity.Value; share < 1 {
				c = append(c, struct{ share, seconds float64 }{share, p.Mean.Value})
			}
		}
	}
	if len(c) < minPoints {
		return nil
	}
	slices.SortFunc(c, func(a, b struct{ share, seconds float64 }) int {
		return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(a.seconds, b.seconds))
	})
	return c
}

// guess records an assumption of the answer, once.
func (z *sizer) guess(format string, args ...any) {
	if g := fmt.Sprintf(format, args...); !slices.Contains(z.guessed, g) {
		z.guessed = append(z.guessed, g)
	}
}

// notes list what was assumed and what was not counted.
func (z *sizer) notes() {
	say := func(format string, args ...any) { z.out.Notes = append(z.out.Notes, fmt.Sprintf(format, args...)) }
	sys := &z.p.System
	for _, g := range z.guessed {
		say("%s", g)
	}
	operations, bytes := z.demandOf(hardware.LimitOperations) > 0, z.demandOf(hardware.LimitBytes) > 0
	measured := operations || bytes
	switch {
	case operations && bytes:
		say("the hardware was not described, so all kinds of I/O are assumed to share its operations and its bandwidth, each at its measured cost")
	case operations, bytes && sys.Disk.IOPS == 0:
		say("the hardware was not described, so all kinds of I/O are assumed to use the same resource, each at its measured capacity")
	}
	if sys.Replicas == 0 && z.demandOf(hardware.LimitNetwork) > 0 {
		say("the number of copies was not given: one of each block is counted, on any of the nodes")
	}
	if sys.Nodes == 0 && measured && z.nodesUnknown() {
		say("the number of nodes that were measured was not given: a node here is the whole system that was")
	}
	if nodes := sys.Nodes; nodes > 0 && z.out.Nodes > 2*nodes {
		say("%d nodes are more than twice the %d that were measured: that the capacity grows in proportion to them is an extrapolation", z.out.Nodes, nodes)
	}
	if z.ask.Survive > 0 && sys.RebuildReserve == 0 {
		say("no bandwidth is reserved for rebuilding after a failure: system.rebuild_reserve does that")
	}
	if sys.Disk.Size == 0 && slices.ContainsFunc(z.ask.Needs, func(n sizing.Need) bool { return n.Size > 0 }) {
		say("the size of the disks was not given, so whether the volumes fit was not checked: give it as system.disk.size")
	}
	if copies := int(sys.Copies()); sys.Replicas > 0 && z.ask.Survive >= copies {
		say("when %s at once, every block whose copies (%d) are all on them is lost: this answer counts the load, not the lost data",
			fails(z.ask.Survive), copies)
	}
	if left := z.out.Nodes - z.ask.Survive; z.ask.Survive > 0 && left < sys.Replicas {
		say("with %d of %s gone the copies of a block have nowhere to go until they are back", z.ask.Survive, count(float64(z.out.Nodes), "node"))
	}
	say("loads are assumed to be steady and spread evenly over the nodes: varying loads need more headroom")
}

func fails(nodes int) string {
	if nodes == 1 {
		return "1 node fails"
	}
	return fmt.Sprintf("%d nodes fail", nodes)
}

func (z *sizer) nodesUnknown() bool {
	for i := range z.p.Scales {
		if mainNodes(&z.p.Scales[i].Scale) > 0 {
			return false
		}
	}
	return true
}
