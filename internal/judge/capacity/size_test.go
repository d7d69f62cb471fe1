package capacity

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

// anySystem draws hardware, and points measured on it if there is any.
func anySystem(t *rapid.T) *study.Published {
	p := &study.Published{Name: "drawn"}
	p.System.Nodes = rapid.IntRange(3, 9).Draw(t, "nodes")
	p.System.Replicas = rapid.IntRange(1, 3).Draw(t, "replicas")
	if c := float64(rapid.IntRange(0, 2).Draw(t, "extra")); c > 0 {
		p.System.ExtraWrites = &c
	}
	p.System.Disk = hardware.DiskSpec{Count: rapid.IntRange(1, 4).Draw(t, "disks"), IOPS: rapid.Float64Range(100, 1e6).Draw(t, "iops"),
		Bandwidth: rapid.Float64Range(1e6, 1e10).Draw(t, "bandwidth"), Size: int64(rapid.IntRange(0, 4).Draw(t, "TiB")) << 40}
	p.System.Network = rapid.Float64Range(1e7, 1e10).Draw(t, "network")
	if rapid.Bool().Draw(t, "measured") {
		each := rapid.Float64Range(100, 1e5).Draw(t, "each")
		s := study.PublishedScale{Scale: model.Scale{Workload: "rand-write", Access: model.Random, Direction: model.Write, BlockSize: 4096, Metric: model.IOPS}}
		for _, n := range []int{1, 2, 4, 8, 12, 16} {
			v := each * math.Min(float64(n), 3.4) * (1 + 0.01*float64(n%3))
			s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: p.System.Nodes, Total: model.Estimate{Unit: "1/s", Value: v}})
		}
		p.Scales = append(p.Scales, s)
	}
	return p
}

func anyNeed(t *rapid.T) sizing.Need {
	n := sizing.Need{Text: "drawn", Pods: rapid.IntRange(1, 1000).Draw(t, "pods"), Size: int64(rapid.IntRange(0, 100).Draw(t, "GiB")) << 30}
	for range rapid.IntRange(1, 3).Draw(t, "flows") {
		n.Flows = append(n.Flows, sizing.Flow{
			Access:    rapid.SampledFrom([]model.Access{model.Random, model.Sequential}).Draw(t, "access"),
			Direction: rapid.SampledFrom([]model.Direction{model.Read, model.Write}).Draw(t, "direction"),
			BlockSize: 512 << rapid.IntRange(0, 12).Draw(t, "block"),
			Rate:      rapid.Float64Range(0.1, 5000).Draw(t, "rate"),
		})
	}
	return n
}

func anyAsk(t *rapid.T) sizing.Ask {
	ask := sizing.Ask{Survive: rapid.IntRange(0, 3).Draw(t, "survive"), Headroom: rapid.Float64Range(0, 0.9).Draw(t, "headroom")}
	for range rapid.IntRange(1, 3).Draw(t, "needs") {
		ask.Needs = append(ask.Needs, anyNeed(t))
	}
	return ask
}

