package truth

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loadline/loadline/test/lab"
	"github.com/loadline/loadline/test/lab/contention"
)

// runWithRetry measures in slots, while other tests measure in theirs. If that fails, it
// measures once more in the quiet phase, when nothing else runs but a few tests that
// failed as well. Mutual disturbance is then gone, but real errors
// recur. There is no second try if nothing had to wait for a processor.
func runWithRetry(t *testing.T, d demand, measure func(t testing.TB)) {
	t.Helper()
	release := takeSlots(t, d)
	var meanwhile contention.Seen
	failed := func() []string {
		defer release()
		seen := contention.Watch()
		defer func() { meanwhile = seen() }()
		return attempt(t, false, measure)
	}()
	if len(failed) == 0 {
		return
	}
	t.Logf("failed while others ran, so once more (%s):\n%s", meanwhile, strings.Join(failed, "\n"))
	if !lab.SecondTry(t, strings.Join(failed, "; "), meanwhile) {
		return
	}
	if d.class == bestEffort {
		d.slots = capacity[quiet]
	}
	d.class = quiet
	a := machine.register(d)
	defer machine.release(a)
	<-a.start
	for _, words := range attempt(t, true, measure) {
		t.Error(words)
	}
}

// attempt runs measure without failing the test, and returns what went wrong.
func attempt(t *testing.T, last bool, measure func(t testing.TB)) []string {
	t.Helper()
	a := &attempted{TB: t, last: last}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer a.end()
		measure(a)
	}()
	<-ended
	if t.Skipped() {
		runtime.Goexit()
	}
	return a.failed
}

// busy reports that the machine is too busy for a test. The test is then retried
// if a try is left, and skipped if none is.
func busy(t testing.TB, why string, args ...any) {
	t.Helper()
	if a, ok := t.(*attempted); ok && !a.last {
		t.Fatalf(why, args...)
	}
	lab.Busy(t, why, args...)
}

// attempted is a test whose failures are only recorded, and which ends before the real test.
type attempted struct {
	testing.TB
	// last is set if no further try is left.
	last     bool
	mu       sync.Mutex
	failed   []string
	cleanups []func()
}

// end undoes what was begun, newest first.
func (a *attempted) end() {
	for len(a.cleanups) > 0 {
		last := a.cleanups[len(a.cleanups)-1]
		a.cleanups = a.cleanups[:len(a.cleanups)-1]
		last()
	}
}

func (a *attempted) Cleanup(f func()) { a.cleanups = append(a.cleanups, f) }

func (a *attempted) Error(args ...any) { a.note(fmt.Sprintln(args...)) }

func (a *attempted) Errorf(format string, args ...any) { a.note(fmt.Sprintf(format, args...)) }

func (a *attempted) Fatal(args ...any) {
	a.note(fmt.Sprintln(args...))
	runtime.Goexit()
}

func (a *attempted) Fatalf(format string, args ...any) {
	a.note(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (a *attempted) note(words string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = append(a.failed, strings.TrimSpace(words))
}

// A failed attempt is reported but fails nothing, and everything that it started has ended.
func TestAttemptsAreOnlyNoted(t *testing.T) {
	undone := false
	failed := attempt(t, false, func(t testing.TB) {
		t.Cleanup(func() { undone = true })
		t.Errorf("%d I/Os", 7)
		busy(t, "and no %s", "end")
		t.Error("never said")
	})
	if want := []string{"7 I/Os", "and no end"}; !slices.Equal(failed, want) || !undone {
		t.Errorf("%q, undone %v; want %q", failed, undone, want)
	}
	if good := attempt(t, true, func(testing.TB) {}); len(good) > 0 {
		t.Errorf("%q of what went well", good)
	}
}
