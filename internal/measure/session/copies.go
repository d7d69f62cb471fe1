package session

import (
	"context"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
)

const (
	// lookForCopies is how often a storage system is asked how many replicas of a volume are in use: it
	// takes some seconds itself to notice a change. With many volumes, requests are copiesApart apart.
	lookForCopies = 3 * time.Second
	copiesApart   = 200 * time.Millisecond
)

// copiesOf is one volume whose replicas are watched; count is nil if they cannot be counted.
type copiesOf struct {
	count func(context.Context) (int, error)
	of    int
}

// watchCopies polls the replicas of each worker's volume until stop is called, which waits for the polling
// to end, and records the first answer and every change. A failed request is ignored: the next one may
// succeed.
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
					// If this cannot be saved, the run cannot save anything either, and reports it.
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

// copies returns how to watch the replicas of the worker's volume.
func (p *placed) copies() copiesOf {
	if p.cluster == nil || p.cluster.Backing == nil {
		return copiesOf{}
	}
	return copiesOf{count: p.count, of: p.cluster.Backing.Replicas}
}
