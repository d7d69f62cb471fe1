package capacity

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// anyPoints draws a storage system by the costs of an operation and of a byte, which are spent
// separately or one after the other, and a record of it: of some block sizes, in some order, in either
// metric, with its hardware or part of it.
func anyPoints(t *rapid.T) *study.Published {
	p := &study.Published{Name: "drawn"}
	p.System.Nodes = rapid.IntRange(3, 6).Draw(t, "nodes")
	p.System.Replicas = rapid.IntRange(0, 3).Draw(t, "replicas")
	operation, perByte := 1/rapid.Float64Range(500, 1e6).Draw(t, "iops"), 1/rapid.Float64Range(1e7, 1e10).Draw(t, "bandwidth")
	after := rapid.Bool().Draw(t, "one after the other")
	if rapid.Bool().Draw(t, "disk iops") {
		p.System.Disk.IOPS = rapid.Float64Range(500, 1e6).Draw(t, "disk iops")
	}
	if rapid.Bool().Draw(t, "disk bandwidth") {
		p.System.Disk.Bandwidth = rapid.Float64Range(1e7, 1e10).Draw(t, "disk bandwidth")
	}
	if rapid.Bool().Draw(t, "network") {
		p.System.Network = rapid.Float64Range(1e8, 1e10).Draw(t, "network")
	}
	for _, d := range []model.Direction{model.Read, model.Write} {
		knee := rapid.SampledFrom([]float64{1.5, 3, 9}).Draw(t, "knee")
		for _, block := range rapid.SliceOfNDistinct(rapid.SampledFrom([]int64{4 << 10, 8 << 10, 16 << 10, 64 << 10, 128 << 10, 1 << 20}), 1, 4, rapid.ID).Draw(t, "blocks") {
			each := math.Max(operation, perByte*float64(block))
			if after {
				each = operation + perByte*float64(block)
			}
			if d == model.Write {
				each *= 2
			}
			depth := rapid.SampledFrom([]int{0, 1, 8, 64}).Draw(t, "depth")
			c := float64(p.System.Nodes) / each
			s := scaleOf("rand-"+string(d)+"-"+units.FormatBlock(block), model.Random, d, block, depth, c/knee, c)
			if knee > 8 && rapid.Bool().Draw(t, "not saturated") {
				s.Points = s.Points[:3]
			}
			for i := range s.Points {
				s.Points[i].Nodes = p.System.Nodes
			}
			if rapid.Bool().Draw(t, "in bytes") {
				s = inBytes(s)
			}
			p.Scales = append(p.Scales, s)
		}
	}
	return p
}

// anyRandomAsk draws needs of random I/O, most of them with sizes that are measured or near those.
func anyRandomAsk(t *rapid.T) sizing.Ask {
	ask := sizing.Ask{Survive: rapid.IntRange(0, 2).Draw(t, "survive"), Headroom: rapid.SampledFrom([]float64{0, 0.3, 0.5}).Draw(t, "headroom")}
	for range rapid.IntRange(1, 3).Draw(t, "needs") {
		n := sizing.Need{Text: "drawn", Pods: rapid.IntRange(1, 100).Draw(t, "pods")}
		for _, d := range rapid.SliceOfNDistinct(rapid.SampledFrom([]model.Direction{model.Read, model.Write}), 1, 2, rapid.ID).Draw(t, "directions") {
			n.Flows = append(n.Flows, sizing.Flow{Access: model.Random, Direction: d, Rate: rapid.Float64Range(1, 5000).Draw(t, "rate"),
				BlockSize: rapid.SampledFrom([]int64{4 << 10, 6 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10, 128 << 10, 1 << 20}).Draw(t, "block")})
		}
		ask.Needs = append(ask.Needs, n)
	}
	return ask
}

// sizedOr sizes, or abandons the case if the points are not sufficient.
func sizedOr(t *rapid.T, p *study.Published, ask sizing.Ask) sizing.Sizing {
	s, err := Size(p, ask)
	if err != nil {
		if !refused(err) {
			t.Fatal(err)
		}
		t.Skip("refused")
	}
	return s
}

// permuted is a copy with scales and points in another order, without fits.
func permuted(t *rapid.T, p *study.Published) *study.Published {
	q := *p
	q.Scales = rapid.Permutation(p.Scales).Draw(t, "scales")
	for i := range q.Scales {
		q.Scales[i].Points = rapid.Permutation(q.Scales[i].Points).Draw(t, "points")
		q.Scales[i].Laws = nil
	}
	return &q
}

