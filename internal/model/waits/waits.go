// Package waits defines the data of wait-event sampling: what the client sessions of a load were
// waiting for whenever the server was polled.
//
// Its assumptions: what is stored is what the server reported, under its own names and second by
// second, so that another version of Loadline can aggregate it differently; the number of sessions seen
// is stored with it, because the state of some of them says nothing about all.
package waits

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// None is the name of the state in which a session waits for nothing that the server has a name for: it
// is running or runnable.
const None = "none"

// Sampled is what was sampled from the sessions of one step.
type Sampled struct {
	// Without is a sentence, set if nothing was sampled, or not until the end; existing data is from
	// before that.
	Without string `json:"without,omitempty"`
	// Sessions is the expected number of sessions; 0 if unknown.
	Sessions int `json:"sessions,omitempty"`
	// Hidden counts sessions whose state the user may not see, over all samples.
	Hidden int `json:"hidden,omitempty"`
	// Spent is how many seconds the server took for all answers together, including waiting for a CPU.
	Spent float64 `json:"spent,omitempty"`
	// Width is the length of each of Bins in seconds. The first begins with the step.
	Width float64 `json:"width,omitempty"`
	Bins  []Bin   `json:"bins,omitempty"`
}

// Bin is what was sampled in one interval: the number of samples, and the number of sessions, summed
// over the samples, by the server's name of what they waited for ("IO:WalSync", or None). As text,
// which is the form in which it is stored, it is "MOMENTS NAME=SESSIONS …".
type Bin struct {
	Moments int
	States  map[string]int
}

// Sessions returns how many were seen, over all samples.
func (b Bin) Sessions() (n int) {
	for _, v := range b.States {
		n += v
	}
	return n
}

// Add adds one sample.
func (b *Bin) Add(states map[string]int) {
	b.Moments++
	for name, n := range states {
		if b.States == nil {
			b.States = map[string]int{}
		}
		b.States[Clean(name)] += n
	}
}

// Clean returns a name without characters that would end it.
func Clean(name string) string { return strings.Join(strings.Fields(name), "_") }

// MarshalText formats the bin, with sorted names.
func (b Bin) MarshalText() ([]byte, error) {
	words := []string{strconv.Itoa(b.Moments)}
	for _, name := range slices.Sorted(maps.Keys(b.States)) {
		words = append(words, name+"="+strconv.Itoa(b.States[name]))
	}
	return []byte(strings.Join(words, " ")), nil
}

// UnmarshalText parses it, and fails if it holds anything but counts.
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
			return fmt.Errorf("%q is not a count of sessions in a state", word)
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

// Moments returns how many times the server was polled.
func (s *Sampled) Moments() (n int) {
	if s == nil {
		return 0
	}
	for _, b := range s.Bins {
		n += b.Moments
	}
	return n
}
