package tracepoint

import (
	"encoding/binary"
	"math/bits"
)

// The header of a perf record, and the record types that we need (perf_event_open(2)).
const (
	headSize   = 8
	typeLost   = 2
	typeSample = 9
)

// recordsOf calls yield for each whole record between two positions of a ring, with its type and what
// follows its header. It returns the position after the last of them. The slice passed to yield is
// valid until yield returns.
func recordsOf(data []byte, tail, head uint64, scratch *[]byte, yield func(kind uint32, body []byte)) uint64 {
	size := uint64(len(data))
	if size == 0 || bits.OnesCount64(size) != 1 || head-tail > size {
		return head // a ring that was overwritten is useless
	}
	at := func(from, n uint64) []byte {
		from &= size - 1
		if from+n <= size {
			return data[from : from+n]
		}
		*scratch = append(append((*scratch)[:0], data[from:]...), data[:from+n-size]...)
		return *scratch
	}
	for head-tail >= headSize {
		start := at(tail, headSize)
		kind, n := binary.NativeEndian.Uint32(start), uint64(binary.NativeEndian.Uint16(start[6:]))
		if n < headSize || n > head-tail {
			return head
		}
		yield(kind, at(tail, n)[headSize:])
		tail += n
	}
	return tail
}

// sample is the record of an event.
type sample struct {
	pid   uint32
	time  uint64
	group uint64
	raw   []byte
}

// readSample parses a sample that consists of a thread, a time, a record and, if cgroups is set, a
// cgroup.
func readSample(body []byte, cgroups bool) (s sample, ok bool) {
	const before = 4 + 4 + 8 + 4 // process, thread, time, length of the record
	if len(body) < before {
		return s, false
	}
	s.pid, s.time = binary.NativeEndian.Uint32(body), binary.NativeEndian.Uint64(body[8:])
	if int32(s.pid) < 0 {
		s.pid = 0 // a task that has ended, or is in another namespace
	}
	n := int(binary.NativeEndian.Uint32(body[16:]))
	if n < 0 || n > len(body)-before {
		return s, false
	}
	s.raw = body[before : before+n]
	if rest := body[before+n:]; cgroups {
		if len(rest) < 8 {
			return s, false
		}
		s.group = binary.NativeEndian.Uint64(rest)
	}
	return s, true
}

// lostCount returns the number of lost records that such a record reports.
func lostCount(body []byte) uint64 {
	if len(body) < 16 {
		return 0
	}
	return binary.NativeEndian.Uint64(body[8:])
}
