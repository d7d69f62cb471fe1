package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/units"
)

// flowCosts is what one I/O of a flow takes of each known resource. The higher of the hardware's figure
// and the measured one counts.
func (z *sizer) flowCosts(need int, f sizing.Flow) ([]cost, error) {
	list, _ := costs(&z.p.System, pattern{f.Access, f.Direction, float64(f.BlockSize), max(1, f.Merge)}, math.Inf(1))
	for i := range list {
		list[i].how = "the hardware"
	}
	laws, open := z.lawsOf(f.Access, f.Direction)
	if err := z.tellable(f, laws, open); err != nil {
		return nil, err
	}
	operations, bytes := z.costOf(f, laws, open)
	src := flowSource{flow: f, laws: laws}
	for _, m := range []struct {
		of, alone hardware.Resource
		measured  blockCost
		word      string
		kept      *[]float64
		from      *blockCost
	}{
		{hardware.LimitDiskIOPS, hardware.LimitOperations, operations, "rate", &z.operations, &src.operations},
		{hardware.LimitDiskBandwidth, hardware.LimitBytes, bytes, "bandwidth", &z.bytes, &src.bytes},
	} {
		c := m.measured
		switch i := slices.IndexFunc(list, func(c cost) bool { return c.resource == m.of }); {
		case i < 0 && c.each > 0:
			list = append(list, cost{m.alone, "node", c.each, 1, "measured"})
		case i < 0:
			z.guess("the %s of %s in %s is not counted: nothing tells how much there is", m.word, f.Name(), units.FormatBlock(f.BlockSize))
		case c.each > list[i].each/list[i].perNode:
			list[i].each, list[i].how = c.each*list[i].perNode, "the hardware, with costs as measured"
		default:
			c = blockCost{each: list[i].each / list[i].perNode}
		}
		*m.from, *m.kept = c, append(*m.kept, c.each)
	}
	z.blocks = append(z.blocks, float64(f.BlockSize))
	z.out.Sources = append(z.out.Sources, src.tell(need))
	z.guessBlocks(&src, open)
	return list, z.oneKindOfNode(&src)
}

// tellable refuses a flow about which nothing near enough is known.
func (z *sizer) tellable(f sizing.Flow, laws, open []blockLaw) error {
	disk, block := &z.p.System.Disk, float64(f.BlockSize)
	if knownDisk(&z.p.System) {
		return nil
	}
	off := math.Inf(1)
	operations, bytes := z.parted(laws, f)
	for _, c := range slices.Concat(operations, bytes) {
		off = min(off, timesOff(c.block, block))
	}
	if len(laws) == 0 {
		// A single figure of the disk applies only to I/Os of the sizes with which it is reached.
		switch {
		case disk.IOPS == 0 && disk.Bandwidth == 0:
			return z.unknownFlow(f.Name())
		case disk.IOPS > 0 && block > smallBlock*maxTimes:
			return model.RefusedError(fmt.Sprintf("%s in %s is asked, and of the disks only the IOPS are known: nothing tells their bandwidth", f.Name(), units.FormatBlock(f.BlockSize)),
				"give the disk's bandwidth in system.disk, or measure "+f.Name()+" in "+units.FormatBlock(f.BlockSize)+" with loadline scale")
		case disk.Bandwidth > 0 && block < largeBlock/maxTimes:
			return model.RefusedError(fmt.Sprintf("%s in %s is asked, and of the disks only the bandwidth is known: nothing tells their IOPS", f.Name(), units.FormatBlock(f.BlockSize)),
				"give the disk's iops in system.disk, or measure "+f.Name()+" in "+units.FormatBlock(f.BlockSize)+" with loadline scale")
		}
		return nil
	}
	if off <= maxTimes {
		return nil
	}
	l := nearest(laws, block)
	message := fmt.Sprintf("%s in %s is asked, and the nearest block size of it with a measured capacity is %s (%s), %s: from more than %d times off nothing is concluded",
		f.Name(), units.FormatBlock(f.BlockSize), units.FormatBlock(l.scale.BlockSize), l.scale.Workload, timesWords(l.block, block), maxTimes)
	if near := nearer(open, block, l.block); len(near) > 0 {
		message += "; no saturated point was measured of " + units.FormatList(near)
	}
	return model.RefusedError(message, "measure "+f.Name()+" in "+units.FormatBlock(f.BlockSize)+" with loadline scale, or give the hardware with --system FILE.yaml")
}

// oneKindOfNode refuses to add up laws only some of which say how many nodes were measured: a node of
// the others would be their whole system.
func (z *sizer) oneKindOfNode(s *flowSource) error {
	for _, l := range s.used() {
		if l.saidNodes > 0 {
			z.said = cmp.Or(z.said, l)
		} else {
			z.unsaid = cmp.Or(z.unsaid, l)
		}
	}
	if z.said == nil || z.unsaid == nil {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s was measured on %s, and on how many %s was is not given: what a node carries cannot be told", z.said.scale.Workload,
		count(float64(z.said.saidNodes), "node"), z.unsaid.scale.Workload), "add nodes to "+z.unsaid.scale.Workload+", or to the system")
}

// nearer are the scales without a capacity whose block size is nearer than another one.
func nearer(open []blockLaw, block, than float64) (names []string) {
	for _, l := range open {
		if timesOff(l.block, block) < timesOff(than, block) {
			names = append(names, l.scale.Workload)
		}
	}
	return names
}

// timesWords says how much larger or smaller a measured size is than the requested one.
func timesWords(measured, asked float64) string {
	word := "smaller"
	if measured > asked {
		word = "larger"
	}
	return number(timesOff(measured, asked)) + " times " + word
}

// unknownFlow says that nothing is known about a kind of I/O, and what is known.
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
	slices.Sort(known)
	slices.Sort(open)
	message := fmt.Sprintf("%s says nothing of how much %s there is: neither the disks of a node nor a capacity", z.p.Name, name)
	if len(open) > 0 {
		message += fmt.Sprintf("; no saturated point was measured of %s", units.FormatList(open))
	}
	if len(known) > 0 {
		message += "; it tells the capacity of " + units.FormatList(known)
	}
	return model.RefusedError(message, "give the hardware with --system FILE.yaml, or measure that workload with more volumes")
}

// leaveOutDoubles drops one of the two measured resources if no flow takes more of it than of the
// other: with one block size both are the same.
func (z *sizer) leaveOutDoubles() {
	fewer, less, large := true, true, true
	for i := range z.blocks {
		fewer = fewer && !exceeds(z.bytes[i], z.operations[i])
		less = less && !exceeds(z.operations[i], z.bytes[i])
		large = large && z.blocks[i] >= bandBlock
	}
	drop := hardware.Resource("")
	switch {
	case less && (large || !fewer):
		drop = hardware.LimitOperations
	case fewer:
		drop = hardware.LimitBytes
	}
	for _, use := range z.uses {
		delete(use, drop)
	}
}
