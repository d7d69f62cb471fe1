package trace

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// device is a whole block device as listed in /sys/block.
type device struct {
	name         string
	major, minor uint32
	// stacked is true if the device has no request queue of its own.
	stacked bool
	// counts is true if the device keeps counters (queue/iostats).
	counts bool
	// sequence tells devices apart that have the same name one after the other (diskseq, since Linux 5.15); it may be empty.
	sequence string
}

// stillCounts reports whether the device has counted all the time since it was read, as far as can be told: it may have been
// replaced by another one with its name, or its counting switched off.
func (d device) stillCounts(files fs.FS) bool {
	return d.counts && procfs.Accounts(files, d.name) && sequenceOf(files, d.name) == d.sequence
}

func sequenceOf(files fs.FS, name string) string {
	text, _ := fs.ReadFile(files, path.Join("sys/block", name, "diskseq"))
	return strings.TrimSpace(string(text))
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
	d.counts, d.sequence = procfs.Accounts(files, name), sequenceOf(files, name)
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
