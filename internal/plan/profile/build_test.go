package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

var directory = model.Target{Name: "/data", Kind: model.Directory, Path: "/data"}

// ample is a directory with plenty of space on storage of 1 GiB/s in each direction.
func ample() model.ProbeResult {
	return model.ProbeResult{
		Engines: []string{"io_uring", "libaio"}, Direct: true, Capacity: 900 * gib, MakesFile: true,
		ReadBandwidth: gib, WriteBandwidth: gib,
		Environment: model.Environment{Storage: model.Storage{Free: 950 * gib, LogicalBlock: 512}},
	}
}

func builtin(t *testing.T, name string, only ...string) Profile {
	t.Helper()
	p, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = Choose(p, only, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

func build(t *testing.T, exp model.Experiment, p Profile, target model.Target, probe model.ProbeResult) model.Plan {
	t.Helper()
	if exp.Seed == 0 {
		exp.Seed = 7
	}
	plan, err := Build(exp, p, target, probe)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestBuildNeedsASeed(t *testing.T) {
	if _, err := Build(model.Experiment{}, builtin(t, "quick"), directory, ample()); err == nil || !strings.Contains(err.Error(), "seed") {
		t.Errorf("got %v", err)
	}
}

func TestSizeAndItsReason(t *testing.T) {
	device := model.Target{Name: "/dev/sdx", Kind: model.BlockDevice, Path: "/dev/sdx"}
	for _, c := range []struct {
		name   string
		exp    model.Experiment
		target model.Target
		change func(*model.ProbeResult)
		only   []string
		size   int64
		reason string
	}{
		{"the rule", model.Experiment{}, directory, nil, nil, 25 * gib, "25 s × 1024 MiB/s = 25 GiB"},
		{"reading is faster", model.Experiment{}, directory, func(p *model.ProbeResult) { p.ReadBandwidth = 2 * gib }, nil,
			30 * gib, "25 s × 2048 MiB/s = 50 GiB, cut to 30 GiB: prefill limit 30 s"},
		{"own prefill limit", model.Experiment{MaxPrefill: 10}, directory, nil, nil,
			10 * gib, "25 s × 1024 MiB/s = 25 GiB, cut to 10 GiB: prefill limit 10 s"},
		{"half of what is free", model.Experiment{}, directory, func(p *model.ProbeResult) { p.Capacity = 18 * gib; p.Environment.Storage.Free = 20 * gib }, nil,
			10 * gib, "25 s × 1024 MiB/s = 25 GiB, cut to 10 GiB: half of the free space"},
		{"95 % comes first on a full disk", model.Experiment{}, directory, func(p *model.ProbeResult) { p.Capacity = 4 * gib; p.Environment.Storage.Free = 20 * gib }, nil,
			4 * gib, "25 s × 1024 MiB/s = 25 GiB, cut to 4 GiB: the filesystem is kept below 95 %"},
		{"rounded down", model.Experiment{}, directory, func(p *model.ProbeResult) { p.ReadBandwidth, p.WriteBandwidth = 10e6, 10e6 }, nil,
			238 * mib, "25 s × 9.54 MiB/s = 238 MiB"},
		{"raised to the smallest", model.Experiment{}, directory, func(p *model.ProbeResult) { p.ReadBandwidth, p.WriteBandwidth = 1000, 1000 }, nil,
			16 * mib, "25 s × 0.98 KiB/s = 0 B, raised to 16 MiB: the smallest for these workloads"},
		{"cut below the smallest", model.Experiment{}, directory,
			func(p *model.ProbeResult) {
				p.Capacity, p.Environment.Storage.Free, p.ReadBandwidth, p.WriteBandwidth = 24*mib, 24*mib, 0, 0
			}, nil,
			16 * mib, "10 GiB until a probe of the bandwidth decides, cut to 12 MiB: half of the free space, raised to 16 MiB: the smallest for these workloads"},
		{"not probed", model.Experiment{}, directory, func(p *model.ProbeResult) { p.ReadBandwidth, p.WriteBandwidth = 0, 0 }, nil,
			10 * gib, "until a probe of the bandwidth decides"},
		{"asked", model.Experiment{Size: 5*gib + 5000}, directory, nil, nil, 5*gib + 4096, "as asked by --size"},
		{"asked for more than half", model.Experiment{Size: 800 * gib}, directory, nil, nil, 800 * gib, "as asked by --size"},
		{"a device with writes", model.Experiment{DestroyDataOn: "/dev/sdx"}, device,
			func(p *model.ProbeResult) { p.MakesFile = false; p.Capacity = 8 * gib }, nil,
			8 * gib, "25 s × 1024 MiB/s = 25 GiB, cut to 8 GiB: all there is"},
		{"a device that is only read", model.Experiment{}, device,
			func(p *model.ProbeResult) { p.MakesFile = false; p.Capacity = 8*gib + 512 }, []string{"*-read-*"},
			8 * gib, "all of it: nothing is written"},
		{"a part of a device that is only read", model.Experiment{Size: gib}, device,
			func(p *model.ProbeResult) { p.MakesFile = false; p.Capacity = 8 * gib }, []string{"*-read-*"},
			gib, "as asked by --size"},
	} {
		probe := ample()
		if c.change != nil {
			c.change(&probe)
		}
		v := build(t, c.exp, builtin(t, "kbench", c.only...), c.target, probe).Volume
		if v.Size != c.size || v.SizeReason != c.reason {
			t.Errorf("%s: %d (%s), %q\nwant %d (%s), %q", c.name, v.Size, units.FormatSize(v.Size), v.SizeReason,
				c.size, units.FormatSize(c.size), c.reason)
		}
	}
}

func TestVolumeOfEachKindOfTarget(t *testing.T) {
	type want struct {
		path           string
		owned, prefill bool
	}
	for _, c := range []struct {
		name    string
		target  model.Target
		makes   bool
		destroy string
		only    []string
		want    want
	}{
		{"directory", directory, true, "", nil, want{"", true, true}},
		{"directory, only read", directory, true, "", []string{"*read*"}, want{"", true, true}},
		{"new file", model.Target{Name: "f", Kind: model.File, Path: "/data/f"}, true, "", nil, want{"/data/f", true, true}},
		{"existing file", model.Target{Name: "f", Kind: model.File, Path: "/data/f"}, false, "f", nil, want{"/data/f", false, true}},
		{"existing file, only read", model.Target{Name: "f", Kind: model.File, Path: "/data/f"}, false, "", []string{"*read*"}, want{"/data/f", false, false}},
		{"device by its path", model.Target{Name: "sdx", Kind: model.BlockDevice, Path: "/dev/sdx"}, false, "/dev/sdx", nil, want{"/dev/sdx", false, true}},
		{"nbd", model.Target{Name: "nbd://h/v", Kind: model.NBD, URI: "nbd://h/v"}, false, "nbd://h/v", nil, want{"", false, true}},
		{"rbd, only read", model.Target{Name: "rbd:p/i", Kind: model.RBD, URI: "p/i"}, false, "", []string{"*read*"}, want{"", false, false}},
		{"fake", model.Target{Name: "fake:", Kind: model.Fake, URI: ""}, false, "", nil, want{"", false, true}},
	} {
		probe := ample()
		probe.MakesFile = c.makes
		v := build(t, model.Experiment{DestroyDataOn: c.destroy}, builtin(t, "standard", c.only...), c.target, probe).Volume
		if got := (want{v.Path, v.Owned, v.Prefill}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if v.Engine != "io_uring" || !v.Direct || v.Target != c.target {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	file := model.Target{Name: "db.img", Kind: model.File, Path: "/data/db.img"}
	for _, c := range []struct {
		name    string
		exp     model.Experiment
		profile Profile
		target  model.Target
		change  func(*model.ProbeResult)
		message string
		hint    string
	}{
		{"larger than the space", model.Experiment{Size: 20 * gib}, builtin(t, "kbench"), directory,
			func(p *model.ProbeResult) { p.Capacity = 12 * gib },
			"--size 20 GiB does not fit: /data can spare 12 GiB (its filesystem is kept below 95 %)", "--size 12GiB or less"},
		{"smaller than the jobs need", model.Experiment{Size: 20 * mib}, builtin(t, "grid"), directory, nil,
			"--size 20 MiB is too small: these workloads need at least 64 MiB", "--size 64MiB or more"},
		{"smaller than sensible", model.Experiment{Size: 4096}, builtin(t, "kbench", "rand-read-lat"), directory, nil,
			"--size 4 KiB is too small: these workloads need at least 16 MiB", "--size 16MiB or more"},
		{"bytes, for want of a unit", model.Experiment{Size: 5}, builtin(t, "kbench", "rand-read-lat"), directory, nil,
			"--size 5 (bytes) is too small: these workloads need at least 16 MiB", "--size 16MiB or more"},
		{"no room at all", model.Experiment{}, builtin(t, "kbench"), directory,
			func(p *model.ProbeResult) { p.Capacity = 3 * mib },
			"the smallest sensible size for these workloads is 16 MiB, and /data can spare 3 MiB", ""},
		{"the user's data", model.Experiment{}, builtin(t, "kbench"), file,
			func(p *model.ProbeResult) { p.MakesFile = false },
			"workload rand-write-iops writes, and db.img exists: its content would be lost", "--destroy-data-on db.img"},
		{"another target's name", model.Experiment{DestroyDataOn: "/dev/sda"}, builtin(t, "kbench"), file,
			func(p *model.ProbeResult) { p.MakesFile = false },
			"workload rand-write-iops writes, and db.img exists: its content would be lost", ""},
		{"a rate that fio would round", model.Experiment{}, Profile{Name: "own", Workloads: []model.Workload{{
			Name: "rated", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, RateIOPS: 7.6, Metric: model.IOPS}}}, directory, nil,
			`workload "rated" of profile "own" is limited to 7.6 I/Os per second, but fio keeps only to a whole number from 1 to 1000000000`, "7 or 8 IOPS"},
		{"no engine", model.Experiment{}, builtin(t, "kbench"), directory,
			func(p *model.ProbeResult) { p.Engines = nil },
			"none of fio's I/O engines works on /data", "doctor"},
		{"blocks smaller than the device's", model.Experiment{}, Profile{Name: "own", Workloads: []model.Workload{{
			Name: "tiny", Access: model.Random, Direction: model.Read, BlockSize: 512, Depth: 1, Metric: model.IOPS}}}, directory,
			func(p *model.ProbeResult) { p.Environment.Storage.LogicalBlock = 4096 },
			"workload tiny has blocks of 512, but direct I/O on /data moves multiples of 4096 bytes", "multiple of 4096"},
		{"a flush that there is not", model.Experiment{}, builtin(t, "standard"), directory,
			func(p *model.ProbeResult) { p.Environment.Storage.NoFlush = true },
			"workload log-write-fdatasync waits for a flush after each write, and /data offers none", "--skip log-write-fdatasync"},
		{"no time", model.Experiment{MaxTime: 60}, builtin(t, "standard"), directory, nil,
			"3 rounds of 14 workloads take at least 1 m 18 s, more than --max-time 1 m 00 s: every repeat needs 850 ms to start and 1 s to measure",
			"use --max-time 78s or more, or measure at most 10 workloads"},
		{"hardly any time", model.Experiment{MaxTime: 2}, builtin(t, "standard"), directory, nil,
			"3 rounds of 14 workloads take at least 1 m 18 s, more than --max-time 2 s", "use --max-time 78s or more"},
		{"more repeats than a year has time for", model.Experiment{Repeat: 10000, MaxTime: 3600}, manyWorkloads(2000), directory, nil,
			"10000 rounds of 2000 workloads take at least", "use --repeat 2 --max-time 124m"},
		{"more repeats than an hour has time for", model.Experiment{Repeat: 10000, MaxTime: 36000}, manyWorkloads(2000), directory, nil,
			"10000 rounds of 2000 workloads take at least", "use --repeat 9 or less"},
		{"endless repeats", model.Experiment{Repeat: 10001}, builtin(t, "kbench"), directory, nil,
			"--repeat 10001 is more than the 10000 repeats that one measurement can have", "10000 or fewer"},
		{"endless time", model.Experiment{MaxTime: 1e9}, builtin(t, "kbench"), directory, nil,
			"--max-time is longer than a year, the longest time that Loadline takes", "ask for 8760h or less"},
		{"fixed and steady", model.Experiment{Time: 20, UntilSteady: true}, builtin(t, "kbench"), directory, nil,
			"--time and --until-steady contradict each other", ""},
		{"a fixed time beyond the limit", model.Experiment{Time: 20, MaxTime: 60}, builtin(t, "kbench"), directory, nil,
			"--time 20 s makes one repeat per workload, which takes 5 m 00 s for 12 workloads with ramps: more than --max-time 1 m 00 s", "leave out --max-time"},
		{"a time of less than a sample", model.Experiment{Time: 0.001}, builtin(t, "kbench"), directory, nil,
			"--time 1.00 ms is shorter than the one second that a sample takes", "write --time 1s or more"},
		{"steady in less than a sample", model.Experiment{MaxTime: 0.5, UntilSteady: true}, builtin(t, "kbench"), directory, nil,
			"--max-time 500 ms is shorter than the one second that a sample takes", "write --max-time 1s or more"},
		{"a precision of everything", model.Experiment{Precision: 5}, builtin(t, "kbench"), directory, nil,
			"--precision 500 % is not a valid precision", ""},
		{"negative time", model.Experiment{MaxTime: -1}, builtin(t, "kbench"), directory, nil,
			"--max-time must be a positive figure", ""},
		{"a name twice", model.Experiment{}, Profile{Name: "own", Workloads: append(kbenchWorkloads(), kbenchWorkloads()[0])}, directory, nil,
			`profile "own" has two workloads named "rand-read-iops"`, ""},
		{"nothing to do", model.Experiment{}, Profile{Name: "own"}, directory, nil, `profile "own" has no workloads`, ""},
	} {
		probe := ample()
		if c.change != nil {
			c.change(&probe)
		}
		c.exp.Seed = 1
		_, err := Build(c.exp, c.profile, c.target, probe)
		e := modeltest.Refused(t, err)
		if !strings.HasPrefix(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s:\n%s\n%s\nwant %s … %s", c.name, e.Message, e.Hint, c.message, c.hint)
		}
	}
}

// manyWorkloads is a profile of n workloads.
func manyWorkloads(n int) Profile {
	p := Profile{Name: "many"}
	for i := range n {
		p.Workloads = append(p.Workloads, model.Workload{Name: fmt.Sprintf("w%d", i), Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.IOPS})
	}
	return p
}

func TestOffsetsOfJobsFitTheVolume(t *testing.T) {
	p := builtin(t, "dbench")
	for size, want := range map[int64]int64{64 * mib: 16 * mib, gib: 256 * mib, 2 * gib: 500 * mib, 10 * gib: 500 * mib} {
		plan := build(t, model.Experiment{Size: size}, p, directory, ample())
		w, _ := plan.Workload("read_seq")
		if w.OffsetIncrement != want {
			t.Errorf("size %s: jobs begin %s apart, want %s", units.FormatSize(size), units.FormatSize(w.OffsetIncrement), units.FormatSize(want))
		}
	}
	if w := p.Workloads[6]; w.OffsetIncrement != 500*mib {
		t.Errorf("building changed the profile: %d", w.OffsetIncrement)
	}
}

func TestPrefillIsEstimatedAsWellAsItIsKnown(t *testing.T) {
	p := builtin(t, "kbench")
	for _, c := range []struct {
		exp         model.Experiment
		read, write float64
		want        float64
	}{
		{model.Experiment{}, gib, gib, 25},
		{model.Experiment{Size: 10 * gib}, gib, gib / 2, 20},
		{model.Experiment{}, 0, 0, 30},
		{model.Experiment{MaxPrefill: 12}, 0, 0, 12},
		{model.Experiment{Size: 10 * gib}, 0, 0, 0},
		{model.Experiment{Profile: "small"}, 0, 0, 1.6},
	} {
		probe := ample()
		if c.exp.Profile == "small" {
			probe.Capacity, probe.Environment.Storage.Free = 24*mib, 24*mib
		}
		probe.ReadBandwidth, probe.WriteBandwidth = c.read, c.write
		if got := build(t, c.exp, p, directory, probe).PrefillSeconds; got != c.want {
			t.Errorf("%+v: %g s, want %g", c, got, c.want)
		}
	}
}

// Kbench, dbench and the profile grid use libaio; a profile without an engine uses the best that works.
func TestTheProfilesEngineIsTaken(t *testing.T) {
	probe := model.ProbeResult{Capacity: 1 << 40, MakesFile: true, Direct: true, Engines: []string{"io_uring", "libaio", "psync"}}
	dir := model.Target{Name: "/d", Kind: model.Directory, Path: "/d"}
	for name, want := range map[string]string{"kbench": "libaio", "dbench": "libaio", "grid": "libaio", "quick": "io_uring", "standard": "io_uring"} {
		plan, err := Build(model.Experiment{Seed: 1}, builtin(t, name), dir, probe)
		if err != nil || plan.Volume.Engine != want {
			t.Errorf("%s: engine %q, %v; want %s", name, plan.Volume.Engine, err, want)
		}
	}
	probe.Engines = []string{"psync"}
	if _, err := Build(model.Experiment{Seed: 1}, builtin(t, "kbench"), dir, probe); err == nil || !strings.Contains(err.Error(), "libaio") {
		t.Errorf("kbench without libaio: %v", err)
	}
	image := model.Target{Name: "nbd://h/e", Kind: model.NBD, URI: "nbd://h/e"}
	probe.Engines, probe.MakesFile = []string{"nbd"}, false
	plan, err := Build(model.Experiment{Seed: 1, DestroyDataOn: "nbd://h/e"}, builtin(t, "kbench"), image, probe)
	if err != nil || plan.Volume.Engine != "nbd" {
		t.Errorf("kbench over NBD: engine %q, %v", plan.Volume.Engine, err)
	}
}
