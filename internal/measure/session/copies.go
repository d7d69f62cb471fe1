package session

import (
	"context"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
)

const (
	// lookForCopies is how often a storage system is asked how many replicas of a volume
	// take part: it learns of a change itself only after some seconds. With many volumes
	// there is one question each copiesApart.
	lookForCopies = 3 * time.Second
	copiesApart   = 200 * time.Millisecond
)

// copiesOf is one volume whose replicas are watched; count is nil when nobody tells.
type copiesOf struct {
	count func(context.Context) (int, error)
	of    int
}

// watchCopies asks for the replicas of each worker's volume until stop is called, which
// waits, and records the first answer and every change. A question without an answer is
// none: the next one may have one.
func watchCopies(volumes []copiesOf, now func() time.Time, record func(model.Beside) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	began := now()
	apart := max(lookForCopies, time.Duration(len(volumes))*copiesApart)
	for worker, v := range volumes {
		if v.count == nil {
			continue
		}
		done.Go(func() {
			last, seen := -1, 0.0
			for wait := time.Duration(worker) * copiesApart; ; wait = apart {
				select {
				case <-ctx.Done():
					return
				case <-system.After(wait):
				}
				n, err := v.count(ctx)
				if err != nil {
					continue
				}
				at := now().Sub(began).Seconds()
				if n != last {
					// What cannot be saved here cannot be saved by the run either, which tells.
					_ = record(model.Beside{Copies: []model.Copies{{Worker: worker, At: at, Since: seen, Count: n, Of: v.of}}})
				}
				last, seen = n, at
			}
		})
	}
	return func() {
		cancel()
		done.Wait()
	}
}

// copies is how to watch the replicas of what was placed.
func (p *placed) copies() copiesOf {
	if p.cluster == nil || p.cluster.Backing == nil {
		return copiesOf{}
	}
	return copiesOf{count: p.count, of: p.cluster.Backing.Replicas}
}
