package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loadline/loadline/internal/cluster/storage"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/measure/trace/remote"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
)

// The disks of all volumes are counted, each once, and what to expect of them follows from what their
// storage system says.
func TestTheDisksBehindVolumes(t *testing.T) {
	disk := func(node, path string) amplification.Disk { return amplification.Disk{Node: node, Path: path} }
	backed := func(healthy, each int, disks ...amplification.Disk) *model.Backing {
		return &model.Backing{System: "Longhorn", Replicas: 3, Healthy: healthy, WritesEach: each, WritesOf: "data, revision counter", Disks: disks}
	}
	untold := &model.Backing{System: "Longhorn", Unknown: []string{"version: none", "where the replicas are: the right to list replicas.longhorn.io is missing"}}
	for name, c := range map[string]struct {
		backings []*model.Backing
		want     amplification.Behind
	}{
		"two volumes": {[]*model.Backing{backed(3, 2, disk("b", "/x"), disk("a", "/y")), backed(3, 2, disk("a", "/x"), disk("b", "/x"))},
			amplification.Behind{Disks: []amplification.Disk{disk("a", "/x"), disk("a", "/y"), disk("b", "/x")}, Reads: 1, Writes: 6, Of: "3 replicas × 2 writes (data, revision counter)"}},
		"one replica has failed": {[]*model.Backing{backed(2, 1, disk("a", "/x"))}, amplification.Behind{Disks: []amplification.Disk{disk("a", "/x")}, Reads: 1, Writes: 2, Of: "2 replicas × 1 write (data, revision counter)"}},
		"volumes that differ":    {[]*model.Backing{backed(3, 2, disk("a", "/x")), backed(2, 2, disk("a", "/x"))}, amplification.Behind{Disks: []amplification.Disk{disk("a", "/x")}, Of: "the volumes differ in their replicas"}},
		"an engine that does not say": {[]*model.Backing{backed(3, 0, disk("a", "/x"))},
			amplification.Behind{Disks: []amplification.Disk{disk("a", "/x")}, Of: "Longhorn does not say how many writes a replica does, or is rebuilding one"}},
		"a right is missing": {[]*model.Backing{backed(3, 2, disk("a", "/x")), untold}, amplification.Behind{NotCounted: "the right to list replicas.longhorn.io is missing"}},
		"no disks":           {[]*model.Backing{{System: "x.example"}}, amplification.Behind{NotCounted: "x.example does not say on which disks of the nodes its replicas are, in a way that Loadline can follow"}},
		"no system":          {[]*model.Backing{{}}, amplification.Behind{NotCounted: "the storage system behind the volume is not known"}},
		"no cluster":         {[]*model.Backing{nil}, amplification.Behind{NotCounted: "/x is in no cluster whose storage system could be asked for its disks"}},
	} {
		p := &Prepared{}
		for _, b := range c.backings {
			s := standing{target: "/x"}
			if b != nil {
				s.cluster = &model.Cluster{Backing: b}
			}
			p.stands = append(p.stands, s)
		}
		if diff := cmp.Diff(c.want, p.behind()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	log := &Prepared{stands: []standing{{cluster: &model.Cluster{Log: &model.Cluster{}, Backing: backed(3, 2, disk("a", "/x"))}}}}
	if b := log.behind(); b.NotCounted == "" {
		t.Errorf("the disks behind a log of its own: %+v", b)
	}
}

// One pod on each node, with all directories there; the tracer in it knows them by the pod's paths.
func TestCountersOfDisks(t *testing.T) {
	got := countersOf([]amplification.Disk{{Node: "a", Path: "/x"}, {Node: "a", Path: "/y"}, {Node: "b", Path: "/x"}})
	if diff := cmp.Diff([]pods.Tracer{{Node: "a", Directories: []string{"/x", "/y"}}, {Node: "b", Directories: []string{"/x"}}}, got); diff != "" {
		t.Error(diff)
	}
	want := []*remote.Tracer{{Node: "a", Holding: []string{"/disks/1", "/disks/2"}}, {Node: "b", Holding: []string{"/disks/1"}}}
	if diff := cmp.Diff(want, tracersOf(got), cmpopts.IgnoreUnexported(remote.Tracer{})); diff != "" {
		t.Error(diff)
	}
}

// Only replicas that are certainly the same at the end of a run did what was counted.
func TestReplicasThatChanged(t *testing.T) {
	healthy := func(n int, disks ...amplification.Disk) *model.Backing {
		return &model.Backing{System: "Longhorn", Healthy: n, Disks: disks}
	}
	a, b, c := amplification.Disk{Node: "a", Path: "/x"}, amplification.Disk{Node: "b", Path: "/x"}, amplification.Disk{Node: "c", Path: "/x"}
	then := healthy(2, a, b)
	for name, x := range map[string]struct {
		now  *model.Backing
		want string
	}{
		"the same":   {healthy(2, a, b), ""},
		"moved":      {healthy(2, a, c), "the replicas were moved, or one of them was lost, during the run"},
		"lost":       {healthy(1, a), "the replicas were moved, or one of them was lost, during the run"},
		"one more":   {healthy(3, a, b, c), "the replicas were moved, or one of them was lost, during the run"},
		"one failed": {healthy(1, a, b), "2 replicas took part at the beginning of the run and 1 at its end"},
		"no answer": {&model.Backing{System: "Longhorn", Unknown: []string{storage.WhereReplicas + ": the cluster does not answer"}},
			"whether the replicas have moved during the run is not known: the cluster does not answer"},
	} {
		if got := changed(then, x.now); got != x.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
