package trace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// machine looks like the "/" of a machine with a disk, its partition, and a stacked device.
func machine() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"sys/block/sda/dev":              file("8:0\n"),
		"sys/block/sda/mq/0/nr_tags":     file("64\n"),
		"sys/block/sda/queue/iostats":    file("1\n"),
		"sys/block/sda/sda2/dev":         file("8:2\n"),
		"sys/block/sda/stat":             file("  10 1 80 20 30 3 240 60 2 500 900 4 0 32 8 16 40\n"),
		"sys/block/dm-0/dev":             file("254:0\n"),
		"sys/block/dm-0/queue/iostats":   file("0\n"),
		"sys/block/dm-0/stat":            file("1 2 3\n"),
		"sys/block/broken/queue/iostats": file("1\n"),
	}
}

func TestDevicesOfAMachine(t *testing.T) {
	list, err := devices(machine())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	dm, sda := list[0], list[1]
	if !dm.stacked || dm.counts || sda.stacked || !sda.counts || sda.numberText() != "8:0" || sda.number() != 8<<20 {
		t.Errorf("%+v %+v", dm, sda)
	}
	for number, want := range map[string]string{"8:0": "sda", "8:2": "sda", "254:0": "dm-0", "8:3": ""} {
		if got, err := wholeOf(machine(), number); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is of %q, %v; want %q", number, got, err, want)
		}
	}
	if _, err := devices(fstest.MapFS{}); err == nil {
		t.Error("a machine without /sys has devices")
	}
}

