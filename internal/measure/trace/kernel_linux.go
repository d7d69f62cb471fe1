package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// kernel holds what is attached to the running kernel.
type kernel struct {
	*maps
	layout   *layout
	programs []*ebpf.Program
	links    []link.Link
}

// attach loads the programs and attaches them; nothing is traced before watch.
func attach() (*kernel, error) {
	// Before Linux 5.11 maps count as locked memory. Without the privilege to raise that limit, the
	// maps may still fit.
	_ = rlimit.RemoveMemlock()
	m, err := newMaps()
	if err != nil {
		return nil, err
	}
	k := &kernel{maps: m}
	if k.layout, err = readLayout(); err != nil {
		return nil, errors.Join(err, k.close())
	}
	all := programs(k.layout, m)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	// The order does not matter, as no program traces a device before watch. But this way it is
	// always the same program that fails first.
	slices.Sort(names)
	for _, name := range names {
		p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "loadline_" + name[len("block_"):], Type: ebpf.Tracing, AttachType: ebpf.AttachTraceRawTp,
			AttachTo: name, Instructions: all[name], License: "GPL"})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the program for %s: %w", name, err), k.close())
		}
		k.programs = append(k.programs, p)
	}
	for i, p := range k.programs {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the program for %s: %w", names[i], err), k.close())
		}
		k.links = append(k.links, l)
	}
	return k, nil
}

// close detaches everything.
func (k *kernel) close() error {
	var errs []error
	for _, l := range k.links {
		errs = append(errs, l.Close())
	}
	for _, p := range k.programs {
		errs = append(errs, p.Close())
	}
	k.links, k.programs = nil, nil
	return errors.Join(append(errs, k.maps.close())...)
}

// limitations returns sentences about what this kernel cannot tell.
func (k *kernel) limitations() (list []string) {
	has := func(event string) bool { _, ok := k.layout.events[event]; return ok }
	if !has("block_io_start") {
		list = append(list, "Linux before 6.5 does not say who made a request that no scheduler got: such an I/O belongs to the process that gave it to the driver, and the wait before that is not known")
	}
	if !k.layout.cgroups {
		list = append(list, "this kernel does not keep the cgroup of an I/O (CONFIG_BLK_CGROUP): cgroups are empty")
	}
	if !has("block_bio_queue") || !has("block_bio_complete") {
		list = append(list, "this kernel does not show bios: nothing is known of device mapper, MD and other devices without requests")
	}
	return list
}

// operations maps the kernel programs' numbers to operations.
var operations = [opCount]iotrace.Operation{
	opRead: iotrace.Read, opWrite: iotrace.Write, opFlush: iotrace.Flush,
	opDiscard: iotrace.Discard, opWait: iotrace.FlushWait, opOther: iotrace.Other,
}

// storeCounts stores in d by how much a device's counters increased between two readings.
func storeCounts(now, before deviceCounts, d *iotrace.Device) {
	for op, name := range operations {
		at := func(group int) uint64 { return now[group*opRoom+op] - before[group*opRoom+op] }
		c := iotrace.Counts{
			Queued: at(countQueued), QueuedBytes: at(countQueuedBytes), Issued: at(countIssued), IssuedBytes: at(countIssuedBytes),
			Done: at(countDone), DoneBytes: at(countDoneBytes), Merged: at(countMerged), MergedBytes: at(countMergedBytes),
			Requeued: at(countRequeued), Errors: at(countErrors),
		}
		if c != (iotrace.Counts{}) {
			if d.Operations == nil {
				d.Operations = map[iotrace.Operation]iotrace.Counts{}
			}
			d.Operations[name] = c
		}
	}
	d.Unmatched, d.Overflowed, d.Dropped = now[countUnmatched]-before[countUnmatched], now[countOverflowed]-before[countOverflowed], now[countDropped]-before[countDropped]
}

// isDenied reports whether the kernel refused for lack of a privilege.
func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }
