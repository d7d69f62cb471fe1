package capacity

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
)

// one is a need of a single kind of I/O.
func one(pods int, access model.Access, direction model.Direction, block int64, rate float64) sizing.Need {
	return sizing.Need{Text: "one", Pods: pods, Flows: []sizing.Flow{{Access: access, Direction: direction, BlockSize: block, Rate: rate}}}
}

func mustSize(t *testing.T, p *study.Published, ask sizing.Ask) sizing.Sizing {
	t.Helper()
	s, err := Size(p, ask)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// Copies are spread evenly over all nodes, so of what a pod reads, 1 − 1/N come from other nodes, and
// of the R copies that it writes, R·(1 − 1/N) go there.
func TestRemoteSharesFollowTheNodes(t *testing.T) {
	const link = 100 << 20
	for _, c := range []struct {
		nodes, replicas int
		read, written   float64 // bytes over the network for each byte
	}{{3, 3, 2. / 3, 2}, {6, 3, 5. / 6, 2.5}, {12, 3, 11. / 12, 2.75}, {4, 2, 0.75, 1.5}, {5, 1, 0.8, 0.8}, {1, 1, 0, 0}} {
		// The number of measured nodes does not matter.
		for _, measured := range []int{c.replicas, 12} {
			p := &study.Published{Name: "drawn", System: hardware.System{Nodes: measured, Replicas: c.replicas,
				Disk: hardware.DiskSpec{IOPS: 1e6, Bandwidth: 1e10}, Network: link}}
			for direction, want := range map[model.Direction]float64{model.Read: c.read, model.Write: c.written} {
				s := mustSize(t, p, sizing.Ask{Nodes: c.nodes, Needs: []sizing.Need{one(2, model.Random, direction, 1<<20, 10)}})
				closeTo(t, string(direction)+" over the network", demand(s, hardware.LimitNetwork), want*20*(1<<20))
			}
		}
	}
}

// The network of the answered number of nodes has room for the traffic between them, and that of one
// node less does not.
func TestTheNetworkOfTheAnswerIsItsOwn(t *testing.T) {
	p := &study.Published{Name: "drawn", System: hardware.System{Nodes: 3, Replicas: 3, Disk: hardware.DiskSpec{IOPS: 1e6, Bandwidth: 1e10}, Network: 100 << 20}}
	need := []sizing.Need{one(30, model.Sequential, model.Read, 1<<20, 100)}
	s := mustSize(t, p, sizing.Ask{Needs: need})
	// 3000·(1 − 1/n) ≤ 100·n: 29 nodes; with two thirds it would be 20.
	if s.Needed != 29 || s.Binding != hardware.LimitNetwork {
		t.Errorf("%d nodes, %s binds", s.Needed, s.Binding)
	}
	closeTo(t, "bytes over the network", demand(s, hardware.LimitNetwork), 3000*(28./29)*(1<<20))
	with := mustSize(t, p, sizing.Ask{Needs: need, Survive: 2})
	if with.Needed != 29 || with.Nodes != 31 {
		t.Errorf("%d nodes, of which two may fail", with.Nodes)
	}
	closeTo(t, "share with all nodes", with.Resources[0].Share, 3000*(30./31)/(100*31))
	closeTo(t, "share with two gone", with.Resources[0].Degraded, 3000*(28./29)/(100*29))
}

// Any number of nodes in an answer can be asked about, however large.
func TestAnAnswerCanBeAskedAbout(t *testing.T) {
	p := &study.Published{Name: "slow", System: hardware.System{Nodes: 3, Replicas: 3, Disk: hardware.DiskSpec{IOPS: 100, Bandwidth: 1e6}}}
	ask := sizing.Ask{Headroom: 0.9, Survive: 1, Needs: []sizing.Need{one(1000, model.Random, model.Write, 1<<20, 4000)}}
	ask.Nodes = mustSize(t, p, ask).Nodes
	if s := mustSize(t, p, ask); s.Fit.Times < 1-1e-9 || len(s.Lacking) > 0 {
		t.Errorf("%d nodes are answered, and carry it %g times: %+v", ask.Nodes, s.Fit.Times, s.Lacking)
	}
}

// If a need's size was not counted, the answer says so.
func TestASizeThatIsNotCountedIsNamed(t *testing.T) {
	p := &study.Published{Name: "disks", System: hardware.System{Nodes: 3, Replicas: 3, Disk: hardware.DiskSpec{IOPS: 1e4, Bandwidth: 1e9}}}
	need := one(20, model.Random, model.Read, 4096, 100)
	for _, x := range []struct {
		size, disk int64
		named      bool
	}{{0, 0, false}, {1 << 50, 0, true}, {1 << 30, 1 << 40, false}} {
		p.System.Disk.Size, need.Size = x.disk, x.size
		s := mustSize(t, p, sizing.Ask{Needs: []sizing.Need{need}})
		if named := strings.Contains(strings.Join(s.Notes, "\n"), "the size of the disks was not given"); named != x.named {
			t.Errorf("%+v: %q", x, s.Notes)
		}
	}
}

// If as many nodes fail as there are copies, all copies of some blocks are lost.
func TestFailuresThatTakeEveryCopyAreNamed(t *testing.T) {
	p := &study.Published{Name: "three copies", System: hardware.System{Nodes: 3, Replicas: 3, Disk: hardware.DiskSpec{IOPS: 1e4, Bandwidth: 1e9}}}
	need := []sizing.Need{one(1, model.Random, model.Read, 4096, 100)}
	for survive, lost := range []bool{false, false, false, true, true} {
		s := mustSize(t, p, sizing.Ask{Needs: need, Survive: survive})
		if named := strings.Contains(strings.Join(s.Notes, "\n"), "every block whose copies (3) are all on them is lost"); named != lost {
			t.Errorf("of %d failures: %q", survive, s.Notes)
		}
	}
	p.System.Replicas = 0
	if s := mustSize(t, p, sizing.Ask{Needs: need, Survive: 2}); strings.Contains(strings.Join(s.Notes, "\n"), "is lost") {
		t.Errorf("the number of copies was not given: %q", s.Notes)
	}
	p.System.Replicas = 3
	s := mustSize(t, p, sizing.Ask{Needs: need, Nodes: 2})
	if len(s.Lacking) != 1 || s.Lacking[0].Message != "2 nodes cannot hold 3 copies of each block" {
		t.Errorf("%+v", s.Lacking)
	}
}
