package term

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model/safetext"
)

// The control sequences of a display that redraws its line (ECMA-48): erase the line
// from its beginning, hide and show the cursor; and of one that redraws several lines: up
// by one, erase what is below.
const (
	EraseLine  = "\r\x1b[K"
	HideCursor = "\x1b[?25l"
	ShowCursor = "\x1b[?25h"
	UpOne      = "\x1b[A"
	EraseBelow = "\x1b[J"
)

// own are the sequences that Loadline writes, and the only ones that a stream for people
// ever lets through.
var own = func() []string {
	list := []string{EraseLine, HideCursor, ShowCursor, UpOne, EraseBelow, endPaint}
	for _, p := range paints {
		list = append(list, p.begin())
	}
	return list
}()

// Writer is a stream that people read. Whoever forgets to clean a text cannot make it
// reach the terminal: no control character but the line break and the tab gets through,
// nothing invisible and nothing that is no UTF-8. It may be used by several goroutines.
//
// What draws and paints asks for Styled, which also lets Loadline's own sequences
// through, and vouches for having cleaned the texts in between; what writes a document
// for a program asks for Raw.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	part []byte
}

// NewWriter makes the stream w one for people; one that is so already stays as it is.
func NewWriter(w io.Writer) *Writer {
	if is, ok := w.(*Writer); ok {
		return is
	}
	return &Writer{to: w}
}

// Write writes what may reach a terminal of p.
func (w *Writer) Write(p []byte) (int, error) { return w.write(p, nil) }

// Styled is the same stream for text with Loadline's own colours and cursor movements in
// it. A stream that is no Writer is returned as it is.
func Styled(w io.Writer) io.Writer {
	if is, ok := w.(*Writer); ok {
		return styled{is}
	}
	return w
}

type styled struct{ *Writer }

func (s styled) Write(p []byte) (int, error) { return s.write(p, own) }

// Raw is the stream beneath, for a document or a protocol that a program reads.
func Raw(w io.Writer) io.Writer {
	switch is := w.(type) {
	case *Writer:
		return is.to
	case styled:
		return is.to
	}
	return w
}

func (w *Writer) write(p []byte, allowed []string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.part, p...)
	w.part = nil
	// A character whose bytes come with two writes, as from a program's output.
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			w.part = append([]byte(nil), text[i:]...)
			text = text[:i]
			break
		}
	}
	if _, err := io.WriteString(w.to, lines(string(text), allowed)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// lines cleans text of any number of lines but for the allowed sequences.
func lines(text string, allowed []string) string {
	var b strings.Builder
	rest := text
next:
	for rest != "" {
		r, n := utf8.DecodeRuneInString(rest)
		if r == '\x1b' || r == '\r' {
			for _, s := range allowed {
				if strings.HasPrefix(rest, s) {
					b.WriteString(s)
					rest = rest[len(s):]
					continue next
				}
			}
		}
		rest = rest[n:]
		switch {
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			b.WriteByte(' ')
		case !safetext.Invisible(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