// The directory of a disk's partition is counted by the partition: what is on the others is not behind it.
func TestAPartitionIsCountedByItself(t *testing.T) {
	defer func(was fs.FS) { root = was }(root)
	files := machine()
	files["sys/class/block/sda2/stat"] = &fstest.MapFile{Data: []byte("7 0 56 7 5 0 40 5 0 1 1 0 0 0 0 0 0\n")}
	root = files
	for number, want := range map[string]string{"8:0": "sda", "8:2": "sda2", "254:0": "dm-0", "8:3": ""} {
		if got, err := holding(files, number); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", number, got, err, want)
		}
	}
	c, err := newCounterTracer(iotrace.Request{Devices: []string{"sda2"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.begin(); err != nil {
		t.Fatal(err)
	}
	files["sys/class/block/sda2/stat"] = &fstest.MapFile{Data: []byte("9 0 72 7 10 0 80 5 0 1 1 0 0 0 0 0 0\n")}
	samples, err := c.second()
	if err != nil || len(samples) != 2 || samples[0].Device != "sda2" || samples[0].Flow.IOs != 2 || samples[1].Flow.IOs != 5 {
		t.Errorf("%+v, %v", samples, err)
	}
	// Counters that fall are another device's: what they become later is not for the whole record.
	for _, reads := range []string{"1", "50"} {
		files["sys/class/block/sda2/stat"] = &fstest.MapFile{Data: []byte(reads + " 0 72 7 10 0 80 5 0 1 1 0 0 0 0 0 0\n")}
		if _, err := c.second(); err != nil {
			t.Error(err)
		}
	}
	if list, err := c.finish(); err != nil || len(list) != 1 || list[0].Counters != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if all, err := newCounterTracer(iotrace.Request{}); err != nil || len(all.(*counterTracer).list) != 1 {
		t.Errorf("without a request %+v are counted, %v", all, err)
	}
}

// A device whose counting is switched off, or that another one with its name has replaced, has not counted everything.
func TestCountingThatStopsIsNotForTheWholeTrace(t *testing.T) {
	defer func(was fs.FS) { root = was }(root)
	for name, stop := range map[string]func(fstest.MapFS){
		"":             func(fstest.MapFS) {},
		"switched off": func(m fstest.MapFS) { m["sys/block/sda/queue/iostats"] = &fstest.MapFile{Data: []byte("0\n")} },
		"replaced":     func(m fstest.MapFS) { m["sys/block/sda/diskseq"] = &fstest.MapFile{Data: []byte("8\n")} },
	} {
		files := machine()
		files["sys/block/sda/diskseq"] = &fstest.MapFile{Data: []byte("7\n")}
		root = files
		c, err := newCounterTracer(iotrace.Request{Devices: []string{"sda"}})
		if err != nil {
			t.Fatal(err)
		}
		d, err := readDevice(files, "sda")
		if err != nil || !d.counts {
			t.Fatalf("%+v, %v", d, err)
		}
		if err := c.begin(); err != nil {
			t.Fatal(err)
		}
		stop(files)
		if _, err := c.second(); err != nil {
			t.Fatal(err)
		}
		list, err := c.finish()
		if still := name == ""; err != nil || len(list) != 1 || (list[0].Counters != nil) != still || d.stillCounts(files) != still {
			t.Errorf("%q: %+v, %v, still counts: %v", name, list, err, d.stillCounts(files))
		}
	}
}

func TestUnseenIsOfAllThatTheDeviceCounted(t *testing.T) {
	own := iotrace.Counters{Reads: 100, Writes: 80, Discards: 10, Flushes: 10}
	seen := map[iotrace.Operation]iotrace.Counts{iotrace.Read: {Done: 99}, iotrace.Write: {Done: 70}, iotrace.FlushWait: {Done: 10},
		iotrace.Discard: {Done: 10}, iotrace.Flush: {Done: 10}, iotrace.Other: {Done: 1000}}
	if got := unseenShare(own, seen); got == nil || *got != 1./200 {
		t.Errorf("%v, want 0.005", got)
	}
	if got := unseenShare(iotrace.Counters{}, seen); got != nil {
		t.Errorf("of a device that counted nothing %v is unseen", *got)
	}
}

func TestCountedSamplesSayOnlyWhatCountersKnow(t *testing.T) {
	got := countedSamples("sda", iotrace.Counters{Reads: 4, ReadBytes: 4096, ReadSeconds: .5, Flushes: 1, FlushSeconds: .25})
	if len(got) != 2 || got[0].Operation != iotrace.Read || got[0].Flow.LatencySum != .5 || got[1].Operation != iotrace.Flush || got[0].Flow.Histogram.Count() != 0 {
		t.Errorf("%+v", got)
	}
}

// If a device's counters could not be read at the beginning, or another device has taken its place,
// nothing is reported: in particular not what was counted since boot.
func TestCountersNeedTwoReadingsOfADevice(t *testing.T) {
	defer func(was fs.FS) { root = was }(root)
	unread, anew := machine(), machine()
	delete(unread, "sys/block/sda/stat")
	anew["sys/block/sda/stat"] = &fstest.MapFile{Data: []byte("1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n")}
	for what, files := range map[string][2]fs.FS{"unread": {unread, machine()}, "counting anew": {machine(), anew}} {
		root = files[0]
		c, err := newCounterTracer(iotrace.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.begin(); err != nil {
			t.Fatal(err)
		}
		root = files[1]
		list, err := c.finish()
		if err != nil || len(list) != 1 || list[0].Name != "sda" || list[0].Counters != nil {
			t.Errorf("%s: %+v, %v; want sda without counters", what, list, err)
		}
		if samples, err := c.second(); err != nil || len(samples) > 0 {
			t.Errorf("%s: %+v, %v; want no sample", what, samples, err)
		}
	}
}

// Version 1's blkio hierarchy takes precedence over version 2, whatever their order.
func TestWhereTheCgroupsAre(t *testing.T) {
	const v1 = "30 20 0:26 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio\n"
	const v2 = "31 20 0:27 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
	const cpu = "29 20 0:25 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
	const inside = "31 20 0:27 /kubepods/x /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
	for text, want := range map[string][2]string{
		cpu + v1 + v2: {"/sys/fs/cgroup/blkio", "/"}, v2 + cpu + v1: {"/sys/fs/cgroup/blkio", "/"}, cpu + v2: {"/sys/fs/cgroup/unified", "/"},
		inside: {"/sys/fs/cgroup", "/kubepods/x"}, cpu: {"", ""}, "": {"", ""},
	} {
		if c := newCgroups(env.Clock{}, text); c.root != want[0] || c.above != want[1] {
			t.Errorf("%q: %s below %s, want %v", text, c.root, c.above, want)
		}
	}
}

// tree creates a directory with cgroups as container engines create them.
func tree(t *testing.T) *cgroups {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{
		"kubepods.slice/kubepods-pod11111111_2222_3333_4444_555555555555.slice/cri-containerd-aabbccddeeff00112233.scope",
		"kubepods/burstable/pod99999999-2222-3333-4444-555555555555/aabbccddeeff99887766", "docker/0123456789abcdef0123", "system.slice/cron.service",
	} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &cgroups{root: dir, above: "/", names: map[uint64]string{}}
}

func TestContainersAndPodsAreFound(t *testing.T) {
	c := tree(t)
	logs := t.TempDir()
	for _, name := range []string{"shop_db-0_99999999-2222-3333-4444-555555555555", "test_db-0_00000000-0000-0000-0000-000000000000"} {
		if err := os.Mkdir(filepath.Join(logs, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pod := func(name string) ([]string, error) { return c.podCgroups(name, logs) }
	for _, one := range []struct {
		find       func(string) ([]string, error)
		name, want string
	}{
		{c.containerCgroups, "aabbccddeeff99", "/kubepods/burstable/pod99999999-2222-3333-4444-555555555555/aabbccddeeff99887766"},
		{c.containerCgroups, "012345", "/docker/0123456789abcdef0123"},
		{pod, "11111111-2222-3333-4444-555555555555", "/kubepods.slice/kubepods-pod11111111_2222_3333_4444_555555555555.slice"},
		{pod, "db-0", "/kubepods/burstable/pod99999999-2222-3333-4444-555555555555"},
		{pod, "shop/db-0", "/kubepods/burstable/pod99999999-2222-3333-4444-555555555555"},
		{c.given, "system.slice/cron.service", "/system.slice/cron.service"},
		{c.given, c.root + "/docker", "/docker"},
		// Refused: two containers, too short, not an ID, another namespace, none.
		{c.containerCgroups, "aabbccddeeff", ""}, {c.containerCgroups, "0123", ""}, {c.containerCgroups, "postgres", ""}, {c.containerCgroups, "ffffffff", ""},
		{pod, "test/db-0", ""}, {pod, "db-1", ""}, {c.given, "/system.slice/cron.servic", ""},
	} {
		got, err := one.find(one.name)
		var refused *model.WorkerError
		switch {
		case one.want == "" && (!errors.As(err, &refused) || refused.Class != model.Refused || refused.Hint == ""):
			t.Errorf("%s: %v, %v; want a refusal with a hint", one.name, got, err)
		case one.want != "" && (err != nil || len(got) != 1 || got[0] != one.want):
			t.Errorf("%s: %v, %v; want %s", one.name, got, err, one.want)
		}
	}
}

func TestACgroupThatHasGoneKeepsItsName(t *testing.T) {
	c := tree(t)
	c.refresh()
	var id uint64
	for n, name := range c.names {
		if name == "/system.slice/cron.service" {
			id = n
		}
	}
	if err := os.Remove(filepath.Join(c.root, "system.slice/cron.service")); err != nil {
		t.Fatal(err)
	}
	c.refresh()
	if got := c.name(id); got != "/system.slice/cron.service" {
		t.Errorf("it is called %q", got)
	}
	if got := c.name(0); got != "" {
		t.Errorf("none is called %q", got)
	}
	if got := c.name(1 << 60); got != "#1152921504606846976" {
		t.Errorf("an unknown one is called %q", got)
	}
}

func TestWithin(t *testing.T) {
	for name, want := range map[string]bool{"/a": true, "/a/b": true, "/ab": false, "/": false, "": false, "#7": false} {
		if got := inCgroups(name, []string{"/a"}); got != want {
			t.Errorf("%q is within /a: %v", name, got)
		}
	}
	if !inCgroups("/x", []string{"/"}) || inCgroups("", []string{"/"}) {
		t.Error("all cgroups are within the root, and what has none is not")
	}
}

// Input errors are refused with a hint about what to type, before anything is attached.
func TestRefusals(t *testing.T) {
	for what, r := range map[string]struct {
		request        iotrace.Request
		device, cgroup string
	}{
		"no device":  {device: "nosuchdisk"},
		"a file":     {device: "/etc/passwd"},
		"no process": {request: iotrace.Request{PID: 1 << 30}},
		"negative":   {request: iotrace.Request{PID: -4}},
		"no cgroup":  {cgroup: "/no/such/cgroup"},
	} {
		err := Resolve(&r.request, env.Clock{}, r.device, r.cgroup)
		var refused *model.WorkerError
		if !errors.As(err, &refused) || refused.Class != model.Refused || refused.Hint == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := Run(t.Context(), Options{Method: iotrace.ByCounters, Request: iotrace.Request{PID: 1}})
	if err == nil || !strings.Contains(err.Error(), "do not tell") {
		t.Errorf("one process by the counters: %v", err)
	}
}
