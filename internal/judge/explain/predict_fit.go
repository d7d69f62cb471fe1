package explain

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
)

// With several clients, a transaction is slower than its parts say: the hypervisor takes
// processors away, and a process that is woken waits. How much slower is known of the application
// that was measured, whose own storage is in that run: the simulation of it must come to its rate.

const (
	// fitFrom is the busy share of the processors, as counted and as simulated, from which on they explain a difference.
	fitFrom = 0.6
	// leastContention and mostContention bound the multiple of the time on processors.
	leastContention, mostContention = 0.8, 1.6
	// fitSteps halve that range until it is as narrow as a rate is measured.
	fitSteps = 7
)

// fitContention sets, for each workload of several clients, the multiple of a transaction's and its flush's time on
// processors with which the simulation of this application comes to its measured rate, unless the
// processors were not the limit.
func (ev Evidence) fitContention(l like, loads []model.Workload) {
	first, ok := ev.transaction(loads[0])
	if !ok || first.far || first.flush == nil || ev.limitedProcessors() {
		// What a limit takes away is part of the simulation.
		return
	}
	for i, w := range loads {
		c := &l.costs[i]
		t, _ := ev.transaction(w)
		if w.Depth <= 1 || w.Depth > mostClients || l.scale < 1 || l.scale > mostScale || c.Processor == nil || t.idle == nil || 1-*t.idle < fitFrom {
			continue
		}
		measured := ev.server(l, loads, i)
		simulated := func(contention float64) outcome {
			x := measured
			x.work *= contention
			x.storageWork = func(bytes float64) float64 { return contention * measured.storageWork(bytes) }
			return x.within(float64(x.processors)-c.Beside, nil)
		}
		if simulated(1).busy < fitFrom {
			continue
		}
		low, high := leastContention, mostContention
		for range fitSteps {
			if middle := math.Sqrt(low * high); simulated(middle).rate > t.rate {
				low = middle
			} else {
				high = middle
			}
		}
		c.Contention = math.Sqrt(low * high)
	}
}

// server is the measured server itself, under the load with that number.
func (ev Evidence) server(l like, loads []model.Workload, i int) server {
	c := l.costs[i]
	first, _ := ev.transaction(loads[0])
	x := server{clients: c.Clients, processors: ev.wholeProcessors(), script: l.script, scale: l.scale,
		other: l.other.Value, work: l.onProcessors(c), log: c.LogBytes, flush: func(float64) float64 { return *first.flush },
		storageWork: func(float64) float64 { return l.inFlush }}
	if t, _ := ev.transaction(loads[i]); c.Reads > 0 && t.reading != nil {
		x.reads, x.read = c.Reads, *t.reading/c.Reads
	}
	return x
}

// wholeProcessors is the number of processors that a run had, 0 if it is not known; if a limit made it a fraction, the
// next whole number.
func (ev Evidence) wholeProcessors() int {
	return int(math.Ceil(processorsOf(&ev.Recorded.Environment)))
}

// onProcessors is a transaction's time on processors while it does not wait for a flush, in seconds.
func (l like) onProcessors(c prediction.Costs) float64 {
	return math.Max(0, *c.Processor-l.inFlush*l.flushes[c.Workload])
}

// besideProcessors is how many processors a workload keeps busy besides the clients and their sessions, and
// besides Loadline, less what is busy without load: 0 if that is not known.
func (ev Evidence) besideProcessors(w model.Workload, t transaction) float64 {
	if t.processor == nil || ev.limitedProcessors() {
		return 0
	}
	idle := ev.Recorded.Run.Beside.Idle
	if idle == nil {
		return 0
	}
	var busy []float64
	for _, s := range ev.steps(w.Name) {
		if c := s.Counters; c != nil && c.Seconds > 0 {
			// pgbench has ended by then, and is among the worker's tools.
			own := math.Max(0, c.OwnCPU/c.Seconds-t.processor.ClientCPU*t.rate)
			busy = append(busy, t.processors*(busyShare(c)-busyShare(idle))-own)
		}
	}
	if len(busy) == 0 {
		return 0
	}
	return math.Max(0, stats.Mean(busy)-t.rate*(t.processor.ServerCPU+t.processor.ClientCPU))
}
