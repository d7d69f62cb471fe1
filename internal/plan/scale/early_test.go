package scale

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// claimed is a directory in a claim of the given capacity that was created on a disk with the given
// free space.
func claimed(node, device string, claim, room int64) Place {
	p := place("/volume", device, min(claim, room))
	p.Target.Cluster, p.Found.Room, p.Node = &model.ClusterVolume{Class: "csi"}, room, node
	return p
}

func early(t interface{ Fatal(...any) }, size int64, volumes int, workload string) *Early {
	r := model.ScaleRequest{Volumes: []int{volumes}, Workload: workload}
	p, err := Profile(r, standard(t))
	if err != nil {
		t.Fatal(err)
	}
	return &Early{Experiment: model.Experiment{Scenario: Name, Scale: &r, Seed: 7, Size: size, MaxPrefill: 30}, Profile: p, Volumes: volumes}
}

// Only volumes that were created for the run, with a given size, are written before the plan is shown.
func TestWhatIsWrittenEarly(t *testing.T) {
	own := claimed("node1", "loop1", 1<<30, 8<<30)
	here := place("/mnt", "loop1", 8<<30)
	exists := own
	exists.Target.Cluster = &model.ClusterVolume{Namespace: "n", Name: "data"}
	raw := own
	raw.Target.Kind, raw.Target.Name, raw.Target.Cluster = model.BlockDevice, "sc:csi", &model.ClusterVolume{Class: "csi", Block: true}
	raw.Found.MakesFile, raw.Destroy = false, "sc:csi"
	for name, c := range map[string]struct {
		size     int64
		place    Place
		workload string
		want     bool
	}{
		"a claim of ours":                {64 << 20, own, "rand-read-iops", true},
		"without a size":                 {0, own, "rand-read-iops", false},
		"a claim that exists":            {64 << 20, exists, "rand-read-iops", false},
		"a directory":                    {64 << 20, here, "rand-read-iops", false},
		"what does not fit":              {2 << 30, own, "rand-read-iops", false},
		"a raw device of ours":           {64 << 20, raw, "rand-write-iops", true},
		"a raw device that is only read": {64 << 20, raw, "rand-read-iops", false},
	} {
		if _, ok := early(t, c.size, 1, c.workload).Request(0, &c.place); ok != c.want {
			t.Errorf("%s: %t", name, ok)
		}
	}
}

// For any number of volumes, any disks and any progress of writing: what is written early is what the
// whole plan then asks for, it leaves half of each disk free except for the first volume, and the plan
// is the same as without it.
func TestThePlanAsksForWhatWasWrittenEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int64{16 << 20, 100<<20 + 4096, 600 << 20}).Draw(t, "size")
		volumes := rapid.IntRange(1, 30).Draw(t, "volumes")
		room := rapid.Int64Range(1<<30, 10<<30).Draw(t, "room")
		claim := rapid.SampledFrom([]int64{0, 700 << 20}).Draw(t, "claim")
		e := early(t, size, volumes, "rand-read-iops")
		disks := []string{"node1 loop1", "node2 loop1", "node2 loop2"}
		written, given := map[string]int64{}, map[string]int64{}
		places, untouched := make([]Place, volumes), make([]Place, volumes)
		requests := map[int]model.PrepareRequest{}
		for i := range places {
			disk := rapid.SampledFrom(disks).Draw(t, "disk")
			at := func(room int64) Place {
				if claim == 0 {
					p := claimed(disk[:5], disk[6:], room, room)
					p.Found.Room = 0
					return p
				}
				return claimed(disk[:5], disk[6:], claim, room)
			}
			places[i], untouched[i] = at(room-written[disk]), at(room)
			if r, ok := e.Request(i, &places[i]); ok {
				requests[i] = r
				if given[disk] += size; given[disk] > room/2 && given[disk] > size {
					t.Fatalf("%d bytes are given away where there is room for %d", given[disk], room)
				}
			}
			// Only a part of it may be written when the next place is probed.
			written[disk] = rapid.Int64Range(written[disk], given[disk]).Draw(t, "written")
		}
		plan, err := Build(e.Experiment, e.Profile, places)
		want, wantErr := Build(e.Experiment, e.Profile, untouched)
		var refusal, wantRefusal *model.WorkerError
		if errors.As(err, &refusal) != errors.As(wantErr, &wantRefusal) || err == nil && cmp.Diff(plan.Volumes, want.Volumes) != "" {
			t.Fatalf("with %d written early: %v\n%s\nwithout: %v", len(requests), err, cmp.Diff(plan.Volumes, want.Volumes), wantErr)
		}
		for i, r := range requests {
			if err == nil && cmp.Diff(r, plan.PrepareRequest(i)) != "" {
				t.Fatalf("volume %d (-early +plan):\n%s", i, cmp.Diff(r, plan.PrepareRequest(i)))
			}
		}
	})
}
