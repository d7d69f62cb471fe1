package explain

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

// Disks is what the disks behind replicated volumes counted during a run.
type Disks struct {
	Samples []iotrace.Sample
	Began   time.Time
	// Incomplete is a phrase: why the record does not cover the whole run; empty if it does.
	Incomplete string
}

const (
	// fewSeconds is the number of seconds below which a ratio has no interval worth printing.
	fewSeconds = 3
	// mostSilent is the number of spans of a silent time, however long it is.
	mostSilent = 60
	// largestWhole is the largest block, in bytes, that no disk and no storage system is expected to split.
	largestWhole = 64 << 10
)

// Amplification says how many I/Os the disks behind the volumes of a workload did for each operation, in each
// direction; none if that was not to be counted.
func (ev Evidence) Amplification(w model.Workload) (list []amplification.Ratio) {
	behind := ev.Recorded.Run.Beside.Behind
	if behind == nil {
		return nil
	}
	directions := w.Directions()
	if w.Loads() {
		directions = []model.Direction{model.Read, model.Write}
	}
	for _, d := range directions {
		if d != model.Read && d != model.Write {
			continue
		}
		r := amplification.Ratio{Direction: string(d), Operation: string(d), Devices: behind.Devices(), Expected: behind.Expected(string(d)), Of: behind.Of}
		switch {
		case w.Loads():
			r.Operation, r.Expected, r.Of = "transaction", 0, "it depends on how many I/Os of the volume a transaction needs"
		case d == model.Write && (w.Sync != "" || w.Append):
			r.Expected, r.Of = 0, "with a flush after each write, or an appended log, the volume's own filesystem may write records too"
		case ev.Recorded.Environment.Cluster.ManyNodes():
			r.Expected, r.Of = 0, "the volume may be shared over a network filesystem, which has a cache and a journal"
		case w.Job != "":
			r.Expected, r.Of = 0, "the I/Os of a fio job of your own may be of any size"
		case w.BlockSize > largestWhole:
			r.Expected, r.Of = 0, "I/Os of more than "+units.FormatSize(largestWhole)+" may be split on the way to the disks"
		case d == model.Read && r.Expected > 0:
			r.Of = "each block is read from one replica"
		}
		r.NotCounted = cmp.Or(behind.NotCounted, ev.notCounted())
		if r.NotCounted == "" {
			ev.amplify(&r, w, d)
		}
		if r.NotCounted != "" {
			r.Expected, r.Of = 0, ""
		}
		r.Conclude()
		list = append(list, r)
	}
	return list
}

// notCounted says why what the disks counted cannot be used; "" if it can.
func (ev Evidence) notCounted() string {
	switch {
	case ev.Disks == nil:
		return "the record of the disks' counters is missing"
	case ev.Disks.Incomplete != "":
		return ev.Disks.Incomplete
	case ev.Recorded.Run.Clock.IsZero():
		return "when the run's seconds began was not noted"
	case ev.replicasChanged():
		return "the number of replicas that took part changed during the run"
	}
	return ""
}

// replicasChanged reports whether a volume was seen with different numbers of replicas in use: one that is
// lost does not write, and one that is rebuilt writes all of its data.
func (ev Evidence) replicasChanged() bool {
	seen := map[int]int{}
	for _, c := range ev.Recorded.Run.Beside.Copies {
		if n, known := seen[c.Worker]; known && n != c.Count {
			return true
		}
		seen[c.Worker] = c.Count
	}
	return false
}

// span is a time during which both the disks and the clients were counted: I/Os and operations.
type span struct{ seconds, disks, operations float64 }

