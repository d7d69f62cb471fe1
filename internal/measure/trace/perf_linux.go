package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/measure/trace/tracepoint"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
)

// perfTracer is a trace that uses the events that the kernel writes for perf.
type perfTracer struct {
	reader   *tracepoint.Reader
	request  iotrace.Request
	groups   *cgroups
	tasks    *tasks
	clock    env.Clock
	traced   map[uint32]*perfDevice
	lost     uint64
	finished bool
	// blind is the result of the self-test.
	blind error
}

// perfDevice is a device that is traced.
type perfDevice struct {
	device
	counts tracepoint.Device
	own    iotrace.Counters
	failed error // error from reading own
}

// newPerfTracer refuses a kernel that is known to omit records, unless force is set.
func newPerfTracer(r iotrace.Request, clock env.Clock, force bool) (_ tracer, err error) {
	blind := tracepoint.SelfTest()
	if blind != nil && !(force && errors.Is(blind, tracepoint.ErrBlind)) {
		return nil, blind
	}
	f := &perfTracer{blind: blind, request: r, groups: machineCgroups(clock), clock: clock, traced: map[uint32]*perfDevice{}}
	f.groups.refresh()
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	f.tasks = newTasks(f.groups, root, string(mounts), clock)
	list, err := matchingDevices(&r)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNoDevice
	}
	o := tracepoint.Options{CgroupOf: f.tasks.group}
	if len(r.Devices) > 0 {
		for _, d := range list {
			o.Devices = append(append(o.Devices, d.number()), partsOf(root, d.name)...)
		}
	}
	if f.reader, err = tracepoint.Open(o); err != nil {
		return nil, err
	}
	if err := f.watch(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// perfLimitations lists what the events cannot tell, unlike BPF.
var perfLimitations = []string{
	"events name no request: two I/Os of one kind that begin at the same sector and are in flight at once may be taken for each other, and waits for a flush are taken to end in the order in which they began",
	"the cgroup is that of the process that made the request: what the page cache writes belongs to the kernel's threads",
}

func (f *perfTracer) limitations() []string {
	list := append(slices.Clone(perfLimitations), f.reader.Limitations()...)
	if f.blind != nil {
		list = append(list, fmt.Sprintf("%v: I/Os that end there may be missing", f.blind))
	}
	return list
}

func (f *perfTracer) close() error { return f.reader.Close() }

// watch starts tracing wanted devices that are not traced yet: new ones may appear.
func (f *perfTracer) watch() error {
	list, err := matchingDevices(&f.request)
	if err != nil {
		return err
	}
	for _, d := range list {
		if _, known := f.traced[d.number()]; known {
			continue
		}
		if err := f.reader.Watch(d.number(), queuesOf(root, d), partsOf(root, d.name)); err != nil {
			return fmt.Errorf("%s cannot be traced: %w", d.name, err)
		}
		f.traced[d.number()] = &perfDevice{device: d}
		f.traced[d.number()].own, f.traced[d.number()].failed = procfs.BlockCounters(root, d.name)
	}
	return nil
}

// readCounters reads both kinds of counters of all devices.
func (f *perfTracer) readCounters() (all map[uint32]*perfDevice, lost uint64) {
	all = map[uint32]*perfDevice{}
	for number, d := range f.traced {
		now := &perfDevice{device: d.device}
		now.own, now.failed = procfs.BlockCounters(root, d.name)
		all[number] = now
	}
	counts, lost := f.reader.Counts()
	for number, now := range all {
		now.counts = counts[number]
	}
	return all, lost
}

// begin lets I/Os in flight end, then starts counting.
func (f *perfTracer) begin() error {
	f.clock.Sleep(settleTime)
	f.traced, f.lost = f.readCounters()
	f.reader.Take(func(tracepoint.Row, *tracepoint.Sum) {})
	return nil
}

func (f *perfTracer) second() (samples []iotrace.Sample, err error) {
	f.reader.Take(func(r tracepoint.Row, sum *tracepoint.Sum) {
		name, _, _ := bytes.Cut(r.Command[:], []byte{0})
		s := iotrace.Sample{Operation: r.Operation, Size: r.Size, Flow: sum.Flow, Wait: sum.Wait,
			Originator: iotrace.Originator{PID: int(r.PID), Command: safetext.Clean(string(name)), Cgroup: f.groups.name(r.Cgroup)}}
		if d := f.traced[r.Device]; d != nil {
			s.Device = d.name
		}
		if matches(&f.request, &s) {
			samples = append(samples, s)
		}
	})
	if !f.finished {
		err = f.watch()
	}
	return samples, err
}

// finish compares the two kinds of counters and stops tracing the devices.
func (f *perfTracer) finish() (list []iotrace.Device, err error) {
	after, lost := f.readCounters()
	f.lost = lost - f.lost
	for number, before := range f.traced {
		now := after[number]
		d := iotrace.Device{Name: before.name, Number: before.numberText(), Stacked: before.stacked, Operations: subtractCounts(now.counts.Operations, before.counts.Operations),
			Unmatched: now.counts.Unmatched - before.counts.Unmatched, Overflowed: now.counts.Overflowed - before.counts.Overflowed, Dropped: now.counts.Dropped - before.counts.Dropped}
		if own, ok := procfs.CountedSince(before.own, now.own); ok && before.device.stillCounts(root) && before.failed == nil && now.failed == nil {
			d.Counters, d.Unseen = &own, unseenShare(own, d.Operations)
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b iotrace.Device) int { return strings.Compare(a.Name, b.Name) })
	f.finished = true
	return list, nil
}

// lostRecords returns how many records were lost because the rings were full.
func (f *perfTracer) lostRecords() uint64 { return f.lost }

// perfRefusal says why the events cannot be followed, and what to do.
func perfRefusal(err error) *model.WorkerError {
	const hint = "run it as root, or with CAP_PERFMON and a tracing filesystem that this user may read (mount -t tracefs -o gid=GROUP,mode=750 none /sys/kernel/tracing), or take --method counters"
	if isDenied(err) && !errors.Is(err, tracepoint.ErrTracefs) {
		return model.RefusedError("the kernel does not let this user follow its events (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)", hint)
	}
	return model.RefusedError(fmt.Sprintf("the kernel's events cannot be followed by perf: %v", err), hint)
}
