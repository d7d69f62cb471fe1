package tracepoint

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model/iotrace"
)

// saved returns the format of an event as reported by Linux 6.18.
func saved(t *testing.T, event string) format {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", event))
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseFormat(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// recordOf writes a record according to a format.
func recordOf(f format, size int, numbers map[string]uint64, words map[string]string) []byte {
	record := make([]byte, size)
	for name, n := range numbers {
		s := f.fields[name]
		var raw [8]byte
		binary.NativeEndian.PutUint64(raw[:], n)
		if s.size < 8 && binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
			copy(record[s.at:s.at+s.size], raw[8-s.size:])
			continue
		}
		copy(record[s.at:s.at+s.size], raw[:])
	}
	for name, word := range words {
		s := f.fields[name]
		copy(record[s.at:s.at+s.size], word)
	}
	return record
}

func TestFormatsOfAKernelAreRead(t *testing.T) {
	f := saved(t, "block_rq_complete")
	if f.id != 2107 || f.fields["sector"] != (fieldSpan{16, 8}) || f.fields["rwbs"] != (fieldSpan{34, 10}) || f.fields["error"] != (fieldSpan{28, 4}) || f.fields["cmd"] != (fieldSpan{44, 4}) {
		t.Errorf("%+v", f)
	}
	if f := saved(t, "block_bio_frontmerge"); f.id != 2098 || f.fields["rwbs"] != (fieldSpan{28, 10}) || f.fields["comm"] != (fieldSpan{38, 16}) {
		t.Errorf("%+v", f)
	}
}

// Fields are read from where the format says, even if other kernels have them elsewhere.
func TestRecordsAreReadByTheirFormat(t *testing.T) {
	now := saved(t, "block_rq_issue")
	text, err := os.ReadFile("testdata/block_rq_issue")
	if err != nil {
		t.Fatal(err)
	}
	moved, err := parseFormat(strings.NewReplacer("offset:16;\tsize:8", "offset:72;\tsize:8", "offset:24;\tsize:4", "offset:64;\tsize:4", "offset:34;\tsize:10", "offset:80;\tsize:8", "rwbs[10]", "rwbs[8]").Replace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]format{"6.18": now, "another": moved} {
		d, err := f.decoder(issued)
		if err != nil {
			t.Fatal(err)
		}
		record := recordOf(f, 96, map[string]uint64{"common_type": 2104, "dev": 254<<20 | 16, "sector": 1 << 33, "nr_sector": 24, "bytes": 12288}, map[string]string{"rwbs": "FWFS", "comm": "postgres"})
		var e event
		d.decode(record, &e)
		if e.kind != issued || e.device != 254<<20|16 || e.sector != 1<<33 || e.sectors != 24 || e.bytes != 12288 || e.op != opWrite || e.flushFlags != preflush|postflush || string(e.task.command[:8]) != "postgres" || e.failed {
			t.Errorf("%s: %+v", name, e)
		}
		// A truncated record is not read beyond its end.
		d.decode(record[:20], &e)
	}
	done := saved(t, "block_rq_complete")
	d, err := done.decoder(completed)
	if err != nil {
		t.Fatal(err)
	}
	var e event
	d.decode(recordOf(done, 48, map[string]uint64{"sector": noSector, "error": 1<<32 - 5}, map[string]string{"rwbs": "FF"}), &e)
	if e.op != opFlush || e.sector != 0 || !e.failed {
		t.Errorf("a flush that failed: %+v", e)
	}
}

func TestFormatsThatAreNoneAreRefused(t *testing.T) {
	const number = "name: x\nID: 7\nformat:\n"
	for _, text := range []string{"", "ID: seven\n", "ID: 70000\n", number + "\tfield:dev_t dev;\toffset:8;\n", number + "\tfield:dev_t dev;\toffset:-8;\tsize:4;\n", number + "\tfield:dev_t dev;\toffset:65536;\tsize:4;\n",
		// The sum of these two overflows.
		number + "\tfield:dev_t dev;\toffset:9223372036854775807;\tsize:4;\n"} {
		if f, err := parseFormat(text); err == nil {
			t.Errorf("%q was read: %+v", text, f)
		}
	}
	f, err := parseFormat(number + "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n")
	if err != nil || f.id != 7 {
		t.Fatalf("%+v, %v", f, err)
	}
	if _, err := f.decoder(issued); err == nil || !strings.Contains(err.Error(), "sector") {
		t.Errorf("records without a sector: %v", err)
	}
}

func TestLettersOfAnIO(t *testing.T) {
	for letters, want := range map[string]struct {
		sectors    uint32
		op         iotrace.Operation
		flushFlags flushFlags
	}{
		"R": {8, iotrace.Read, 0}, "RAM": {8, iotrace.Read, 0}, "W": {8, iotrace.Write, 0}, "WS": {8, iotrace.Write, 0}, "WFS": {8, iotrace.Write, postflush}, "FWFSM": {8, iotrace.Write, preflush | postflush},
		"FWS": {0, iotrace.FlushWait, preflush}, "FF": {0, iotrace.Flush, 0}, "F": {0, iotrace.Flush, 0}, "D": {8, iotrace.Discard, 0}, "DS": {8, iotrace.Discard, 0}, "DE": {8, iotrace.Write, 0},
		"N": {0, iotrace.Other, 0}, "NS": {8, iotrace.Write, 0}, "WZS": {8, iotrace.Write, 0}, "ZA": {8, iotrace.Write, 0}, "": {0, iotrace.Other, 0}, "?": {8, iotrace.Other, 0},
	} {
		if op, a := classify(append([]byte(letters), 0, 'R'), want.sectors); operations[op] != want.op || a != want.flushFlags {
			t.Errorf("%q is a %s that asks %d, want %s and %d", letters, operations[op], a, want.op, want.flushFlags)
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, name := range []string{"block_rq_issue", "block_rq_complete"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), []byte("a record"))
	}
	f.Fuzz(func(t *testing.T, text string, record []byte) {
		if format, err := parseFormat(text); err == nil {
			if d, err := format.decoder(issued); err == nil {
				var e event
				d.decode(record, &e)
			}
		}
	})
}
