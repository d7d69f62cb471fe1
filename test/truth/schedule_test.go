package truth

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// class is what else may run while a test does. Tests of class alone are not parallel and
// run first. Then come the hasty ones, then the gentle ones, then the calm ones: no class
// begins before the one before has ended.
type class int

const (
	// gentle is a slow device, which takes a few percent of a processor.
	gentle class = iota
	// hasty takes all it gets, and how much it gets does not matter.
	hasty
	// alone wants the processors for itself, or changes what all see.
	alone
	// calm is a slow device beside which next to nothing else may be: one of which short
	// latencies are told, and whatever is tried a second time.
	calm
)

// slots is how many of each class run at once: six that are hasty, and of those
// that are gentle what two processors do with ease, or half of that where it has to be calm.
var slots = map[class]int{hasty: 6, gentle: 12, calm: 6}

// demand is what a test, or a part of one, takes of the machine.
type demand struct {
	class
	// seconds is about how long it takes: the longest begin first, so that none is
	// left over at the end.
	seconds int
	// share is how much of its class's slots it takes, 0 meaning 1: for a gentle one
	// the tenths of a processor.
	share int
}

// nothing is the share of a test that takes no slot.
const nothing = -1

// admission is a test that waits for its slots, and then has them until it leaves.
type admission struct {
	demand
	admitted bool
	start    chan struct{}
}

// scheduler admits tests while there are slots.
type scheduler struct {
	mu sync.Mutex
	// begun is set when the first test is ready to run: all are registered then.
	begun bool
	queue []*admission
}

// machine schedules all tests of this binary that are not alone.
var machine scheduler

// join makes the test run beside others of its class, when it is admitted, and
// until leave is called or the test ends. It makes the test parallel. A part of a test
// may join if the test has said so with parts.
func join(t *testing.T, g demand) (leave func()) {
	t.Helper()
	p := machine.register(g)
	var began time.Time
	leave = sync.OnceFunc(func() {
		machine.leave(p)
		if !began.IsZero() {
			t.Logf("since it was admitted: %.1f s", time.Since(began).Seconds())
		}
	})
	t.Cleanup(leave)
	t.Parallel()
	machine.begin()
	<-p.start
	began = time.Now()
	return leave
}

// parts is for a test whose parts join one by one. It makes the test parallel. Whoever
// is to come after them waits until complete tells that all are known.
func parts(t *testing.T) (complete func()) {
	t.Helper()
	p := machine.register(demand{class: hasty, share: nothing})
	complete = sync.OnceFunc(func() { machine.leave(p) })
	t.Cleanup(complete)
	t.Parallel()
	return complete
}

// register puts a test into the queue.
func (s *scheduler) register(g demand) *admission {
	switch g.share {
	case 0:
		g.share = 1
	case nothing:
		g.share = 0
	}
	g.share = min(g.share, slots[g.class])
	p := &admission{demand: g, start: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, p)
	slices.SortStableFunc(s.queue, func(a, b *admission) int { return b.seconds - a.seconds })
	s.admit()
	return p
}

// begin opens the slots.
func (s *scheduler) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	s.admit()
}

func (s *scheduler) leave(p *admission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.DeleteFunc(s.queue, func(other *admission) bool { return other == p })
	s.admit()
}

// admit starts the tests for which there are slots, of the first class of which any is
// left. A test that waits for a large share is not overtaken by those that take less.
func (s *scheduler) admit() {
	if !s.begun {
		return
	}
	for _, c := range []class{hasty, gentle, calm} {
		free, left := slots[c], false
		for _, p := range s.queue {
			if p.class == c {
				left = true
				if p.admitted {
					free -= p.share
				}
			}
		}
		for _, p := range s.queue {
			if p.class != c || p.admitted {
				continue
			}
			if p.share > free {
				break
			}
			free -= p.share
			p.admitted = true
			close(p.start)
		}
		if left {
			return
		}
	}
}

// The classes run one after the other, in each the longest first, as many as have slots.
func TestSchedulerAdmitsInOrder(t *testing.T) {
	var s scheduler
	in := map[string]*admission{}
	for name, g := range map[string]demand{
		"calm":   {class: calm, seconds: 90},
		"heavy":  {class: gentle, seconds: 60, share: slots[gentle] - 1},
		"second": {class: gentle, seconds: 50, share: 2},
		"small":  {class: gentle, seconds: 5},
		"hasty":  {class: hasty, seconds: 1, share: slots[hasty]},
		"parts":  {class: hasty, share: nothing},
	} {
		in[name] = s.register(g)
	}
	admitted := func() (names []string) {
		for name, p := range in {
			select {
			case <-p.start:
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
		{s.begin, "hasty parts"},
		{func() { s.leave(in["hasty"]) }, "hasty parts"},
		{func() { s.leave(in["parts"]) }, "hasty heavy parts"},
		{func() { s.leave(in["heavy"]) }, "hasty heavy parts second small"},
		{func() { s.leave(in["small"]) }, "hasty heavy parts second small"},
		{func() { s.leave(in["second"]) }, "calm hasty heavy parts second small"},
	} {
		step.does()
		if got := strings.Join(admitted(), " "); got != step.want {
			t.Fatalf("%q run, want %q", got, step.want)
		}
	}
}
