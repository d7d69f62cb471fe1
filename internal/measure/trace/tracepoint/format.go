package tracepoint

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// format holds the offsets of an event's fields in its records, as reported by the kernel.
type format struct {
	id     uint16
	fields map[string]fieldSpan
}

// fieldSpan is a field: its offset from the beginning of the record and its length, in bytes.
type fieldSpan struct{ at, size int }

// maxRecord bounds the offsets that are accepted: a perf record is below 64 KiB.
const maxRecord = 1 << 16

// parseFormat parses a format file of the tracing filesystem.
func parseFormat(text string) (format, error) {
	f := format{fields: map[string]fieldSpan{}}
	named := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if number, ok := strings.CutPrefix(line, "ID:"); ok {
			id, err := strconv.ParseUint(strings.TrimSpace(number), 10, 16)
			if err != nil {
				return f, fmt.Errorf("the number of the event is %q", number)
			}
			f.id, named = uint16(id), true
		}
		rest, ok := strings.CutPrefix(line, "field:")
		if !ok {
			continue
		}
		declared, numbers, _ := strings.Cut(rest, ";")
		var s fieldSpan
		if _, err := fmt.Sscanf(strings.TrimSpace(numbers), "offset:%d;\tsize:%d;", &s.at, &s.size); err != nil || s.at < 0 || s.size < 0 || s.at > maxRecord || s.size > maxRecord-s.at {
			return f, fmt.Errorf("the line %q says no place of a field", line)
		}
		name := declared[strings.LastIndexAny(declared, " *")+1:]
		name, _, _ = strings.Cut(name, "[")
		f.fields[name] = s
	}
	if !named {
		return f, fmt.Errorf("it has no number")
	}
	return f, nil
}

// number returns a field of 1, 2, 4 or 8 bytes; 0 if the record has no such field.
func (s fieldSpan) number(record []byte) uint64 {
	raw := s.bytes(record)
	switch len(raw) {
	case 1:
		return uint64(raw[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(raw))
	case 4:
		return uint64(binary.NativeEndian.Uint32(raw))
	case 8:
		return binary.NativeEndian.Uint64(raw)
	}
	return 0
}

// bytes returns the raw bytes of a field; nil if the record does not have it.
func (s fieldSpan) bytes(record []byte) []byte {
	if s.at+s.size > len(record) {
		return nil
	}
	return record[s.at : s.at+s.size]
}
