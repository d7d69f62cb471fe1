package capacity

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// scaleOf is a scale on three nodes with a knee at four volumes, from the rate of one volume and the
// capacity, in I/Os per second.
func scaleOf(name string, access model.Access, direction model.Direction, block int64, depth int, first, capacity float64) study.PublishedScale {
	s := study.PublishedScale{Scale: model.Scale{Workload: name, Access: access, Direction: direction, BlockSize: block, Depth: depth, Metric: model.IOPS}}
	for _, n := range []int{1, 2, 8, 12, 16} {
		v := math.Min(float64(n)*first, capacity)
		s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: 3, Total: model.Estimate{Unit: "1/s", Value: v, Low: v, High: v}})
	}
	return s
}

// One I/O in flight does not show what a volume can do, and of several depths the one with the highest
// rate counts.
func TestDepthOneBoundsNoVolume(t *testing.T) {
	deep := scaleOf("rand-read-64", model.Random, model.Read, 4<<10, 64, 20000, 30000)
	mid := scaleOf("rand-read-8", model.Random, model.Read, 4<<10, 8, 4000, 29000)
	lone := scaleOf("rand-read-1", model.Random, model.Read, 4<<10, 1, 500, 6000)
	for _, c := range []struct {
		name    string
		scales  []study.PublishedScale
		allowed float64 // 0: no bound
	}{
		{"one in flight", []study.PublishedScale{lone}, 0},
		{"both", []study.PublishedScale{lone, deep}, 20000},
		{"both, the other way round", []study.PublishedScale{deep, lone}, 20000},
		{"three", []study.PublishedScale{mid, lone, deep}, 20000},
		{"eight in flight", []study.PublishedScale{mid}, 4000},
	} {
		p := &study.Published{Name: c.name, Scales: c.scales}
		rate := c.allowed
		if rate == 0 {
			rate = 5000
		}
		below := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, 4<<10, 0.99*rate)}})
		above := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, 4<<10, 1.01*rate)}})
		if len(below.Lacking) > 0 {
			t.Errorf("%s: %s", c.name, below.Lacking[0].Message)
		}
		switch {
		case c.allowed == 0 && len(above.Lacking) > 0:
			t.Errorf("%s: %s", c.name, above.Lacking[0].Message)
		case c.allowed == 0:
			if notes := strings.Join(above.Notes, "; "); !strings.Contains(notes, "what one volume reaches is not checked") {
				t.Errorf("%s: that nothing bounds a volume is not said: %s", c.name, notes)
			}
		case len(above.Lacking) != 1:
			t.Errorf("%s: %g/s of one volume are taken for possible", c.name, 1.01*c.allowed)
		default:
			closeTo(t, c.name, above.Lacking[0].Allowed, c.allowed)
		}
	}
}

// What one volume reaches in other sizes is a bound: no more I/Os than in smaller ones, no more bytes
// than in larger ones.
func TestOneVolumeInOtherBlocks(t *testing.T) {
	p := &study.Published{Name: "two blocks", Scales: []study.PublishedScale{
		scaleOf("rand-read-64k", model.Random, model.Read, 64<<10, 64, 1500, 5000), scaleOf("rand-read-4k", model.Random, model.Read, 4<<10, 64, 6000, 30000)}}
	for block, want := range map[int64]float64{4 << 10: 6000, 64 << 10: 1500, 8 << 10: 6000, 32 << 10: 3000, 128 << 10: 1500} {
		s := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, block, 7000)}})
		if len(s.Lacking) != 1 {
			t.Fatalf("%s: 7,000/s of one volume are taken for possible", units.FormatBlock(block))
		}
		closeTo(t, units.FormatBlock(block), s.Lacking[0].Allowed, want)
	}
}

// A need is split over as few volumes as reach it: rounding in the law adds none.
func TestSplitOverTheFewestVolumes(t *testing.T) {
	p := &study.Published{Name: "one volume", Scales: []study.PublishedScale{
		scaleOf("rand-read", model.Random, model.Read, 4<<10, 64, 1000*(1-rounding/2), 4000)}}
	for rate, want := range map[float64]string{2000: "over 2 volumes", 3000: "over 3 volumes", 4000: "over 4 volumes", 4001: "over 5 volumes"} {
		s := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{one(1, model.Random, model.Read, 4<<10, rate)}})
		if len(s.Lacking) != 1 || !strings.HasSuffix(s.Lacking[0].Message, want) {
			t.Errorf("%g/s: %+v, want %s", rate, s.Lacking, want)
		}
	}
}
