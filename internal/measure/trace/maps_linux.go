package trace

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cilium/ebpf"
)

// lastBucket is the last bucket of histogram.Histogram.
const lastBucket = 29*64 - 1

// Capacities of the maps. Requests in flight are bounded by the queues of the devices, bios of
// stacked devices by what programs wait for.
const (
	mostFlying  = 32768
	mostDevices = 4096
)

// rowsMemory is the approximate size, in bytes, of each of the two maps of rows over all processors;
// leastRows and mostRows bound the resulting number of rows. A row is one latency bucket of one kind
// of I/O of one process.
const (
	rowsMemory = 24 << 20
	leastRows  = 4096
	mostRows   = 32768
)

// maps holds the maps that the programs write.
type maps struct {
	devices, flying, owners *ebpf.Map
	// current refers to the one of the two maps of rows that is being filled.
	current *ebpf.Map
	rows    [2]*ebpf.Map
	filling int
	keys    []rowKey
	values  []rowValue
	cpus    int
}

// rowKey and rowValue have the layout that the programs write: see keyDevice and rowCount.
type rowKey struct {
	Device uint32
	Bucket uint16
	Op     uint8
	Class  uint8
	Group  uint64
	Task   uint32
	_      uint32
	Name   [16]byte
}

type rowValue struct{ Count, Bytes, Time, Max, Wait uint64 }

// deviceCounts are a device's counters on one processor.
type deviceCounts [countSize]uint64

func newMaps() (m *maps, err error) {
	m = &maps{}
	if m.cpus, err = ebpf.PossibleCPU(); err != nil {
		return nil, err
	}
	var errs []error
	one := func(to **ebpf.Map, s ebpf.MapSpec) {
		made, err := ebpf.NewMap(&s)
		*to = made
		errs = append(errs, err)
	}
	entries := uint32(min(mostRows, max(leastRows, rowsMemory/(m.cpus*rowSize+keySize+64))))
	rows := ebpf.MapSpec{Name: "loadline_rows", Type: ebpf.PerCPUHash, KeySize: keySize, ValueSize: rowSize, MaxEntries: entries}
	one(&m.devices, ebpf.MapSpec{Name: "loadline_devs", Type: ebpf.PerCPUHash, KeySize: 4, ValueSize: uint32(unsafe.Sizeof(deviceCounts{})), MaxEntries: mostDevices, Flags: noPrealloc})
	one(&m.flying, ebpf.MapSpec{Name: "loadline_flying", Type: ebpf.Hash, KeySize: 8, ValueSize: flySize, MaxEntries: mostFlying})
	one(&m.owners, ebpf.MapSpec{Name: "loadline_owners", Type: ebpf.Hash, KeySize: 4, ValueSize: ownerSize, MaxEntries: mostDevices})
	one(&m.rows[0], rows)
	one(&m.rows[1], rows)
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, m.close())
	}
	one(&m.current, ebpf.MapSpec{Name: "loadline_rows_of", Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: 1, InnerMap: &rows})
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, m.close())
	}
	const batch = 1024
	m.keys, m.values = make([]rowKey, batch), make([]rowValue, batch*m.cpus)
	if err := m.current.Put(uint32(0), m.rows[0]); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

// noPrealloc is BPF_F_NO_PREALLOC: entries for devices are created by this process, and are few.
const noPrealloc = 1

func (m *maps) close() error {
	var errs []error
	for _, one := range []*ebpf.Map{m.devices, m.flying, m.owners, m.current, m.rows[0], m.rows[1]} {
		if one != nil {
			errs = append(errs, one.Close())
		}
	}
	return errors.Join(errs...)
}

// watch creates the counters of a device, which starts tracing it.
func (m *maps) watch(number uint32) error {
	return m.devices.Update(number, make([]deviceCounts, m.cpus), ebpf.UpdateNoExist)
}

// unwatch stops tracing a device.
func (m *maps) unwatch(number uint32) error { return m.devices.Delete(number) }

// counts returns the counters of a device, summed over all processors.
func (m *maps) counts(number uint32) (sum deviceCounts, err error) {
	var all []deviceCounts
	if err := m.devices.Lookup(number, &all); err != nil {
		return sum, err
	}
	for _, one := range all {
		for i, n := range one {
			sum[i] += n
		}
	}
	return sum, nil
}

// take passes to yield what was recorded since the last call, and deletes it. Replacing an entry in a
// map of maps returns only when no program uses the old one any more (the kernel waits for a grace
// period), so that nothing is lost or counted twice.
func (m *maps) take(yield func(*rowKey, rowValue)) error {
	old := m.rows[m.filling]
	m.filling = 1 - m.filling
	if err := m.current.Put(uint32(0), m.rows[m.filling]); err != nil {
		return fmt.Errorf("the kernel does not change the map of rows: %w", err)
	}
	var cursor ebpf.MapBatchCursor
	for {
		n, err := old.BatchLookupAndDelete(&cursor, m.keys, m.values, nil)
		for i := range n {
			yield(&m.keys[i], sumOf(m.values[i*m.cpus:(i+1)*m.cpus]))
		}
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return nil
		case errors.Is(err, ebpf.ErrNotSupported):
			return m.takeSlowly(old, yield)
		case err != nil:
			return fmt.Errorf("the kernel does not give out what it counted: %w", err)
		}
	}
}

// takeSlowly is take for kernels without batch operations on such maps (before 5.6).
func (m *maps) takeSlowly(old *ebpf.Map, yield func(*rowKey, rowValue)) error {
	var key rowKey
	var values []rowValue
	var done []rowKey
	it := old.Iterate()
	for it.Next(&key, &values) {
		yield(&key, sumOf(values))
		done = append(done, key)
	}
	errs := []error{it.Err()}
	for i := range done {
		errs = append(errs, old.Delete(&done[i]))
	}
	return errors.Join(errs...)
}

func sumOf(all []rowValue) (sum rowValue) {
	for _, v := range all {
		sum.Count += v.Count
		sum.Bytes += v.Bytes
		sum.Time += v.Time
		sum.Wait += v.Wait
		sum.Max = max(sum.Max, v.Max)
	}
	return sum
}
