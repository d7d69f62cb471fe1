package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/trace/tracepoint"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
)

// following is a trace that uses the events that the kernel writes for perf.
type following struct {
	reader  *tracepoint.Reader
	request iotrace.Request
	groups  *cgroups
	tasks   *tasks
	clock   env.Clock
	watched map[uint32]*followed
	lost    uint64
	over    bool
	// blind is the result of the self-test.
	blind error
}

// followed is a device that is traced.
type followed struct {
	device
	counts tracepoint.Device
	own    iotrace.Counters
	failed error // error from reading own
}

// newFollowing refuses a kernel that is known to omit records, unless inSpite is set.
func newFollowing(r iotrace.Request, clock env.Clock, inSpite bool) (_ tracer, err error) {
	blind := tracepoint.SelfTest()
	if blind != nil && !(inSpite && errors.Is(blind, tracepoint.ErrBlind)) {
		return nil, blind
	}
	f := &following{blind: blind, request: r, groups: machineCgroups(clock), clock: clock, watched: map[uint32]*followed{}}
	f.groups.look()
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	f.tasks = newTasks(f.groups, root, string(mounts), clock)
	list, err := wantedDevices(&r)
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

// lostWithPerf lists what the events cannot tell, unlike BPF.
var lostWithPerf = []string{
	"events name no request: two I/Os of one kind that begin at the same sector and are in flight at once may be taken for each other, and waits for a flush are taken to end in the order in which they began",
	"the cgroup is that of the process that made the request: what the page cache writes belongs to the kernel's threads",
}

func (f *following) lacks() []string {
	list := append(slices.Clone(lostWithPerf), f.reader.Lacks()...)
	if f.blind != nil {
		list = append(list, fmt.Sprintf("%v: I/Os that end there may be missing", f.blind))
	}
	return list
}

func (f *following) close() error { return f.reader.Close() }

// watch starts tracing wanted devices that are not traced yet: new ones may appear.
func (f *following) watch() error {
	list, err := wantedDevices(&f.request)
	if err != nil {
		return err
	}
	for _, d := range list {
		if _, known := f.watched[d.number()]; known {
			continue
		}
		if err := f.reader.Watch(d.number(), queuesOf(root, d), partsOf(root, d.name)); err != nil {
			return fmt.Errorf("%s cannot be traced: %w", d.name, err)
		}
		f.watched[d.number()] = &followed{device: d}
		f.watched[d.number()].own, f.watched[d.number()].failed = counters(root, d.name)
	}
	return nil
}

// reading reads both kinds of counters of all devices.
func (f *following) reading() (all map[uint32]*followed, lost uint64) {
	all = map[uint32]*followed{}
	for number, d := range f.watched {
		now := &followed{device: d.device}
		now.own, now.failed = counters(root, d.name)
		all[number] = now
	}
	counts, lost := f.reader.Counts()
	for number, now := range all {
		now.counts = counts[number]
	}
	return all, lost
}

// begin lets I/Os in flight end, then starts counting.
func (f *following) begin() error {
	f.clock.Sleep(settle)
	f.watched, f.lost = f.reading()
	f.reader.Take(func(tracepoint.Row, *tracepoint.Sum) {})
	return nil
}

func (f *following) second() (samples []iotrace.Sample, err error) {
	f.reader.Take(func(r tracepoint.Row, sum *tracepoint.Sum) {
		name, _, _ := bytes.Cut(r.Command[:], []byte{0})
		s := iotrace.Sample{Operation: r.Operation, Size: r.Size, Flow: sum.Flow, Wait: sum.Wait,
			Who: iotrace.Who{PID: int(r.PID), Command: safetext.Clean(string(name)), Cgroup: f.groups.name(r.Cgroup)}}
		if d := f.watched[r.Device]; d != nil {
			s.Device = d.name
		}
		if wanted(&f.request, &s) {
			samples = append(samples, s)
		}
	})
	if !f.over {
		err = f.watch()
	}
	return samples, err
}

// finish compares the two kinds of counters and stops tracing the devices.
func (f *following) finish() (list []iotrace.Device, err error) {
	after, lost := f.reading()
	f.lost = lost - f.lost
	for number, before := range f.watched {
		now := after[number]
		d := iotrace.Device{Name: before.name, Number: before.words(), Stacked: before.stacked, Operations: minus(now.counts.Operations, before.counts.Operations),
			Unmatched: now.counts.Unmatched - before.counts.Unmatched, Overflowed: now.counts.Overflowed - before.counts.Overflowed, Dropped: now.counts.Dropped - before.counts.Dropped}
		if own, ok := since(now.own, before.own); ok && before.device.counts && before.failed == nil && now.failed == nil {
			d.Counters, d.Unseen = &own, unseen(own, d.Operations)
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b iotrace.Device) int { return strings.Compare(a.Name, b.Name) })
	f.over = true
	return list, nil
}

// lostRecords returns how many records were lost because the rings were full.
func (f *following) lostRecords() uint64 { return f.lost }

// refusalOfPerf says why the events cannot be followed, and what to do.
func refusalOfPerf(err error) *model.WorkerError {
	const hint = "run it as root, or with CAP_PERFMON and a tracing filesystem that this user may read (mount -t tracefs -o gid=GROUP,mode=750 none /sys/kernel/tracing), or take --method counters"
	if isDenied(err) && !errors.Is(err, tracepoint.ErrTracefs) {
		return model.RefusedError("the kernel does not let this user follow its events (CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)", hint)
	}
	return model.RefusedError(fmt.Sprintf("the kernel's events cannot be followed by perf: %v", err), hint)
}
