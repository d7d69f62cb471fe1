package capacity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// Size says how many nodes a need takes: for each resource the demand of all pods
// against what a node has of it less the headroom, the largest of them rounded up, and
// the nodes that may fail on top. Unlike resources are never added up. A cost is the
// larger of what the hardware's figures say and what was measured. It fails with a
// sentence when the asking or the points cannot be used; a need that cannot be met is
// no failure but stands in Lacking.
func Size(p *model.Published, ask model.SizingAsk) (model.Sizing, error) {
	return size(p, ask, carefulCapacity)
}

// size is Size with another figure of each measured capacity than the careful one.
func size(p *model.Published, ask model.SizingAsk, capacityOf func(*model.Scale) float64) (model.Sizing, error) {
	z := &sizer{p: p, ask: ask, capacityOf: capacityOf, out: model.Sizing{Schema: model.SizingSchema, From: p.Name, Ask: ask}}
	if err := checkAsk(ask); err != nil {
		return z.out, err
	}
	if err := Check(p); err != nil {
		return z.out, err
	}
	for i := range p.Scales {
		if s := &p.Scales[i].Scale; len(s.Laws) == 0 {
			s.Laws, _ = Fit(s)
		}
	}
	for i := range ask.Needs {
		use, err := z.useOf(&ask.Needs[i])
		if err != nil {
			return z.out, err
		}
		z.uses = append(z.uses, use)
	}
	z.total()
	z.volumes()
	z.latencies()
	z.notes()
	return z.out, nil
}

// maxAsked is far beyond any need in pods, and maxRate in I/Os per second. maxNodes is
// beyond any answer that they lead to on a real disk, so that whatever number of nodes is
// answered can be asked about.
const (
	maxAsked = 1e7
	maxRate  = 1e12
	maxNodes = 1e15
)

