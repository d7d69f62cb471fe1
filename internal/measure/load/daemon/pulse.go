package daemon

import (
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

const (
	// beat is how often a Pulse beats, and missed how long it must not have beaten, in seconds, for
	// us not to have run: a processor that is full delays it by less.
	beat   = 100 * time.Millisecond
	missed = 1.0
	// mostPauses and mostStalls bound what is kept.
	mostPauses, mostStalls = 1000, 100
)

// Pulse notes when this process, or the whole machine, stood still: then a server that was not
// heard of is not to blame.
type Pulse struct {
	now func() float64
	end func()

	mu     sync.Mutex
	last   float64
	pauses [][2]float64
}

// TakePulse begins to; now tells seconds.
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

// Causes ends it, and says of each stall whether it was ours: we did not run for half of it.
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

// AddStall adds a stretch in which a server answered nothing, if it is long enough to be told. It
// ended when something was answered that had been asked for at asked; the last answer before came at
// answered. Where nothing was asked for nobody waited.
func AddStall(list []model.Stall, answered, asked, ended float64) []model.Stall {
	begin := max(answered, asked)
	if ended-begin < model.LeastStall || len(list) >= mostStalls {
		return list
	}
	return append(list, model.Stall{Begin: begin, Seconds: ended - begin})
}
