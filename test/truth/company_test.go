package truth

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// company is who else may be at work while a test is. Those that are alone are not
// parallel, and run first. Then come the hasty ones, then the gentle ones, then the calm
// ones: none begins before those before have left.
type company int

const (
	// gentle is a slow device, which takes a few percent of a processor.
	gentle company = iota
	// hasty takes all it gets, and how much it gets does not matter.
	hasty
	// alone wants the processors for itself, or changes what all see.
	alone
	// calm is a slow device beside which next to nothing else may be: one of which short
	// latencies are told, and whatever is tried a second time.
	calm
)

// rooms is how much of each company finds room at once: six that are hasty, and of those
// that are gentle what two processors do with ease, or half of that where it has to be calm.
var rooms = map[company]int{hasty: 6, gentle: 12, calm: 6}

// guest is a test, or a part of one, that others run beside.
type guest struct {
	company
	// seconds is about how long it takes: the longest begin first, so that none is
	// left over at the end.
	seconds int
	// share is how much of its company's room it takes, 0 meaning 1: for a gentle one
	// the tenths of a processor.
	share int
}

// nothing is the share of who takes no room.
const nothing = -1

// present is a guest that waits for room, and then has it until it leaves.
type present struct {
	guest
	admitted bool
	come     chan struct{}
}

// party admits guests to its rooms.
type party struct {
	mu sync.Mutex
	// begun is set when the first one wants to come in: all are known then.
	begun  bool
	guests []*present
}

// everybody is all tests of this binary that are not alone.
var everybody party

// join makes the test run beside others of its company, when its turn has come, and
// until leave is called or the test ends. It makes the test parallel. A part of a test
// may join if the test has said so with parts.
func join(t *testing.T, g guest) (leave func()) {
	t.Helper()
	p := everybody.register(g)
	var began time.Time
	leave = sync.OnceFunc(func() {
		everybody.leave(p)
		if !began.IsZero() {
			t.Logf("after its turn came: %.1f s", time.Since(began).Seconds())
		}
	})
	t.Cleanup(leave)
	t.Parallel()
	everybody.begin()
	<-p.come
	began = time.Now()
	return leave
}

// parts is for a test whose parts join one by one. It makes the test parallel. Whoever
// is to come after them waits until complete tells that all are known.
func parts(t *testing.T) (complete func()) {
	t.Helper()
	p := everybody.register(guest{company: hasty, share: nothing})
	complete = sync.OnceFunc(func() { everybody.leave(p) })
	t.Cleanup(complete)
	t.Parallel()
	return complete
}

// register makes a guest known.
func (y *party) register(g guest) *present {
	switch g.share {
	case 0:
		g.share = 1
	case nothing:
		g.share = 0
	}
	g.share = min(g.share, rooms[g.company])
	p := &present{guest: g, come: make(chan struct{})}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.guests = append(y.guests, p)
	slices.SortStableFunc(y.guests, func(a, b *present) int { return b.seconds - a.seconds })
	y.admit()
	return p
}

// begin opens the rooms.
func (y *party) begin() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.begun = true
	y.admit()
}

func (y *party) leave(p *present) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.guests = slices.DeleteFunc(y.guests, func(other *present) bool { return other == p })
	y.admit()
}

// admit lets in those who have room, of the first company of which anybody is left. Who
// waits for a large share is not overtaken by those who take less.
func (y *party) admit() {
	if !y.begun {
		return
	}
	for _, c := range []company{hasty, gentle, calm} {
		room, anybody := rooms[c], false
		for _, p := range y.guests {
			if p.company == c {
				anybody = true
				if p.admitted {
					room -= p.share
				}
			}
		}
		for _, p := range y.guests {
			if p.company != c || p.admitted {
				continue
			}
			if p.share > room {
				break
			}
			room -= p.share
			p.admitted = true
			close(p.come)
		}
		if anybody {
			return
		}
	}
}

// The companies come one after the other, in each the longest first, as many as have room.
func TestPartiesAdmitInOrder(t *testing.T) {
	var y party
	in := map[string]*present{}
	for name, g := range map[string]guest{
		"calm":   {company: calm, seconds: 90},
		"heavy":  {company: gentle, seconds: 60, share: rooms[gentle] - 1},
		"second": {company: gentle, seconds: 50, share: 2},
		"small":  {company: gentle, seconds: 5},
		"hasty":  {company: hasty, seconds: 1, share: rooms[hasty]},
		"parts":  {company: hasty, share: nothing},
	} {
		in[name] = y.register(g)
	}
	came := func() (names []string) {
		for name, p := range in {
			select {
			case <-p.come:
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
		{y.begin, "hasty parts"},
		{func() { y.leave(in["hasty"]) }, "hasty parts"},
		{func() { y.leave(in["parts"]) }, "hasty heavy parts"},
		{func() { y.leave(in["heavy"]) }, "hasty heavy parts second small"},
		{func() { y.leave(in["small"]) }, "hasty heavy parts second small"},
		{func() { y.leave(in["second"]) }, "calm hasty heavy parts second small"},
	} {
		step.does()
		if got := strings.Join(came(), " "); got != step.want {
			t.Fatalf("%q came in, want %q", got, step.want)
		}
	}
}
