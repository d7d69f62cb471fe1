package sweep

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	long := make([]int, 400)
	for i := range long {
		long[i] = i + 1
	}
	cases := map[string]struct {
		change func(*model.SweepRequest)
		says   string
	}{
		"no depths":       {func(r *model.SweepRequest) { r.Depths = nil }, "--depth is empty"},
		"no block sizes":  {func(r *model.SweepRequest) { r.BlockSizes = nil }, "--bs is empty"},
		"no jobs":         {func(r *model.SweepRequest) { r.Jobs = nil }, "--jobs is empty"},
		"depth 0":         {func(r *model.SweepRequest) { r.Depths = []int{4, 0} }, "--depth contains 0"},
		"negative jobs":   {func(r *model.SweepRequest) { r.Jobs = []int{-1} }, "--jobs contains -1"},
		"a depth twice":   {func(r *model.SweepRequest) { r.Depths = []int{1, 2, 1} }, "--depth contains 1 twice"},
		"a size twice":    {func(r *model.SweepRequest) { r.BlockSizes = []int64{512, 512} }, "--bs contains 512 twice"},
		"too many cells":  {func(r *model.SweepRequest) { r.Depths = long }, "1600 cells"},
		"unknown pattern": {func(r *model.SweepRequest) { r.Pattern = "randraed" }, `did you mean "randread"?`},
		"load and depth": {func(r *model.SweepRequest) { *r = LoadDefaults(); r.Depths = []int{1} },
			"--load offers I/Os at a rate"},
		"load and sizes": {func(r *model.SweepRequest) { *r = LoadDefaults(); r.BlockSizes = []int64{512, 4096} }, "one curve"},
		"load and a mix": {func(r *model.SweepRequest) { *r = LoadDefaults(); r.Pattern = "randrw" }, "one direction"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := GridDefaults()
			c.change(&r)
			_, err := Profile(r)
			modeltest.Refused(t, err, c.says)
		})
	}
}

// target and probe describe a directory with plenty of space.
var (
	target = model.Target{Name: "/srv", Kind: model.Directory, Path: "/srv"}
	probe  = model.ProbeResult{Engines: []string{"io_uring"}, Direct: true, Capacity: 100 << 30, MakesFile: true,
		ReadBandwidth: 100 << 20, WriteBandwidth: 100 << 20}
)

func plan(t interface{ Fatal(...any) }, r model.SweepRequest) model.Plan {
	p, err := Profile(r)
	if err != nil {
		t.Fatal(err)
	}
	to := target
	if r.Load {
		to = model.Target{Name: "fake:", Kind: model.Fake}
	}
	pl, err := Build(model.Experiment{Scenario: Name, Sweep: &r, Seed: 7, MaxPrefill: 30}, p, to, probe)
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

// For any grid, every cell occurs once under its own name, is measured in every round, and the plan
// keeps to its time limit.
func TestEveryCellOfAGridIsPlanned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := model.SweepRequest{
			Pattern:    rapid.SampledFrom(Patterns).Draw(t, "pattern"),
			Depths:     rapid.SliceOfNDistinct(rapid.IntRange(1, 256), 1, 6, rapid.ID[int]).Draw(t, "depths"),
			BlockSizes: rapid.SliceOfNDistinct(rapid.SampledFrom([]int64{4096, 8192, 65536, 1 << 20}), 1, 4, rapid.ID[int64]).Draw(t, "sizes"),
			Jobs:       rapid.SliceOfNDistinct(rapid.IntRange(1, 8), 1, 3, rapid.ID[int]).Draw(t, "jobs"),
		}
		pl := plan(t, r)
		cells := len(r.Depths) * len(r.BlockSizes) * len(r.Jobs)
		if len(pl.Workloads) != cells {
			t.Fatalf("%d workloads for %d cells", len(pl.Workloads), cells)
		}
		repeats := map[string]int{}
		for _, s := range pl.Steps {
			repeats[s.Workload]++
		}
		for _, w := range pl.Workloads {
			if repeats[w.Name] != pl.Schedule.MinRounds || pl.Schedule.MinRounds < 3 {
				t.Fatalf("%s is measured %d times in %d rounds", w.Name, repeats[w.Name], pl.Schedule.MinRounds)
			}
			if w.OffsetIncrement > pl.Volume.Size/int64(w.JobCount()) {
				t.Fatalf("the jobs of %s begin %d bytes apart on %d", w.Name, w.OffsetIncrement, pl.Volume.Size)
			}
		}
		if pl.MeasureSeconds > pl.Schedule.MaxTime {
			t.Fatalf("%g s are planned, %g s are the bound", pl.MeasureSeconds, pl.Schedule.MaxTime)
		}
		looks := 1
		if r.Pattern == "randrw" {
			looks = 2
		}
		if s := pl.Schedule; s.Look != 20 || s.Looks != looks || s.Repeat != gridRepeat {
			t.Fatalf("%s has no look for each direction beside repeats of full length: %+v", r.Pattern, s)
		}
	})
}

func TestALoadSweepBeginsWithItsCapacity(t *testing.T) {
	pl := plan(t, LoadDefaults())
	repeats := map[string]int{}
	for i, s := range pl.Steps {
		repeats[s.Workload]++
		if s.Number != i+1 {
			t.Errorf("step %d has number %d", i+1, s.Number)
		}
		if i < 2 && s.Workload != model.CapacityWorkload {
			t.Errorf("step %d is of %s, before the capacity is known", i+1, s.Workload)
		}
	}
	sum := 0.0
	for _, w := range pl.Workloads {
		want := pl.Schedule.MinRounds
		if w.Name == model.CapacityWorkload {
			want++
		} else if !w.OpenLoop || w.OfCapacity <= 0 || w.OfCapacity >= 1 {
			t.Errorf("%s is not an open loop below the capacity: %+v", w.Name, w)
		}
		if repeats[w.Name] != want {
			t.Errorf("%s is measured %d times, want %d", w.Name, repeats[w.Name], want)
		}
		sum += w.OfCapacity
	}
	if second := pl.Steps[1]; !second.Look || second.Seconds != 20 || pl.Schedule.Look != 20 || pl.Schedule.Looks != 0 || pl.Steps[0].Look {
		t.Errorf("the rates follow from %+v, and not from a look: %+v", pl.Steps[:2], pl.Schedule)
	}
	if math.Abs(sum-4.25) > 1e-9 {
		t.Errorf("the shares of the capacity add up to %g", sum)
	}
	if pl.MeasureSeconds > pl.Schedule.MaxTime {
		t.Errorf("%g s are planned, %g s are the bound", pl.MeasureSeconds, pl.Schedule.MaxTime)
	}
}

func TestALoadThatCannotBeOfferedIsRefused(t *testing.T) {
	r := LoadDefaults()
	p, err := Profile(r)
	if err != nil {
		t.Fatal(err)
	}
	ceph := model.Target{Name: "rbd:pool/image", Kind: model.RBD}
	if _, err = Build(model.Experiment{Sweep: &r, Seed: 7}, p, ceph, probe); err == nil || !strings.Contains(err.Error(), "rbd:pool/image") {
		t.Errorf("got %v", err)
	}
}

func TestABoundThatIsTooShortIsRefused(t *testing.T) {
	r := GridDefaults()
	p, err := Profile(r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Build(model.Experiment{Sweep: &r, Seed: 7, MaxTime: 20}, p, target, probe)
	if err == nil || !strings.Contains(err.Error(), "28 workloads take at least") {
		t.Errorf("got %v", err)
	}
}
