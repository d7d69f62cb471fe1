package procfs

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/loadline/loadline/internal/model/iotrace"
)

func TestCountersAreReadInTheirUnits(t *testing.T) {
	files := fstest.MapFS{"sys/block/sda/stat": {Data: []byte("10 1 80 20 30 3 240 60 2 500 900 4 0 32 8 16 40\n")}}
	got, err := BlockCounters(files, "sda")
	want := iotrace.Counters{Reads: 10, ReadMerges: 1, ReadBytes: 80 * 512, ReadSeconds: .02, Writes: 30, WriteMerges: 3, WrittenBytes: 240 * 512, WriteSeconds: .06,
		BusySeconds: .5, WeightedSeconds: .9, Discards: 4, DiscardBytes: 32 * 512, Flushes: 16, FlushSeconds: .04}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if d, ok := CountedSince(got, got); !ok || d != (iotrace.Counters{}) {
		t.Errorf("nothing in no time is %+v, %v", d, ok)
	}
	if d, ok := CountedSince(got, iotrace.Counters{Reads: 50}); ok {
		t.Errorf("of another device of that name %+v was counted", d)
	}
	// The times are 32-bit milliseconds, and begin anew.
	late, early := got, got
	late.ReadSeconds, late.WeightedSeconds = 4294967, 4294967.2
	early.ReadSeconds, early.WeightedSeconds = 0.2, 1
	if d, ok := CountedSince(late, early); !ok || math.Abs(d.ReadSeconds-0.496) > 1e-6 || math.Abs(d.WeightedSeconds-1.096) > 1e-6 || d.WriteSeconds != 0 {
		t.Errorf("%+v, %v", d, ok)
	}
	// Before 4.18 the kernel wrote 11 numbers.
	if old, err := ParseBlockCounters("10 1 80 20 30 3 240 60 2 500 900"); err != nil || old.Writes != 30 || old.Flushes != 0 {
		t.Errorf("%+v, %v", old, err)
	}
	for _, text := range []string{"", "1 2 3", "a b c d e f g h i j k", "1 2 3 4 5 6 x 8 9 10 11"} {
		if _, err := ParseBlockCounters(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestPartitionsAndSwitchedOffAccounting(t *testing.T) {
	files := fstest.MapFS{
		"sys/class/block/sda1/stat":            {Data: []byte("1 0 8 0 0 0 0 0 0 0 0\n")},
		"sys/block/sdb/queue/iostats":          {Data: []byte("0\n")},
		"sys/class/block/sdc/queue/iostats":    {Data: []byte("0\n")},
		"sys/class/block/sdd/queue/iostats":    {Data: []byte("1\n")},
		"sys/class/block/sda/queue/rotational": {Data: []byte("0\n")},
	}
	if c, err := BlockCounters(files, "sda1"); err != nil || c.ReadBytes != 4096 {
		t.Errorf("%+v, %v", c, err)
	}
	for name, want := range map[string]bool{"sda": true, "sda1": true, "sdb": false, "sdc": false, "sdd": true} {
		if got := Accounts(files, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCgroupsOfBothVersions(t *testing.T) {
	paths := Cgroups("4:cpu,cpuacct:/a/b\n2:memory:/m:x\nnothing\n0::/user.slice/with space \n")
	for controller, want := range map[string]string{"cpu": "/a/b", "cpuacct": "/a/b", "memory": "/m:x", "": "/user.slice/with space ", "blkio": ""} {
		if paths[controller] != want {
			t.Errorf("%q: %q", controller, paths[controller])
		}
	}
}
