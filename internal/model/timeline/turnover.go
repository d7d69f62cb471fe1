package timeline

import "github.com/loadline/loadline/internal/model"

// earlyMost is the share of a repeat's I/Os that may be of those with which the queue was filled. On average they wait for half of
// the queue, so that their share lowers the mean latency by half as much.
const earlyMost = 0.02

// Turnover says whether the queue of a repeat had turned over before it was measured. All I/Os with which a queue is filled are
// issued at once, and the first of them finds nobody ahead of it: until each of them has completed, which takes the queue's depth
// ÷ the rate, latencies are lower than they are from then on.
type Turnover struct {
	// Seconds is how long that takes, and Ramp how long it took until the repeat was measured.
	Seconds, Ramp float64
	// Early is the share of the measured I/Os that are of the first ones (0..1).
	Early float64
	// Flight is the mean number of I/Os in flight, by Little's law, relative to that requested: below 1 if latencies are too low.
	Flight float64
}

// Short reports whether so many of the first I/Os were measured that latencies are too low.
func (t Turnover) Short() bool { return t.Early > earlyMost }

// Slots returns how many I/Os a workload keeps in flight on each volume; 0 if that is unknown, or depends on a limited rate or on
// something else than the queue.
func Slots(w model.Workload) float64 {
	if w.Depth < 1 || w.Job != "" || w.OpenLoop || w.Limit() > 0 || w.OfCapacity > 0 || w.Loads() {
		return 0
	}
	return float64(w.Depth * w.JobCount())
}

// Turnovers returns the turnover of each repeat of a workload, by the step's number; none if its queue is not known.
func Turnovers(rec *model.Recorded, w model.Workload) map[int]Turnover {
	slots := Slots(w)
	if slots == 0 {
		return nil
	}
	list := map[int]Turnover{}
	for _, g := range Groups(rec, w.Name) {
		ios, latency, rate := 0.0, 0.0, 0.0
		for _, samples := range g.Workers {
			if repeat := int(rec.Plan.Schedule.Repeat); g.Step.Look && rec.Plan.Schedule.Mode == model.Rounds && repeat > 0 {
				samples = samples[:min(len(samples), repeat)] // no more of it counts, unless its rate falls
			}
			n, seconds := 0.0, 0.0
			for _, s := range samples {
				seconds += s.Seconds
				for _, f := range []*model.Flow{s.Read, s.Write} {
					if f != nil {
						n, latency = n+float64(f.IOs), latency+f.LatencySum
					}
				}
			}
			ios, rate = ios+n, rate+n/seconds
		}
		if ios == 0 {
			continue
		}
		all := slots * float64(len(g.Workers))
		t := Turnover{Seconds: all / rate, Ramp: g.Step.Ramp}
		// Those of the queue that were not through when the repeat began to be measured, as far as it lasted.
		t.Early = min(1, max(0, all-t.Ramp*rate)/ios)
		t.Flight = latency / (ios / rate) / all
		list[g.Step.Number] = t
	}
	return list
}
