package profile

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

var otherDirectory = model.Target{Name: "/other", Kind: model.Directory, Path: "/other"}

func pairOf(t *testing.T, exp model.Experiment, p Profile, probes ...model.ProbeResult) [2]model.Plan {
	t.Helper()
	plans, err := Pair([2]model.Experiment{exp, exp}, p, [2]model.Target{directory, otherDirectory}, [2]model.ProbeResult{probes[0], probes[1]})
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func TestBothSidesArePreparedAlike(t *testing.T) {
	small := ample()
	small.Capacity, small.Engines = 3*gib, []string{"libaio", "psync"}
	plans := pairOf(t, model.Experiment{Seed: 7}, builtin(t, "standard"), ample(), small)
	a, b := plans[0], plans[1]
	if a.Volume.Size != b.Volume.Size || a.Volume.Size > 3*gib || !strings.Contains(a.Volume.SizeReason, "/other") {
		t.Errorf("sizes %d (%s) and %d (%s)", a.Volume.Size, a.Volume.SizeReason, b.Volume.Size, b.Volume.SizeReason)
	}
	if a.Volume.Engine != "libaio" || b.Volume.Engine != "libaio" {
		t.Errorf("engines %s and %s, though both have libaio", a.Volume.Engine, b.Volume.Engine)
	}
	if diff := cmp.Diff(a.Workloads, b.Workloads); diff != "" {
		t.Errorf("workloads differ:\n%s", diff)
	}
	if diff := cmp.Diff(a.Schedule, b.Schedule); diff != "" {
		t.Errorf("schedules differ:\n%s", diff)
	}
	small.Engines = []string{"nbd"}
	plans = pairOf(t, model.Experiment{Seed: 7}, builtin(t, "standard"), ample(), small)
	if plans[0].Volume.Engine != "io_uring" || plans[1].Volume.Engine != "nbd" {
		t.Errorf("engines %s and %s, though the sides have none in common", plans[0].Volume.Engine, plans[1].Volume.Engine)
	}
}

// A block is one repeat of the same step on each side, one right after the other, and of every two
// blocks one begins with A.
func TestBlocksAreBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := model.Plan{Schedule: model.Schedule{Seed: rapid.Uint64Min(1).Draw(t, "seed"), Repeat: 3}}
		for _, name := range []string{"a", "b", "c"} {
			p.Workloads = append(p.Workloads, model.Workload{Name: name, Access: model.Sequential})
		}
		first := map[string][]int{}
		for round := 1; round <= 8; round++ {
			repeats := SideSteps(&p, round, p.Workloads)
			if len(repeats) != 6 {
				t.Fatalf("%d repeats", len(repeats))
			}
			for i := 0; i < 6; i += 2 {
				x, y := repeats[i], repeats[i+1]
				if x.Side+y.Side != 1 || x.Step.Place != 1 || y.Step.Place != 2 || x.Step.Block != round {
					t.Fatalf("block %+v %+v", x, y)
				}
				y.Step.Place = 1
				if diff := cmp.Diff(x.Step, y.Step); diff != "" {
					t.Fatalf("the sides do not do the same:\n%s", diff)
				}
				first[x.Step.Workload] = append(first[x.Step.Workload], x.Side)
			}
			if diff := cmp.Diff(repeats, SideSteps(&p, round, p.Workloads)); diff != "" {
				t.Fatalf("a plan cannot be repeated:\n%s", diff)
			}
		}
		for name, sides := range first {
			for i := 0; i < len(sides); i += 2 {
				if sides[i]+sides[i+1] != 1 {
					t.Fatalf("%s: first sides %v", name, sides)
				}
			}
		}
	})
}

func TestEitherSideMayBegin(t *testing.T) {
	begun := [2]int{}
	for seed := uint64(1); seed <= 200; seed++ {
		begun[firstSide(seed, "a", 1)]++
	}
	if begun[0] < 70 || begun[1] < 70 {
		t.Errorf("A began %d and B %d of 200 comparisons", begun[0], begun[1])
	}
}

