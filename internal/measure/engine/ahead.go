package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// PrepareAhead prepares the volume before the engine asks for that. If the engine then makes exactly the
// same request, it gets this answer, even if it is an error; otherwise the volume is prepared again. A
// preparation that was stopped has no answer.
func (w *Worker) PrepareAhead(ctx context.Context, req model.PrepareRequest, progress func(model.Progress)) error {
	prep, err := w.Prepare(ctx, req, progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.ahead = &ahead{req: req, prep: prep, written: spanOf(prep), err: err}
	return err
}

// ahead is a request made ahead of the engine, and its answer.
type ahead struct {
	req     model.PrepareRequest
	prep    *model.Preparation
	written span
	err     error
}

// prepared is Prepare for the engine; it also returns when the volume was written.
func (w *Worker) prepared(ctx context.Context, req model.PrepareRequest, progress func(model.Progress)) (*model.Preparation, span, error) {
	if a := w.ahead; a != nil {
		w.ahead = nil
		if reflect.DeepEqual(a.req, req) {
			return a.prep, a.written, a.err
		}
	}
	prep, err := w.Prepare(ctx, req, progress)
	return prep, spanOf(prep), err
}

// span is a period in which a volume was written.
type span struct{ from, to time.Time }

// spanOf returns when a volume was written, if its worker has just reported that it is ready. The proof
// takes place in between, but counts as if it came first: it takes equally long for similar volumes.
func spanOf(p *model.Preparation) span {
	if p == nil {
		return span{}
	}
	now := system.Now()
	return span{now.Add(-time.Duration(p.Seconds * float64(time.Second))), now}
}

// together returns for how many seconds at least one of several volumes was written: those whose pods
// started early may be ready long before the last one begins.
func together(spans []span) float64 {
	spans = slices.SortedFunc(slices.Values(spans), func(a, b span) int { return a.from.Compare(b.from) })
	var sum time.Duration
	var end time.Time
	for _, s := range spans {
		if s.from.Before(end) {
			s.from = end
		}
		if s.to.After(s.from) {
			sum, end = sum+s.to.Sub(s.from), s.to
		}
	}
	return sum.Seconds()
}