// amplify fills in the numbers of one direction.
func (ev Evidence) amplify(r *amplification.Ratio, w model.Workload, d model.Direction) {
	out := map[int]bool{}
	for _, found := range ev.results(w.Name) {
		for _, n := range found.LeftOut {
			out[n] = true
		}
	}
	var all []span
	for _, g := range timeline.Groups(ev.Recorded, w.Name) {
		if !out[g.Step.Number] {
			all = append(all, ev.spans(&g, w, d)...)
		}
	}
	var disks, operations float64
	for _, s := range all {
		r.Seconds, disks, operations = r.Seconds+s.seconds, disks+s.disks, operations+s.operations
	}
	switch {
	case len(all) < fewSeconds:
		r.NotCounted = "the disks and the clients were counted together for too short a time"
		return
	case operations == 0:
		r.NotCounted = "the clients did no " + r.Operation + "s"
		return
	}
	r.Disks, r.Operations, r.Value = disks/r.Seconds, operations/r.Seconds, disks/operations
	// The ratio of two sums varies as much as the mean of these (a Taylor series of the ratio).
	mean := operations / float64(len(all))
	each := make([]float64, len(all))
	for i, s := range all {
		each[i] = r.Value + (s.disks-r.Value*s.operations)/mean
	}
	half := stats.Series(each, 0)
	r.Low, r.High, r.Confidence = math.Max(0, r.Value-half), r.Value+half, 0.95
	r.Idle = ev.idleDisks(d)
}

// spans are the seconds of the disks' record that lie within the time in which all workers of a repeat were
// measured. Disks that did nothing have no sample: such a second is part of the next span, and before the
// first and after the last it is a span of its own.
func (ev Evidence) spans(g *timeline.Group, w model.Workload, d model.Direction) (list []span) {
	from, to := g.Common()
	from, to = from+margin, to-margin
	offset := ev.Disks.Began.Sub(ev.Recorded.Run.Clock).Seconds()
	ends := map[float64]float64{}
	begin := math.Inf(1)
	for i := range ev.Disks.Samples {
		x := &ev.Disks.Samples[i]
		start, end := x.End-x.Seconds+offset, x.End+offset
		if start < from || end > to {
			continue
		}
		begin = math.Min(begin, start)
		ios := 0.0
		if string(x.Operation) == string(d) {
			ios = float64(x.Flow.IOs)
		}
		ends[end] += ios
	}
	order := make([]float64, 0, len(ends))
	for end := range ends {
		order = append(order, end)
	}
	slices.Sort(order)
	// At either end up to a second is cut off with the sample that it belongs to.
	silent := func(from, to float64) {
		n := math.Min(mostSilent, math.Floor(to-from))
		for i := 0.0; i < n; i++ {
			a, b := from+i*(to-from)/n, from+(i+1)*(to-from)/n
			list = append(list, span{seconds: b - a, operations: operations(g, w, d, a, b)})
		}
	}
	if len(order) == 0 {
		silent(from, to)
		return list
	}
	silent(from+1, begin)
	for _, end := range order {
		list = append(list, span{seconds: end - begin, disks: ends[end], operations: operations(g, w, d, begin, end)})
		begin = end
	}
	silent(begin, to-1)
	return list
}

// operations is how many operations of the workers ended between two times; a sample that lies partly
// between them counts with that part.
func operations(g *timeline.Group, w model.Workload, d model.Direction, from, to float64) (n float64) {
	for _, list := range g.Workers {
		first, _ := slices.BinarySearchFunc(list, from, func(s *model.Sample, t float64) int { return cmp.Compare(s.End, t) })
		for _, s := range list[first:] {
			if s.Begin() >= to {
				break
			}
			flow := s.Flow(d)
			if w.Loads() {
				flow = s.Flow(w.Directions()[0])
			}
			if flow != nil {
				n += float64(flow.IOs) * s.Within(from, to) / s.Seconds
			}
		}
	}
	return n
}

// idleDisks is the rate of the disks before the run began; nil if that was not counted.
func (ev Evidence) idleDisks(d model.Direction) *float64 {
	offset := ev.Disks.Began.Sub(ev.Recorded.Run.Clock).Seconds()
	if -offset < 1 {
		return nil
	}
	ios := 0.0
	for i := range ev.Disks.Samples {
		if x := &ev.Disks.Samples[i]; x.End+offset <= 0 && string(x.Operation) == string(d) {
			ios += float64(x.Flow.IOs)
		}
	}
	// Whole seconds only: the last one goes on into the run.
	rate := ios / math.Max(1, math.Floor(-offset))
	return &rate
}

// Amplify adds to the points of scales what the disks did.
func Amplify(ev Evidence, scales []model.Scale) {
	for i := range scales {
		for k := range scales[i].Points {
			p := &scales[i].Points[k]
			w, known := ev.workload(p.Result)
			if !known {
				continue
			}
			for _, r := range ev.Amplification(w) {
				if r.Direction == string(scales[i].Direction) {
					p.Amplification = &r
				}
			}
		}
	}
}
