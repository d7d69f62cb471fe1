// Package iotrace defines the data of a trace: what was requested, what the kernel reported for each
// second, and the conclusions. Its assumptions: a trace observes the I/O of others, so it shares
// findings, histograms and estimates with a measurement, but has no workload, and nothing in it is judged good or bad.
package iotrace

import (
	"errors"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Schema is the schema name of a trace's report, RunSchema that of its run record.
const (
	Schema    = "loadline.trace/v1"
	RunSchema = "loadline.trace-run/v1"
)

// Operation is the kind of an I/O on a device.
type Operation string

// The operations. Writing zeros, erasing, and zone appends are writes, as in the device's own counters.
// Flush is a flush that reached the device; FlushWait is a write without data that requests one: the
// device never sees it, a caller waits for it, and the kernel's counters count it as a write. Other is
// a driver command.
const (
	Read      Operation = "read"
	Write     Operation = "write"
	Flush     Operation = "flush"
	Discard   Operation = "discard"
	FlushWait Operation = "flush-wait"
	Other     Operation = "other"
)

// Operations lists all of them, in display order.
var Operations = []Operation{Read, Write, Flush, Discard, FlushWait, Other}

// Method is how a trace was made.
type Method string

// The methods, the one that sees most first. ByPerf pairs the events of the kernel's tracepoints, which
// do not identify requests. ByCounters has no percentiles, no processes and no cgroups.
const (
	ByBPF      Method = "bpf"
	ByPerf     Method = "perf"
	ByCounters Method = "counters"
)

// Originator identifies the origin of an I/O. Fields that the kernel does not report are empty.
type Originator struct {
	// PID is the process that issued the I/O, Command its name at the time. For I/O through the page
	// cache it is a kernel thread.
	PID     int    `json:"pid,omitempty"`
	Command string `json:"command,omitempty"`
	// Cgroup is the path relative to the cgroup mount ("/kubepods/…"), "#" and its ID if it no longer
	// exists, or "pod NAMESPACE/NAME" if it is known to belong to a run's own pod.
	Cgroup string `json:"cgroup,omitempty"`
}

// Sample covers about one second of one kind of I/O by one process on one device.
type Sample struct {
	// End is the end of the interval, in seconds since the trace began, and Seconds its length.
	End       float64   `json:"t"`
	Seconds   float64   `json:"s"`
	Device    string    `json:"device"`
	Operation Operation `json:"op"`
	// Size is the I/O size rounded down to a power of two, in bytes; 0 without data.
	Size int64 `json:"size,omitempty"`
	Originator
	// Flow counts completions; its latencies run from the last issue to the completion, for a FlushWait
	// from the beginning.
	Flow model.Flow `json:"f"`
	// Wait is the sum of the times, in seconds, from the beginning to the last issue.
	Wait float64 `json:"w,omitempty"`
}

// MostCounted is more than a sample can count: the bytes of an hour at a terabyte per second are less.
// Sums of larger numbers would lose precision.
const MostCounted = 1e17

// Check returns an error for a sample that no trace can have made.
func (s *Sample) Check() error {
	if !(s.Seconds > 0) || !(s.End >= 0) || s.Device == "" || s.Operation == "" {
		return errors.New("a line is not a sample of a trace: it has no device, or no time")
	}
	for _, v := range []float64{s.End, s.Seconds, s.Wait, s.Flow.LatencySum, s.Flow.Max, float64(s.Flow.IOs), float64(s.Flow.Bytes)} {
		if !(v >= 0 && v <= MostCounted) {
			return errors.New("a line is not a sample of a trace: it counts more than is possible")
		}
	}
	if s.Size < 0 || s.Size&(s.Size-1) != 0 {
		return errors.New("a line is not a sample of a trace: its class of size is not a power of two")
	}
	return nil
}

// Counts are what was counted of one operation: events and bytes.
type Counts struct {
	// Queued counts bios, as submitted by a program or a filesystem.
	Queued      uint64 `json:"queued,omitempty"`
	QueuedBytes uint64 `json:"queued_bytes,omitempty"`
	// Issued counts requests passed to the driver, again after a requeue; Done those that completed.
	Issued      uint64 `json:"issued,omitempty"`
	IssuedBytes uint64 `json:"issued_bytes,omitempty"`
	Done        uint64 `json:"done,omitempty"`
	DoneBytes   uint64 `json:"done_bytes,omitempty"`
	// Merged counts those that were merged into another request, and complete with it.
	Merged      uint64 `json:"merged,omitempty"`
	MergedBytes uint64 `json:"merged_bytes,omitempty"`
	Requeued    uint64 `json:"requeued,omitempty"`
	Errors      uint64 `json:"errors,omitempty"`
}

// Counters are a block device's own counters (/sys/block/DEV/stat), or the difference of two readings:
// I/Os, bytes, and seconds.
type Counters struct {
	Reads       uint64  `json:"reads"`
	ReadMerges  uint64  `json:"read_merges"`
	ReadBytes   uint64  `json:"read_bytes"`
	ReadSeconds float64 `json:"read_seconds"`
	// Writes also counts requests that only wait for a flush.
	Writes       uint64  `json:"writes"`
	WriteMerges  uint64  `json:"write_merges"`
	WrittenBytes uint64  `json:"written_bytes"`
	WriteSeconds float64 `json:"write_seconds"`
	Discards     uint64  `json:"discards"`
	DiscardBytes uint64  `json:"discard_bytes"`
	Flushes      uint64  `json:"flushes"`
	FlushSeconds float64 `json:"flush_seconds"`
	// BusySeconds is the time with any I/O in flight, WeightedSeconds the sum over all I/Os of their
	// time in flight.
	BusySeconds     float64 `json:"busy_seconds"`
	WeightedSeconds float64 `json:"weighted_seconds"`
}

// Total returns the number of all operations of the device.
func (c Counters) Total() uint64 { return c.Reads + c.Writes + c.Discards + c.Flushes }

// Device is what was seen of one device.
type Device struct {
	// Name is the kernel's name ("vda"), Number "major:minor".
	Name   string `json:"name"`
	Number string `json:"number"`
	// Stacked is set if it has no requests of its own (device mapper, MD, zram): its I/Os appear again
	// on the underlying devices.
	Stacked bool `json:"stacked,omitempty"`
	// Operations lacks entries for which nothing was seen.
	Operations map[Operation]Counts `json:"operations,omitempty"`
	// Counters are the device's own counters over the same period; nil if it has none.
	Counters *Counters `json:"counters,omitempty"`
	// Unseen is the fraction of the device's I/Os that the trace did not see, from 0 to 1; negative if
	// it saw more than the device counted. Nil if there is nothing to compare.
	Unseen *float64 `json:"unseen,omitempty"`
	// Unmatched counts completions whose beginning was not seen, such as I/Os in progress when the
	// trace began. Overflowed and Dropped count I/Os for which the kernel's maps had no room: the
	// former were lost completely, the latter were counted, but are in no row.
	Unmatched  uint64 `json:"unmatched,omitempty"`
	Overflowed uint64 `json:"overflowed,omitempty"`
	Dropped    uint64 `json:"dropped,omitempty"`
}

// Request is what was asked for. Empty fields mean no restriction.
type Request struct {
	// Target is the target as typed.
	Target  string   `json:"target,omitempty"`
	Devices []string `json:"devices,omitempty"`
	PID     int      `json:"pid,omitempty"`
	// Container and Pod are as typed, Cgroups the corresponding cgroups.
	Container string   `json:"container,omitempty"`
	Pod       string   `json:"pod,omitempty"`
	Cgroups   []string `json:"cgroups,omitempty"`
	// Seconds is the duration; 0 means until interrupted.
	Seconds float64 `json:"seconds,omitempty"`
}

// Run is the record of a trace: what was requested, and how it went.
type Run struct {
	Schema   string       `json:"schema"`
	ID       string       `json:"id"`
	Started  time.Time    `json:"started"`
	Finished time.Time    `json:"finished,omitzero"`
	Status   model.Status `json:"status"`
	Reason   string       `json:"reason,omitempty"`
	Command  []string     `json:"command,omitempty"`
	Labels   model.Labels `json:"labels,omitempty"`
	Request  Request      `json:"request"`
	Method   Method       `json:"method"`
	// Limitations lists, in sentences, what this method cannot see on this kernel.
	Limitations []string `json:"limitations,omitempty"`
	// Seconds is the time between the two readings of the counters.
	Seconds float64 `json:"seconds"`
	// LostRecords counts events, of any device, that were lost (ByPerf) because the buffers were full
	// or the kernel did not write them: each accounts for at most one missing I/O.
	LostRecords uint64            `json:"lost_records,omitempty"`
	Devices     []Device          `json:"devices,omitempty"`
	Environment model.Environment `json:"environment"`
}

// Figures summarizes the latencies of a set of I/Os, in seconds.
type Figures struct {
	IOs   uint64  `json:"ios"`
	Bytes uint64  `json:"bytes"`
	Mean  float64 `json:"mean"`
	// A percentile is absent if fewer than ten I/Os lie beyond it.
	P50  *float64 `json:"p50,omitempty"`
	P99  *float64 `json:"p99,omitempty"`
	P999 *float64 `json:"p99.9,omitempty"`
	Max  float64  `json:"max"`
	// Wait is the mean time before the last issue.
	Wait      float64             `json:"wait"`
	Histogram histogram.Histogram `json:"histogram"`
	// Metrics holds the rate, the mean and the percentiles with their intervals, where there is enough
	// data.
	Metrics map[model.Metric]model.Estimate `json:"metrics,omitempty"`
}

// Row is one operation of one process on one device.
type Row struct {
	Device    string    `json:"device"`
	Operation Operation `json:"operation"`
	Originator
	// Unowned is set for flushes that several cgroups waited for, or no process that was seen.
	Unowned bool `json:"unowned,omitempty"`
	Figures
}

// Kind is one operation on one device, regardless of who issued it.
type Kind struct {
	Device    string    `json:"device"`
	Operation Operation `json:"operation"`
	Figures
	// Sizes breaks the same I/Os down by size.
	Sizes []Size `json:"sizes,omitempty"`
	// Bars is the histogram in powers of two of a microsecond.
	Bars []Bar `json:"bars,omitempty"`
	// Course is the data for the charts over time; its workload is the device.
	Course *model.Course `json:"course,omitempty"`
}

// Size covers the I/Os whose size is at least Size bytes and less than twice that.
type Size struct {
	Size int64 `json:"size"`
	Figures
}

// Report holds the conclusions of a trace, loadline.trace/v1: fields are only ever added.
type Report struct {
	Schema string `json:"schema"`
	Run    Run    `json:"run"`
	// Rows has the originators of I/O, the busiest first; Kinds has everything seen on each device
	// within the request.
	Rows     []Row           `json:"rows"`
	Kinds    []Kind          `json:"kinds"`
	Findings []model.Finding `json:"findings"`
	// Damage lists, in sentences, what could not be read from the record.
	Damage    []string `json:"damage,omitempty"`
	Directory string   `json:"directory,omitempty"`
}
