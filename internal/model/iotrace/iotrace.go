// Package iotrace is the words of a trace: what was asked for, what the kernel told of each
// second, and what is concluded of it. Its opinion: a trace watches what others do, so it
// shares findings and histograms with a measurement, and has no workload, no estimate and
// no verdict.
package iotrace

import (
	"errors"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// Schema is the schema name of a trace's report, RunSchema that of its record.
const (
	Schema    = "loadline.trace/v1"
	RunSchema = "loadline.trace-run/v1"
)

// Operation is what an I/O does to a device.
type Operation string

// The operations. What writes zeros, erases or appends to a zone is a write, as the device's
// own counters have it. Flush is a flush that the device got; FlushWait is a write
// without data that asks for one: the device never sees it, a caller waits for it, and the
// kernel's counters call it a write. Other is a command of a driver.
const (
	Read      Operation = "read"
	Write     Operation = "write"
	Flush     Operation = "flush"
	Discard   Operation = "discard"
	FlushWait Operation = "flush-wait"
	Other     Operation = "other"
)

// Operations are all of them, in the order in which they are shown.
var Operations = []Operation{Read, Write, Flush, Discard, FlushWait, Other}

// Method is how a trace was made.
type Method string

// The methods, from the one that sees most. ByPerf pairs the events of the kernel's
// tracepoints, which name no request. ByCounters has no percentiles, no processes and no
// cgroups.
const (
	ByBPF      Method = "bpf"
	ByPerf     Method = "perf"
	ByCounters Method = "counters"
)

// Who is whose I/O it is. All of it is empty for what the kernel does not tell.
type Who struct {
	// PID is of the process that asked for the I/O, Command its name then. Of what goes
	// through the page cache it is a thread of the kernel.
	PID     int    `json:"pid,omitempty"`
	Command string `json:"command,omitempty"`
	// Cgroup is the path below where the cgroups are mounted ("/kubepods/…"), "#" and its
	// number where it is gone, or "pod NAMESPACE/NAME" where a run's own pod is known by that.
	Cgroup string `json:"cgroup,omitempty"`
}

// Sample is about one second of one kind of I/O of one process on one device.
type Sample struct {
	// End is when it ended, in seconds since the trace began, and Seconds its length.
	End       float64   `json:"t"`
	Seconds   float64   `json:"s"`
	Device    string    `json:"device"`
	Operation Operation `json:"op"`
	// Size is the power of two, in bytes, that an I/O's size is not below; 0 without data.
	Size int64 `json:"size,omitempty"`
	Who
	// Flow counts completions; its latencies are from the last issue to the completion, of
	// a FlushWait from the beginning.
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
		return errors.New("a line is no sample of a trace: it has no device, or no time")
	}
	for _, v := range []float64{s.End, s.Seconds, s.Wait, s.Flow.LatencySum, s.Flow.Max, float64(s.Flow.IOs), float64(s.Flow.Bytes)} {
		if !(v >= 0 && v <= MostCounted) {
			return errors.New("a line is no sample of a trace: it counts more than is possible")
		}
	}
	if s.Size < 0 || s.Size&(s.Size-1) != 0 {
		return errors.New("a line is no sample of a trace: its class of size is not a power of two")
	}
	return nil
}

// Counts are what was counted of one operation: events and bytes.
type Counts struct {
	// Queued are bios, as a program or a filesystem asked for them.
	Queued      uint64 `json:"queued,omitempty"`
	QueuedBytes uint64 `json:"queued_bytes,omitempty"`
	// Issued are requests that the driver got, again after a requeue; Done those that ended.
	Issued      uint64 `json:"issued,omitempty"`
	IssuedBytes uint64 `json:"issued_bytes,omitempty"`
	Done        uint64 `json:"done,omitempty"`
	DoneBytes   uint64 `json:"done_bytes,omitempty"`
	// Merged became part of another request, and end with it.
	Merged      uint64 `json:"merged,omitempty"`
	MergedBytes uint64 `json:"merged_bytes,omitempty"`
	Requeued    uint64 `json:"requeued,omitempty"`
	Errors      uint64 `json:"errors,omitempty"`
}

// Counters are a block device's own (/sys/block/DEV/stat), or the difference of two
// readings: I/Os, bytes, and seconds.
type Counters struct {
	Reads       uint64  `json:"reads"`
	ReadMerges  uint64  `json:"read_merges"`
	ReadBytes   uint64  `json:"read_bytes"`
	ReadSeconds float64 `json:"read_seconds"`
	// Writes count what waits for a flush without writing anything as well.
	Writes       uint64  `json:"writes"`
	WriteMerges  uint64  `json:"write_merges"`
	WrittenBytes uint64  `json:"written_bytes"`
	WriteSeconds float64 `json:"write_seconds"`
	Discards     uint64  `json:"discards"`
	DiscardBytes uint64  `json:"discard_bytes"`
	Flushes      uint64  `json:"flushes"`
	FlushSeconds float64 `json:"flush_seconds"`
	// BusySeconds is the time with anything in flight, WeightedSeconds the sum over all
	// I/Os of their time in flight.
	BusySeconds     float64 `json:"busy_seconds"`
	WeightedSeconds float64 `json:"weighted_seconds"`
}

