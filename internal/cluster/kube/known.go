package kube

import (
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// known keeps what many volumes of one run ask alike (their class, their nodes, the
// server's version): it does not change while they are placed.
type known struct {
	clock   env.Clock
	mu      sync.Mutex
	replies map[string]*reply
}

// knownFor is how long an answer is kept. A long run asks again.
const knownFor = 30 * time.Second

// reply is an answer that was given, or is waited for by those who ask meanwhile.
type reply struct {
	mu    sync.Mutex
	given time.Time
	value any
}

// know asks unless the answer is known. Errors are not kept.
func know[T any](k *known, question string, ask func() (T, error)) (T, error) {
	k.mu.Lock()
	a := k.replies[question]
	if a == nil {
		if k.replies == nil {
			k.replies = map[string]*reply{}
		}
		a = &reply{}
		k.replies[question] = a
	}
	k.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if value, ok := a.value.(T); ok && k.clock.Since(a.given) < knownFor {
		return value, nil
	}
	value, err := ask()
	if err == nil {
		a.value, a.given = value, k.clock.Now()
	}
	return value, err
}
