package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// peers are the flows of one run: together they estimate how much repeats vary, which determines the
// interval of each.
type peers struct {
	flows  []*flow
	models map[model.Metric]*stats.RepeatModel
	// at is the index of a flow in the model of a metric.
	at map[model.Metric]map[*flow]int
	// asked is set if the user requested the number of repeats.
	asked bool
}

// peersOf prepares the measurements of all workloads of a plan. A workload that has no samples yet has
// no flow. beyond are the seconds of long repeats that are not counted, and found the findings of the long repeats; nil if there
// were none.
func peersOf(p *model.Plan, samples, beyond map[string][]model.Sample, found map[flowKey]*model.Sustained) *peers {
	all := &peers{models: map[model.Metric]*stats.RepeatModel{}, at: map[model.Metric]map[*flow]int{}, asked: p.Experiment.Repeat > 0}
	for _, w := range p.Workloads {
		list := samples[w.Name]
		if len(list) == 0 {
			continue
		}
		mode := modeOf(w, p.Schedule.Mode, found)
		for _, d := range w.Directions() {
			f := newFlow(timeline.Of(list, d), w.Metric, mode)
			if mode == p.Schedule.Mode { // otherwise the result is made of long repeats
				f.takeBeyond(timeline.Of(beyond[w.Name], d))
			}
			all.add(f, w.Name, d)
		}
		if w.Sync != "" {
			all.add(newFlow(timeline.Of(list, model.Sync), model.Latency, mode), w.Name, model.Sync)
		}
	}
	return all
}

func (p *peers) add(f *flow, workload string, d model.Direction) {
	if f != nil {
		f.workload, f.direction, f.peers = workload, d, p
		p.flows = append(p.flows, f)
	}
}

// find is the flow of a workload in a direction; nil if there was no I/O in that direction.
func (p *peers) find(workload string, d model.Direction) *flow {
	if p == nil {
		return nil
	}
	for _, f := range p.flows {
		if f.workload == workload && f.direction == d {
			return f
		}
	}
	return nil
}

// single reports whether no workload has more than one repeat.
func (p *peers) single() bool {
	return !slices.ContainsFunc(p.flows, func(f *flow) bool { return len(f.repeats) > 1 })
}

// span is the time in seconds over which the storage was measured, whatever the workload.
func (p *peers) span() float64 {
	begin, end := math.Inf(1), math.Inf(-1)
	for _, f := range p.flows {
		from, to := f.span()
		begin, end = math.Min(begin, from), math.Max(end, to)
	}
	return math.Max(0, end-begin)
}

// repeatModel is the flows' common model of a metric, and the index of f in it.
func (p *peers) repeatModel(f *flow, m model.Metric) (*stats.RepeatModel, int) {
	if p.models[m] == nil {
		var list [][]stats.Repeat
		p.at[m] = map[*flow]int{}
		for _, peer := range p.flows {
			p.at[m][peer] = len(list)
			list = append(list, peer.modelRepeats(m))
		}
		p.models[m] = stats.NewRepeatModel(list)
	}
	return p.models[m], p.at[m][f]
}

// repeatModel is the run's model of a metric, and the index of f in it. A flow without a run is the
// only one in its model.
func (f *flow) repeatModel(m model.Metric) (*stats.RepeatModel, int) {
	if f.peers == nil {
		f.peers = &peers{models: map[model.Metric]*stats.RepeatModel{}, at: map[model.Metric]map[*flow]int{}, flows: []*flow{f}}
	}
	return f.peers.repeatModel(f, m)
}

// span is the start of a flow's first measurement and the end of its last, in seconds.
func (f *flow) span() (begin, end float64) {
	last := f.repeats[len(f.repeats)-1].Seconds
	return f.repeats[0].Seconds[0].Begin, last[len(last)-1].End
}

// modelRepeats returns the repeats of a flow for the model of a metric: relative to the flow's mean, or as logarithms for a time. There
// are none if that mean is 0, as the bandwidth of flushes is.
func (f *flow) modelRepeats(m model.Metric) []stats.Repeat {
	whole := 1.0
	if m.Unit() != "s" {
		whole = f.all.Value(m)
	}
	_, merged := m.Percentile()
	var list []stats.Repeat
	for i, v := range f.repeats {
		value := scale(m, f.repeatValue(i, m)) / whole
		if math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}
		s := stats.Repeat{Value: value, Begin: v.Seconds[0].Begin, End: v.Seconds[len(v.Seconds)-1].End}
		if !merged {
			s.Seconds = f.series(i, m)
			for j := range s.Seconds {
				s.Seconds[j] /= whole
			}
			s.Moved = len(f.repeats) == 1 && !sameLevel(timeline.Series(v.Seconds, model.IOPS))
			s.Beyond = timeline.Series(f.beyond[v.Step], m)
			for j, second := range s.Beyond {
				s.Beyond[j] = scale(m, second) / whole
			}
		}
		list = append(list, s)
	}
	return list
}

func (f *flow) repeatValue(i int, m model.Metric) float64 {
	if len(f.repeats) != len(f.groups) {
		// An only repeat is cut into groups.
		return f.all.Value(m)
	}
	if _, ok := m.Percentile(); ok {
		f.histogram()
	}
	return f.groups[i].Value(m)
}
