package postgres

import (
	"math"
	"sync"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// A session reports what it counted once a second: the rate is told from the moments at which the
// count grew, once a second, and follows a change within the last seconds.
func TestFlushRate(t *testing.T) {
	var r flushRate
	var told []float64
	count := 0.0
	feed := func(from, to, perSecond float64) {
		for at := from; at < to; at += 0.25 {
			if at == math.Floor(at) {
				count += perSecond
			}
			if rate, known := r.add(at, count); known {
				told = append(told, rate)
			}
		}
	}
	feed(0, 10, 200)
	if len(told) != 9 || told[0] != 200 || told[8] != 200 {
		t.Errorf("of 200 flushes a second, %v were told", told)
	}
	told = nil
	feed(10, 20, 50)
	if len(told) != 10 || told[0] >= 200 || told[9] != 50 {
		t.Errorf("then of 50, %v", told)
	}
	// A log that is no longer flushed.
	told = nil
	feed(20, 40, 0)
	if len(told) == 0 || told[len(told)-1] > 15 {
		t.Errorf("then of none, %v", told)
	}
	// The statistics begin anew.
	told, count = nil, 0
	feed(40, 50, 100)
	if len(told) == 0 || told[0] != 100 || told[len(told)-1] != 100 {
		t.Errorf("then of 100, %v", told)
	}
}

// While a server of any version is loaded, the rate of its flushes is told, and is what was counted.
func TestFlushesAreToldMeanwhile(t *testing.T) {
	t.Parallel()
	eachVersionAtOnce(t, func(t *testing.T, e *env.Env, major int) {
		d := readyWith(t, flushing(t, e, 10_000))
		req := ask(1, 6)
		req.Workload.App.Options, req.Workload.App.Threads = "--builtin=simple-update", 1
		var lock sync.Mutex
		var told []float64
		res, err := d.Run(t.Context(), req, load.BeginNow, func(ev model.Event) {
			lock.Lock()
			defer lock.Unlock()
			if p := ev.Progress; p != nil && p.Phase == model.PhaseMeasure {
				told = append(told, p.Flushes)
			}
		})
		if err != nil || res.Error != "" {
			t.Fatalf("%v %q", err, res.Error)
		}
		if major < flushesFrom {
			if len(told) > 0 {
				t.Errorf("told %v", told)
			}
			return
		}
		rate := *res.App.Flushes / res.App.Seconds
		t.Logf("%s: %.1f flushes/s, told were %.1f", d.state.Version, rate, told)
		if len(told) < 3 || math.Abs(told[len(told)-1]/rate-1) > 0.25 {
			t.Errorf("%.1f flushes/s, told were %.1f", rate, told)
		}
	})
}
