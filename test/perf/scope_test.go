package perf

import (
	"slices"
	"testing"
)

// scope ends what the lab has started for one device before the next one starts.
type scope struct {
	*testing.B
	cleanups []func()
}

// Cleanup defers f until the end of the scope.
func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *scope) end() {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
}

// slowAtOnce is how many slow devices are measured at a time: each takes a few percent of
// a processor, and in the tests two processors handle more than twice as many.
const slowAtOnce = 5

// sideBySide calls measure with the numbers 0 to n−1 and a scope for each, slowAtOnce at a
// time, and returns when all have ended. It is only for slow devices.
func sideBySide(b *testing.B, n int, measure func(i int, s *scope)) {
	b.Helper()
	atMost(slowAtOnce, n, func(i int) {
		s := &scope{B: b}
		defer s.end()
		measure(i, s)
	})
	if b.Failed() {
		b.FailNow()
	}
}
