package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
)

// The control sequences of a display that redraws its line (ECMA-48): erase the line from its
// beginning, hide and show the cursor; and those of a display that redraws several lines: move up
// by one, erase what is below.
const (
	EraseLine  = "\r\x1b[K"
	HideCursor = "\x1b[?25l"
	ShowCursor = "\x1b[?25h"
	UpOne      = "\x1b[A"
	EraseBelow = "\x1b[J"
)

// own are the sequences that Loadline writes, and the only ones that a stream for people ever
// passes.
var own = func() []string {
	list := []string{EraseLine, HideCursor, ShowCursor, UpOne, EraseBelow, endPaint}
	for _, p := range paints {
		list = append(list, p.begin())
	}
	return list
}()

// Writer is a stream for people. Text that was not cleaned cannot reach the terminal: no control
// character but the line break and the tab is passed, and nothing invisible or invalid as UTF-8. It
// may be used by several goroutines.
//
// Code that draws and paints uses Styled, which also passes Loadline's own sequences, and is
// responsible for cleaning the text between them; code that writes a document for a program uses
// Raw.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	part []byte
}

// NewWriter makes the stream w one for people; a stream that already is one is returned unchanged.
func NewWriter(w io.Writer) *Writer {
	if is, ok := w.(*Writer); ok {
		return is
	}
	return &Writer{to: w}
}

// Write writes the part of p that may reach a terminal.
func (w *Writer) Write(p []byte) (int, error) { return w.write(p, nil) }

// Styled returns the same stream for text with Loadline's own colours and cursor movements. A
// stream that is not a Writer is returned unchanged.
func Styled(w io.Writer) io.Writer {
	if is, ok := w.(*Writer); ok {
		return styled{is}
	}
	return w
}

type styled struct{ *Writer }

func (s styled) Write(p []byte) (int, error) { return s.write(p, own) }

// Raw returns the underlying stream, for a document or a protocol that a program reads.
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
	// The bytes of a character may be split over two writes, as in a program's output.
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

// lines cleans text of any number of lines, except for the allowed sequences.
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

// PrintLine prints one line for a person. The values cannot add a line to it, even if they contain names from
// elsewhere, and what looks like a secret in them is masked.
func PrintLine(w io.Writer, format string, values ...any) {
	fmt.Fprintln(w, safetext.Clean(secrets.MaskText(fmt.Sprintf(format, values...))))
}
