package session

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// What two sides need is added up only if they are on one filesystem.
func TestTwoSidesFitTogether(t *testing.T) {
	const gib = 1 << 30
	here, proc := t.TempDir(), "/proc"
	sides := func(paths [2]string, spare int64) ([2]model.Target, [2]model.ProbeResult, [2]model.Plan) {
		var targets [2]model.Target
		var probes [2]model.ProbeResult
		var plans [2]model.Plan
		for i, path := range paths {
			targets[i] = model.Target{Name: path, Kind: model.Postgres, Path: path}
			probes[i].Capacity = spare
			plans[i] = model.Plan{Experiment: model.Experiment{App: &model.AppRequest{Name: "postgres", Scale: 200}}, Volume: model.Volume{Size: gib}}
		}
		return targets, probes, plans
	}
	// Each takes 1 GiB and 1.5 GiB for its log.
	err := (&Places{}).refuseCrowded(sides([2]string{here, here}, 4*gib))
	if e := modeltest.Refused(t, err, "takes 5 GiB together, and it can spare 4 GiB"); e != nil && e.Hint != "--scale 100 or less, or name a place on another filesystem for one of them: df -h" {
		t.Errorf("%q", e.Hint)
	}
	err = (&Places{}).refuseCrowded(sides([2]string{here, here}, 3*gib))
	if e := modeltest.Refused(t, err, "takes 5 GiB together, and it can spare 3 GiB"); e != nil && e.Hint != "name a place on another filesystem for one of them: df -h" {
		t.Errorf("%q", e.Hint)
	}
	// Where the directories are not on this machine, what was found there says whether they share their space.
	found := func(i int, storages [2]model.Storage, room int64) error {
		targets, probes, plans := sides([2]string{"", ""}, 4*gib)
		for k := range targets {
			targets[k].Name, targets[k].Cluster = "sc:x", &model.ClusterVolume{}
			probes[k].Environment.Storage, probes[k].Room = storages[k], room
			probes[k].Environment.Cluster = &model.Cluster{Node: []string{"n1", "n2"}[k*i]}
		}
		return (&Places{}).refuseCrowded(targets, probes, plans)
	}
	onDisk := model.Storage{Mount: "/volume", MountFrom: "/dev/vda1", Filesystem: "ext4"}
	pool := func(dataset string) model.Storage {
		return model.Storage{Mount: "/" + dataset, MountFrom: dataset, Filesystem: "zfs"}
	}
	modeltest.Refused(t, found(0, [2]model.Storage{onDisk, onDisk}, 0), "takes 5 GiB together, and it can spare 4 GiB")
	modeltest.Refused(t, found(0, [2]model.Storage{pool("tank/a"), pool("tank/b")}, 0), "takes 5 GiB together, and it can spare 4 GiB")
	for name, err := range map[string]error{
		"on two nodes":      found(1, [2]model.Storage{onDisk, onDisk}, 0),
		"two pools":         found(0, [2]model.Storage{pool("tank/a"), pool("rust/b")}, 0),
		"room below claims": found(0, [2]model.Storage{onDisk, onDisk}, 6*gib),
		"room for both":     (&Places{}).refuseCrowded(sides([2]string{here, here}, 5*gib)),
		"two filesystems":   (&Places{}).refuseCrowded(sides([2]string{here, proc}, 4*gib)),
		"on another host":   (&Places{Hosts: []string{"n1"}}).refuseCrowded(sides([2]string{here, here}, 4*gib)),
		"a server's own":    (&Places{}).refuseCrowded(sides([2]string{here, ""}, 4*gib)),
		"no such directory": (&Places{}).refuseCrowded(sides([2]string{here + "/none", here}, 4*gib)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
