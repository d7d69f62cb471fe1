// Package waits is the words of wait sampling: what the sessions of a load's clients were waiting
// for at moments that a server was asked.
//
// Its opinion: what is kept is what the server said, by its own names and second by second, so
// that another version of Loadline can sum it up otherwise; and how many sessions were seen
// stands beside it, because a state of some of them says nothing of all.
package waits

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// None is the name of the state in which a session waits for nothing that the server names: it
// runs, or is ready to.
const None = "none"

// Sampled is what was seen of the sessions of one step.
type Sampled struct {
	// Without is a sentence when nothing was sampled, or not to the end; what there is was seen before.
	Without string `json:"without,omitempty"`
	// Sessions is how many there were to be; 0 where nobody knows.
	Sessions int `json:"sessions,omitempty"`
	// Hidden counts sessions whose state the user may not see, over all moments.
	Hidden int `json:"hidden,omitempty"`
	// Spent is how many seconds the server took for all answers together, waiting for a
	// processor included.
	Spent float64 `json:"spent,omitempty"`
	// Width is how long one of Bins is in seconds. The first begins with the step.
	Width float64 `json:"width,omitempty"`
	Bins  []Bin   `json:"bins,omitempty"`
}

// Bin is what was seen in one stretch of time: at so many moments so many sessions, summed up,
// by the server's name of what they waited for ("IO:WalSync", or None). As text, which is how it
// is saved, it is "MOMENTS NAME=SESSIONS …".
type Bin struct {
	Moments int
	States  map[string]int
}

// Sessions is how many were seen, over all moments.
func (b Bin) Sessions() (n int) {
	for _, v := range b.States {
		n += v
	}
	return n
}

// Add adds what was seen at one moment.
func (b *Bin) Add(states map[string]int) {
	b.Moments++
	for name, n := range states {
		if b.States == nil {
			b.States = map[string]int{}
		}
		b.States[Clean(name)] += n
	}
}

// Clean is a name with nothing in it that would end it.
func Clean(name string) string { return strings.Join(strings.Fields(name), "_") }

// MarshalText writes it; the names are in their order.
func (b Bin) MarshalText() ([]byte, error) {
	words := []string{strconv.Itoa(b.Moments)}
	for _, name := range slices.Sorted(maps.Keys(b.States)) {
		words = append(words, name+"="+strconv.Itoa(b.States[name]))
	}
	return []byte(strings.Join(words, " ")), nil
}

// UnmarshalText reads it, and fails when it holds anything but counts.
func (b *Bin) UnmarshalText(text []byte) error {
	*b = Bin{}
	for i, word := range strings.Fields(string(text)) {
		name, digits := "", word
		if at := strings.LastIndexByte(word, '='); i > 0 && at > 0 {
			name, digits = word[:at], word[at+1:]
		}
		n, err := strconv.ParseUint(digits, 10, 31)
		switch {
		case err != nil || i > 0 && name == "":
			return fmt.Errorf("%q is no count of sessions in a state", word)
		case i == 0:
			b.Moments = int(n)
			continue
		case b.States == nil:
			b.States = map[string]int{}
		}
		b.States[name] = int(n)
	}
	return nil
}

// Moments is at how many moments the server was asked.
func (s *Sampled) Moments() (n int) {
	if s == nil {
		return 0
	}
	for _, b := range s.Bins {
		n += b.Moments
	}
	return n
}
