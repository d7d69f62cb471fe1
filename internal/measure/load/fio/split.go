package fio

import (
	"fmt"
	"strings"
)

// splitter finds the JSON documents in fio's standard output, which mixes them
// with lines of text. A document begins with "{" at the start of a line and
// ends with the brace that closes it.
type splitter struct {
	doc     []byte
	depth   int
	quoted  bool
	escaped bool
	// midline is true if the last byte of text did not end a line.
	midline bool
}

// maxDocument bounds the size of a document, in bytes; fio's are below 100 kB.
const maxDocument = 16 << 20

// feed takes the next piece of output and passes on each complete document and each piece of text.
// The slices are valid only during the call.
func (s *splitter) feed(b []byte, document, text func([]byte)) {
	for len(b) > 0 {
		if s.depth == 0 {
			n := s.textLength(b)
			if n > 0 {
				text(b[:n])
				s.midline = b[n-1] != '\n'
				b = b[n:]
			}
			if len(b) == 0 {
				return
			}
		}
		n := s.documentLength(b)
		s.doc = append(s.doc, b[:n]...)
		b = b[n:]
		switch {
		case s.depth == 0:
			document(s.doc)
			s.doc = s.doc[:0]
		case len(s.doc) > maxDocument:
			text(s.doc[:1024])
			*s = splitter{midline: true}
		}
	}
}

// inside reports whether a document has begun but not ended.
func (s *splitter) inside() bool { return s.depth > 0 }

// textLength returns how many bytes of b come before the next document.
func (s *splitter) textLength(b []byte) int {
	start := !s.midline
	for i, c := range b {
		if start && c == '{' {
			return i
		}
		start = c == '\n'
	}
	return len(b)
}

// documentLength returns how many bytes of b belong to the current document.
func (s *splitter) documentLength(b []byte) int {
	for i, c := range b {
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted && c == '\\':
			s.escaped = true
		case c == '"':
			s.quoted = !s.quoted
		case s.quoted:
		case c == '{':
			s.depth++
		case c == '}':
			if s.depth--; s.depth == 0 {
				s.midline = true
				return i + 1
			}
		}
	}
	return len(b)
}

// excerpt keeps the beginning and the end of a text, because fio prints the cause first and the
// consequence last.
type excerpt struct {
	head, tail []byte
	cut        bool
}

const excerptSize = 2 << 10

// Write keeps the parts of b worth keeping.
func (e *excerpt) Write(b []byte) {
	n := min(len(b), excerptSize-len(e.head))
	e.head = append(e.head, b[:n]...)
	e.tail = append(e.tail, b[n:]...)
	if over := len(e.tail) - excerptSize; over > 0 {
		e.tail = append(e.tail[:0], e.tail[over:]...)
		e.cut = true
	}
}

// String returns what was kept.
func (e *excerpt) String() string {
	if e.cut {
		return string(e.head) + " … " + string(e.tail)
	}
	return strings.TrimSpace(string(e.head) + string(e.tail))
}

// record keeps fio's whole output if it is of reasonable size, else its beginning and its end; the
// samples hold what lies between.
type record struct {
	head, tail []byte
	omitted    int64
}

const (
	recordHead = 4 << 20
	recordTail = 256 << 10
)

// Write keeps b.
func (r *record) Write(b []byte) {
	n := min(len(b), recordHead-len(r.head))
	r.head = append(r.head, b[:n]...)
	r.tail = append(r.tail, b[n:]...)
	if over := len(r.tail) - 2*recordTail; over > 0 {
		over += recordTail
		r.omitted += int64(over)
		r.tail = append(r.tail[:0], r.tail[over:]...)
	}
}

// bytes returns what was kept, with a line of text where something is missing.
func (r *record) bytes() []byte {
	if r.omitted == 0 {
		return append(r.head[:len(r.head):len(r.head)], r.tail...)
	}
	gap := fmt.Sprintf("\n… %d bytes are left out here …\n", r.omitted)
	return append(append(r.head[:len(r.head):len(r.head)], gap...), r.tail...)
}
