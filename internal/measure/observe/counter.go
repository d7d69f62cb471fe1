package observe

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// sectorSize is the unit of /sys/block/DEV/stat, whatever the device's own block size is (the
// kernel's Documentation/block/stat.rst).
const sectorSize = 512

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
	disk diskCounts
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
	if !a.disk.ok || !b.disk.ok || b.disk.restarted(a.disk) || !b.at.After(a.at) {
		return nil
	}
	return &model.Window{
		Seconds:     b.at.Sub(a.at).Seconds(),
		DeviceReads: b.disk.reads - a.disk.reads, DeviceWrites: b.disk.writes - a.disk.writes,
		DeviceRead:    (b.disk.readSectors - a.disk.readSectors) * sectorSize,
		DeviceWritten: (b.disk.writtenSectors - a.disk.writtenSectors) * sectorSize,
		ReadMerges:    b.disk.readMerges - a.disk.readMerges, WriteMerges: b.disk.writeMerges - a.disk.writeMerges,
	}
}

// reading is one reading of all counters.
type reading struct {
	at        time.Time
	cpus      []cpuTimes // all of them together, then each
	own       uint64     // in ticks
	throttled []float64
	disk      diskCounts
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
	if now.disk.ok && c.before.disk.ok && !now.disk.restarted(c.before.disk) {
		m.Device = c.device
		b := c.before.disk
		m.DeviceReads, m.DeviceWrites = now.disk.reads-b.reads, now.disk.writes-b.writes
		m.DeviceRead = (now.disk.readSectors - b.readSectors) * sectorSize
		m.DeviceWritten = (now.disk.writtenSectors - b.writtenSectors) * sectorSize
		m.DeviceFlushes = sub(now.disk.flushes, b.flushes)
		m.ReadMerges, m.WriteMerges = now.disk.readMerges-b.readMerges, now.disk.writeMerges-b.writeMerges
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

// diskNow reads the device's counters. /sys/block only has whole devices, /sys/class/block has
// partitions too. A device without working counters is treated as absent: one whose accounting is
// switched off (queue/iostats), and one that has not counted a single I/O since boot, as stacked
// devices on some kernels do (multipath).
func (c *Counter) diskNow() diskCounts {
	dir := path.Join("sys/class/block", c.device)
	if strings.TrimSpace(text(c.files, path.Join(dir, "queue/iostats"))) == "0" {
		return diskCounts{}
	}
	d := parseDiskStat(text(c.files, path.Join(dir, "stat")))
	d.ok = d.ok && d.reads+d.writes > 0
	return d
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

// diskCounts are the fields that we need from a block device's stat file.
type diskCounts struct {
	ok                                  bool
	reads, readMerges, readSectors      uint64
	writes, writeMerges, writtenSectors uint64
	// flushes is the 16th field, counted since Linux 5.5; 0 before.
	flushes uint64
}

// restarted reports whether the counters begin anew since before: the device has been replaced by one with its
// name, or a 32-bit kernel's have wrapped. What was counted between the two is unknown then.
func (now diskCounts) restarted(before diskCounts) bool {
	return now.reads < before.reads || now.readMerges < before.readMerges || now.readSectors < before.readSectors ||
		now.writes < before.writes || now.writeMerges < before.writeMerges || now.writtenSectors < before.writtenSectors
}

func parseDiskStat(s string) diskCounts {
	f := strings.Fields(s)
	if len(f) < 7 {
		return diskCounts{}
	}
	var v [7]uint64
	for i := range v {
		n, err := strconv.ParseUint(f[i], 10, 64)
		if err != nil {
			return diskCounts{}
		}
		v[i] = n
	}
	var flushes uint64
	if len(f) > 15 {
		flushes, _ = strconv.ParseUint(f[15], 10, 64)
	}
	return diskCounts{flushes: flushes, ok: true, reads: v[0], readMerges: v[1], readSectors: v[2], writes: v[4], writeMerges: v[5], writtenSectors: v[6]}
}