func sized(t *rapid.T, p *study.Published, ask sizing.Ask) sizing.Sizing {
	s, err := Size(p, ask)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copyAsk is a deep copy of an ask, so that changing its needs does not affect the original.
func copyAsk(ask sizing.Ask) sizing.Ask {
	needs := make([]sizing.Need, len(ask.Needs))
	for i, n := range ask.Needs {
		needs[i] = n
		needs[i].Flows = append([]sizing.Flow(nil), n.Flows...)
	}
	ask.Needs = needs
	return ask
}

// moreOf is an ask for more of one of these kinds of things; additions come from asks that another
// draws.
func moreOf(t *rapid.T, less sizing.Ask, another func(*rapid.T) sizing.Ask, kinds ...string) sizing.Ask {
	more := copyAsk(less)
	factor := rapid.Float64Range(1, 10).Draw(t, "factor")
	n := &more.Needs[rapid.IntRange(0, len(more.Needs)-1).Draw(t, "which")]
	f := &n.Flows[rapid.IntRange(0, len(n.Flows)-1).Draw(t, "flow")]
	switch kind := rapid.SampledFrom(kinds).Draw(t, "more of"); kind {
	case "pods":
		n.Pods = int(math.Ceil(float64(n.Pods) * factor))
	case "rate":
		f.Rate *= factor
	case "block":
		f.BlockSize = int64(math.Ceil(float64(f.BlockSize) * factor))
	case "size":
		n.Size = int64(float64(n.Size) * factor)
	case "flow":
		n.Flows = append(n.Flows, another(t).Needs[0].Flows...)
	case "need":
		more.Needs = append(more.Needs, another(t).Needs[0])
	case "survive":
		more.Survive++
	case "headroom":
		more.Headroom += (0.95 - more.Headroom) * (factor - 1) / 9
	default:
		t.Fatalf("nothing is called %s", kind)
	}
	return more
}

// Needing more of anything never takes fewer nodes, and fits fewer times on the existing nodes.
func TestMoreNeedNeverMeansFewerNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, less := anySystem(t), anyAsk(t)
		more := moreOf(t, less, anyAsk, "pods", "rate", "block", "size", "survive", "headroom", "need")
		a, b := sized(t, p, less), sized(t, p, more)
		if b.Nodes < a.Nodes || b.Needed < a.Needed || b.Exact < a.Exact*(1-1e-9) {
			t.Fatalf("%d nodes (%g) for less, %d (%g) for more", a.Nodes, a.Exact, b.Nodes, b.Exact)
		}
		less.Nodes = less.Survive + 1 + rapid.IntRange(0, 50).Draw(t, "on")
		more.Nodes = less.Nodes
		if more.Survive >= more.Nodes || len(more.Needs) > len(less.Needs) {
			return
		}
		c, d := sized(t, p, less).Fit, sized(t, p, more).Fit
		if d.Times > c.Times*(1+1e-9) {
			t.Fatalf("less fits %g times, more %g times", c.Times, d.Times)
		}
	})
}

// The answered number of nodes carries the need, and one less does not: both questions give the same
// answer, and if a need does not fit, the answer says what is lacking, how much, and in which unit.
func TestOppositeQuestionsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anySystem(t), anyAsk(t)
		answer := sized(t, p, ask)
		ask.Nodes = answer.Needed + ask.Survive
		enough := sized(t, p, ask)
		if enough.Fit.Times < 1-1e-9 {
			t.Fatalf("%d nodes are answered, and carry it %g times", answer.Nodes, enough.Fit.Times)
		}
		for i, n := range ask.Needs {
			if enough.Fit.Pods[i] < n.Pods {
				t.Fatalf("%d pods of need %d are asked, and %d fit", n.Pods, i, enough.Fit.Pods[i])
			}
		}
		for _, l := range enough.Lacking {
			if l.Resource != hardware.LimitPlacement && l.Resource != hardware.LimitPerVolume {
				t.Fatalf("%d nodes are answered, and %s", answer.Nodes, l.Message)
			}
		}
		if answer.Needed < 2 {
			return
		}
		ask.Nodes--
		short := sized(t, p, ask)
		if short.Fit.Times >= 1 {
			t.Fatalf("%d nodes are answered, but one less carries it %g times", answer.Nodes, short.Fit.Times)
		}
		named := false
		for _, l := range short.Lacking {
			named = named || l.Resource == short.Fit.Binding
			if l.Asked <= l.Allowed || l.Unit == "" || !strings.Contains(l.Message, "%") && l.Resource != hardware.LimitPlacement {
				t.Fatalf("%+v does not say what is short by how much", l)
			}
		}
		if !named {
			t.Fatalf("%s binds, but only %+v is short", short.Fit.Binding, short.Lacking)
		}
	})
}

