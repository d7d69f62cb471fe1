package lab

import (
	"fmt"
	"os"
)

// named is a test that can say what it is called.
type named interface {
	T
	Name() string
}

// Busy skips a test that the machine was too busy for, and never in silence: "go
// test" hides why a test of a passing package was skipped, so the reason is also
// written down.
func Busy(t named, why string, args ...any) {
	t.Helper()
	why = fmt.Sprintf(why, args...)
	WriteDown(t, "NOT CHECKED", why)
	t.Skipf("skipped: %s", why)
}

// WriteDown appends what a passing test would keep to itself to the file that
// LOADLINE_SKIPS names, which CI prints at its end.
func WriteDown(t named, what, why string) {
	t.Helper()
	path := os.Getenv("LOADLINE_SKIPS")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatalf("%s cannot be written down: %v", what, err)
	}
	if _, err := fmt.Fprintf(f, "%s: %s: %s\n", what, t.Name(), why); err != nil {
		t.Errorf("%v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("%v", err)
	}
}
