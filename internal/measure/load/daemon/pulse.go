package daemon

import (
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

const (
	// beat is the interval between beats of a Pulse, and missed the gap, in seconds, from which we
	// count as not having run: a busy CPU delays a beat by less.
	beat   = 100 * time.Millisecond
	missed = 1.0
	// mostPauses and mostStalls limit what is kept.
	mostPauses, mostStalls = 1000, 100
)

// Pulse records when this process, or the whole machine, was suspended: a server that seemed silent
// then is not to blame.
type Pulse struct {
	now func() float64
	end func()

	mu     sync.Mutex
	last   float64
	pauses [][2]float64
}

// TakePulse starts a Pulse; now returns the time in seconds.
func TakePulse(clock env.Clock, now func() float64) *Pulse {
	p := &Pulse{now: now, last: now()}
	ticks, over := clock.NewTicker(beat), make(chan struct{})
	p.end = sync.OnceFunc(func() { close(over) })
	go func() {
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				p.beat(now())
			case <-over:
				return
			}
		}
	}()
	return p
}

func (p *Pulse) beat(now float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now-p.last > missed && len(p.pauses) < mostPauses {
		p.pauses = append(p.pauses, [2]float64{p.last, now})
	}
	p.last = now
}

// Causes ends the Pulse and sets the cause of each stall: it was ours if we did not run for half of it.
func (p *Pulse) Causes(stalls []model.Stall) []model.Stall {
	p.end()
	p.beat(p.now())
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range stalls {
		stood := 0.0
		for _, x := range p.pauses {
			stood += max(0, min(s.Begin+s.Seconds, x[1])-max(s.Begin, x[0]))
		}
		if 2*stood >= s.Seconds {
			stalls[i].Cause = model.StallSuspended
		}
	}
	return stalls
}

// AddStall adds a period in which a server answered nothing, if it is long enough to report. It
// ended with the answer to a request made at asked; the previous answer came at answered. Time
// without a pending request does not count.
func AddStall(list []model.Stall, answered, asked, ended float64) []model.Stall {
	begin := max(answered, asked)
	if ended-begin < model.LeastStall || len(list) >= mostStalls {
		return list
	}
	return append(list, model.Stall{Begin: begin, Seconds: ended - begin})
}