func TestTheTimeOfAComparison(t *testing.T) {
	repeats := func(exp model.Experiment, name string) (model.Schedule, int) {
		exp.Seed = 7
		plans := pairOf(t, exp, builtin(t, name), ample(), ample())
		for i, s := range plans[0].Steps {
			if s.Number != i+1 {
				t.Errorf("step %d has number %d", i+1, s.Number)
			}
		}
		return plans[0].Schedule, len(plans[0].Steps) + len(plans[1].Steps)
	}
	alone := build(t, model.Experiment{}, builtin(t, "quick"), directory, ample()).Schedule
	s, n := repeats(model.Experiment{}, "quick")
	if s.Repeat != alone.Repeat || s.MinRounds != 4 || n != 48 || s.MaxTime < 2*alone.MaxTime || s.Look != alone.Look || s.Looks != alone.Looks {
		t.Errorf("quick: %+v, %d repeats; alone %+v", s, n, alone)
	}
	plans := pairOf(t, model.Experiment{Seed: 7}, builtin(t, "quick"), ample(), ample())
	if took, want := plans[0].MeasureSeconds+plans[1].MeasureSeconds, 48*slot(s)+2*(20-2)+2*(10-2); math.Abs(took-want) > 1e-9 || took > s.MaxTime {
		t.Errorf("measuring is said to take %g s of %g s, want %g s with two looks at each side, a short one at writes", took, s.MaxTime, want)
	}
	if s, _ = repeats(model.Experiment{MaxTime: 140}, "quick"); s.Looks != 0 || s.Repeat != 2 {
		t.Errorf("looks at the cost of repeats of 2 s: %+v", s)
	}
	if s, n = repeats(model.Experiment{Repeat: 10, MaxTime: 400}, "quick"); s.MinRounds != 10 || n != 120 || float64(n)*slot(s) > 400 {
		t.Errorf("ten blocks in 400 s: %+v, %d repeats", s, n)
	}
}

func TestWhatAComparisonCannotDo(t *testing.T) {
	for want, exp := range map[string]model.Experiment{
		"do not go with a comparison": {Time: 20},
		"short blocks":                {UntilSteady: true},
		"on both sides":               {MaxTime: 20},
		"not enough":                  {Repeat: 1},
	} {
		exp.Seed = 7
		_, err := Pair([2]model.Experiment{exp, exp}, builtin(t, "standard"), [2]model.Target{directory, otherDirectory}, [2]model.ProbeResult{ample(), ample()})
		modeltest.Refused(t, err, want)
	}
}

func TestRepeatAsksForMoreRounds(t *testing.T) {
	p := build(t, model.Experiment{Repeat: 7}, builtin(t, "kbench"), directory, ample())
	if n := len(slices.DeleteFunc(slices.Clone(p.Steps), func(s model.Step) bool { return s.Workload != "rand-read-iops" })); n != 7 {
		t.Errorf("%d repeats, want 7", n)
	}
}

