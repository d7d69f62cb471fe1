package capacity

import (
	"cmp"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
)

const (
	// maxTimes is the maximum factor between the block size of a need and the nearest measured one.
	// From 4k it reaches to 64k: beyond that, an answer based on the bandwidth of small I/Os may be too
	// large by the same factor, and is useless.
	maxTimes = 16
	// The I/O sizes that a disk's figure is assumed to hold for if the other figure is unknown: its
	// IOPS for small ones, its bandwidth for large ones.
	smallBlock = 4 << 10
	largeBlock = 128 << 10
)

// blockLaw is what a scale shows about I/Os of its block size.
type blockLaw struct {
	scale *study.PublishedScale
	block float64
	// saidNodes is the number of measured nodes, 0 if unknown.
	saidNodes int
	rate      float64 // the assumed capacity, in I/Os per second
	each      float64 // the share of a node's time that one I/O takes, in seconds
	// least is set if no capacity was reached, so that rate is the highest rate carried.
	least bool
}

// newBlockLaw is the law of a scale with the given total in its metric.
func (z *sizer) newBlockLaw(s *study.PublishedScale, total float64, least bool) blockLaw {
	l := blockLaw{scale: s, block: float64(s.BlockSize), rate: total, least: least}
	if l.saidNodes = mainNodes(&s.Scale); l.saidNodes == 0 {
		l.saidNodes = z.p.System.Nodes
	}
	if s.Metric == model.Bandwidth {
		l.rate /= l.block
	}
	// Without a number of nodes, "a node" is the whole measured system.
	l.each = float64(max(1, l.saidNodes)) / l.rate
	return l
}

// lawsOf are the measured capacities of a kind of I/O by block size, and the scales of that kind
// without a capacity, with the most that they carried. Of several with the same size, the one that
// carried most counts: the storage is known to be able to do that. The order of the points does not
// matter.
func (z *sizer) lawsOf(access model.Access, direction model.Direction) (laws, open []blockLaw) {
	for i := range z.p.Scales {
		s := &z.p.Scales[i]
		if s.Access != access || s.Direction != direction || s.BlockSize <= 0 || ofLatencies(&s.Scale) {
			continue
		}
		if law := s.Scale.Law(); law != nil && law.Capacity != nil && !law.CapacityExtrapolated {
			laws = append(laws, z.newBlockLaw(s, z.capacityOf(&s.Scale), false))
		} else if most := largestTotal(&s.Scale); most > 0 {
			open = append(open, z.newBlockLaw(s, most, true))
		}
	}
	return bySize(laws), bySize(open)
}

// bySize sorts laws by block size, keeping the cheapest of each size.
func bySize(laws []blockLaw) []blockLaw {
	slices.SortFunc(laws, func(a, b blockLaw) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.each, b.each), cmp.Compare(a.scale.Workload, b.scale.Workload))
	})
	return slices.CompactFunc(laws, func(a, b blockLaw) bool { return a.block == b.block })
}

// blockCost is what one I/O of a size takes of a node, in seconds; law is the measurement it comes
// from, nil for the hardware's figures.
type blockCost struct {
	block, each float64
	law         *blockLaw
}

// costAt is the cost of an I/O of another size, from costs that are sorted by size. Between two sizes,
// an I/O costs at least what a smaller one does, and at least its share of the bytes of a larger one.
// Beyond the largest and below the smallest, an operation costs the same as there, and bytes cost in
// proportion.
func costAt(list []blockCost, block float64, bytes bool) blockCost {
	if len(list) == 0 {
		return blockCost{}
	}
	end := func(c blockCost) blockCost {
		if bytes {
			c.each *= block / c.block
		}
		return c
	}
	i, exact := slices.BinarySearchFunc(list, block, func(c blockCost, b float64) int { return cmp.Compare(c.block, b) })
	switch {
	case exact:
		return list[i]
	case i == 0:
		return end(list[0])
	case i == len(list):
		return end(list[i-1])
	}
	below, above := list[i-1], list[i]
	if above.each *= block / above.block; above.each > below.each {
		return above
	}
	return below
}

