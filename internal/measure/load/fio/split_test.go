package fio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fixture returns the recorded output of a real fio 3.33.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// cut splits output that arrives in pieces of the given lengths.
func cut(data []byte, lengths func() int) (docs []string, text string, inside bool) {
	var s splitter
	for len(data) > 0 {
		n := min(len(data), lengths())
		s.feed(data[:n],
			func(b []byte) { docs = append(docs, string(b)) },
			func(b []byte) { text += string(b) })
		data = data[n:]
	}
	return docs, text, s.inside()
}

func TestSplitAnyPieces(t *testing.T) {
	for _, name := range []string{"ramp-mixed-sync.json", "nbd-eio.json", "sigint.json"} {
		data := fixture(t, name)
		docs, text, inside := cut(data, func() int { return len(data) })
		if len(docs) < 3 || inside {
			t.Fatalf("%s: %d documents, inside=%v", name, len(docs), inside)
		}
		for _, d := range docs {
			if _, err := decode([]byte(d)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			// The sizes of the pieces: mostly odd ones, some tiny.
			a, b := rapid.IntRange(1, 9000).Draw(t, "a"), rapid.IntRange(1, 3000).Draw(t, "b")
			turn := false
			gotDocs, gotText, _ := cut(data, func() int {
				if turn = !turn; turn {
					return a
				}
				return b
			})
			if d := cmp.Diff(docs, gotDocs); d != "" {
				t.Fatalf("documents differ when cut by %d and %d", a, b)
			}
			if d := cmp.Diff(text, gotText); d != "" {
				t.Fatal(d)
			}
		})
	}
}

func TestSplitTextAndDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		docs   []string
		text   string
		inside bool
	}{
		"nothing":         {in: ""},
		"text only":       {in: "fio: hello {x}\n", text: "fio: hello {x}\n"},
		"text around":     {in: "a {\n{\"x\":1}\nb\n{}", docs: []string{`{"x":1}`, `{}`}, text: "a {\n\nb\n"},
		"braces in words": {in: `{"a}\"{":"}}"}` + "\n", docs: []string{`{"a}\"{":"}}"}`}, text: "\n"},
		"torn":            {in: "{\"x\":{", inside: true},
	} {
		docs, text, inside := cut([]byte(c.in), func() int { return 1 })
		if d := cmp.Diff(c.docs, docs); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if text != c.text || inside != c.inside {
			t.Errorf("%s: text %q, inside %v", name, text, inside)
		}
	}
}

func TestSplitGivesUpOnEndlessDocument(t *testing.T) {
	var s splitter
	var text int
	piece := []byte("{" + strings.Repeat("x", 1<<20))
	for range 20 {
		s.feed(piece, func([]byte) { t.Fatal("no document ends here") }, func(b []byte) { text += len(b) })
	}
	if s.inside() || len(s.doc) > 0 || text == 0 {
		t.Errorf("inside=%v with %d bytes kept", s.inside(), len(s.doc))
	}
}

func TestExcerptKeepsBothEnds(t *testing.T) {
	var e excerpt
	e.Write([]byte("the cause\n"))
	for range 1000 {
		e.Write([]byte("noise noise\n"))
	}
	e.Write([]byte("the end"))
	if s := e.String(); !strings.HasPrefix(s, "the cause") || !strings.HasSuffix(s, "the end") || len(s) > 2*excerptSize+10 {
		t.Errorf("%d bytes: %.40s", len(s), s)
	}
	e = excerpt{}
	e.Write([]byte("short\n"))
	if e.String() != "short" {
		t.Errorf("%q", e.String())
	}
}

func TestRecordIsBounded(t *testing.T) {
	var r record
	var all []byte
	piece := make([]byte, 100_000)
	for i := range 100 {
		for k := range piece {
			piece[k] = byte('a' + i%26)
		}
		r.Write(piece)
		all = append(all, piece...)
	}
	got := r.bytes()
	if len(got) > recordHead+2*recordTail+100 {
		t.Errorf("%d bytes are kept", len(got))
	}
	if string(got[:recordHead]) != string(all[:recordHead]) || string(got[len(got)-recordTail:]) != string(all[len(all)-recordTail:]) {
		t.Error("the ends are not those of the output")
	}
	if !strings.Contains(string(got), "left out here") {
		t.Error("the gap is not told")
	}
	r = record{}
	r.Write([]byte("whole"))
	if string(r.bytes()) != "whole" {
		t.Errorf("%q", r.bytes())
	}
}
