package term

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		in, unicode, ascii string
	}{
		{"±5 % of 402 µs – 3×", "±5 % of 402 µs – 3×", "+-5 % of 402 us - 3x"},
		{"red \x1b[31mhot\x1b[0m\r\n", "red hot  ", "red hot  "},
		{"\x1b]0;title\x07", " ]0;title ", " ]0;title "},
		{"a\u202eb\u200bc", "abc", "abc"},
		{"東京 ✓ ✗", "東京 ✓ ✗", "?? ok X"},
		{"bad \xff byte", "bad \ufffd byte", "bad ? byte"},
	} {
		if got := (Style{Unicode: true}).Text(c.in); got != c.unicode {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.unicode)
		}
		if got := (Style{}).Text(c.in); got != c.ascii {
			t.Errorf("ASCII Text(%q) = %q, want %q", c.in, got, c.ascii)
		}
	}
}

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "µs": 2, "±5% …": 5, "東京": 4, "e\u0301": 1, "━─▇": 3, "💾": 2, "✅": 2} {
		if got := Columns(s); got != want {
			t.Errorf("Columns(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestPaintOnlyWithColour(t *testing.T) {
	if got := (Style{}).Paint(Red, "x"); got != "x" {
		t.Errorf("%q without colour", got)
	}
	if got, want := (Style{Color: true}).Paint(Red, "x"), "\x1b[31mx\x1b[0m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSparkIsHonest(t *testing.T) {
	s := Style{Unicode: true}
	for _, c := range []struct {
		values []float64
		n      int
		want   string
	}{
		{[]float64{100, 101, 99, 100}, 10, "████"},
		{[]float64{100, 100, 50, 50}, 10, "██▅▅"},
		{[]float64{100, 0, 100}, 10, "█▁█"},
		{[]float64{0, 0}, 10, "▁▁"},
		{[]float64{100, 100, 50, 50, 0, 0}, 3, "█▅▁"},
		{[]float64{1, math.NaN(), math.Inf(1), 1, math.NaN()}, 10, "█  █"},
		{nil, 10, ""},
		{[]float64{1}, 0, ""},
	} {
		if got := s.Spark(c.values, c.n); got != c.want {
			t.Errorf("Spark(%v, %d) = %q, want %q", c.values, c.n, got, c.want)
		}
	}
	if got := (Style{}).Spark([]float64{100, 75, 50, 25, 0}, 10); got != "#=-._" {
		t.Errorf("ASCII: %q", got)
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{0: "----", 0.5: "##--", 1: "####", 7: "####", -1: "----"} {
		if got := (Style{}).Bar(share, 4); got != want {
			t.Errorf("Bar(%g) = %q, want %q", share, got, want)
		}
	}
	if got := (Style{Unicode: true}).Bar(math.NaN(), 2); got != "──" {
		t.Errorf("Bar(NaN) = %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 20, []string{""}},
		{"one two three", 20, []string{"one two three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"--only=alpha,beta,gamma end", 14, []string{"--only=alpha,", "beta,gamma end"}},
		{"abcdefghijklmno", 10, []string{"abcdefghij", "klmno"}},
	} {
		if diff := cmp.Diff(c.want, Wrap(c.text, c.n)); diff != "" {
			t.Errorf("Wrap(%q, %d) (-want +got):\n%s", c.text, c.n, diff)
		}
	}
}

// A command can be copied as printed: it is on one line, with all its blanks.
func TestCommandsAreNotWrapped(t *testing.T) {
	const command = `loadline run '/srv/my  data/with a long name' --only=rand-write-iops,rand-read-lat --max-time 600s`
	for text, want := range map[string][]string{
		command:                                   {command},
		"fix the cause, then " + command:          {"fix the cause, then", command},
		"measure again: loadline doctor":          {"measure again:", "loadline doctor"},
		"loadline doctor   (it says so, and why)": {"loadline doctor", "(it says so, and", "why)"},
		"let Loadline fill the volume":            {"let Loadline fill", "the volume"},
		"add --repeat 14":                         {"add --repeat 14"},
	} {
		if diff := cmp.Diff(want, WrapNext(text, 20)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestWrapLosesNothingAndFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.IntRange(8, 40).Draw(t, "n")
		lines := Wrap(text, n)
		for _, line := range lines {
			if Columns(line) > n {
				t.Fatalf("%q is wider than %d", line, n)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := squeeze(strings.Join(lines, " ")), squeeze(text); got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

func TestShortenFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.IntRange(-2, 30).Draw(t, "n")
		s := Style{Unicode: rapid.Bool().Draw(t, "unicode")}
		got := s.Shorten(text, n)
		if Columns(got) > max(0, n) {
			t.Fatalf("Shorten(%q, %d) = %q", text, n, got)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("%q was cut inside a character: %q", text, got)
		}
		if Columns(text) <= n && got != text {
			t.Fatalf("%q fits into %d, but became %q", text, n, got)
		}
	})
}

// Wrapping a word of megabytes takes time proportional to its length: counting the remaining
// columns for each line would exceed the test's time limit.
func TestWrapOfALongWordEnds(t *testing.T) {
	const n, size = 10, 16 << 20
	lines := Wrap("host "+strings.Repeat("x", size), n)
	if want := 1 + (size+n-1)/n; len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	if got := Wrap(strings.Repeat("x/", size/2), n); len(got) != (size+n-1)/n {
		t.Errorf("%d lines of a long path", len(got))
	}
}
