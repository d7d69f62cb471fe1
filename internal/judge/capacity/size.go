package capacity

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
)

// Size computes how many nodes a need takes: for each resource, the demand of all pods is divided by a
// node's supply minus the headroom; the largest quotient is rounded up, and the nodes that may fail are
// added. Different resources are never added up. A cost is the larger of the hardware's figure and the
// measured one. It fails with a sentence if the request or the points cannot be used; a need that
// cannot be met is not a failure but is reported in Lacking.
func Size(p *study.Published, ask sizing.Ask) (sizing.Sizing, error) {
	return size(p, ask, carefulCapacity)
}

// size is Size with another choice of the figure for each measured capacity than the careful one.
func size(p *study.Published, ask sizing.Ask, capacityOf func(*model.Scale) float64) (sizing.Sizing, error) {
	z := &sizer{p: p, ask: ask, capacityOf: capacityOf, out: sizing.Sizing{Schema: sizing.Schema, From: p.Name, Ask: ask}}
	if err := checkAsk(ask); err != nil {
		return z.out, err
	}
	if err := checkPublished(p); err != nil {
		return z.out, err
	}
	for i := range p.Scales {
		if s := &p.Scales[i].Scale; len(s.Laws) == 0 {
			s.Laws, _ = Fit(s)
		}
	}
	for i := range ask.Needs {
		use, err := z.useOf(i)
		if err != nil {
			return z.out, err
		}
		z.uses = append(z.uses, use)
	}
	z.leaveOutDoubles()
	z.total()
	z.volumes()
	z.latencies()
	z.notes()
	return z.out, nil
}

// maxAsked is far beyond any need in pods, and maxRate in I/Os per second. maxNodes is beyond any
// answer that they lead to on a real disk, so that any number of nodes in an answer can be asked about.
const (
	maxAsked = 1e7
	maxRate  = 1e12
	maxNodes = 1e15
)

func checkAsk(ask sizing.Ask) error {
	refuse := func(hint, format string, args ...any) error {
		return model.RefusedError(fmt.Sprintf(format, args...), hint)
	}
	switch {
	case len(ask.Needs) == 0:
		return refuse("add --need 'pods=20 rand-read=400 rand-write=150 bs=4k'", "no need is given, so there is nothing to size for")
	case ask.Survive < 0 || ask.Survive > maxAsked:
		return refuse("", "%d nodes to survive make no sense", ask.Survive)
	case !(ask.Headroom >= 0 && ask.Headroom < 1):
		return refuse("write it like 30%", "a headroom of %g leaves nothing to use", ask.Headroom)
	case ask.Nodes < 0 || ask.Nodes > maxNodes+maxAsked:
		return refuse("", "%d nodes make no sense", ask.Nodes)
	case ask.Nodes > 0 && ask.Nodes <= ask.Survive:
		return refuse("ask for more nodes, or survive fewer failures", "of %s %d may fail, which leaves none", count(float64(ask.Nodes), "node"), ask.Survive)
	}
	for _, n := range ask.Needs {
		if n.Pods < 1 || n.Pods > maxAsked {
			return refuse("", "a need of %d pods makes no sense", n.Pods)
		}
		if len(n.Flows) == 0 {
			return refuse("add rand-read=400, for example", "the need %q does no I/O", n.Text)
		}
		for _, f := range n.Flows {
			if !(f.Rate > 0 && f.Rate < maxRate) || f.BlockSize <= 0 || f.Merge < 0 {
				return refuse("", "the need %q asks for %g I/Os per second of %d bytes, which makes no sense", n.Text, f.Rate, f.BlockSize)
			}
		}
	}
	return nil
}

// sizer is the state of a sizing.
type sizer struct {
	p    *study.Published
	ask  sizing.Ask
	uses []map[hardware.Resource]cost // one pod of each need; each holds the demand of it
	left int                          // remaining nodes of the answer after the maximum number of failures
	out  sizing.Sizing
	// capacityOf selects the figure of a measured capacity that is used.
	capacityOf func(*model.Scale) float64
	// guessed are the assumptions of the answer about single flows.
	guessed []string
	// operations and bytes are what one I/O of each flow takes of a node by the two kinds of its cost,
	// and blocks their sizes.
	operations, bytes, blocks []float64
	// said and unsaid are laws with and without the number of nodes they were measured on.
	said, unsaid *blockLaw
}

// useOf is what one pod of a need takes of each resource; for the network, what it would take with
// every copy on another node.
func (z *sizer) useOf(need int) (map[hardware.Resource]cost, error) {
	n, use := &z.ask.Needs[need], map[hardware.Resource]cost{}
	for _, f := range n.Flows {
		list, err := z.flowCosts(need, f)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			sum := use[c.resource]
			sum.resource, sum.unit, sum.perNode = c.resource, c.unit, c.perNode
			sum.each += f.Rate * c.each
			if len(sum.how) < len(c.how) {
				sum.how = c.how
			}
			use[c.resource] = sum
		}
	}
	sys := &z.p.System
	if n.Size > 0 && sys.Disk.Size > 0 {
		use[hardware.LimitSpace] = cost{hardware.LimitSpace, "B", float64(n.Size) * sys.Copies(), float64(sys.Disk.Size) * sys.Disks(), "the hardware"}
	}
	if sys.VolumesPerNode > 0 {
		use[hardware.LimitVolumes] = cost{hardware.LimitVolumes, "1", 1, sys.VolumesPerNode, "the control plane"}
	}
	return use, nil
}

// carefulCapacity is the lower end of a capacity's interval.
func carefulCapacity(s *model.Scale) float64 { return s.Law().Capacity.Low }
