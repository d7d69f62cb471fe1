package words

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestStorageNamesTheServer(t *testing.T) {
	for want, s := range map[string]model.Storage{
		"nfs4 from 10.0.0.3:/export": {Filesystem: "nfs4", MountFrom: "10.0.0.3:/export", DeviceChain: []string{"nfs4"}},
		"cifs from //files/data":     {Filesystem: "cifs", MountFrom: "//files/data", DeviceChain: []string{"cifs"}},
		"zfs":                        {Filesystem: "zfs", MountFrom: "tank/data", DeviceChain: []string{"zfs"}},
		"ext4 on vda":                {Filesystem: "ext4", Device: "vda", MountFrom: "/dev/disk/by-id/a:b", DeviceChain: []string{"vda"}},
	} {
		if got := Storage(s); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestWhereIsAHostOrAPlaceInACluster(t *testing.T) {
	for want, env := range map[string]model.Environment{
		"":                              {},
		"db1":                           {Hostname: "db1"},
		"node worker1, namespace bench": {Hostname: "loadline-x", Cluster: &model.Cluster{Node: "worker1", Namespace: "bench"}},
		"namespace bench":               {Cluster: &model.Cluster{Namespace: "bench"}},
	} {
		if got := Where(&model.RunInfo{Environment: env}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSharingTellsWhoUsesOneClaim(t *testing.T) {
	on := func(claim, node string) model.Volume {
		return model.Volume{Node: node, Target: model.Target{Name: "pvc:" + claim, Cluster: &model.ClusterVolume{Name: claim}}}
	}
	made := model.Volume{Node: "a", Target: model.Target{Name: "sc:fast", Cluster: &model.ClusterVolume{Class: "fast"}}}
	for want, list := range map[string][]model.Volume{
		"in one claim, all from a":                                 {on("x", "a"), on("x", "a")},
		"in one claim, used at once from a, b and c":               {on("x", "c"), on("x", "a"), on("x", "b"), on("x", "a")},
		"in 2 claims, used at once from a and b":                   {on("x", "a"), on("y", "a"), on("x", "b"), on("y", "b")},
		"in one claim, used at once from a, b, c and 2 more nodes": {on("x", "a"), on("x", "b"), on("x", "c"), on("x", "d"), on("x", "e")},
	} {
		if got := Sharing(list); got != want {
			t.Errorf("%s\nnot %s", got, want)
		}
	}
	for _, list := range [][]model.Volume{nil, {on("x", "a")}, {on("x", "a"), on("y", "b")}, {made, made}, {{}, {}}} {
		if got := Sharing(list); got != "" {
			t.Errorf("%q of %+v", got, list)
		}
	}
}

func TestSpreadTellsHowManyAreWhere(t *testing.T) {
	on := func(nodes string) (list []model.Volume) {
		for _, n := range strings.Fields(nodes) {
			list = append(list, model.Volume{Node: n, Target: model.Target{Name: "sc:fast", Cluster: &model.ClusterVolume{Class: "fast"}}})
		}
		return list
	}
	for nodes, want := range map[string]string{
		"":          "",
		"a a":       "",
		"b a":       "1 on each of a and b",
		"c a b a":   "2 on a, 1 on b and 1 on c",
		"a b c d e": "1 on each of a, b, c and 2 more nodes",
		"a b b c c": "1 on a, 2 on b and 2 on c",
	} {
		if got := Spread(on(nodes)); got != want {
			t.Errorf("%q of %q, not %q", got, nodes, want)
		}
	}
	shared := on("a b")
	for i := range shared {
		shared[i].Target = model.Target{Name: "pvc:x", Cluster: &model.ClusterVolume{Name: "x"}}
	}
	if got := Spread(append(shared, model.Volume{})); got != "" {
		t.Errorf("%q where a worker is on no node", got)
	}
	if got := Spread(shared); got != "" {
		t.Errorf("%q of one claim", got)
	}
}

func TestUnspreadTellsWhatIsNotEven(t *testing.T) {
	for want, s := range map[string]*model.Spread{
		"": {Volumes: 3, Nodes: 3, Most: 1, Least: 1, Eligible: 3},
		"9 volumes on 3 nodes: no more nodes may run them":          {Volumes: 9, Nodes: 3, Most: 3, Least: 3, Eligible: 3, Why: "no more nodes may run them"},
		"3 volumes on 1 node of 3 that may run them: --spread soft": {Volumes: 3, Nodes: 1, Most: 3, Least: 3, Eligible: 3, Why: "--spread soft"},
		"5 volumes on 2 nodes, not evenly (1 to 4 on one)":          {Volumes: 5, Nodes: 2, Most: 4, Least: 1},
	} {
		if got := Unspread(s); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := Unspread(nil); got != "" {
		t.Errorf("%q of a single volume", got)
	}
}

func TestBackingTellsWhatIsKnownAndWhatIsNot(t *testing.T) {
	for want, b := range map[string]model.Backing{
		"Longhorn v1.8.0 · 3 replicas on node1, node2, node3 · data locality disabled": {System: "Longhorn", Version: "v1.8.0", Engine: "v1.8.0", Replicas: 3, Healthy: 3,
			Nodes: []string{"node1", "node2", "node3"}, Locality: "disabled"},
		"Longhorn v1.8.0 · engine v1.7.2 · 3 replicas on node1, node3 (2 healthy)": {System: "Longhorn", Version: "v1.8.0", Engine: "v1.7.2", Replicas: 3, Healthy: 2, Nodes: []string{"node1", "node3"}},
		"rancher.io/local-path · 1 replica on node2 · version not known (it tells none)": {System: "rancher.io/local-path", Replicas: 1, Healthy: 1, Nodes: []string{"node2"}, Locality: "node",
			Unknown: []string{"version: it tells none"}},
	} {
		if got := strings.Join(Backing(&b), " · "); got != want {
			t.Errorf("%s\nnot %s", got, want)
		}
	}
}