// The files of two places on one filesystem are there at the same time: each side may have half of its space.
func TestSidesThatShareAFilesystem(t *testing.T) {
	on := func(filesystem, source, mount string) model.ProbeResult {
		probe := ample()
		probe.MakesFile, probe.Capacity = true, 9*gib
		s := &probe.Environment.Storage
		s.Filesystem, s.DeviceChain, s.MountFrom, s.Mount, s.Free = filesystem, []string{filesystem}, source, mount, 10*gib
		return probe
	}
	for name, c := range map[string]struct {
		a, b   model.ProbeResult
		shared bool
	}{
		"one mount":               {on("ext4", "/dev/sda1", "/"), on("ext4", "/dev/sda1", "/"), true},
		"a bind mount":            {on("ext4", "/dev/sda1", "/"), on("ext4", "/dev/sda1", "/srv"), true},
		"two partitions":          {on("ext4", "/dev/sda1", "/"), on("ext4", "/dev/sda2", "/srv"), false},
		"subvolumes of a btrfs":   {on("btrfs", "/dev/sda", "/a"), on("btrfs", "/dev/sda", "/b"), true},
		"datasets of a pool":      {on("zfs", "tank/a", "/a"), on("zfs", "tank/b", "/b"), true},
		"two pools":               {on("zfs", "tank/a", "/a"), on("zfs", "pond/b", "/b"), false},
		"one export":              {on("nfs4", "nas:/x", "/a"), on("nfs4", "nas:/x", "/b"), true},
		"two exports":             {on("nfs4", "nas:/x", "/a"), on("nfs4", "nas:/y", "/b"), false},
		"two filesystems in RAM":  {on("tmpfs", "tmpfs", "/a"), on("tmpfs", "tmpfs", "/b"), false},
		"one filesystem in RAM":   {on("tmpfs", "tmpfs", "/a"), on("tmpfs", "tmpfs", "/a"), true},
		"nothing known of either": {on("", "", ""), on("", "", ""), false},
	} {
		exp := model.Experiment{Size: 6 * gib, Seed: 1}
		_, err := Pair([2]model.Experiment{exp, exp}, builtin(t, "standard"), [2]model.Target{directory, otherDirectory}, [2]model.ProbeResult{c.a, c.b})
		if c.shared {
			modeltest.Refused(t, err, "--size 6 GiB does not fit", "both sides are on one filesystem, so each may have half", "--size 4608MiB or less")
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	elsewhere := on("ext4", "/dev/sda1", "/")
	elsewhere.Environment.Hostname = "another machine"
	if SharedSpace(elsewhere) == SharedSpace(on("ext4", "/dev/sda1", "/")) {
		t.Error("two machines share a filesystem")
	}
}

// A scale that is chosen by the memory is the smaller one on both sides of a comparison.
func TestTwoApplicationsHaveOneScale(t *testing.T) {
	p := Profile{Name: "own", Repeat: 10, Ramp: 2,
		Workloads: []model.Workload{{Name: "tpcb-c1", Access: model.Random, Direction: model.Write, BlockSize: 8192, Depth: 1, Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench", Threads: 1}}},
		Data: &Data{Seconds: func(model.Volume) float64 { return 1 }, Choose: func(ask *model.AppRequest, _ []model.Workload, t model.Target, probe model.ProbeResult) (model.Volume, error) {
			if ask.Scale == 0 {
				ask.Scale = int(probe.Environment.Memory >> 30)
			}
			return model.Volume{Target: t, Size: int64(ask.Scale) << 20}, nil
		}}}
	for _, memories := range [][2]int64{{8, 2}, {2, 8}, {2, 2}} {
		var probes [2]model.ProbeResult
		for i := range probes {
			probes[i] = ample()
			probes[i].Environment.Memory = memories[i] << 30
		}
		exp := model.Experiment{Seed: 1, Precision: 0.05, MaxTime: 300, Margin: 0.05, App: &model.AppRequest{Name: "postgres", Fit: "disk"}}
		plans, err := Pair([2]model.Experiment{exp, exp}, p, [2]model.Target{directory, otherDirectory}, probes)
		if err != nil {
			t.Fatal(err)
		}
		for i, plan := range plans {
			if app := plan.Experiment.App; app.Scale != 2 || app.Fit != "disk" || plan.Volume.Size != 2<<20 {
				t.Errorf("%v GiB: side %d has %+v and %d bytes", memories, i, app, plan.Volume.Size)
			}
		}
		if exp.App.Scale != 0 {
			t.Error("the request has changed")
		}
	}
}

// A refusal that is not about space does not speak of it.
func TestOnlyARefusalOfSpaceSaysThatItIsShared(t *testing.T) {
	probe := ample()
	probe.MakesFile = true
	s := &probe.Environment.Storage
	s.Filesystem, s.MountFrom, s.Mount = "ext4", "/dev/sda1", "/"
	exp := model.Experiment{MaxTime: 5, Seed: 1}
	_, err := Pair([2]model.Experiment{exp, exp}, builtin(t, "standard"), [2]model.Target{directory, otherDirectory}, [2]model.ProbeResult{probe, probe})
	if err == nil || !strings.Contains(err.Error(), "more than --max-time 5 s") || strings.Contains(err.Error(), "one filesystem") {
		t.Errorf("%v", err)
	}
}
