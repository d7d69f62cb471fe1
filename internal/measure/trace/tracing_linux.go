package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
)

// bpfTracer is a trace that uses BPF.
type bpfTracer struct {
	kernel  *kernel
	request iotrace.Request
	groups  *cgroups
	traced  map[uint32]*bpfDevice
	clock   env.Clock
	// finished is set if no device is watched any more.
	finished bool
}

// bpfDevice is a device that is traced.
type bpfDevice struct {
	device
	counts deviceCounts
	own    iotrace.Counters
	failed error // error from reading own
}

func newBPFTracer(r iotrace.Request, clock env.Clock) (tracer, error) {
	k, err := attach()
	if err != nil {
		return nil, err
	}
	t := &bpfTracer{kernel: k, request: r, groups: machineCgroups(clock), clock: clock, traced: map[uint32]*bpfDevice{}}
	t.groups.refresh()
	if err := t.watch(); err != nil {
		return nil, errors.Join(err, k.close())
	}
	if len(t.traced) == 0 {
		return nil, errors.Join(errNoDevice, k.close())
	}
	return t, nil
}

func (t *bpfTracer) limitations() []string { return t.kernel.limitations() }

// lostRecords returns 0: BPF programs count in the kernel, and write no records.
func (t *bpfTracer) lostRecords() uint64 { return 0 }

func (t *bpfTracer) close() error { return t.kernel.close() }

// watch starts tracing wanted devices that are not traced yet: new ones may appear.
func (t *bpfTracer) watch() error {
	list, err := matchingDevices(&t.request)
	if err != nil {
		return err
	}
	for _, d := range list {
		if _, known := t.traced[d.number()]; known {
			continue
		}
		if err := t.kernel.watch(d.number()); err != nil {
			return fmt.Errorf("%s cannot be traced: %w", d.name, err)
		}
		t.traced[d.number()] = t.readCounters(d)
	}
	return nil
}

// readCounters reads both kinds of counters of a device.
func (t *bpfTracer) readCounters(d device) *bpfDevice {
	w := &bpfDevice{device: d}
	w.own, w.failed = procfs.BlockCounters(root, d.name)
	counts, err := t.kernel.counts(d.number())
	w.counts, w.failed = counts, errors.Join(w.failed, err)
	return w
}

// begin lets I/Os in flight end, then starts counting.
func (t *bpfTracer) begin() error {
	t.clock.Sleep(settleTime)
	if err := t.kernel.take(func(*rowKey, rowValue) {}); err != nil {
		return err
	}
	for number, w := range t.traced {
		t.traced[number] = t.readCounters(w.device)
	}
	return nil
}

func (t *bpfTracer) second() ([]iotrace.Sample, error) {
	all := map[rowKey]*iotrace.Sample{}
	var order []*iotrace.Sample
	err := t.kernel.take(func(k *rowKey, v rowValue) {
		key := *k
		key.Bucket = 0
		s, known := all[key]
		if !known {
			s = t.sample(k)
			all[key] = s
			if matches(&t.request, s) {
				order = append(order, s)
			}
		}
		s.Flow.IOs += v.Count
		s.Flow.Bytes += v.Bytes
		s.Flow.LatencySum += float64(v.Time) / 1e9
		s.Flow.Max = max(s.Flow.Max, float64(v.Max)/1e9)
		s.Flow.Histogram.Add(k.Bucket, v.Count)
		s.Wait += float64(v.Wait) / 1e9
	})
	samples := make([]iotrace.Sample, len(order))
	for i, s := range order {
		samples[i] = *s
	}
	if err == nil && !t.finished {
		err = t.watch()
	}
	return samples, err
}

// sample returns an empty sample for a key.
func (t *bpfTracer) sample(k *rowKey) *iotrace.Sample {
	s := &iotrace.Sample{Operation: iotrace.Other}
	if int(k.Op) < len(operations) {
		s.Operation = operations[k.Op]
	}
	if w := t.traced[k.Device]; w != nil {
		s.Device = w.name
	}
	if k.Op != opFlush && k.Op != opWait {
		s.Size = 1 << k.Class
	}
	name, _, _ := bytes.Cut(k.Name[:], []byte{0})
	s.Originator = iotrace.Originator{PID: int(k.Task), Command: safetext.Clean(string(name)), Cgroup: t.groups.name(k.Group)}
	return s
}

// finish compares the two kinds of counters and stops tracing the devices.
func (t *bpfTracer) finish() ([]iotrace.Device, error) {
	var list []iotrace.Device
	after := map[uint32]*bpfDevice{}
	for number, w := range t.traced {
		after[number] = t.readCounters(w.device)
	}
	var errs []error
	for number, before := range t.traced {
		now := after[number]
		d := iotrace.Device{Name: before.name, Number: before.numberText(), Stacked: before.stacked}
		storeCounts(now.counts, before.counts, &d)
		if own, ok := procfs.CountedSince(before.own, now.own); ok && before.device.stillCounts(root) && before.failed == nil && now.failed == nil {
			d.Counters, d.Unseen = &own, unseenShare(own, d.Operations)
		}
		list = append(list, d)
		errs = append(errs, t.kernel.unwatch(number))
	}
	slices.SortFunc(list, func(a, b iotrace.Device) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	t.finished = true
	return list, errors.Join(errs...)
}

// bpfRefusal says why the kernel cannot be traced, and what to do.
func bpfRefusal(err error) *model.WorkerError {
	switch {
	case isDenied(err):
		return model.RefusedError("the kernel does not let this user trace it (CAP_BPF and CAP_PERFMON; before Linux 5.8 CAP_SYS_ADMIN)",
			"run it as root, or with those two capabilities alone: setpriv --inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon loadline trace …")
	case errors.Is(err, errNoTypes):
		return model.RefusedError("this kernel cannot be traced by BPF: "+errNoTypes.Error(), "use a distribution's kernel of 5.5 or newer, or --method counters")
	}
	return model.RefusedError(fmt.Sprintf("this kernel cannot be traced by BPF: %v", err), "use a newer kernel, or --method counters")
}

// blockNumber returns the number of a block device's file, such as "8:0".
func blockNumber(info fs.FileInfo) (string, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&(os.ModeDevice|os.ModeCharDevice) != os.ModeDevice {
		return "", false
	}
	return fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)), true
}
