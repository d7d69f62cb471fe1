package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// alternate orders workers so that those who follow each other are on different
// nodes: the first three of nine volumes are to load three nodes, not one.
func alternate(all []member) {
	turns := make(map[string]int)
	turn := make(map[*placed]int, len(all))
	for _, m := range all {
		if m.at.cluster == nil {
			return
		}
		turn[m.at] = turns[m.at.node()]
		turns[m.at.node()]++
	}
	slices.SortStableFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(turn[a.at], turn[b.at]), cmp.Compare(a.at.node(), b.at.node()))
	})
}

// sayOnce passes each remark on once, whoever of many makes it.
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

// causes leaves out of joined errors those who were only called off because another
// had failed, and what several say in the same words.
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
