package observe

import (
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// Counter computes how much the machine's counters increase from Begin on.
type Counter struct {
	clock  env.Clock
	files  fs.FS
	device string
	groups cgroups
	before reading
	// first and last are the device's counters at the first and the last mark.
	first, last mark
}

// mark is the device's counters at a point in time.
type mark struct {
	at   time.Time
	disk *iotrace.Counters // nil if it has none
}

// Mark records the device's counters now. The time from the first to the last mark is the window that
// End returns.
func (c *Counter) Mark() {
	if c.device == "" {
		return
	}
	c.last = mark{at: c.clock.Now(), disk: c.diskNow()}
	if c.first.at.IsZero() {
		c.first = c.last
	}
}

// window returns the device's counters for the time between the marks; nil if there is none.
func (c *Counter) window() *model.Window {
	a, b := c.first, c.last
	d, ok := counted(a.disk, b.disk)
	if !ok || !b.at.After(a.at) {
		return nil
	}
	return &model.Window{
		Seconds: b.at.Sub(a.at).Seconds(), DeviceReads: d.Reads, DeviceWrites: d.Writes, DeviceRead: d.ReadBytes, DeviceWritten: d.WrittenBytes,
		ReadMerges: d.ReadMerges, WriteMerges: d.WriteMerges,
	}
}

// reading is one reading of all counters.
type reading struct {
	at        time.Time
	cpus      []cpuTimes // all of them together, then each
	own       uint64     // in ticks
	throttled []float64
	disk      *iotrace.Counters // nil if it has none
	links     map[string]model.Link
}

// Begin starts counting; device is the kernel's name of a block device ("vda"), empty for none.
func Begin(clock env.Clock, device string) *Counter { return begin(clock, root, device) }

func begin(clock env.Clock, files fs.FS, device string) *Counter {
	c := &Counter{clock: clock, files: files, device: device, groups: findCgroups(files)}
	c.before = c.read()
	return c
}

// End returns what was counted since Begin. It may be called more than once.
func (c *Counter) End() model.Counters {
	now := c.read()
	m := model.Counters{Seconds: now.at.Sub(c.before.at).Seconds()}
	if len(now.cpus) > 0 && len(c.before.cpus) > 0 {
		d := now.cpus[0].minus(c.before.cpus[0])
		m.Idle, m.Steal, m.IOWait = d.share(d.idle), d.share(d.steal), d.share(d.iowait)
	}
	m.OwnCPU = float64(sub(now.own, c.before.own)) / ticksPerSecond
	for i := 1; i < min(len(now.cpus), len(c.before.cpus)); i++ {
		if d := now.cpus[i].minus(c.before.cpus[i]); d.total() > 0 {
			m.BusiestCPU = max(m.BusiestCPU, 1-d.share(d.idle+d.iowait))
		}
	}
	for i, t := range now.throttled {
		if i < len(c.before.throttled) { // levels are nested, so the largest value covers all
			m.Throttled = max(m.Throttled, t-c.before.throttled[i])
		}
	}
	if d, ok := counted(c.before.disk, now.disk); ok {
		m.Device = c.device
		m.DeviceReads, m.DeviceWrites, m.DeviceRead, m.DeviceWritten = d.Reads, d.Writes, d.ReadBytes, d.WrittenBytes
		m.DeviceFlushes, m.ReadMerges, m.WriteMerges = d.Flushes, d.ReadMerges, d.WriteMerges
	}
	m.Link, m.Window = busiest(c.before.links, now.links), c.window()
	return m
}

func (c *Counter) read() reading {
	r := reading{at: c.clock.Now(), cpus: parseStat(text(c.files, "proc/stat")), own: ownTicks(text(c.files, "proc/self/stat")),
		throttled: c.groups.throttled(c.files), links: links(c.files)}
	if c.device != "" {
		r.disk = c.diskNow()
	}
	return r
}

// diskNow reads the device's counters. A device without working counters is treated as absent: one whose accounting is
// switched off (queue/iostats), and one that has not counted a single I/O since boot, as stacked
// devices on some kernels do (multipath).
func (c *Counter) diskNow() *iotrace.Counters {
	if !procfs.Accounts(c.files, c.device) {
		return nil
	}
	d, err := procfs.BlockCounters(c.files, c.device)
	if err != nil || d.Reads+d.Writes == 0 {
		return nil
	}
	return &d
}

// counted returns what a device counted between two readings; false if that is unknown.
func counted(before, now *iotrace.Counters) (iotrace.Counters, bool) {
	if before == nil || now == nil {
		return iotrace.Counters{}, false
	}
	return procfs.CountedSince(*before, *now)
}

// ticksPerSecond is the kernel's unit of CPU time for programs (USER_HZ) on all architectures that Loadline is built for.
const ticksPerSecond = 100

// ownTicks returns the CPU time of this process, and of its children that have ended, from /proc/self/stat: the
// fields 14 to 17 of proc_pid_stat(5), which are counted from the end of the program's name.
func ownTicks(s string) (ticks uint64) {
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	const first, number = 14 - 3, 4
	if len(f) < first+number {
		return 0
	}
	for _, v := range f[first : first+number] {
		n, _ := strconv.ParseUint(v, 10, 64)
		ticks += n
	}
	return ticks
}

// cpuTimes is a line of /proc/stat, in ticks (proc_stat(5)). Guest time is already part of busy.
type cpuTimes struct{ busy, idle, iowait, steal uint64 }

func (t cpuTimes) total() uint64 { return t.busy + t.idle + t.iowait + t.steal }

func (t cpuTimes) minus(o cpuTimes) cpuTimes {
	return cpuTimes{sub(t.busy, o.busy), sub(t.idle, o.idle), sub(t.iowait, o.iowait), sub(t.steal, o.steal)}
}

// sub is a − b, but not below 0: iowait may decrease, according to its own manual.
func sub(a, b uint64) uint64 { return max(a, b) - b }

func (t cpuTimes) share(part uint64) float64 {
	if t.total() == 0 {
		return 0
	}
	return float64(part) / float64(t.total())
}

// parseStat parses the cpu lines of /proc/stat: first the total, then each CPU.
func parseStat(s string) []cpuTimes {
	var cpus []cpuTimes
	for line := range strings.Lines(s) {
		f := strings.Fields(line)
		if len(f) < 5 || !strings.HasPrefix(f[0], "cpu") {
			continue
		}
		var v [8]uint64 // user nice system idle iowait irq softirq steal
		for i := range min(len(v), len(f)-1) {
			v[i], _ = strconv.ParseUint(f[i+1], 10, 64)
		}
		cpus = append(cpus, cpuTimes{busy: v[0] + v[1] + v[2] + v[5] + v[6], idle: v[3], iowait: v[4], steal: v[7]})
	}
	return cpus
}