// A demand that exceeds a node by less than a rounding error needs no second node, and then all pods fit, even
// those of a need that is itself smaller than that error.
func TestASmallNeedBesideALargeOneFits(t *testing.T) {
	p := &study.Published{Name: "one disk"}
	p.System.Nodes, p.System.Replicas, p.System.Disk = 1, 1, hardware.DiskSpec{Count: 1, IOPS: 1000}
	need := func(pods int, rate float64) sizing.Need {
		return sizing.Need{Text: "drawn", Pods: pods, Flows: []sizing.Flow{{Access: model.Random, Direction: model.Read, BlockSize: 4096, Rate: rate}}}
	}
	s, err := Size(p, sizing.Ask{Nodes: 1, Needs: []sizing.Need{need(8, 1e-7), need(1, 1000)}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Needed != 1 || s.Fit.Pods[0] != 8 || s.Fit.Pods[1] != 1 {
		t.Errorf("%d nodes, %+v", s.Needed, s.Fit)
	}
}

// The answer is the largest over the resources, each counted in its own unit: a change of bytes affects
// only resources of bytes, and saving operations saves nothing else.
func TestUnitsAreNeverMixed(t *testing.T) {
	units := map[hardware.Resource]string{hardware.LimitDiskIOPS: "1/s", hardware.LimitDiskBandwidth: "B/s", hardware.LimitNetwork: "B/s", hardware.LimitSpace: "B",
		hardware.LimitOperations: "node", hardware.LimitBytes: "node", hardware.LimitCPU: "core", hardware.LimitVolumes: "1"}
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anySystem(t), anyAsk(t)
		larger, merged := copyAsk(ask), copyAsk(ask)
		factor := int64(rapid.IntRange(2, 8).Draw(t, "factor"))
		for i := range ask.Needs {
			for j := range ask.Needs[i].Flows {
				larger.Needs[i].Flows[j].BlockSize *= factor
				merged.Needs[i].Flows[j].Merge = float64(factor)
			}
		}
		a, b, c := sized(t, p, ask), sized(t, p, larger), sized(t, p, merged)
		most := 0.0
		for _, r := range a.Resources {
			if r.Unit != units[r.Resource] {
				t.Fatalf("%s in %q", r.Resource, r.Unit)
			}
			most = max(most, r.Nodes)
			change := 1.0
			if r.Unit == "B/s" || r.Resource == hardware.LimitBytes {
				change = float64(factor)
			}
			// The network traffic depends on the number of nodes in the answer.
			larger, merged := change, 1.0
			if r.Resource == hardware.LimitNetwork {
				larger, merged = change*crossing(p, b)/crossing(p, a), crossing(p, c)/crossing(p, a)
			}
			near(t, string(r.Resource)+" of larger blocks", demand(b, r.Resource), larger*r.Demand)
			if r.Resource != hardware.LimitDiskIOPS && r.Resource != hardware.LimitOperations {
				near(t, string(r.Resource)+" of merged I/Os", demand(c, r.Resource), merged*r.Demand)
			} else if demand(c, r.Resource) > r.Demand*(1+1e-9) {
				t.Fatalf("merging takes more of %s", r.Resource)
			}
		}
		near(t, "nodes, as the largest of all resources,", a.Exact, most)
	})
}

// crossing is the share of all copies that is on other nodes than their pods, calculated by hand. A
// single remaining node of several is counted as half of two, which have more to send.
func crossing(p *study.Published, s sizing.Sizing) float64 {
	left := s.Nodes - s.Ask.Survive
	if p.System.Replicas == 1 && left == 1 && s.Nodes > 1 {
		return 0.25
	}
	return 1 - 1/float64(max(left, p.System.Replicas))
}

func near(t *rapid.T, what string, got, want float64) {
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Fatalf("%s: %g, want %g", what, got, want)
	}
}

func demand(s sizing.Sizing, r hardware.Resource) float64 {
	for _, u := range s.Resources {
		if u.Resource == r {
			return u.Demand
		}
	}
	return 0
}

// How many more pods fit is a real number, also where many do, and a need that takes nothing of what is
// known has no number instead of one that stands for "any".
func TestHowManyMorePodsFitIsRealOrLeftOut(t *testing.T) {
	p := &study.Published{Name: "large"}
	p.System.Nodes, p.System.Replicas = 3, 1
	p.System.Disk = hardware.DiskSpec{Count: 1, IOPS: 1e6, Bandwidth: 1e10}
	need := sizing.Need{Text: "small", Pods: 1, Flows: []sizing.Flow{{Access: model.Random, Direction: model.Read, BlockSize: 4096, Rate: 1}}}
	s, err := Size(p, sizing.Ask{Needs: []sizing.Need{need}, Nodes: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Marginal[0].Free; math.Abs(float64(got)/1e10-1) > 2*rounding {
		t.Errorf("%d more fit, want the 10,000,000,000 or so that the disks have left", got)
	}
	z := &sizer{p: p, left: 3, uses: []map[hardware.Resource]cost{{}}}
	z.out.Resources = []sizing.ResourceUse{{Resource: hardware.LimitDiskIOPS, Unit: "1/s", Demand: 1, PerNode: 1e6}}
	if z.marginal(1); len(z.out.Marginal) > 0 {
		t.Errorf("a pod that takes nothing: %+v", z.out.Marginal)
	}
}

// Nothing that can be asked causes a panic or an answer that is not a number.
func TestSizeAnswersInNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, ask := anySystem(t), anyAsk(t)
		ask.Nodes = rapid.IntRange(0, 20).Draw(t, "on")
		ask.Headroom = rapid.Float64().Draw(t, "any headroom")
		s, err := Size(p, ask)
		if err != nil {
			if !strings.Contains(err.Error(), " ") {
				t.Fatalf("%q is not a sentence", err)
			}
			return
		}
		for _, r := range s.Resources {
			for _, v := range []float64{r.Demand, r.PerNode, r.Nodes, r.Share, r.Degraded} {
				if !(v >= 0) || math.IsInf(v, 0) {
					t.Fatalf("%+v", r)
				}
			}
		}
		for _, l := range s.Latencies {
			if !(l.Estimate > 0) || l.Degraded < l.Estimate {
				t.Fatalf("%+v", l)
			}
		}
	})
}

