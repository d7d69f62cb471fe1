package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// sectorSize is the unit of /sys/block/DEV/stat, whatever the device's own block size is (the
// kernel's Documentation/block/stat.rst).
const sectorSize = 512

// device is a whole block device as listed in /sys/block.
type device struct {
	name         string
	major, minor uint32
	// stacked is true if the device has no request queue of its own.
	stacked bool
	// counts is true if the device keeps counters (queue/iostats).
	counts bool
}

// number is the kernel's internal device number (MKDEV), which differs from the one that programs
// see.
func (d device) number() uint32 { return d.major<<20 | d.minor }

// numberText returns the device number as shown to users, "8:0".
func (d device) numberText() string { return fmt.Sprintf("%d:%d", d.major, d.minor) }

// devices lists the machine's whole devices; files looks like "/".
func devices(files fs.FS) ([]device, error) {
	names, err := fs.ReadDir(files, "sys/block")
	if err != nil {
		return nil, fmt.Errorf("the block devices of this machine cannot be listed: %w", err)
	}
	var list []device
	for _, n := range names {
		if d, err := readDevice(files, n.Name()); err == nil {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b device) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

func readDevice(files fs.FS, name string) (device, error) {
	d := device{name: name}
	text, err := fs.ReadFile(files, path.Join("sys/block", name, "dev"))
	if err != nil {
		return d, err
	}
	if _, err := fmt.Sscanf(string(text), "%d:%d", &d.major, &d.minor); err != nil {
		return d, fmt.Errorf("the number of %s is %q: %w", name, text, err)
	}
	_, err = fs.Stat(files, path.Join("sys/block", name, "mq"))
	d.stacked = err != nil
	off, err := fs.ReadFile(files, path.Join("sys/block", name, "queue/iostats"))
	d.counts = err != nil || strings.TrimSpace(string(off)) != "0"
	return d, nil
}

// queuesOf returns the number of a device's request queues; 0 for a device without requests.
func queuesOf(files fs.FS, d device) int {
	if d.stacked {
		return 0
	}
	list, _ := fs.ReadDir(files, path.Join("sys/block", d.name, "mq"))
	return max(1, len(list))
}

// partsOf returns the numbers of a device's partitions.
func partsOf(files fs.FS, name string) (list []uint32) {
	parts, _ := fs.Glob(files, path.Join("sys/block", name, name+"*", "dev"))
	for _, p := range parts {
		var d device
		if text, err := fs.ReadFile(files, p); err == nil {
			if _, err := fmt.Sscanf(string(text), "%d:%d", &d.major, &d.minor); err == nil {
				list = append(list, d.number())
			}
		}
	}
	return list
}

// wholeOf returns the name of the whole device for a number such as "8:1": for a partition, the disk
// that it is on.
func wholeOf(files fs.FS, number string) (string, error) {
	list, err := devices(files)
	if err != nil {
		return "", err
	}
	for _, d := range list {
		if d.numberText() == number {
			return d.name, nil
		}
		parts, _ := fs.Glob(files, path.Join("sys/block", d.name, d.name+"*", "dev"))
		for _, p := range parts {
			if text, err := fs.ReadFile(files, p); err == nil && strings.TrimSpace(string(text)) == number {
				return d.name, nil
			}
		}
	}
	return "", fmt.Errorf("no block device has the number %s", number)
}

// partitions lists the partitions of the machine's devices; each has counters of its own.
func partitions(files fs.FS) (list []device) {
	whole, err := devices(files)
	if err != nil {
		return nil
	}
	for _, d := range whole {
		parts, _ := fs.Glob(files, path.Join("sys/block", d.name, d.name+"*", "dev"))
		for _, p := range parts {
			part := device{name: path.Base(path.Dir(p)), counts: d.counts}
			text, err := fs.ReadFile(files, p)
			if err != nil {
				continue
			}
			if _, err := fmt.Sscanf(string(text), "%d:%d", &part.major, &part.minor); err == nil {
				list = append(list, part)
			}
		}
	}
	return list
}

// holding returns the name of the device or partition with a number such as "8:1".
func holding(files fs.FS, number string) (string, error) {
	list, err := devices(files)
	if err != nil {
		return "", err
	}
	for _, d := range append(list, partitions(files)...) {
		if d.numberText() == number {
			return d.name, nil
		}
	}
	return "", fmt.Errorf("no block device has the number %s", number)
}

// counters reads the counters of a device or a partition.
func counters(files fs.FS, name string) (iotrace.Counters, error) {
	text, err := fs.ReadFile(files, path.Join("sys/block", name, "stat"))
	if errors.Is(err, fs.ErrNotExist) {
		// A partition.
		text, err = fs.ReadFile(files, path.Join("sys/class/block", name, "stat"))
	}
	if err != nil {
		return iotrace.Counters{}, err
	}
	return parseCounters(string(text))
}

// parseCounters parses a stat file: 11 numbers, 15 since Linux 4.18 and 17 since 5.5
// (Documentation/block/stat.rst).
func parseCounters(text string) (iotrace.Counters, error) {
	var v [17]uint64
	fields := strings.Fields(text)
	if len(fields) < 11 {
		return iotrace.Counters{}, fmt.Errorf("%q are no counters of a block device", text)
	}
	for i := range min(len(v), len(fields)) {
		n, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil {
			return iotrace.Counters{}, fmt.Errorf("%q are no counters of a block device", text)
		}
		v[i] = n
	}
	ms := func(n uint64) float64 { return float64(n) / 1000 }
	return iotrace.Counters{
		Reads: v[0], ReadMerges: v[1], ReadBytes: v[2] * sectorSize, ReadSeconds: ms(v[3]),
		Writes: v[4], WriteMerges: v[5], WrittenBytes: v[6] * sectorSize, WriteSeconds: ms(v[7]),
		BusySeconds: ms(v[9]), WeightedSeconds: ms(v[10]),
		Discards: v[11], DiscardBytes: v[13] * sectorSize, Flushes: v[15], FlushSeconds: ms(v[16]),
	}, nil
}

// subtractCounters returns what was counted between two readings; false if a counter decreased,
// because then another device has taken the name and began at 0.
func subtractCounters(now, before iotrace.Counters) (iotrace.Counters, bool) {
	for _, n := range [][2]uint64{
		{now.Reads, before.Reads}, {now.ReadMerges, before.ReadMerges}, {now.ReadBytes, before.ReadBytes},
		{now.Writes, before.Writes}, {now.WriteMerges, before.WriteMerges}, {now.WrittenBytes, before.WrittenBytes},
		{now.Discards, before.Discards}, {now.DiscardBytes, before.DiscardBytes}, {now.Flushes, before.Flushes},
	} {
		if n[0] < n[1] {
			return iotrace.Counters{}, false
		}
	}
	return iotrace.Counters{
		Reads: now.Reads - before.Reads, ReadMerges: now.ReadMerges - before.ReadMerges, ReadBytes: now.ReadBytes - before.ReadBytes, ReadSeconds: now.ReadSeconds - before.ReadSeconds,
		Writes: now.Writes - before.Writes, WriteMerges: now.WriteMerges - before.WriteMerges, WrittenBytes: now.WrittenBytes - before.WrittenBytes, WriteSeconds: now.WriteSeconds - before.WriteSeconds,
		Discards: now.Discards - before.Discards, DiscardBytes: now.DiscardBytes - before.DiscardBytes, Flushes: now.Flushes - before.Flushes, FlushSeconds: now.FlushSeconds - before.FlushSeconds,
		BusySeconds: now.BusySeconds - before.BusySeconds, WeightedSeconds: now.WeightedSeconds - before.WeightedSeconds,
	}, true
}

// unseenShare returns the share of a device's I/Os that were not seen; nil if it did none.
func unseenShare(c iotrace.Counters, seen map[iotrace.Operation]iotrace.Counts) *float64 {
	total := c.Total()
	var n uint64
	for op, count := range seen {
		// The device's counters do not include a driver's own commands.
		if op != iotrace.Other {
			n += count.Done
		}
	}
	if total == 0 {
		return nil
	}
	share := (float64(total) - float64(n)) / float64(total)
	return &share
}

// subtractCounts returns what was counted between two readings.
func subtractCounts(now, before map[iotrace.Operation]iotrace.Counts) (left map[iotrace.Operation]iotrace.Counts) {
	for op, n := range now {
		b := before[op]
		c := iotrace.Counts{
			Queued: n.Queued - b.Queued, QueuedBytes: n.QueuedBytes - b.QueuedBytes, Issued: n.Issued - b.Issued, IssuedBytes: n.IssuedBytes - b.IssuedBytes,
			Done: n.Done - b.Done, DoneBytes: n.DoneBytes - b.DoneBytes, Merged: n.Merged - b.Merged, MergedBytes: n.MergedBytes - b.MergedBytes,
			Requeued: n.Requeued - b.Requeued, Errors: n.Errors - b.Errors,
		}
		if c != (iotrace.Counts{}) {
			if left == nil {
				left = map[iotrace.Operation]iotrace.Counts{}
			}
			left[op] = c
		}
	}
	return left
}
