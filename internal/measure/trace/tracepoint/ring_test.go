package tracepoint

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// perfRecord returns a record as the kernel writes it.
func perfRecord(kind uint32, body []byte) []byte {
	r := binary.NativeEndian.AppendUint32(nil, kind)
	r = binary.NativeEndian.AppendUint16(r, 0)
	r = binary.NativeEndian.AppendUint16(r, uint16(headSize+len(body)))
	return append(r, body...)
}

// Records are whole even where the ring wraps around, and incomplete ones are left.
func TestRecordsOfARing(t *testing.T) {
	const size = 64
	for begin := uint64(0); begin < 3*size; begin += 8 {
		ring := make([]byte, size)
		head := begin
		put := func(r []byte) {
			for _, b := range r {
				ring[head%size] = b
				head++
			}
		}
		first, second := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 24)
		put(perfRecord(typeSample, first))
		put(perfRecord(typeLost, second))
		var got [][]byte
		var kinds []uint32
		var scratch []byte
		tail := recordsOf(ring, begin, head, &scratch, func(kind uint32, body []byte) {
			kinds, got = append(kinds, kind), append(got, bytes.Clone(body))
		})
		if tail != head || len(got) != 2 || kinds[0] != typeSample || kinds[1] != typeLost || !bytes.Equal(got[0], first) || !bytes.Equal(got[1], second) {
			t.Fatalf("from %d: %v %v, and %d is left", begin, kinds, got, head-tail)
		}
	}
}

// Reading an inconsistent ring ends: nothing is read twice, and there is no endless loop.
func TestABrokenRingEnds(t *testing.T) {
	var scratch []byte
	none := func(uint32, []byte) { t.Error("there is a record") }
	for name, c := range map[string]struct {
		ring       []byte
		tail, head uint64
	}{
		"a length of 0": {make([]byte, 64), 0, 32}, "a record beyond the head": {append(perfRecord(typeSample, make([]byte, 40)), make([]byte, 16)...), 0, 24},
		"more than there is room": {make([]byte, 64), 0, 1000}, "no power of two": {make([]byte, 48), 0, 16}, "no ring": {nil, 0, 16},
	} {
		if tail := recordsOf(c.ring, c.tail, c.head, &scratch, none); tail != c.head {
			t.Errorf("%s: read to %d of %d", name, tail, c.head)
		}
	}
}

func TestSamples(t *testing.T) {
	body := binary.NativeEndian.AppendUint32(nil, 4711)
	body = binary.NativeEndian.AppendUint32(body, 4712)
	body = binary.NativeEndian.AppendUint64(body, 123456789)
	body = binary.NativeEndian.AppendUint32(body, 12)
	body = append(body, "a raw record"...)
	with := binary.NativeEndian.AppendUint64(bytes.Clone(body), 77)
	if s, ok := readSample(with, true); !ok || s.pid != 4711 || s.time != 123456789 || string(s.raw) != "a raw record" || s.group != 77 {
		t.Errorf("%+v %v", s, ok)
	}
	if s, ok := readSample(body, false); !ok || s.group != 0 || string(s.raw) != "a raw record" {
		t.Errorf("%+v %v", s, ok)
	}
	if _, ok := readSample(body, true); ok {
		t.Error("a sample without its cgroup was read")
	}
	for n := range body {
		if _, ok := readSample(body[:n], false); ok {
			t.Errorf("%d bytes of a sample were read", n)
		}
	}
	binary.NativeEndian.PutUint32(with, ^uint32(0))
	if s, ok := readSample(with, true); !ok || s.pid != 0 {
		t.Errorf("a task that has ended has the process %d", s.pid)
	}
	lost := binary.NativeEndian.AppendUint64(make([]byte, 8), 5)
	if lostCount(lost) != 5 || lostCount(lost[:8]) != 0 {
		t.Error("lost records")
	}
}
