package procfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// sectorSize is the unit of /sys/block/DEV/stat, whatever the device's own block size is (the
// kernel's Documentation/block/stat.rst).
const sectorSize = 512

// BlockCounters reads what the kernel has counted of a block device or a partition ("vda1") since it appeared; files looks like
// "/".
func BlockCounters(files fs.FS, name string) (iotrace.Counters, error) {
	text, err := ofBlock(files, name, "stat")
	if err != nil {
		return iotrace.Counters{}, err
	}
	return ParseBlockCounters(string(text))
}

// Accounts reports whether a block device or a partition counts: accounting may be switched off (queue/iostats).
func Accounts(files fs.FS, name string) bool {
	text, _ := ofBlock(files, name, "queue/iostats")
	return strings.TrimSpace(string(text)) != "0"
}

// ofBlock reads a file of a device or a partition. /sys/block has whole devices only.
func ofBlock(files fs.FS, name, file string) ([]byte, error) {
	text, err := fs.ReadFile(files, path.Join("sys/block", name, file))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = fs.ReadFile(files, path.Join("sys/class/block", name, file))
	}
	return text, err
}

// ParseBlockCounters parses a stat file: 11 numbers, 15 since Linux 4.18 and 17 since 5.5
// (Documentation/block/stat.rst).
func ParseBlockCounters(text string) (iotrace.Counters, error) {
	var v [17]uint64
	fields := strings.Fields(text)
	if len(fields) < 11 {
		return iotrace.Counters{}, fmt.Errorf("%q are not counters of a block device", text)
	}
	for i := range min(len(v), len(fields)) {
		n, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil {
			return iotrace.Counters{}, fmt.Errorf("%q are not counters of a block device", text)
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

// wraps is after how many seconds a device's time begins anew: the kernel prints it as 32-bit milliseconds
// (part_stat_show in its block/genhd.c). With many I/Os in flight, that is less than a day.
const wraps = (1 << 32) / 1000.0

// elapsed is the time between two readings of which it has wrapped at most once.
func elapsed(before, now float64) float64 {
	if now < before {
		now += wraps
	}
	return now - before
}

// CountedSince returns what was counted between two readings; false if a counter decreased: another device has taken
// the name and began at 0, or the counters of a 32-bit kernel have wrapped.
func CountedSince(before, now iotrace.Counters) (iotrace.Counters, bool) {
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
		Reads: now.Reads - before.Reads, ReadMerges: now.ReadMerges - before.ReadMerges, ReadBytes: now.ReadBytes - before.ReadBytes, ReadSeconds: elapsed(before.ReadSeconds, now.ReadSeconds),
		Writes: now.Writes - before.Writes, WriteMerges: now.WriteMerges - before.WriteMerges, WrittenBytes: now.WrittenBytes - before.WrittenBytes, WriteSeconds: elapsed(before.WriteSeconds, now.WriteSeconds),
		Discards: now.Discards - before.Discards, DiscardBytes: now.DiscardBytes - before.DiscardBytes, Flushes: now.Flushes - before.Flushes, FlushSeconds: elapsed(before.FlushSeconds, now.FlushSeconds),
		BusySeconds: elapsed(before.BusySeconds, now.BusySeconds), WeightedSeconds: elapsed(before.WeightedSeconds, now.WeightedSeconds),
	}, true
}
