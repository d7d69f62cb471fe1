package lab

import (
	"fmt"
	"os"
)

// Busy skips a test that the machine was too busy for, and never in silence: "go
// test" hides why a test of a passing package was skipped, so the reason is also
// appended to the file that LOADLINE_SKIPS names, which CI prints at its end.
func Busy(t interface {
	T
	Name() string
}, why string, args ...any) {
	t.Helper()
	why = fmt.Sprintf(why, args...)
	if path := os.Getenv("LOADLINE_SKIPS"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatalf("the skip cannot be written down: %v", err)
		}
		if _, err := fmt.Fprintf(f, "NOT CHECKED: %s: %s\n", t.Name(), why); err != nil {
			t.Errorf("%v", err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%v", err)
		}
	}
	t.Skipf("skipped: %s", why)
}
