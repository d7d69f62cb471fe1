package tracepoint

import (
	"bytes"
	"fmt"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// kind is what happened to an I/O.
type kind uint8

const (
	started kind = iota
	issued
	completed
	requeued
	requestMerged
	backMerged
	frontMerged
	bioQueued
	bioCompleted
	kinds
)

// source is a kernel event, with what its records must contain.
type source struct {
	name string
	kind kind
	// bio is true if it is only used for devices without requests.
	bio bool
	// required is true if nothing can be traced without it.
	required bool
}

// sources are the events that are followed. block_io_start occurs for each request, in the context of
// the process that makes it. Before Linux 6.5 that is the insertion into the scheduler, if there is a
// scheduler.
var sources = []source{
	{name: "block_io_start", kind: started}, {name: "block_rq_insert", kind: started},
	{name: "block_rq_issue", kind: issued, required: true}, {name: "block_rq_complete", kind: completed, required: true},
	{name: "block_rq_requeue", kind: requeued}, {name: "block_rq_merge", kind: requestMerged},
	{name: "block_bio_backmerge", kind: backMerged}, {name: "block_bio_frontmerge", kind: frontMerged},
	{name: "block_bio_queue", kind: bioQueued, bio: true}, {name: "block_bio_complete", kind: bioCompleted, bio: true},
}

// operation numbers the operations that are distinguished.
type operation uint8

const (
	opRead operation = iota
	opWrite
	opFlush
	opDiscard
	opWait
	opOther
	opCount
)

// operations maps the numbers to names.
var operations = [opCount]iotrace.Operation{
	opRead: iotrace.Read, opWrite: iotrace.Write, opFlush: iotrace.Flush, opDiscard: iotrace.Discard, opWait: iotrace.FlushWait, opOther: iotrace.Other,
}

// event is one event, with the fields that we need.
type event struct {
	time       uint64 // in ns of the monotonic clock
	kind       kind
	op         operation
	failed     bool
	flushFlags flushFlags
	device     uint32 // in the kernel's numbering of devices
	sector     uint64
	sectors    uint32
	bytes      uint32
	task       task
}

// end returns the sector after the I/O.
func (e *event) end() uint64 { return e.sector + uint64(e.sectors) }

// task is the task in whose context an event happened.
type task struct {
	pid     uint32
	command [16]byte
	// group is the number of its cgroup, 0 if unknown.
	group uint64
}

// flushFlags are the flushes that a request requires.
type flushFlags uint8

const (
	preflush  flushFlags = 1 << iota // before it (REQ_PREFLUSH)
	postflush                        // after it, or it must bypass the cache (REQ_FUA)
)

// sectorSize is the unit of sector numbers and sector counts in the events.
const sectorSize = 512

// decoder reads the records of one event.
type decoder struct {
	id   uint16
	kind kind
	// Fields that an event does not have are empty.
	device, sector, sectors, bytes, failed, letters, command fieldSpan
}

// decoder returns a decoder for an event's records, and fails if a required field is missing.
func (f format) decoder(k kind) (decoder, error) {
	for _, name := range []string{"dev", "sector", "nr_sector", "rwbs"} {
		if f.fields[name].size == 0 {
			return decoder{}, fmt.Errorf("its records have no field %s", name)
		}
	}
	return decoder{id: f.id, kind: k, device: f.fields["dev"], sector: f.fields["sector"], sectors: f.fields["nr_sector"], bytes: f.fields["bytes"],
		failed: f.fields["error"], letters: f.fields["rwbs"], command: f.fields["comm"]}, nil
}

// decode decodes a record into e, except for its time and process.
func (d *decoder) decode(record []byte, e *event) {
	e.kind = d.kind
	e.device, e.sector, e.sectors = uint32(d.device.number(record)), d.sector.number(record), uint32(d.sectors.number(record))
	e.bytes = e.sectors * sectorSize
	if e.sectors == 0 {
		e.bytes = uint32(d.bytes.number(record)) // a driver's own command has no sectors
	}
	e.failed = d.failed.number(record) != 0
	e.op, e.flushFlags = classify(d.letters.bytes(record), e.sectors)
	if e.sector == noSector {
		e.sector = 0
	}
	copy(e.task.command[:], d.command.bytes(record))
}

// noSector is the sector of a request without one, on kernels that do not show 0.
const noSector = ^uint64(0)

// classify interprets the letters of an I/O: an F before the operation requires a flush before it, an
// F after the operation a flush after it.
func classify(letters []byte, sectors uint32) (op operation, a flushFlags) {
	letters, _, _ = bytes.Cut(letters, []byte{0})
	if len(letters) > 1 && letters[0] == 'F' && bytes.IndexByte([]byte("WRDFNZ"), letters[1]) >= 0 {
		a, letters = preflush, letters[1:]
	}
	if len(letters) == 0 {
		return opOther, 0
	}
	first, rest := letters[0], letters[1:]
	switch first {
	case 'F':
		return opFlush, 0
	case 'R':
		return opRead, 0
	case 'D':
		// Secure erases are counted as writes.
		if len(rest) > 0 && rest[0] == 'E' {
			return opWrite, 0
		}
		return opDiscard, 0
	case 'N':
		// Driver commands and, on some kernels, writes of zeros, which have sectors.
		if sectors > 0 {
			return opWrite, 0
		}
		return opOther, 0
	case 'Z':
		return opWrite, 0
	case 'W':
		if bytes.IndexByte(rest, 'F') >= 0 {
			a |= postflush
		}
		if sectors == 0 && a&preflush != 0 {
			return opWait, a
		}
		return opWrite, a
	}
	return opOther, 0
}
