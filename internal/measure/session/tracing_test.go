package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// One tracer on each node, with each device of its volumes once and the pods by their cgroups.
func TestTracersOfVolumes(t *testing.T) {
	volume := func(node, pod string, cgroup uint64, device, log string) standing {
		p := &placed{target: model.Target{Name: "sc:x"}, cluster: &model.Cluster{Node: node, Namespace: "n", Pod: pod}}
		found := &model.ProbeResult{Cgroup: cgroup, Environment: model.Environment{Storage: model.Storage{Device: device}}}
		if log != "" {
			found.Environment.LogStorage = &model.Storage{Device: log}
		}
		return p.stands(found)
	}
	var said []string
	say := func(words string) { said = append(said, words) }
	p := &Prepared{stands: []standing{volume("b", "v1", 11, "sdb", ""), volume("a", "v2", 11, "sdc", "sda"), volume("b", "v3", 12, "sdb", ""), volume("b", "v4", 0, "", "")}}
	list, namespaces, err := p.tracers(say)
	if err != nil || len(list) != 2 || len(said) != 1 || !strings.Contains(said[0], "stands on no block device") {
		t.Fatalf("%v, %d tracers, %q", err, len(list), said)
	}
	for i, want := range []struct {
		node    string
		devices []string
		cgroups map[uint64]string
	}{{"a", []string{"sda", "sdc"}, map[uint64]string{11: "pod n/v2"}}, {"b", []string{"sdb"}, map[uint64]string{11: "pod n/v1", 12: "pod n/v3"}}} {
		got := list[i]
		if got.Node != want.node || namespaces[i] != "n" || !cmp.Equal(got.Devices, want.devices) || !cmp.Equal(got.Cgroups, want.cgroups) {
			t.Errorf("%s in %s: %v, %v", got.Node, namespaces[i], got.Devices, got.Cgroups)
		}
	}
	_, _, err = (&Prepared{stands: []standing{volume("a", "v1", 1, "", "")}}).tracers(say)
	modeltest.Refused(t, err, "what is measured stands on none of them")
}
