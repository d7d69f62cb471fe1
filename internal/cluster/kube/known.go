package kube

import (
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// known caches answers that many volumes of one run need (their class, their nodes, the server's
// version): they do not change while the volumes are placed.
type known struct {
	clock   env.Clock
	mu      sync.Mutex
	replies map[string]*reply
}

// knownFor is how long an answer is cached. A long run asks again.
const knownFor = 30 * time.Second

// reply is an answer that has been received, or that concurrent callers are waiting for.
type reply struct {
	mu    sync.Mutex
	given time.Time
	value any
}

// know calls ask unless the answer is cached. Errors are not cached.
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