func checkAsk(ask model.SizingAsk) error {
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

// sizer gathers a sizing.
type sizer struct {
	p    *model.Published
	ask  model.SizingAsk
	uses []map[model.Resource]cost // one pod of each need; each holds the demand of it
	left int                       // nodes of the answer when as many have failed as may
	out  model.Sizing
	// capacityOf is the figure of a measured capacity that is counted on.
	capacityOf func(*model.Scale) float64
	// guessed names the flows of which only one of IOPS and bandwidth could be counted.
	guessed []string
}

// useOf is what one pod of a need takes of each resource; of the network what it would
// with every copy on another node.
func (z *sizer) useOf(n *model.Need) (map[model.Resource]cost, error) {
	use := map[model.Resource]cost{}
	for _, f := range n.Flows {
		list, err := z.flowCosts(f)
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
		use[model.LimitSpace] = cost{model.LimitSpace, "B", float64(n.Size) * sys.Copies(), float64(sys.Disk.Size) * sys.Disks(), "the hardware"}
	}
	if sys.VolumesPerNode > 0 {
		use[model.LimitVolumes] = cost{model.LimitVolumes, "1", 1, sys.VolumesPerNode, "the control plane"}
	}
	return use, nil
}

// flowCosts is what one I/O of a flow takes of each known resource.
func (z *sizer) flowCosts(f model.NeedFlow) ([]cost, error) {
	sys := &z.p.System
	list, _ := costs(sys, pattern{f.Access, f.Direction, float64(f.BlockSize), max(1, f.Merge)}, math.Inf(1))
	for i := range list {
		list[i].how = "the hardware"
	}
	for _, m := range []struct {
		metric    model.Metric
		of, alone model.Resource
		per       float64
	}{
		{model.IOPS, model.LimitDiskIOPS, model.LimitOperations, 1},
		{model.Bandwidth, model.LimitDiskBandwidth, model.LimitBytes, float64(f.BlockSize)},
	} {
		s := z.measured(f, m.metric)
		if s == nil {
			continue
		}
		share := m.per * scaleNodes(sys, s) / z.capacityOf(s)
		if i := slices.IndexFunc(list, func(c cost) bool { return c.resource == m.of }); i < 0 {
			list = append(list, cost{m.alone, "node", share, 1, "measured"})
			z.guessBlock(f, s)
		} else if measured := share * list[i].perNode; measured > list[i].each {
			list[i].each, list[i].how = measured, "the hardware, with costs as measured"
		}
	}
	operations, bytes := false, false
	for _, c := range list {
		operations = operations || c.resource == model.LimitDiskIOPS || c.resource == model.LimitOperations
		bytes = bytes || c.resource == model.LimitDiskBandwidth || c.resource == model.LimitBytes
	}
	name := string(f.Access) + "-" + string(f.Direction)
	switch {
	case !operations && !bytes:
		return nil, z.unknownFlow(name)
	case !operations:
		z.guessed = append(z.guessed, fmt.Sprintf("the IOPS of %s are not counted: nothing tells what one costs", name))
	case !bytes:
		z.guessed = append(z.guessed, fmt.Sprintf("the bandwidth of %s is not counted: nothing tells how much there is", name))
	}
	return list, nil
}

// guessBlock says that a capacity was measured with other blocks, of which it may have
// been the other limit: larger ones may move more bytes, smaller ones make more I/Os.
func (z *sizer) guessBlock(f model.NeedFlow, s *model.Scale) {
	what := ""
	switch {
	case s.BlockSize <= 0:
	case s.Metric == model.Bandwidth && f.BlockSize > s.BlockSize:
		what = "bandwidth"
	case s.Metric == model.IOPS && f.BlockSize < s.BlockSize:
		what = "rate"
	}
	if what != "" {
		z.guessed = append(z.guessed, fmt.Sprintf("the %s of %s %s I/Os of %s is taken from blocks of %s (%s): there may be more, and then fewer nodes do",
			what, accessWord(f.Access), f.Direction, model.FormatBlock(f.BlockSize), model.FormatBlock(s.BlockSize), s.Workload))
	}
}

// unknownFlow says that nothing is known of a kind of I/O, and what is.
func (z *sizer) unknownFlow(name string) error {
	var known, open []string
	for i := range z.p.Scales {
		s := &z.p.Scales[i]
		if ofLatencies(&s.Scale) {
			continue
		}
		if law := s.Scale.Law(); law != nil && law.Capacity != nil && !law.CapacityExtrapolated {
			known = append(known, s.Workload)
		} else {
			open = append(open, s.Workload)
		}
	}
	message := fmt.Sprintf("%s says nothing of how much %s there is: neither the disks of a node nor a capacity", z.p.Name, name)
	if len(open) > 0 {
		message += fmt.Sprintf("; no saturated point was measured of %s", listed(open))
	}
	if len(known) > 0 {
		message += "; it tells the capacity of " + listed(known)
	}
	return model.RefusedError(message, "give the hardware with --system FILE.yaml, or measure that workload with more volumes")
}

// listed is "a", "a and b", "a, b and c".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// measured is the scale that tells the capacity of a flow in a metric, nil without one.
func (z *sizer) measured(f model.NeedFlow, metric model.Metric) *model.Scale {
	for i := range z.p.Scales {
		s := &z.p.Scales[i].Scale
		if s.Access != f.Access || s.Direction != f.Direction || s.Metric != metric || ofLatencies(s) {
			continue
		}
		if law := s.Law(); law != nil && law.Capacity != nil && !law.CapacityExtrapolated {
			return s
		}
	}
	return nil
}

// carefulCapacity is the lower end of a capacity's interval.
func carefulCapacity(s *model.Scale) float64 { return s.Law().Capacity.Low }

// scaleNodes is the number of nodes that a scale ran on; 1 where nobody said, which
// makes "a node" the whole system that was measured.
func scaleNodes(sys *model.System, s *model.Scale) float64 {
	if n := mainNodes(s); n > 0 {
		return float64(n)
	}
	return float64(max(1, sys.Nodes))
}
