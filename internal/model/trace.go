package model

import (
	"time"

	"github.com/loadline/loadline/internal/model/histogram"
)

// TraceSchema is the schema name of a trace's report, TraceRunSchema that of its record.
const (
	TraceSchema    = "loadline.trace/v1"
	TraceRunSchema = "loadline.trace-run/v1"
)

// TraceOperation is what an I/O does to a device.
type TraceOperation string

// The operations. What writes zeros, erases or appends to a zone is a write, as the device's
// own counters have it. TraceFlush is a flush that the device got; TraceFlushWait is a write
// without data that asks for one: the device never sees it, a caller waits for it, and the
// kernel's counters call it a write. TraceOther is a command of a driver.
const (
	TraceRead      TraceOperation = "read"
	TraceWrite     TraceOperation = "write"
	TraceFlush     TraceOperation = "flush"
	TraceDiscard   TraceOperation = "discard"
	TraceFlushWait TraceOperation = "flush-wait"
	TraceOther     TraceOperation = "other"
)

// TraceOperations are all of them, in the order in which they are shown.
var TraceOperations = []TraceOperation{TraceRead, TraceWrite, TraceFlush, TraceDiscard, TraceFlushWait, TraceOther}

// TraceMethod is how a trace was made.
type TraceMethod string

// The methods, from the one that sees most. TraceByCounters has no percentiles, no processes
// and no cgroups.
const (
	TraceByBPF      TraceMethod = "bpf"
	TraceByCounters TraceMethod = "counters"
)

// TraceWho is whose I/O it is. All of it is empty for what the kernel does not tell.
type TraceWho struct {
	// PID is of the process that asked for the I/O, Command its name then. Of what goes
	// through the page cache it is a thread of the kernel.
	PID     int    `json:"pid,omitempty"`
	Command string `json:"command,omitempty"`
	// Cgroup is the path below where the cgroups are mounted ("/kubepods/…"), or "#" and
	// its number where it is gone.
	Cgroup string `json:"cgroup,omitempty"`
}

// TraceSample is about one second of one kind of I/O of one process on one device.
type TraceSample struct {
	// End and Seconds are as of Sample; 0 is when the trace began.
	End       float64        `json:"t"`
	Seconds   float64        `json:"s"`
	Device    string         `json:"device"`
	Operation TraceOperation `json:"op"`
	// Size is the power of two, in bytes, that an I/O's size is not below; 0 without data.
	Size int64 `json:"size,omitempty"`
	TraceWho
	// Flow counts completions; its latencies are from the last issue to the completion, of
	// a TraceFlushWait from the beginning.
	Flow Flow `json:"f"`
	// Wait is the sum of the times, in seconds, from the beginning to the last issue.
	Wait float64 `json:"w,omitempty"`
}

// TraceCounts are what was counted of one operation: events and bytes.
type TraceCounts struct {
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

// DeviceCounters are a block device's own (/sys/block/DEV/stat), or the difference of two
// readings: I/Os, bytes, and seconds.
type DeviceCounters struct {
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
func (c DeviceCounters) Total() uint64 { return c.Reads + c.Writes + c.Discards + c.Flushes }

// TraceDevice is what was seen of one device.
type TraceDevice struct {
	// Name is the kernel's ("vda"), Number "major:minor".
	Name   string `json:"name"`
	Number string `json:"number"`
	// Stacked tells that it has no requests of its own (device mapper, MD, zram): its I/Os
	// appear on the devices below once more.
	Stacked bool `json:"stacked,omitempty"`
	// Operations are absent where nothing of the kind was seen.
	Operations map[TraceOperation]TraceCounts `json:"operations,omitempty"`
	// Counters are the device's own between the same instants; nil where it does not count.
	Counters *DeviceCounters `json:"counters,omitempty"`
	// Unseen is the share of the device's I/Os that the trace did not see, from 0 to 1;
	// below 0 it saw more than the device counted. Nil where nothing can be compared.
	Unseen *float64 `json:"unseen,omitempty"`
	// Unmatched are completions of what was not seen to begin, such as what was under way
	// when the trace began; Overflowed and Dropped are I/Os that found no room in the kernel's
	// maps, the former without any trace, the latter counted, but in no row.
	Unmatched  uint64 `json:"unmatched,omitempty"`
	Overflowed uint64 `json:"overflowed,omitempty"`
	Dropped    uint64 `json:"dropped,omitempty"`
}

// TraceRequest is what was asked for. Empty fields are no limit.
type TraceRequest struct {
	// Target is as the user typed it.
	Target  string   `json:"target,omitempty"`
	Devices []string `json:"devices,omitempty"`
	PID     int      `json:"pid,omitempty"`
	// Container and Pod are as the user typed them, Cgroups the cgroups that these are.
	Container string   `json:"container,omitempty"`
	Pod       string   `json:"pod,omitempty"`
	Cgroups   []string `json:"cgroups,omitempty"`
	// Seconds is how long; 0 is until it is interrupted.
	Seconds float64 `json:"seconds,omitempty"`
}

// TraceRun is the record of a trace: what was asked, and how it went.
type TraceRun struct {
	Schema   string       `json:"schema"`
	ID       string       `json:"id"`
	Started  time.Time    `json:"started"`
	Finished time.Time    `json:"finished,omitzero"`
	Status   Status       `json:"status"`
	Reason   string       `json:"reason,omitempty"`
	Command  []string     `json:"command,omitempty"`
	Labels   Labels       `json:"labels,omitempty"`
	Request  TraceRequest `json:"request"`
	Method   TraceMethod  `json:"method"`
	// CannotTell are sentences: what this method, on this kernel, does not see.
	CannotTell []string `json:"cannot_tell,omitempty"`
	// Seconds is the time between the two readings of the counters.
	Seconds     float64       `json:"seconds"`
	Devices     []TraceDevice `json:"devices,omitempty"`
	Environment Environment   `json:"environment"`
}

// TraceFigures are what a set of I/Os took, in seconds.
type TraceFigures struct {
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
}

// TraceRow is one operation of one process on one device.
type TraceRow struct {
	Device    string         `json:"device"`
	Operation TraceOperation `json:"operation"`
	TraceWho
	// Unowned tells that these are flushes for which several waited, or nobody that was seen.
	Unowned bool `json:"unowned,omitempty"`
	TraceFigures
}

// TraceKind is one operation on one device, whoever asked for it.
type TraceKind struct {
	Device    string         `json:"device"`
	Operation TraceOperation `json:"operation"`
	TraceFigures
	// Sizes are the same I/Os by size.
	Sizes []TraceSize `json:"sizes,omitempty"`
}

// TraceSize are those I/Os whose size is at least Size bytes, and below twice that.
type TraceSize struct {
	Size int64 `json:"size"`
	TraceFigures
}

// Trace is the report of a trace, loadline.trace/v1: fields are only ever added.
type Trace struct {
	Schema string   `json:"schema"`
	Run    TraceRun `json:"run"`
	// Rows are those who did I/O, the busiest first; Kinds all that was seen on each device
	// within what was asked for.
	Rows     []TraceRow  `json:"rows"`
	Kinds    []TraceKind `json:"kinds"`
	Findings []Finding   `json:"findings"`
	// Damage are sentences on what could not be read of the record.
	Damage    []string `json:"damage,omitempty"`
	Directory string   `json:"directory,omitempty"`
}