// Total is all that the device did.
func (c Counters) Total() uint64 { return c.Reads + c.Writes + c.Discards + c.Flushes }

// Device is what was seen of one device.
type Device struct {
	// Name is the kernel's ("vda"), Number "major:minor".
	Name   string `json:"name"`
	Number string `json:"number"`
	// Stacked tells that it has no requests of its own (device mapper, MD, zram): its I/Os
	// appear on the devices below once more.
	Stacked bool `json:"stacked,omitempty"`
	// Operations are absent where nothing of the kind was seen.
	Operations map[Operation]Counts `json:"operations,omitempty"`
	// Counters are the device's own between the same instants; nil where it does not count.
	Counters *Counters `json:"counters,omitempty"`
	// Unseen is the share of the device's I/Os that the trace did not see, from 0 to 1;
	// below 0 it saw more than the device counted. Nil where nothing can be compared.
	Unseen *float64 `json:"unseen,omitempty"`
	// Unmatched are completions of what was not seen to begin, such as what was in progress
	// when the trace began; Overflowed and Dropped are I/Os that found no room in the kernel's
	// maps, the former without any trace, the latter counted, but in no row.
	Unmatched  uint64 `json:"unmatched,omitempty"`
	Overflowed uint64 `json:"overflowed,omitempty"`
	Dropped    uint64 `json:"dropped,omitempty"`
}

// Request is what was asked for. Empty fields are no limit.
type Request struct {
	// Target is as the user typed it.
	Target  string   `json:"target,omitempty"`
	Devices []string `json:"devices,omitempty"`
	PID     int      `json:"pid,omitempty"`
	// Container and Pod are as the user typed them, Cgroups the cgroups that these are.
	Container string   `json:"container,omitempty"`
	Pod       string   `json:"pod,omitempty"`
	Cgroups   []string `json:"cgroups,omitempty"`
	// Seconds is how long; 0 means until interrupted.
	Seconds float64 `json:"seconds,omitempty"`
}

// Run is the record of a trace: what was asked, and how it went.
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
	// CannotTell are sentences: what this method, on this kernel, does not see.
	CannotTell []string `json:"cannot_tell,omitempty"`
	// Seconds is the time between the two readings of the counters.
	Seconds float64 `json:"seconds"`
	// LostRecords are events of any device that there are no records of (ByPerf), because the
	// buffers were full or the kernel wrote none: at most one I/O is missing for each.
	LostRecords uint64            `json:"lost_records,omitempty"`
	Devices     []Device          `json:"devices,omitempty"`
	Environment model.Environment `json:"environment"`
}

// Figures are what a set of I/Os took, in seconds.
type Figures struct {
	IOs   uint64  `json:"ios"`
	Bytes uint64  `json:"bytes"`
	Mean  float64 `json:"mean"`
	// A percentile that fewer than ten I/Os lie beyond is absent.
	P50  *float64 `json:"p50,omitempty"`
	P99  *float64 `json:"p99,omitempty"`
	P999 *float64 `json:"p99.9,omitempty"`
	Max  float64  `json:"max"`
	// Wait is the mean time before the last issue.
	Wait      float64             `json:"wait"`
	Histogram histogram.Histogram `json:"histogram"`
	// Metrics are the rate, the mean and the percentiles with their intervals, as far as
	// there is enough for one.
	Metrics map[model.Metric]model.Estimate `json:"metrics,omitempty"`
}

// Row is one operation of one process on one device.
type Row struct {
	Device    string    `json:"device"`
	Operation Operation `json:"operation"`
	Who
	// Unowned tells that these are flushes for which several waited, or nobody that was seen.
	Unowned bool `json:"unowned,omitempty"`
	Figures
}

// Kind is one operation on one device, whoever asked for it.
type Kind struct {
	Device    string    `json:"device"`
	Operation Operation `json:"operation"`
	Figures
	// Sizes are the same I/Os by size.
	Sizes []Size `json:"sizes,omitempty"`
	// Bars are the histogram in powers of two of a microsecond.
	Bars []Bar `json:"bars,omitempty"`
	// Course is what the charts over time are drawn from; its workload is the device.
	Course *model.Course `json:"course,omitempty"`
}

// Size are those I/Os whose size is at least Size bytes, and below twice that.
type Size struct {
	Size int64 `json:"size"`
	Figures
}

// Report is what is concluded of a trace, loadline.trace/v1: fields are only ever added.
type Report struct {
	Schema string `json:"schema"`
	Run    Run    `json:"run"`
	// Rows are those who did I/O, the busiest first; Kinds all that was seen on each device
	// within what was asked for.
	Rows     []Row           `json:"rows"`
	Kinds    []Kind          `json:"kinds"`
	Findings []model.Finding `json:"findings"`
	// Damage are sentences on what could not be read of the record.
	Damage    []string `json:"damage,omitempty"`
	Directory string   `json:"directory,omitempty"`
}
