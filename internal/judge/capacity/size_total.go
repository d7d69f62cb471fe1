package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/units"
)

// linkShare is the part of all bytes of all copies that crosses the network, in the worst state that
// failures lead to, relative to the remaining nodes. That is the state with the fewest of them, except
// for a single node, which needs no network, while two of the same system do.
func (z *sizer) linkShare(left, all int) float64 {
	worst := left
	if left == 1 && all > 1 && z.p.System.Copies() == 1 {
		worst = 2
	}
	return remoteShare(&z.p.System, float64(worst)) * float64(left) / float64(worst)
}

// shareOf is the part of a resource's cost that counts: all of it, except for the network.
func (z *sizer) shareOf(r hardware.Resource, left, all int) float64 {
	if r == hardware.LimitNetwork {
		return z.linkShare(left, all)
	}
	return 1
}

// sums are the sums of the needs; for the network, with every copy on another node.
func (z *sizer) sums() map[hardware.Resource]cost {
	sum := map[hardware.Resource]cost{}
	for i, use := range z.uses {
		for r, c := range use {
			s := sum[r]
			s.resource, s.unit, s.perNode = r, c.unit, c.perNode
			s.each += float64(z.ask.Needs[i].Pods) * c.each
			if len(s.how) < len(c.how) {
				s.how = c.how
			}
			sum[r] = s
		}
	}
	return sum
}

// demands are the resources with left of all nodes remaining, the fullest first.
func (z *sizer) demands(sum map[hardware.Resource]cost, left, all int) []sizing.ResourceUse {
	var list []sizing.ResourceUse
	free := 1 - z.ask.Headroom
	for _, c := range sum {
		demand := c.each * z.shareOf(c.resource, left, all)
		if demand > 0 {
			list = append(list, sizing.ResourceUse{Resource: c.resource, Unit: c.unit, Demand: demand, PerNode: c.perNode, Nodes: demand / (c.perNode * free), From: c.how,
				Share:    c.each * z.shareOf(c.resource, all, all) / (c.perNode * float64(all)),
				Degraded: demand / (c.perNode * float64(left))})
		}
	}
	slices.SortFunc(list, func(a, b sizing.ResourceUse) int {
		if d := b.Nodes - a.Nodes; math.Abs(d) > rounding*b.Nodes {
			return cmp.Compare(b.Nodes, a.Nodes)
		}
		return cmp.Compare(a.Resource, b.Resource)
	})
	return list
}

// total adds up the needs and finds the number of nodes: the smallest that carries the needs. More
// nodes have more traffic between them, so the number is increased until the network carries that as
// well.
func (z *sizer) total() {
	sum := z.sums()
	left := 1
	var most sizing.ResourceUse
	for {
		most = z.demands(sum, left, left+z.ask.Survive)[0]
		if need := roundUp(most.Nodes); need > left {
			left = need
			continue
		}
		break
	}
	z.out.Binding, z.out.Exact, z.out.Needed = most.Resource, most.Nodes, left
	z.out.Nodes = z.out.Needed + z.ask.Survive
	if r := int(z.p.System.Copies()); z.out.Nodes < r {
		z.out.Nodes, z.out.Binding = r, hardware.LimitPlacement
	}
	if z.ask.Nodes > 0 {
		z.out.Nodes = z.ask.Nodes
	}
	z.left = z.out.Nodes - z.ask.Survive
	z.out.Resources = z.demands(sum, z.left, z.out.Nodes)
	free := 1 - z.ask.Headroom
	if z.ask.Nodes > 0 {
		z.fit(free)
	}
	z.marginal(free)
}

// rounding is the relative difference that unit conversions may cause.
const rounding = 1e-9

// roundUp rounds up to an integer, allowing for rounding errors.
func roundUp(v float64) int { return max(1, int(math.Ceil(min(v, maxNodes)*(1-rounding)))) }

func roundDown(v float64) int { return int(math.Floor(v * (1 + rounding))) }

// exceeds reports whether more is requested than allowed, allowing for rounding errors.
func exceeds(asked, allowed float64) bool { return asked > allowed*(1+rounding) }

// podTakes is what one pod of a need takes of a resource with the nodes of the answer.
func (z *sizer) podTakes(need int, r hardware.Resource) float64 {
	return z.uses[need][r].each * z.shareOf(r, z.left, z.out.Nodes)
}

// fit computes how much a given number of nodes carries.
func (z *sizer) fit(free float64) {
	left := float64(z.left) * free
	most := z.out.Resources[0]
	f := &sizing.Fit{Nodes: z.ask.Nodes, Times: left * most.PerNode / (most.Demand), Binding: most.Resource}
	for i := range z.uses {
		fits := math.Inf(1)
		for _, r := range z.out.Resources {
			if each := z.podTakes(i, r.Resource); each > 0 {
				asked := float64(z.ask.Needs[i].Pods)
				fit := math.Max(0, left*r.PerNode-(r.Demand-each*asked)) / each
				if !exceeds(r.Demand, left*r.PerNode) {
					// A rounding error of the whole demand is large for a need that is a small part of it.
					fit = max(fit, asked)
				}
				fits = min(fits, fit)
			}
		}
		f.Pods = append(f.Pods, roundDown(min(fits, maxRate)))
	}
	z.out.Fit = f
	if z.ask.Nodes < int(z.p.System.Copies()) {
		z.lack(hardware.LimitPlacement, -1, z.p.System.Copies(), float64(z.ask.Nodes), "1", "%s cannot hold %s copies of each block",
			count(float64(z.ask.Nodes), "node"), number(z.p.System.Copies()))
	}
	for _, r := range z.out.Resources {
		if allowed := left * r.PerNode; exceeds(r.Demand, allowed) {
			z.lack(r.Resource, -1, r.Demand, allowed, r.Unit, "%s is short by %s: %s is asked, and %s with %s free and %d to fail allow %s",
				r.Resource.Name(), shareWords(r.Demand/allowed-1), units.FormatQuantity(r.Unit, r.Demand), count(float64(z.ask.Nodes), "node"), shareWords(z.ask.Headroom), z.ask.Survive, units.FormatQuantity(r.Unit, allowed))
		}
	}
}

func (z *sizer) demandOf(r hardware.Resource) float64 {
	for _, u := range z.out.Resources {
		if u.Resource == r {
			return u.Demand
		}
	}
	return 0
}

func (z *sizer) lack(r hardware.Resource, need int, asked, allowed float64, unit, format string, args ...any) {
	z.out.Lacking = append(z.out.Lacking, sizing.Infeasibility{Resource: r, Need: need, Asked: asked, Allowed: allowed, Unit: unit,
		Message: fmt.Sprintf(format, args...)})
}

// marginal is what one more pod of each need takes of the resource that it fills first. A need that takes
// nothing of any known resource has none.
func (z *sizer) marginal(free float64) {
	have := float64(z.left) * free
	z.out.Marginal = []sizing.MarginalCost{}
	for i := range z.uses {
		m, room := sizing.MarginalCost{Need: i}, math.Inf(1)
		for _, r := range z.out.Resources {
			each := z.podTakes(i, r.Resource)
			if each == 0 {
				continue
			}
			if nodes := each / (r.PerNode * free); nodes > m.Nodes {
				m.Nodes, m.Demand, m.Resource, m.Unit = nodes, each, r.Resource, r.Unit
			}
			room = min(room, max(0, (have*r.PerNode-r.Demand)/each))
		}
		if math.IsInf(room, 1) {
			continue
		}
		m.Free = roundDown(min(room, maxRate))
		z.out.Marginal = append(z.out.Marginal, m)
	}
}
