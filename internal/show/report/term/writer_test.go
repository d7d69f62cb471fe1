package term

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

func TestWriterLetsNothingThrough(t *testing.T) {
	for in, want := range map[string]string{
		"one\ttwo\nthree ✓\n":           "one\ttwo\nthree ✓\n",
		"\x1b[31mred\x1b[0m":            " [31mred [0m",
		"\x1b]0;title\x07\x1b[2J\r\b":   " ]0;title  [2J  ",
		"\u009b31m\u202ea\u200bb\xff\n": " 31mab\ufffd\n",
		EraseLine + HideCursor:          "  [K [?25l",
	} {
		var b bytes.Buffer
		w := NewWriter(&b)
		if n, err := io.WriteString(w, in); n != len(in) || err != nil {
			t.Errorf("%q: %d bytes, %v", in, n, err)
		}
		if b.String() != want {
			t.Errorf("%q became %q, want %q", in, b.String(), want)
		}
	}
}

func TestStyledLetsOwnSequencesThroughAndNoOthers(t *testing.T) {
	s := Style{Color: true}
	ours := EraseLine + HideCursor + ShowCursor
	for _, p := range paints {
		ours += s.Paint(p, "x")
	}
	var b bytes.Buffer
	fmt.Fprint(Styled(NewWriter(&b)), ours, "\x1b[5m\x1b[2J\x1b]8;;x\x07\r\u009b1m\u202e")
	if want := ours + " [5m [2J ]8;;x   1m"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestRawIsTheStreamBeneath(t *testing.T) {
	var b bytes.Buffer
	for _, w := range []io.Writer{&b, NewWriter(&b), Styled(NewWriter(&b)), NewWriter(NewWriter(&b))} {
		if Raw(w) != io.Writer(&b) {
			t.Errorf("%T is not taken off", w)
		}
	}
	if w := Styled(&b); w != io.Writer(&b) {
		t.Errorf("a plain stream became %T", w)
	}
}

func TestWriterPutsCharactersTogether(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, c := range []byte("µs ✓ 💾 \xe2\x80\xae\xc2\x9b\xf0\xff.") {
		if n, err := w.Write([]byte{c}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := "µs ✓ 💾  \ufffd\ufffd."; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