// costOf is the cost of one I/O of a flow from the measurements, for its operations and its bytes.
// Scales without a capacity can only reduce it.
func (z *sizer) costOf(f sizing.Flow, laws, open []blockLaw) (operations, bytes blockCost) {
	at := func(laws []blockLaw) (o, b blockCost) {
		listO, listB := z.parted(laws, f)
		return costAt(listO, float64(f.BlockSize), false), costAt(listB, float64(f.BlockSize), true)
	}
	operations, bytes = at(laws)
	if len(laws) == 0 || len(open) == 0 || knownDisk(&z.p.System) {
		return operations, bytes
	}
	o, b := at(bySize(slices.Concat(laws, open)))
	if o.each < operations.each {
		operations = o
	}
	if b.each < bytes.each {
		bytes = b
	}
	return operations, bytes
}

// knownDisk reports whether both figures of the disks are known.
func knownDisk(s *hardware.System) bool { return s.Disk.IOPS > 0 && s.Disk.Bandwidth > 0 }

// parted assigns the measured costs to operations or to bytes. If both figures of the hardware are
// known, a cost belongs to the figure that I/Os of that size exhaust first. Otherwise the smallest
// blocks determine the cost of an operation and the largest that of bytes; those between may be limited
// by either, and a single size determines both.
func (z *sizer) parted(laws []blockLaw, f sizing.Flow) (operations, bytes []blockCost) {
	sys := &z.p.System
	share := func(block, merge float64, r hardware.Resource) float64 {
		known, _ := costs(sys, pattern{f.Access, f.Direction, block, merge}, 1)
		return nodeShare(known, r)
	}
	both := knownDisk(sys)
	var list []blockCost
	for i := range laws {
		l := &laws[i]
		c := blockCost{l.block, l.each, l}
		merge := max(1, l.scale.Merge)
		switch {
		case !both:
			list = append(list, c)
		case share(l.block, merge, hardware.LimitDiskIOPS) >= share(l.block, merge, hardware.LimitDiskBandwidth):
			operations = append(operations, c)
		default:
			bytes = append(bytes, c)
		}
	}
	if both || len(list) == 0 {
		return operations, bytes
	}
	merge := max(1, f.Merge)
	switch first, last := list[0].block, list[len(list)-1].block; {
	case sys.Disk.IOPS > 0:
		b := math.Min(smallBlock, first)
		list = withHardware(list, blockCost{block: b, each: share(b, merge, hardware.LimitDiskIOPS)})
	case sys.Disk.Bandwidth > 0:
		b := math.Max(largeBlock, last)
		// A larger I/O is never cheaper than the measured ones, whatever the disk's figure.
		each := math.Max(share(b, merge, hardware.LimitDiskBandwidth), list[len(list)-1].each)
		list = withHardware(list, blockCost{block: b, each: each})
	}
	n := len(list)
	if n == 1 {
		return list, list
	}
	// The missing cost at either end is taken from its neighbour, as far as the end's own measurement
	// allows.
	smallest, largest := list[0], list[n-1]
	smallest.each = math.Min(smallest.each, list[1].each*list[0].block/list[1].block)
	largest.each = math.Min(largest.each, list[n-2].each)
	operations, bytes = slices.Clone(list), slices.Clone(list)
	operations[n-1], bytes[0] = largest, smallest
	return operations, bytes
}

// withHardware inserts a figure of the hardware among costs; at a measured size the higher cost counts.
func withHardware(list []blockCost, h blockCost) []blockCost {
	i, found := slices.BinarySearchFunc(list, h.block, func(c blockCost, b float64) int { return cmp.Compare(c.block, b) })
	if !found {
		return slices.Insert(list, i, h)
	}
	if h.each > list[i].each {
		list[i] = h
	}
	return list
}

// nodeShare is the share of a node that costs take of a resource; 0 if unknown.
func nodeShare(list []cost, r hardware.Resource) float64 {
	for _, c := range list {
		if c.resource == r {
			return c.each / c.perNode
		}
	}
	return 0
}

// timesOff is the factor between two block sizes, at least 1.
func timesOff(a, b float64) float64 { return math.Max(a/b, b/a) }

// nearest is the law with the nearest block size, nil without laws; of two equally near ones, the
// larger.
func nearest(laws []blockLaw, block float64) *blockLaw {
	var best *blockLaw
	for i := range laws {
		if l := &laws[i]; best == nil || timesOff(l.block, block) <= timesOff(best.block, block) {
			best = l
		}
	}
	return best
}
