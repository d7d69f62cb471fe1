package truth

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// MD, device mapper and multipath, which the kernel of the tests' machine may lack, are measured in a guest whose kernel has them, by Loadline itself, on disks whose answer is known.

// guestShell begins each script: what a device needs in its name, and loadline's report as a file.
const guestShell = `
node() { dmsetup create "$1" --table "$2"; dmsetup mknodes; }
kernel() { basename $(readlink -f /dev/$1); }
sectors() { cat /sys/block/$(kernel $1)/size; }
number() { cat /sys/block/$(kernel $1)/dev; }
report() { name=$1; shift; cd /tmp; loadline run "$@" --destroy-data-on "$1" --format json >/out/$name.json 2>/out/$name.log || echo $? >/out/$name.code; }
`

// inGuest runs a script in a guest with those disks, and returns the directory that it left.
func inGuest(t *testing.T, script string, disks ...lab.GuestDisk) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "loadline")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "../../cmd/loadline").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return lab.Guest(t, []string{program}, guestShell+script, disks...)
}

// guestReport reads a report that a guest's script left.
func guestReport(t *testing.T, dir, name string) (o outcome) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	said, _ := os.ReadFile(filepath.Join(dir, name+".log"))
	code, _ := os.ReadFile(filepath.Join(dir, name+".code"))
	t.Logf("%s: exit code 0%s\n%s", name, strings.TrimSpace(string(code)), said)
	if err == nil {
		err = json.Unmarshal(text, &o.report)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, text)
	}
	return o
}

// passes fails unless the rules passed, which with counters that count nothing they would not.
func (o outcome) passes(t *testing.T, rules ...string) {
	t.Helper()
	for _, rule := range rules {
		if !o.finding(rule, model.SeverityPassed) {
			t.Errorf("%s has not passed: %+v", rule, slices.DeleteFunc(slices.Clone(o.report.Findings), func(f model.Finding) bool { return f.Rule != rule }))
		}
	}
}

// counted are the rules that need a device's counters.
var counted = []string{"bytes", "merge", "foreign"}

// holds fails unless a workload's rate is that of the device, within 3 %, and not invalid.
func (o outcome) holds(t *testing.T, workload string, iops float64) {
	t.Helper()
	r := o.result(t, workload)
	if r.Verdict == model.Invalid || r.Value < 0.97*iops || r.Value > 1.03*iops {
		t.Errorf("%s: %g IOPS (%g to %g), %s; the device is set to %g: %v", workload, r.Value, r.Low, r.High, r.Verdict, iops, r.Findings)
	}
}

// MD reads from both disks of a mirror and writes to both; multipath sends the I/Os of one disk down two paths. Both count what
// they do, and neither is accused of anything.
func TestMirrorsAndPathsOfAGuest(t *testing.T) {
	takeSlots(t, demand{class: shared, seconds: 180, slots: 6})
	slow := func(iops int64) lab.Device {
		return lab.Throttled(t, lab.Throttle{IOPS: iops, Size: 64 << 20})
	}
	dir := inGuest(t, `
modprobe raid1
mdadm --create /dev/md0 --run --assume-clean --level=1 --raid-devices=2 /dev/disk0 /dev/disk1
report mirror /dev/md0 --only rand-read-iops,rand-write-iops --max-time 60s
modprobe dm-round-robin
node paths "0 $(sectors disk2) multipath 0 0 1 1 round-robin 0 2 1 $(number disk2) 1 $(number disk2b) 1"
report paths /dev/mapper/paths --only rand-read-iops,rand-write-iops --time 20s
cat /sys/block/$(kernel disk2)/stat >/out/first; cat /sys/block/$(kernel disk2b)/stat >/out/second
before=$(awk '{ print $1 }' /sys/block/$(kernel disk0)/stat)
mount -t tracefs tracefs /sys/kernel/tracing
fio --name=load --filename=/dev/disk0 --rw=randread --bs=4k --iodepth=8 --ioengine=libaio --direct=1 --time_based --runtime=400 >/dev/null &
until [ $(awk '{ print $1 }' /sys/block/$(kernel disk0)/stat) -gt $((before + 300)) ]; do sleep 0.2; done
for method in bpf perf; do
	loadline trace --device $(kernel disk0) --time 4s --method $method --format json >/out/trace-$method.json
done
kill %1
`, lab.GuestDisk{Device: slow(300)}, lab.GuestDisk{Device: slow(300)}, lab.GuestDisk{Device: slow(500), Paths: 2})
	for name, want := range map[string][2]float64{"mirror": {600, 300}, "paths": {500, 500}} {
		o := guestReport(t, dir, name)
		o.holds(t, "rand-read-iops", want[0])
		o.holds(t, "rand-write-iops", want[1])
		o.passes(t, append(counted, "sparse")...)
		for _, f := range o.report.Findings {
			if f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning && f.Rule != "size" && f.Rule != "precision" {
				t.Errorf("%s is accused: %+v", name, f)
			}
		}
	}
	first, second := guestReads(t, dir, "first"), guestReads(t, dir, "second")
	if first < 1000 || second < first*9/10 || first < second*9/10 {
		t.Errorf("the two paths read %d and %d times", first, second)
	}
	for _, method := range []string{"bpf", "perf"} {
		tracedInGuest(t, dir, method)
	}
}

