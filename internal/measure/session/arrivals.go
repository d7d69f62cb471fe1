package session

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
)

// arrivals collects what many workers are waiting for and how many volumes are written, and summarizes it
// in one line: fifty pods have fifty claims with different names, but one reason to wait.
type arrivals struct {
	say   func(string)
	clock env.Clock
	of    int
	// pace is the minimum time between two lines.
	pace time.Duration

	mu      sync.Mutex
	words   map[int]string
	there   int
	written int
	timer   *time.Timer
	last    string
	closed  bool
	once    func(string)
}

// arrivalsPace is slow enough for reading along.
const arrivalsPace = 2 * time.Second

func newArrivals(clock env.Clock, of int, say func(string)) *arrivals {
	return &arrivals{clock: clock, say: say, of: of, pace: arrivalsPace, words: map[int]string{}, once: sayOnce(say)}
}

// own matches what differs between workers in their messages: the number of the claim and the pod, and the
// ID of the cluster's volume.
var own = regexp.MustCompile(`(loadline-[a-z0-9-]+-v)[0-9]+\b|(\bpvc-)[0-9a-f]{8}-[0-9a-f-]{27}`)

// post takes a message of worker i. A message that is not about waiting is passed on, once for all workers.
func (b *arrivals) post(i int, words string) {
	words = own.ReplaceAllString(words, "$1$2*")
	reason, waits := strings.CutPrefix(words, kube.Waiting)
	if !waits {
		b.once(words)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.words[i] = reason
	b.soon()
}

// arrive notes that worker i no longer waits.
func (b *arrivals) arrive(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.words, i)
	b.there++
	b.soon()
}

// wrote notes that one more volume is written.
func (b *arrivals) wrote() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written++
	b.soon()
}

// close stops all output.
func (b *arrivals) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
}

// soon schedules the next line.
func (b *arrivals) soon() {
	if b.timer == nil && !b.closed {
		b.timer = b.clock.AfterFunc(b.pace, b.speak)
	}
}

func (b *arrivals) speak() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = nil
	line := b.line()
	if b.closed || line == "" || line == b.last {
		return
	}
	b.last = line
	b.say(line)
}

// line returns the most frequent reason to wait, and how many volumes are written; "" if no worker waits
// and no volume is written.
func (b *arrivals) line() string {
	var parts []string
	if w := b.waits(); w != "" {
		parts = append(parts, w)
	}
	if b.written > 0 {
		parts = append(parts, fmt.Sprintf("written: %d of %d volumes", b.written, b.of))
	}
	return strings.Join(parts, "; ")
}

func (b *arrivals) waits() string {
	counts := map[string]int{}
	most := ""
	for _, w := range b.words {
		counts[w]++
	}
	for w, n := range counts {
		if n > counts[most] || n == counts[most] && w < most {
			most = w
		}
	}
	if most == "" {
		return ""
	}
	line := fmt.Sprintf("waiting for %d of %d pods: %s", b.of-b.there, b.of, most)
	if n := counts[most]; n < b.of-b.there {
		line += fmt.Sprintf(" (%d of them)", n)
	}
	return line
}
