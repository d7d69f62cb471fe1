package truth

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// class says what else may run while a test does. The classes run in phases, one after
// the other: exclusive tests are not parallel and so come first, then bestEffort, shared,
// waiting and quiet. A phase begins only when the previous one has ended.
type class int

const (
	// shared measures a slow device, which takes a few percent of a processor, so that
	// as many run at once as there are slots.
	shared class = iota
	// bestEffort takes all the processor time it gets; its assertions do not depend on
	// how much that is.
	bestEffort
	// waiting waits most of the time, for flushes and delays of a known length, and asserts to some percent
	// what they make of it: few run at once, and nothing that takes all the processor time it gets.
	waiting
	// exclusive needs all processors, or changes global state of the tests.
	exclusive
	// quiet measures a slow device while little else runs: for assertions of short latencies,
	// and for every second try.
	quiet
)

// capacity is how many slots a class has. Two processors easily handle fifteen slow
// devices; half as many run if the machine has to be quiet.
var capacity = map[class]int{bestEffort: 6, shared: 15, waiting: 7, quiet: 6}

// demand is what a test, or a subtest, needs from the machine.
type demand struct {
	class
	// seconds is about how long it takes: the longest begin first, so that none
	// remains running alone at the end.
	seconds int
	// slots is how many slots of its class it takes; 0 means 1. A slot of class
	// shared is a tenth of a processor.
	slots int
}

// noSlots as demand.slots is for a test that keeps its phase open and runs nothing.
const noSlots = -1

// admission is a test in the scheduler's queue, from its registration to its release.
type admission struct {
	demand
	admitted bool
	start    chan struct{}
}

// scheduler admits tests while there are free slots.
type scheduler struct {
	mu sync.Mutex
	// begun is set when the first test is ready to run: all are registered then.
	begun bool
	queue []*admission
}

// machine schedules all tests of this binary that are not exclusive.
var machine scheduler

// takeSlots makes the test parallel and waits until it has its slots, which it keeps until
// release is called or the test ends. A subtest may take slots if its test has called
// scheduleSubtests.
func takeSlots(t *testing.T, d demand) (release func()) {
	t.Helper()
	a := machine.register(d)
	var began time.Time
	release = sync.OnceFunc(func() {
		machine.release(a)
		if !began.IsZero() {
			t.Logf("since it was admitted: %.1f s", time.Since(began).Seconds())
		}
	})
	t.Cleanup(release)
	t.Parallel()
	machine.begin()
	<-a.start
	began = time.Now()
	return release
}

// scheduleSubtests is for a test whose subtests take slots individually. It makes the test
// parallel, and keeps later phases from beginning until registered is called: all
// subtests are in the queue then.
func scheduleSubtests(t *testing.T) (registered func()) {
	t.Helper()
	a := machine.register(demand{class: bestEffort, slots: noSlots})
	registered = sync.OnceFunc(func() { machine.release(a) })
	t.Cleanup(registered)
	t.Parallel()
	return registered
}

// register puts a test into the queue.
func (s *scheduler) register(d demand) *admission {
	switch d.slots {
	case 0:
		d.slots = 1
	case noSlots:
		d.slots = 0
	}
	d.slots = min(d.slots, capacity[d.class])
	a := &admission{demand: d, start: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, a)
	slices.SortStableFunc(s.queue, func(a, b *admission) int { return b.seconds - a.seconds })
	s.admit()
	return a
}

// begin opens the slots.
func (s *scheduler) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	s.admit()
}

// release removes a test from the queue and frees its slots.
func (s *scheduler) release(a *admission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.DeleteFunc(s.queue, func(other *admission) bool { return other == a })
	s.admit()
}

// admit starts tests for which there are slots, of the first class that has any tests
// left. A test that waits for many slots is not overtaken by those that take fewer.
func (s *scheduler) admit() {
	if !s.begun {
		return
	}
	for _, c := range []class{bestEffort, shared, waiting, quiet} {
		free, left := capacity[c], false
		for _, a := range s.queue {
			if a.class == c {
				left = true
				if a.admitted {
					free -= a.slots
				}
			}
		}
		for _, a := range s.queue {
			if a.class != c || a.admitted {
				continue
			}
			if a.slots > free {
				break
			}
			free -= a.slots
			a.admitted = true
			close(a.start)
		}
		if left {
			return
		}
	}
}

// The classes run in phases, and within each the longest first, as many as have slots.
func TestSchedulerAdmitsInOrder(t *testing.T) {
	var s scheduler
	in := map[string]*admission{}
	for name, d := range map[string]demand{
		"quiet":      {class: quiet, seconds: 90},
		"waiting":    {class: waiting, seconds: 5},
		"heavy":      {class: shared, seconds: 60, slots: capacity[shared] - 1},
		"second":     {class: shared, seconds: 50, slots: 2},
		"small":      {class: shared, seconds: 5},
		"besteffort": {class: bestEffort, seconds: 1, slots: capacity[bestEffort]},
		"subtests":   {class: bestEffort, slots: noSlots},
	} {
		in[name] = s.register(d)
	}
	admitted := func() (names []string) {
		for name, a := range in {
			select {
			case <-a.start:
				names = append(names, name)
			default:
			}
		}
		slices.Sort(names)
		return names
	}
	for _, step := range []struct {
		does func()
		want string
	}{
		{func() {}, ""},
		{s.begin, "besteffort subtests"},
		{func() { s.release(in["besteffort"]) }, "besteffort subtests"},
		{func() { s.release(in["subtests"]) }, "besteffort heavy subtests"},
		{func() { s.release(in["heavy"]) }, "besteffort heavy second small subtests"},
		{func() { s.release(in["small"]) }, "besteffort heavy second small subtests"},
		{func() { s.release(in["second"]) }, "besteffort heavy second small subtests waiting"},
		{func() { s.release(in["waiting"]) }, "besteffort heavy quiet second small subtests waiting"},
	} {
		step.does()
		if got := strings.Join(admitted(), " "); got != step.want {
			t.Fatalf("%q run, want %q", got, step.want)
		}
	}
}