// alikeAnswers fails if two answers differ by more than rounding.
func alikeAnswers(t *rapid.T, what string, a, b sizing.Sizing) {
	if a.Nodes != b.Nodes || a.Needed != b.Needed || a.Binding != b.Binding || len(a.Resources) != len(b.Resources) || len(a.Lacking) != len(b.Lacking) {
		t.Fatalf("%s: %d nodes by %s, and %d by %s", what, a.Nodes, a.Binding, b.Nodes, b.Binding)
	}
	near(t, what+": nodes before rounding", b.Exact, a.Exact)
	for _, r := range a.Resources {
		near(t, what+": "+string(r.Resource), demand(b, r.Resource), r.Demand)
	}
	for i, l := range a.Lacking {
		near(t, what+": what lacks", b.Lacking[i].Allowed, l.Allowed)
	}
	for i, m := range a.Marginal {
		near(t, what+": one more pod", b.Marginal[i].Nodes, m.Nodes)
	}
}

// The order of scales and points changes nothing, including the words: an answer is as good as its
// worst line.
func TestOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anyPoints(t), anyRandomAsk(t)
		q := permuted(t, p)
		a, errA := Size(p, ask)
		b, errB := Size(q, ask)
		if errA != nil || errB != nil {
			if errA == nil || errB == nil || errA.Error() != errB.Error() {
				t.Fatalf("%v in one order, %v in another", errA, errB)
			}
			return
		}
		alikeAnswers(t, "another order", a, b)
		if x, y := strings.Join(a.Notes, "\n"), strings.Join(b.Notes, "\n"); x != y {
			t.Fatalf("in one order\n%s\nin another\n%s", x, y)
		}
		for i := range a.Sources {
			if a.Sources[i].How != b.Sources[i].How {
				t.Fatalf("%q in one order, %q in another", a.Sources[i].How, b.Sources[i].How)
			}
		}
		turned := copyAsk(ask)
		slices.Reverse(turned.Needs)
		for i := range turned.Needs {
			slices.Reverse(turned.Needs[i].Flows)
		}
		near(t, "needs in another order: nodes before rounding", sizedOr(t, p, turned).Exact, a.Exact)
	})
}

// Needing more of anything never takes fewer nodes, never leaves more room and never makes something
// possible, whatever the points are.
func TestMoreNeedNeverTakesLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, less := anyPoints(t), anyRandomAsk(t)
		more := moreOf(t, less, anyRandomAsk, "pods", "rate", "block", "flow")
		a, b := sizedOr(t, p, less), sizedOr(t, p, more)
		if b.Nodes < a.Nodes || b.Exact < a.Exact*(1-1e-9) || len(b.Lacking) < len(a.Lacking) {
			t.Fatalf("%d nodes (%g) for less, %d (%g) for more", a.Nodes, a.Exact, b.Nodes, b.Exact)
		}
		less.Nodes = less.Survive + rapid.IntRange(3, 50).Draw(t, "on")
		more.Nodes = less.Nodes
		c, d := sizedOr(t, p, less), sizedOr(t, p, more)
		if d.Fit.Times > c.Fit.Times*(1+1e-9) || d.Resources[0].Degraded < c.Resources[0].Degraded*(1-1e-9) {
			t.Fatalf("less fits %g times on %d nodes, more %g times", c.Fit.Times, less.Nodes, d.Fit.Times)
		}
	})
}

