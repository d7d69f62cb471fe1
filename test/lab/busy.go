package lab

import (
	"fmt"
	"os"
)

// named is a test that has a name.
type named interface {
	T
	Name() string
}

// Busy skips a test because the machine was too busy for it. "go test" hides
// why a test of a passing package was skipped, so the reason is also
// written to a file.
func Busy(t named, why string, args ...any) {
	t.Helper()
	why = fmt.Sprintf(why, args...)
	WriteDown(t, "NOT CHECKED", why)
	t.Skipf("skipped: %s", why)
}

// WriteDown appends a message that go test does not show for a passing test to the file that
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
