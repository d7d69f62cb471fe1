package truth

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// machine is shared by those who measure beside others, and held by who is alone.
var machine sync.RWMutex

// beside measures a slow device while other tests do the same, each with a few percent
// of a processor. If that fails, it is done once more, alone: what one measurement
// does to another is then gone, and what is wrong is wrong again.
func beside(t *testing.T, measure func(t testing.TB)) {
	t.Helper()
	t.Parallel()
	failed := func() []string {
		machine.RLock()
		defer machine.RUnlock()
		return attempt(t, measure)
	}()
	if len(failed) == 0 {
		return
	}
	t.Logf("failed beside others, so once more alone:\n%s", strings.Join(failed, "\n"))
	lab.WriteDown(t, "SECOND TRY", strings.Join(failed, "; "))
	machine.Lock()
	defer machine.Unlock()
	for _, words := range attempt(t, measure) {
		t.Error(words)
	}
}

// attempt runs what may fail without failing the test, and returns what went wrong.
func attempt(t *testing.T, measure func(t testing.TB)) []string {
	t.Helper()
	a := &attempted{TB: t}
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

// attempted is a test whose failures are only noted, and that ends before the test.
type attempted struct {
	testing.TB
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

// What an attempt gets wrong is told and fails nothing, and what it began has ended.
func TestAttemptsAreOnlyNoted(t *testing.T) {
	undone := false
	failed := attempt(t, func(t testing.TB) {
		t.Cleanup(func() { undone = true })
		t.Errorf("%d I/Os", 7)
		t.Fatal("and no end")
		t.Error("never said")
	})
	if want := []string{"7 I/Os", "and no end"}; !slices.Equal(failed, want) || !undone {
		t.Errorf("%q, undone %v; want %q", failed, undone, want)
	}
	if good := attempt(t, func(testing.TB) {}); len(good) > 0 {
		t.Errorf("%q of what went well", good)
	}
}
