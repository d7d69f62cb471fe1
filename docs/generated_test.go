package docs_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated parts of the manual")

// The part of a page between these marks is generated from the code.
const (
	begin = "<!-- begin generated: go test ./docs -update -->\n"
	end   = "<!-- end generated -->\n"
)

// generated checks that the generated part of a page is up to date, or writes it.
func generated(t *testing.T, page, want string) {
	t.Helper()
	text := read(t, page)
	head, rest, ok := strings.Cut(text, begin)
	listed, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its markers", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("%s is out of date; run go test ./docs -update (-want +got):\n%s", page, diff)
	}
}

// read reads a page of the manual, or a file beside it.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