// tracedInGuest fails unless a trace of 4 s saw what the device of 300 IOPS did, by the method that was asked for: the guest's kernel is
// older (6.1) than any that the other tests of traces see.
func tracedInGuest(t *testing.T, dir, method string) {
	t.Helper()
	var r struct {
		Run iotrace.Run `json:"run"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "trace-"+method+".json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || len(r.Run.Devices) != 1 {
		t.Fatalf("the trace by %s: %v: %s", method, err, text)
	}
	d := r.Run.Devices[0]
	if string(r.Run.Method) != method || d.Counters == nil || d.Counters.Reads < 1000 || d.Unseen == nil || math.Abs(*d.Unseen) > 0.01 {
		t.Errorf("traced by %s, asked for %s: %+v", r.Run.Method, method, d)
	}
}

// guestReads returns the first field of a saved stat file of a device.
func guestReads(t *testing.T, dir, name string) (reads int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		err = json.Unmarshal([]byte(strings.Fields(string(text))[0]), &reads)
	}
	if err != nil {
		t.Fatal(err)
	}
	return reads
}

// A RAID 10 in the layout "far" reads from the first half of each of its rotating disks, so a single read takes less time than on
// one such disk, without any cache: a warning, as nobody can know. Thin-provisioned storage is given back what
// was written, and a cache in RAM before a disk is partly in memory.
func TestArraysAndCachesOfAGuest(t *testing.T) {
	takeSlots(t, demand{class: shared, seconds: 180, slots: 6})
	disk := func() lab.GuestDisk {
		return lab.GuestDisk{Rotating: true, Device: lab.Rotating(t, 4*time.Millisecond, 40*time.Millisecond, 64<<20)}
	}
	flat := lab.GuestDisk{Device: lab.Throttled(t, lab.Throttle{IOPS: 500, Size: 64 << 20})}
	dir := inGuest(t, `
modprobe raid10
mdadm --create /dev/md0 --run --assume-clean --level=10 --layout=f2 --raid-devices=2 /dev/disk0 /dev/disk1
report far /dev/md0 --baseline /dev/$(kernel disk2) --destroy-data-on /dev/$(kernel disk2) --replicas 2 --only rand-read-lat,rand-read-iops --max-time 120s
mdadm --stop /dev/md0

modprobe dm-thin-pool; modprobe brd rd_nr=1 rd_size=32768
dd if=/dev/zero of=/dev/ram0 bs=1M count=4
node pool "0 $(sectors disk3) thin-pool /dev/ram0 /dev/disk3 128 0"
dmsetup message pool 0 "create_thin 0"
node thin "0 $(sectors disk3) thin /dev/mapper/pool 0"
report thin /dev/mapper/thin --only rand-read-iops,rand-write-iops --time 3s
dmsetup status pool >/out/pool
dmsetup remove thin; dmsetup remove pool

modprobe dm-writecache
dd if=/dev/zero of=/dev/ram0 bs=1M count=4
node cached "0 $(sectors disk3) writecache s /dev/disk3 /dev/ram0 4096 0"
report cached /dev/mapper/cached --only rand-read-iops --time 3s
`, disk(), disk(), disk(), flat)
	far := guestReport(t, dir, "far")
	if !far.finding("faster-reads", model.SeverityWarning) {
		t.Errorf("a single read of the near halves is not faster, or not a warning: %+v", far.report.Findings)
	}
	for _, f := range far.report.Findings {
		if f.Severity == model.SeverityInvalid {
			t.Errorf("an honest array is accused: %+v", f)
		}
	}
	far.passes(t, counted...)

	thin := guestReport(t, dir, "thin")
	thin.holds(t, "rand-read-iops", 500)
	status, err := os.ReadFile(filepath.Join(dir, "pool"))
	if fields := strings.Fields(string(status)); err != nil || len(fields) < 6 || !strings.HasPrefix(fields[5], "0/") {
		t.Errorf("the pool was not given back what was written: %s, %v", status, err)
	}

	cached := guestReport(t, dir, "cached")
	if !cached.finding("memory", model.SeverityWarning) || cached.finding("memory", model.SeverityInvalid) {
		t.Errorf("a cache in RAM before a disk is not called partly in memory: %+v", cached.report.Findings)
	}
}
