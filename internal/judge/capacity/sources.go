package capacity

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/units"
)

// bandBlock is the size from which on a capacity is expressed in bytes per second.
const bandBlock = 64 << 10

// flowSource is the origin of a flow's cost: of its operations and its bytes, each from a law or from
// the hardware's figures.
type flowSource struct {
	flow              sizing.Flow
	laws              []blockLaw
	operations, bytes blockCost
}

// words are a law's name with the capacity that is used.
func (l *blockLaw) words() string {
	capacity := number(l.rate) + " IOPS of " + units.FormatBlock(l.scale.BlockSize)
	if l.block >= bandBlock {
		capacity = units.FormatBandwidth(l.rate*l.block) + " in " + units.FormatBlock(l.scale.BlockSize)
	}
	if l.least {
		capacity = "at least " + capacity
	}
	if n := l.saidNodes; n > 0 {
		capacity += " on " + count(float64(n), "node")
	}
	return fmt.Sprintf("%s (%s)", l.scale.Workload, capacity)
}

// exact is the law of the flow's own block size, nil if there is none.
func (s *flowSource) exact() *blockLaw {
	if l := nearest(s.laws, float64(s.flow.BlockSize)); l != nil && l.block == float64(s.flow.BlockSize) {
		return l
	}
	return nil
}

// used are the laws that the cost was taken from, each once. If the flow's own block size was measured,
// other sizes do not contribute.
func (s *flowSource) used() (laws []*blockLaw) {
	for _, c := range []blockCost{s.operations, s.bytes} {
		if c.law != nil && c.law.block == float64(s.flow.BlockSize) {
			return []*blockLaw{c.law}
		}
	}
	for _, c := range []blockCost{s.operations, s.bytes} {
		if c.law != nil && (len(laws) == 0 || laws[0] != c.law) {
			laws = append(laws, c.law)
		}
	}
	return laws
}

// tell converts it to the model's form.
func (s *flowSource) tell(need int) sizing.Source {
	f := s.flow
	t := sizing.Source{Need: need, Access: f.Access, Direction: f.Direction, BlockSize: f.BlockSize, How: s.sentence()}
	for _, l := range s.used() {
		t.Laws = append(t.Laws, sizing.SourceLaw{Workload: l.scale.Workload, BlockSize: l.scale.BlockSize, Capacity: l.rate, Nodes: l.saidNodes, Least: l.least,
			Times: float64(f.BlockSize) / l.block})
	}
	return t
}

// sentence says which law was used, and how far away it is.
func (s *flowSource) sentence() string {
	block, used := float64(s.flow.BlockSize), s.used()
	hardware := s.operations.law == nil && s.operations.each > 0 || s.bytes.law == nil && s.bytes.each > 0
	switch {
	case len(used) == 0:
		if l := nearest(s.laws, block); l != nil && s.exact() == l {
			return "the hardware's, above that of " + l.words()
		} else if l != nil {
			return fmt.Sprintf("the hardware's, above that of %s, the nearest size that was measured, %s", l.words(), timesWords(l.block, block))
		}
		return "the hardware; nothing was measured of it"
	case len(used) == 2:
		return fmt.Sprintf("operations as in %s, %s; bytes as in %s, %s", used[0].words(), timesWords(used[0].block, block), used[1].words(), timesWords(used[1].block, block))
	}
	l := used[0]
	switch {
	case l.block == block && hardware:
		return l.words() + ", above that of the hardware"
	case l.block == block:
		return l.words()
	case hardware && s.operations.law != nil:
		return fmt.Sprintf("operations as in %s, %s; bytes by the hardware", l.words(), timesWords(l.block, block))
	case hardware:
		return fmt.Sprintf("bytes as in %s, %s; operations by the hardware", l.words(), timesWords(l.block, block))
	case l.block < block:
		return fmt.Sprintf("%s, %s: its bytes at %s", l.words(), timesWords(l.block, block), units.FormatBandwidth(l.rate*l.block))
	}
	return fmt.Sprintf("%s, %s: each like one of those", l.words(), timesWords(l.block, block))
}

// guessBlocks records the basis of a cost that was not measured with the flow's own block size, and
// what contradicts it.
func (z *sizer) guessBlocks(s *flowSource, open []blockLaw) {
	f, block := s.flow, float64(s.flow.BlockSize)
	kind, size := accessWord(f.Access)+" "+string(f.Direction), units.FormatBlock(f.BlockSize)
	disk := &z.p.System.Disk
	if n := len(s.laws); n > 0 {
		from := func(what string, l *blockLaw) {
			z.guess("the %s of %s I/Os of %s is taken from blocks of %s (%s): there may be more, and then fewer nodes do", what, kind, size,
				units.FormatBlock(l.scale.BlockSize), l.scale.Workload)
		}
		if l := s.bytes.law; disk.Bandwidth == 0 && l != nil && block > s.laws[n-1].block && block > l.block {
			from("bandwidth", l)
		}
		if l := s.operations.law; disk.IOPS == 0 && l != nil && block < s.laws[0].block && block < l.block {
			from("rate", l)
		}
		if used := s.used(); len(used) == 1 && used[0].block != block {
			for _, name := range nearer(open, block, used[0].block) {
				z.guess("%s is nearer to %s I/Os of %s, but no point of it is saturated", name, kind, size)
			}
		}
	}
	if a, b := s.operations, s.bytes; a.law != nil && b.law != nil && a.law.block < block && b.law.block > block {
		// According to the measurements, an I/O takes at most what a larger one does, and at most what
		// smaller ones with the same total bytes do.
		most := min(a.each+b.each, a.law.each*block/a.law.block, b.law.each)
		if times := most / math.Max(a.each, b.each); times > 1.05 {
			z.guess("%s I/Os of %s lie between measured sizes, and the costlier of their operations and their bytes counts: where the storage spends one after the other, "+
				"they take up to %s times as much", kind, size, number(times))
		}
	}
	for _, l := range s.used() {
		if l.least {
			z.guess("no point of %s is saturated: what it carried counts, there may be more, and then fewer nodes do", l.scale.Workload)
		}
	}
	for i := 1; i < len(s.laws); i++ {
		a, b := &s.laws[i-1], &s.laws[i]
		switch {
		case b.each < a.each*(1-farShare):
			z.guess("%s carried more I/Os than %s, though they are larger: one of the two was not at the storage's limit", b.scale.Workload, a.scale.Workload)
		case b.each/b.block > a.each/a.block*(1+farShare):
			z.guess("%s carried fewer bytes than %s, though its I/Os are larger: one of the two was not at the storage's limit", b.scale.Workload, a.scale.Workload)
		}
	}
}
