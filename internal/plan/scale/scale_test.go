package scale

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

func standard(t interface{ Fatal(...any) }) profile.Profile {
	p, err := profile.Lookup("standard")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// place is a directory on a filesystem with the given free space.
func place(path, device string, room int64) Place {
	p := Place{Target: model.Target{Name: path, Kind: model.Directory, Path: path}, Found: model.ProbeResult{
		Engines: []string{"io_uring"}, Direct: true, Capacity: room, MakesFile: true, ReadBandwidth: 100 << 20, WriteBandwidth: 100 << 20}}
	p.Found.Environment.Storage = model.Storage{Device: device, Free: 2 * room}
	return p
}

// For any numbers of volumes, each has its own workload that is measured in every round; the volumes
// fit together where they are, and have the same size.
func TestEveryNumberOfVolumesIsPlanned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := model.ScaleRequest{
			Volumes:  rapid.SliceOfNDistinct(rapid.IntRange(1, 60), 1, 8, rapid.ID[int]).Draw(t, "volumes"),
			Workload: rapid.SampledFrom([]string{"rand-read-iops", "rand-write-lat", "seq-read-bw"}).Draw(t, "workload"),
			Rate:     rapid.SampledFrom([]float64{0, 100}).Draw(t, "rate"),
		}
		p, err := Profile(r, standard(t))
		if err != nil {
			t.Fatal(err)
		}
		room := rapid.Int64Range(4<<30, 400<<30).Draw(t, "room")
		var places []Place
		disks := rapid.IntRange(1, 3).Draw(t, "disks")
		used := make([]int64, disks)
		for i := range Most(r) {
			name := string(rune('a' + i%disks))
			places = append(places, place("/"+name, "sd"+name, room))
		}
		plan, err := Build(model.Experiment{Scenario: Name, Scale: &r, Seed: 7, MaxPrefill: 30}, p, places)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range plan.Volumes {
			if v.Size != plan.Volume.Size || !v.Owned {
				t.Fatalf("volume %d is %+v, the first %+v", i, v, plan.Volume)
			}
			if used[i%disks] += v.Size; used[i%disks] > room {
				t.Fatalf("%d bytes are planned where there is room for %d", used[i%disks], room)
			}
		}
		repeats := map[string]int{}
		for _, s := range plan.Steps {
			repeats[s.Workload]++
		}
		for i, w := range plan.Workloads {
			if w.Volumes != r.Volumes[i] || w.Metric.Unit() == "s" || w.RateIOPS != r.Rate || len(plan.VolumesOf(w)) != w.Volumes {
				t.Fatalf("workload %+v for %d volumes at %g", w, r.Volumes[i], r.Rate)
			}
			if repeats[w.Name] != plan.Schedule.MinRounds || plan.Schedule.MinRounds < 3 {
				t.Fatalf("%s is measured %d times in %d rounds", w.Name, repeats[w.Name], plan.Schedule.MinRounds)
			}
		}
		if plan.MeasureSeconds > plan.Schedule.MaxTime {
			t.Fatalf("%g s are planned, %g s are the bound", plan.MeasureSeconds, plan.Schedule.MaxTime)
		}
		if s := plan.Schedule; s.Look != 20 || s.Looks != 1 || s.Repeat != repeat {
			t.Fatalf("no look beside repeats of full length: %+v", s)
		}
	})
}

// The space of a server's export counts once, however many hosts mount it and wherever.
func TestOneExportOnManyHosts(t *testing.T) {
	r := model.ScaleRequest{Volumes: []int{4}, Workload: "rand-read-iops"}
	p, err := Profile(r, standard(t))
	if err != nil {
		t.Fatal(err)
	}
	var places []Place
	for _, path := range []string{"/mnt/a", "/mnt/b", "/mnt/a", "/mnt/b"} {
		at := place(path, "", 4<<30)
		at.Node = "host of " + path
		at.Found.Environment.Storage = model.Storage{Filesystem: "nfs4", DeviceChain: []string{"nfs4"}, MountFrom: "10.0.0.3:/export", Free: 8 << 30}
		places = append(places, at)
	}
	for size, fits := range map[int64]bool{1 << 30: true, 1<<30 + 1<<20: false} {
		if _, err := Build(model.Experiment{Scenario: Name, Scale: &r, Seed: 7, Size: size}, p, places); (err == nil) != fits {
			t.Errorf("four files of %d bytes in 4 GiB: %v", size, err)
		}
	}
}