// A mix of one flow has that flow's capacity, within the interval; a mix of two that exhaust the same
// resource lies between theirs, and never above.
func TestMixesLieBetweenTheirParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &study.Published{Name: "drawn", System: hardware.System{Nodes: 1}}
		capacity := map[model.Direction]float64{}
		for _, d := range []model.Direction{model.Read, model.Write} {
			s := study.PublishedScale{Scale: model.Scale{Workload: "rand-" + string(d), Access: model.Random, Direction: d, BlockSize: 4096, Metric: model.IOPS}}
			c := rapid.Float64Range(100, 1e5).Draw(t, string(d))
			for i, v := range []float64{c / 4, 0.998 * c, c, 1.002 * c} {
				s.Points = append(s.Points, model.ScalePoint{Volumes: []int{1, 8, 12, 16}[i], Nodes: 1, Total: model.Estimate{Unit: "1/s", Value: v}})
			}
			capacity[d] = c
			p.Scales = append(p.Scales, s)
		}
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		flow := func(d model.Direction, rate float64) sizing.Flow {
			return sizing.Flow{Access: model.Random, Direction: d, BlockSize: 4096, Rate: rate}
		}
		e, binding, err := Mix(p, []sizing.Flow{flow(model.Read, share), flow(model.Write, 1-share)}, 1)
		if err != nil || binding != hardware.LimitOperations {
			t.Fatalf("%q binds: %v", binding, err)
		}
		want := 1 / (share/capacity[model.Read] + (1-share)/capacity[model.Write])
		if math.Abs(e.Value/want-1) > 1e-3 || e.Low > e.Value || e.High < e.Value || e.Confidence == 0 {
			t.Fatalf("%+v, by hand %g", e, want)
		}
		alone, _, err := Mix(p, []sizing.Flow{flow(model.Read, 7)}, 1)
		if err != nil || math.Abs(alone.Value/capacity[model.Read]-1) > 1e-3 {
			t.Fatalf("%+v, but the capacity is %g: %v", alone, capacity[model.Read], err)
		}
	})
}

// A capacity that was measured with other block sizes than needed may be larger than shown: this is
// said, and only then.
func TestBlocksBeyondTheMeasuredOnesAreSaid(t *testing.T) {
	p := &study.Published{Name: "drawn", System: hardware.System{Nodes: 3}}
	for _, m := range []struct {
		metric model.Metric
		block  int64
		one    float64
	}{{model.IOPS, 4 << 10, 1000}, {model.Bandwidth, 32 << 10, 32 << 20}} {
		s := study.PublishedScale{Scale: model.Scale{Workload: "rand-read-" + units.FormatBlock(m.block), Access: model.Random, Direction: model.Read, BlockSize: m.block, Metric: m.metric}}
		for _, n := range []int{1, 2, 4, 8, 12, 16} {
			v := m.one * math.Min(float64(n), 3.4)
			s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: 3, Total: model.Estimate{Unit: m.metric.Unit(), Value: v, Low: v, High: v}})
		}
		p.Scales = append(p.Scales, s)
	}
	for block, want := range map[int64]string{
		2 << 10:  "the rate of random read I/Os of 2k is taken from blocks of 4k (rand-read-4k)",
		4 << 10:  "",
		16 << 10: "",
		32 << 10: "",
		64 << 10: "the bandwidth of random read I/Os of 64k is taken from blocks of 32k (rand-read-32k)",
	} {
		s, err := Size(p, sizing.Ask{Needs: []sizing.Need{{Text: "drawn", Pods: 1, Flows: []sizing.Flow{{Access: model.Random, Direction: model.Read, BlockSize: block, Rate: 10}}}}})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(s.Notes, "; ")
		if said := strings.Contains(notes, "is taken from blocks"); said != (want != "") || !strings.Contains(notes, want) {
			t.Errorf("blocks of %d: %s", block, notes)
		}
	}
}
