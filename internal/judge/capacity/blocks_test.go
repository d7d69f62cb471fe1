package capacity

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// refused reports whether an error is a refusal.
func refused(err error) bool {
	var w *model.WorkerError
	return errors.As(err, &w) && w.Class == model.Refused
}

// inBytes is the same scale, expressed in bytes per second.
func inBytes(s study.PublishedScale) study.PublishedScale {
	s.Metric, s.Points = model.Bandwidth, slices.Clone(s.Points)
	for i := range s.Points {
		v := s.Points[i].Total.Value * float64(s.BlockSize)
		s.Points[i].Total = model.Estimate{Unit: "B/s", Value: v, Low: v, High: v}
	}
	return s
}

// A need uses the law of its own block size, whatever the order of the laws. The answer was once six
// times too few nodes, because the law of small blocks was used.
func TestTheOwnBlockSizeCounts(t *testing.T) {
	small := scaleOf("rand-read-4k", model.Random, model.Read, 4<<10, 64, 6000, 12000)
	large := scaleOf("rand-read-64k", model.Random, model.Read, 64<<10, 64, 1500, 2000)
	for _, scales := range [][]study.PublishedScale{{small, large}, {large, small}, {inBytes(small), large}, {inBytes(large), inBytes(small)}} {
		p := &study.Published{Name: "two blocks", Scales: scales}
		for block, capacity := range map[int64]float64{4 << 10: 12000, 64 << 10: 2000} {
			s := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{one(10, model.Random, model.Read, block, 400)}})
			closeTo(t, units.FormatBlock(block)+" after "+scales[0].Workload, s.Exact, 3*4000/capacity)
		}
	}
}

// Between two measured sizes, each I/O costs at least what a smaller one does, and its bytes at least
// what they do in larger ones; beyond the largest the bandwidth stays the same, and below the smallest
// an I/O costs as much as a larger one.
func TestBetweenAndBeyondMeasuredBlocks(t *testing.T) {
	p := &study.Published{Name: "two blocks", Scales: []study.PublishedScale{
		scaleOf("rand-read-64k", model.Random, model.Read, 64<<10, 64, 1500, 2000), scaleOf("rand-read-4k", model.Random, model.Read, 4<<10, 64, 6000, 12000)}}
	for block, capacity := range map[int64]float64{
		512:       12000, // an I/O of 4k costs no less
		8 << 10:   12000, // as many I/Os as of 4k: the bandwidth is not reached yet
		16 << 10:  8000,  // 125 MiB/s, as in 64k
		32 << 10:  4000,
		256 << 10: 500,
		1 << 20:   125,
	} {
		s := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, block, 100)}})
		closeTo(t, units.FormatBlock(block), s.Exact, 3*100/capacity)
	}
}

// A size more than a factor of 16 away from every measured one is refused, and the nearest one is
// named: points of 4k say nothing about 1M.
func TestFarBlocksAreRefused(t *testing.T) {
	small := scaleOf("seq-read-4k", model.Sequential, model.Read, 4<<10, 64, 6000, 12000)
	large := scaleOf("seq-read-64k", model.Sequential, model.Read, 64<<10, 64, 1500, 2000)
	none := scaleOf("seq-read-1m", model.Sequential, model.Read, 1<<20, 64, 10, 1e9)
	ask := sizing.Ask{Needs: []sizing.Need{one(5, model.Sequential, model.Read, 1<<20, 400)}, Headroom: 0.3}
	for name, c := range map[string]struct {
		scales []study.PublishedScale
		disk   hardware.DiskSpec
		want   []string // of the refusal; none if it is answered
	}{
		"4k alone":                     {scales: []study.PublishedScale{small}, want: []string{"seq-read", "1M", "seq-read-4k", "256 times"}},
		"4k, and 1M without a plateau": {scales: []study.PublishedScale{none, small}, want: []string{"seq-read-1m", "no saturated point"}},
		"64k is near enough":           {scales: []study.PublishedScale{small, large}},
		"the disk tells":               {scales: []study.PublishedScale{small}, disk: hardware.DiskSpec{IOPS: 10000, Bandwidth: 360 << 20}},
		"the disk tells its I/Os only": {scales: []study.PublishedScale{small}, disk: hardware.DiskSpec{IOPS: 10000}, want: []string{"256 times"}},
		"I/Os alone, nothing measured": {disk: hardware.DiskSpec{IOPS: 10000}, want: []string{"bandwidth"}},
	} {
		p := &study.Published{Name: "drawn", Scales: c.scales, System: hardware.System{Nodes: 3, Disk: c.disk}}
		s, err := Size(p, ask)
		if len(c.want) == 0 {
			// 5 × 400 MiB/s are more than one node of either.
			if err != nil || s.Exact < 2000./360/1.3 {
				t.Errorf("%s: %g nodes, %v", name, s.Exact, err)
			}
			continue
		}
		if !refused(err) {
			t.Errorf("%s: answered with %d nodes: %v", name, s.Nodes, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is not in %q", name, w, err)
			}
		}
	}
}

// A scale without a capacity shows a lower bound, and never makes an I/O more expensive.
func TestWhatWasCarriedCounts(t *testing.T) {
	large := scaleOf("rand-read-64k", model.Random, model.Read, 64<<10, 64, 400, 800)
	small := scaleOf("rand-read-4k", model.Random, model.Read, 4<<10, 64, 600, 1e9) // 9,600/s of 16 volumes
	for _, c := range []struct {
		scales   []study.PublishedScale
		capacity map[int64]float64
	}{
		{[]study.PublishedScale{large}, map[int64]float64{4 << 10: 800, 16 << 10: 800, 64 << 10: 800}},
		{[]study.PublishedScale{small, large}, map[int64]float64{4 << 10: 9600, 16 << 10: 3200, 64 << 10: 800, 128 << 10: 400}},
		{[]study.PublishedScale{large, scaleOf("rand-read-lone", model.Random, model.Read, 4<<10, 1, 10, 1e9)}, map[int64]float64{4 << 10: 800, 64 << 10: 800, 128 << 10: 400}},
	} {
		for block, want := range c.capacity {
			s := mustSize(t, &study.Published{Name: "drawn", Scales: c.scales}, sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, block, 100)}})
			closeTo(t, c.scales[0].Workload+" first, "+units.FormatBlock(block), s.Exact, 3*100/want)
			if least := strings.Contains(s.Sources[0].How, "at least"); least != (block < 64<<10 && want > 800) {
				t.Errorf("%s: %s", units.FormatBlock(block), s.Sources[0].How)
			}
		}
	}
}

// If points do not say how many nodes were measured, a node means their whole system, and cannot be
// added to nodes of others.
func TestNodesOfUnlikePointsAreNotAdded(t *testing.T) {
	known := scaleOf("rand-read-4k", model.Random, model.Read, 4<<10, 64, 6000, 12000)
	unknown := scaleOf("rand-write-4k", model.Random, model.Write, 4<<10, 64, 600, 1200)
	for i := range unknown.Points {
		unknown.Points[i].Nodes = 0
	}
	p := &study.Published{Name: "drawn", Scales: []study.PublishedScale{known, unknown}}
	ask := sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, 4<<10, 100), one(1, model.Random, model.Write, 4<<10, 100)}}
	if _, err := Size(p, ask); !refused(err) || !strings.Contains(err.Error(), "rand-write-4k") {
		t.Errorf("added up: %v", err)
	}
	for _, n := range ask.Needs {
		mustSize(t, p, sizing.Ask{Needs: []sizing.Need{n}})
	}
	p.System.Nodes = 3
	mustSize(t, p, ask)
}