// Claims created for one volume each limit each volume separately, however many of them are directories
// on one disk; together they do not use more than the disk can spare.
func TestClaimsOfOneDisk(t *testing.T) {
	for room, want := range map[int64]int64{4 << 30: 60 << 20, 17 * 32 << 20: 32 << 20} {
		at := place("/volume", "loop1", 60<<20)
		at.Target.Cluster, at.Found.Room, at.Node = &model.ClusterVolume{Class: "csi"}, room, "node1"
		if got := at.share(17).Capacity; got != want {
			t.Errorf("%d bytes for each of 17 claims of 60 MiB where there is room for %d, want %d", got, room, want)
		}
	}
}

// An existing claim is the same from each node: its files must fit together, even if no node sees a
// device, or each sees one with its own name.
func TestOneClaimFromManyNodes(t *testing.T) {
	r := model.ScaleRequest{Volumes: []int{3}, Workload: "rand-read-iops"}
	p, err := Profile(r, standard(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		device, access string
		nodes          []string
	}{
		"a network filesystem": {"", "ReadWriteMany", []string{"a", "b", "c"}},
		"a cluster filesystem": {"sdb", "ReadWriteMany", []string{"a", "b", "c"}},
		"on one node":          {"sdb", "ReadWriteOnce", []string{"a", "a", "a"}},
	} {
		var places []Place
		for _, node := range c.nodes {
			at := place("/volume", c.device, 3<<30)
			at.Node, at.Target.Cluster = node, &model.ClusterVolume{Namespace: "n", Name: "x"}
			at.Found.Environment.Cluster = &model.Cluster{Access: []string{c.access}}
			places = append(places, at)
		}
		plan, err := Build(model.Experiment{Scenario: Name, Scale: &r, Seed: 7, Size: 1 << 30}, p, places)
		if err != nil || plan.Volume.Size != 1<<30 {
			t.Errorf("%s: three files of a third each: %v, %v", name, plan.Volume.Size, err)
		}
		if _, err = Build(model.Experiment{Scenario: Name, Scale: &r, Seed: 7, Size: 1<<30 + 1<<20}, p, places); err == nil {
			t.Errorf("%s: three files of more than a third each have room", name)
		}
	}
}

// Existing targets are shared as a whole: their size is not divided, and they are overwritten only if
// they were named.
func TestExistingTargetsAreSharedWhole(t *testing.T) {
	r := model.ScaleRequest{Volumes: []int{3}, Workload: "rand-write-iops"}
	p, err := Profile(r, standard(t))
	if err != nil {
		t.Fatal(err)
	}
	disk := func(name, destroy string) Place {
		return Place{Target: model.Target{Name: name, Kind: model.BlockDevice, Path: name}, Destroy: destroy,
			Found: model.ProbeResult{Engines: []string{"io_uring"}, Direct: true, Capacity: 1 << 30}}
	}
	exp := model.Experiment{Scenario: Name, Scale: &r, Seed: 7, Size: 1 << 30}
	plan, err := Build(exp, p, []Place{disk("/dev/a", "/dev/a"), disk("/dev/b", "/dev/b"), disk("/dev/a", "/dev/a")})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Volume.Size != 1<<30 || plan.Volumes[1].DestroyDataOn != "/dev/b" {
		t.Errorf("%+v", plan.Volumes)
	}
	_, err = Build(exp, p, []Place{disk("/dev/a", "/dev/a"), disk("/dev/b", "/dev/a")})
	var refused *model.WorkerError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "/dev/b exists") {
		t.Errorf("%v", err)
	}
}
