package session

import (
	"slices"

	"github.com/loadline/loadline/internal/measure/engine"
)

// Returned is the space of one target that was returned to its storage.
type Returned struct {
	Target string
	Bytes  int64
}

// Discard makes Close discard filled devices, which returns their space to the storage. It is for the end
// of a complete measurement: the data of an interrupted one is kept, so that it can be measured again as
// it is.
func (p *Prepared) Discard() {
	for _, w := range p.workers {
		w.Discard()
	}
}

// Discarded returns what Close has discarded.
func (p *Prepared) Discarded() []Returned {
	names := make([]string, len(p.workers))
	for i := range names {
		names[i] = p.Plan.VolumeOf(i).Target.Name
	}
	return returned(p.workers, names)
}

// Discarded returns what Measure has discarded when it ended the workers.
func (p *Pair) Discarded() []Returned {
	return returned(p.workers[:], []string{p.Plans[0].Volume.Target.Name, p.Plans[1].Volume.Target.Name})
}

// returned lists what workers have discarded, once for each target: workers that share one discard the
// same bytes.
func returned(workers []*engine.Worker, names []string) (list []Returned) {
	for i, w := range workers {
		given := w.Discarded()
		if given == 0 {
			continue
		}
		if at := slices.IndexFunc(list, func(r Returned) bool { return r.Target == names[i] }); at >= 0 {
			list[at].Bytes = max(list[at].Bytes, given)
			continue
		}
		list = append(list, Returned{Target: names[i], Bytes: given})
	}
	return list
}
