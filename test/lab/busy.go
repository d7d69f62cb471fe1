package lab

import (
	"fmt"
	"os"
	"strings"

	"github.com/loadline/loadline/test/lab/contention"
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
	writeDown(t, "NOT CHECKED", why)
	t.Skipf("skipped: %s", why)
}

// UpToThree measures up to three times, until nothing is wrong: another process that holds the processors for a tenth of
// a second spoils one measurement, but a device or a program that is wrong is wrong every time. measure returns what
// was wrong. If it fails the test itself, there is no second try, nor if nothing had to wait for a processor. A try must not change what the next one uses, unless each try
// makes its own. The test fails with what was wrong in the last try.
func UpToThree(t named, measure func() (wrong []string)) {
	t.Helper()
	upToThree(t, contention.Watch, measure)
}

// upToThree is UpToThree with what watch sees of the contention.
func upToThree(t named, watch func() (end func() contention.Seen), measure func() []string) {
	t.Helper()
	const tries = 3
	for try := 1; ; try++ {
		wrong, meanwhile := watched(watch, measure)
		switch {
		case wrong == "":
			return
		case try == tries:
			t.Errorf("%d times, at last: %s", tries, wrong)
			return
		case !SecondTry(t, wrong, meanwhile):
			return
		}
		t.Logf("once more: %s; meanwhile %s", wrong, meanwhile)
	}
}

// watched measures, and says what contention there was meanwhile. The watch ends even if measure ends the test.
func watched(watch func() (end func() contention.Seen), measure func() []string) (wrong string, meanwhile contention.Seen) {
	seen := watch()
	defer func() { meanwhile = seen() }()
	return strings.Join(measure(), "; "), meanwhile
}

// SecondTry reports whether a test may try again because something was wrong, and writes that down. Where nothing had to wait for a
// processor during the first try, the machine was not the cause, and the test fails.
func SecondTry(t named, wrong string, meanwhile contention.Seen) bool {
	t.Helper()
	if !meanwhile.Contended() {
		t.Errorf("%s; no second try: %s", wrong, meanwhile)
		return false
	}
	writeDown(t, fmt.Sprintf("SECOND TRY (%s)", meanwhile), wrong)
	return true
}

// writeDown appends a message that go test does not show for a passing test to the file that
// LOADLINE_SKIPS names, which CI prints at its end.
func writeDown(t named, what, why string) {
	t.Helper()
	path := os.Getenv("LOADLINE_SKIPS")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatalf("%s cannot be written down: %v", what, err)
	}
	if _, err := fmt.Fprintf(f, "%s: %s: %s\n", what, t.Name(), beginning(why)); err != nil {
		t.Errorf("%v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("%v", err)
	}
}

// beginning is the beginning of a message that may contain a whole result, on one line.
func beginning(message string) string {
	const most = 400
	message = strings.Join(strings.Fields(message), " ")
	if len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + " …"
	}
	return message
}
