package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// The server's count of flushes is read every flushesEvery while a load runs, so that the progress can show
// how many there are per second. A session reports what it counted about once a second, so the rate is
// that of the last few seconds (flushesOver), and is reported once a second (flushesTold).
const (
	flushesEvery = 250 * time.Millisecond
	flushesOver  = 5.0
	flushesTold  = 1.0
	// flushesStill is after how many seconds without a change the count is taken to stand still.
	flushesStill = 2.5
	// flushesFrom is the oldest version that can be asked while it is measured: before, each reading makes
	// the server write its statistics into a file beside the data.
	flushesFrom = 15
)

// flushRate is the rate of flushes, from moments (in seconds) at which their count had grown.
type flushRate struct {
	seen []struct{ at, count float64 }
	told float64
}

// add takes a count; known is false if it says nothing new about the rate.
func (r *flushRate) add(at, count float64) (rate float64, known bool) {
	if n := len(r.seen); n > 0 && count < r.seen[n-1].count {
		r.seen = nil // the statistics were reset
	}
	if n := len(r.seen); n == 0 || count > r.seen[n-1].count {
		r.seen = append(r.seen, struct{ at, count float64 }{at, count})
	} else if at-r.seen[n-1].at < flushesStill {
		return 0, false
	}
	for len(r.seen) > 2 && r.seen[1].at <= at-flushesOver {
		r.seen = r.seen[1:]
	}
	first := r.seen[0]
	if at-first.at < flushesTold || at-r.told < flushesTold {
		return 0, false
	}
	r.told = at
	return (count - first.count) / (at - first.at), true
}

// flushes reads the count in the sampling session and tells the rate if it has changed; took is how long
// the server needed.
func (m *sampler) flushes(ctx context.Context, h *session) (took float64, err error) {
	asked := m.server.env.Now()
	row, err := h.ask(ctx, "EXECUTE flushes;")
	took = m.server.env.Now().Sub(asked).Seconds()
	if err != nil {
		return took, fmt.Errorf("the server stopped answering: %w", err)
	}
	m.mu.Lock()
	m.readings++
	m.mu.Unlock()
	if len(row) != 2 {
		return took, nil
	}
	count, err := strconv.ParseFloat(row[1], 64)
	if err != nil {
		return took, nil // not known, as for a user who may not see it
	}
	if rate, known := m.rate.add(asked.Sub(m.begin).Seconds(), count); known {
		if rate < 1/flushesOver {
			rate = 0 // not even one in that time
		}
		m.emit(model.Event{Progress: &model.Progress{Phase: model.PhaseMeasure, Flushes: rate}})
	}
	return took, nil
}
