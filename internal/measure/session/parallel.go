package session

import (
	"context"
	"errors"
	"sync"
)

// sayOnce passes each remark on once, however many workers make it.
func sayOnce(say func(string)) func(string) {
	var mu sync.Mutex
	said := map[string]bool{}
	return func(words string) {
		mu.Lock()
		defer mu.Unlock()
		if !said[words] {
			said[words] = true
			say(words)
		}
	}
}

// causes removes from joined errors those of workers that were only cancelled because another one failed,
// and duplicate messages.
func causes(ctx context.Context, err error) error {
	joined, many := err.(interface{ Unwrap() []error })
	if !many || ctx.Err() != nil {
		return err
	}
	var kept []error
	said := map[string]bool{}
	for _, e := range joined.Unwrap() {
		if errors.Is(e, context.Canceled) || said[e.Error()] {
			continue
		}
		said[e.Error()] = true
		kept = append(kept, e)
	}
	return errors.Join(kept...)
}

// inParallel does n things, at most so many at a time, and joins their errors.
func inParallel(n, most int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	slots := make(chan struct{}, most)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			errs[i] = do(i)
			<-slots
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
