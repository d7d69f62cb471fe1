package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// PrepareAhead makes the volume ready before the engine asks for that. If it then asks for
// the very same, it gets the answer to this, be it an error; else the volume is prepared
// anew. What was stopped has no answer.
func (w *Worker) PrepareAhead(ctx context.Context, req model.PrepareRequest, progress func(model.Progress)) error {
	prep, err := w.Prepare(ctx, req, progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w.ahead = &ahead{req: req, prep: prep, written: spanOf(prep), err: err}
	return err
}

// ahead is what a worker was asked ahead of the engine, and its answer.
type ahead struct {
	req     model.PrepareRequest
	prep    *model.Preparation
	written span
	err     error
}

// prepared is Prepare for the engine, which also learns when the volume was written.
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

// span is a stretch of time in which a volume was written.
type span struct{ from, to time.Time }

// spanOf is when a volume was written whose worker has just said that it is ready. The
// proof, which comes between, counts as if it came before: it takes the workers of like
// volumes equally long.
func spanOf(p *model.Preparation) span {
	if p == nil {
		return span{}
	}
	now := system.Now()
	return span{now.Add(-time.Duration(p.Seconds * float64(time.Second))), now}
}

// together is for how long, in seconds, at least one of several volumes was written: those
// whose pods were there early may be ready long before the last begins.
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