// Points with a higher capacity for one workload never take more nodes, and a higher capacity for all
// of them takes fewer in proportion.
func TestMoreCapacityNeverTakesMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anyPoints(t), anyRandomAsk(t)
		a := sizedOr(t, p, ask)
		factor := rapid.Float64Range(1, 20).Draw(t, "factor")
		raised := func(which func(i int) bool) *study.Published {
			q := *p
			q.Scales = slices.Clone(p.Scales)
			for i := range q.Scales {
				q.Scales[i].Laws, q.Scales[i].Points = nil, slices.Clone(q.Scales[i].Points)
				for j := range q.Scales[i].Points {
					if e := &q.Scales[i].Points[j].Total; which(i) {
						e.Value, e.Low, e.High = e.Value*factor, e.Low*factor, e.High*factor
					}
				}
			}
			return &q
		}
		one := rapid.IntRange(0, len(p.Scales)-1).Draw(t, "which")
		if b := sizedOr(t, raised(func(i int) bool { return i == one }), ask); b.Nodes > a.Nodes || b.Exact > a.Exact*(1+1e-9) || len(b.Lacking) > len(a.Lacking) {
			t.Fatalf("%d nodes (%g), and %d (%g) with %g times as much of %s", a.Nodes, a.Exact, b.Nodes, b.Exact, factor, p.Scales[one].Workload)
		}
		b := sizedOr(t, raised(func(int) bool { return true }), ask)
		if b.Nodes > a.Nodes {
			t.Fatalf("%d nodes, and %d with %g times as much of everything", a.Nodes, b.Nodes, factor)
		}
		if d := p.System; d.Disk.IOPS == 0 && d.Disk.Bandwidth == 0 && d.Network == 0 {
			near(t, "nodes with more of everything", b.Exact*factor, a.Exact)
		}
	})
}

// A multiple of the need on the same multiple of nodes leads to the same utilization, except for the
// network: more nodes have more traffic between them, 1 − 1/N of it.
func TestTheNeedGrowsWithTheNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anyPoints(t), anyRandomAsk(t)
		ask.Survive = 0
		times := rapid.IntRange(2, 20).Draw(t, "times")
		larger := copyAsk(ask)
		for i := range larger.Needs {
			larger.Needs[i].Pods *= times
		}
		a, b := sizedOr(t, p, ask), sizedOr(t, p, larger)
		if p.System.Network == 0 {
			near(t, "nodes before rounding", b.Exact, float64(times)*a.Exact)
			if b.Needed > times*a.Needed || b.Needed <= times*(a.Needed-1) {
				t.Fatalf("%d nodes, and %d for %d times the need", a.Needed, b.Needed, times)
			}
		}
		ask.Nodes = rapid.IntRange(3, 50).Draw(t, "on")
		larger.Nodes = times * ask.Nodes
		a, b = sizedOr(t, p, ask), sizedOr(t, p, larger)
		for _, r := range a.Resources {
			i := slices.IndexFunc(b.Resources, func(u sizing.ResourceUse) bool { return u.Resource == r.Resource })
			want := r.Share
			if r.Resource == hardware.LimitNetwork {
				want *= (1 - 1/float64(larger.Nodes)) / (1 - 1/float64(ask.Nodes))
			}
			near(t, string(r.Resource), b.Resources[i].Share, want)
		}
	})
}

// Points in I/Os per second and the same in bytes per second are equivalent.
func TestTheMetricOfThePointsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anyPoints(t), anyRandomAsk(t)
		q := *p
		q.Scales = slices.Clone(p.Scales)
		for i := range q.Scales {
			q.Scales[i].Laws = nil
			if q.Scales[i].Metric == model.IOPS {
				q.Scales[i] = inBytes(q.Scales[i])
			}
		}
		alikeAnswers(t, "in bytes", sizedOr(t, p, ask), sizedOr(t, &q, ask))
	})
}

// A need with a measured size and one kind of I/O takes what its own law says, calculated by hand,
// whatever else was measured.
func TestTheOwnLawIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &study.Published{Name: "drawn", System: hardware.System{Nodes: 3}}
		capacity := map[int64]float64{}
		for _, block := range rapid.SliceOfNDistinct(rapid.SampledFrom([]int64{512, 4 << 10, 16 << 10, 64 << 10, 1 << 20, 4 << 20}), 1, 6, rapid.ID).Draw(t, "blocks") {
			capacity[block] = rapid.Float64Range(10, 1e6).Draw(t, "capacity")
			s := scaleOf("rand-read-"+units.FormatBlock(block), model.Random, model.Read, block, 64, capacity[block]/3, capacity[block])
			if rapid.Bool().Draw(t, "in bytes") {
				s = inBytes(s)
			}
			p.Scales = append(p.Scales, s)
		}
		for block, c := range capacity {
			s := sizedOr(t, p, sizing.Ask{Needs: []sizing.Need{one(7, model.Random, model.Read, block, 1)}})
			near(t, units.FormatBlock(block), s.Exact, 7*3/c)
			if l := s.Sources[0].Laws; len(l) != 1 || l[0].BlockSize != block || l[0].Times != 1 {
				t.Fatalf("%s is from %+v", units.FormatBlock(block), l)
			}
		}
	})
}
