package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/internal/model/units"
)

// Ask describes a requested prediction.
type Ask struct {
	// Clients are numbers of clients, each at least 1. Scale is pgbench's; 0 means that of the
	// application's run, but at least one branch per client.
	Clients []int
	Scale   int
}

// mostClients, mostNumbers of them and mostScale limit the request, and so the time of the simulation.
const (
	mostClients = 1000
	mostNumbers = 16
	mostScale   = 100_000
)

// fullProcessors is the busy share of the time from which on the processors are the limit.
const fullProcessors = 0.9

// Predict says what PostgreSQL under pgbench would do on the storage measured directly in from, if its
// transactions cost what they cost in app, a run of PostgreSQL on any machine. Runs without the
// necessary data are refused (model.Refused).
func Predict(from, app Evidence, ask Ask) (*prediction.Prediction, error) {
	app.undisturbed = true
	l, err := app.like()
	if err != nil {
		return nil, err
	}
	if ask, err = ask.checked(l); err != nil {
		return nil, err
	}
	reads := slices.ContainsFunc(ask.Clients, func(n int) bool { return l.of(n).Reads > 0 })
	s, err := from.storageTimes(reads)
	if err != nil {
		return nil, err
	}
	if app.limitedProcessors() {
		// The storage's own work is done on the processors that the limit leaves.
		for i := range s.flushes {
			s.flushes[i].Processor = 0
		}
	}
	var loads []string
	for _, c := range l.costs {
		loads = append(loads, c.Workload)
	}
	p := &prediction.Prediction{Schema: prediction.Schema, Application: string(model.Postgres), Load: "pgbench " + l.words, Scale: ask.Scale,
		From: from.machine(s.workloads), Like: app.machine(loads), Flushes: s.flushes, Read: s.read, Other: l.other, Costs: l.costs, ModelError: prediction.ModelError}
	p.Verdict, p.Findings = from.inherited(s.workloads)
	if disturbed := app.disturbed(loads); len(disturbed) > 0 {
		p.Findings = append(p.Findings, disturbed...)
		if p.Verdict == model.Valid {
			p.Verdict = model.Suspect
		}
	}
	for _, n := range ask.Clients {
		point := l.point(s, n, ask.Scale, app.wholeProcessors(), p.Like.Processors)
		if r := point.Rate; !finite(r.Low, r.Value, r.High) {
			return nil, model.BrokenError(fmt.Sprintf("nothing can be computed for %s: the times of %s and %s are too far apart, or no times", clients(n), p.From.Directory, p.Like.Directory), "look at both: loadline explain RUN")
		}
		p.Points = append(p.Points, point)
	}
	p.Assumes = append(l.assumes(p), app.leftOut(loads)...)
	return p, nil
}

// checked is the request with its defaults.
func (a Ask) checked(l like) (Ask, error) {
	a.Clients = slices.Compact(slices.Sorted(slices.Values(a.Clients)))
	if len(a.Clients) == 0 {
		a.Clients = []int{1, 4, 16, 64}
	}
	most := a.Clients[len(a.Clients)-1]
	if a.Clients[0] < 1 || most > mostClients {
		return a, model.RefusedError(fmt.Sprintf("clients are from 1 to %d", mostClients), "choose some, such as --clients 1,4,16,64")
	}
	if len(a.Clients) > mostNumbers {
		return a, model.RefusedError(fmt.Sprintf("%d numbers of clients are too many: each may take ten seconds to simulate", len(a.Clients)), fmt.Sprintf("choose at most %d, such as --clients 1,4,16,64", mostNumbers))
	}
	if a.Scale == 0 {
		a.Scale = max(l.scale, most)
	}
	if a.Scale < 1 || a.Scale > mostScale {
		return a, model.RefusedError(fmt.Sprintf("scales are from 1 to %d", mostScale), "choose one, such as --scale 100")
	}
	return a, nil
}

// limited reports whether the storage limits the rate of its flushes.
func (s storageTimes) limited() bool {
	return slices.ContainsFunc(s.flushes, func(t prediction.Flush) bool { return t.Unlimited > 0 })
}

// unlimited is the time of a flush that does not wait for a limit on the rate. Of large flushes under a limit on bytes, whose
// times are in proportion to their size, all wait: what is known of them is that they take no less than smaller ones.
func (s storageTimes) unlimited(t prediction.Flush) float64 {
	if t.Unlimited > 0 {
		return t.Unlimited
	}
	known := 0.0
	for _, o := range s.flushes {
		if o.Bytes < t.Bytes && t.Value/o.Value >= 0.5*float64(t.Bytes)/float64(o.Bytes) {
			known = max(known, o.Unlimited)
		}
	}
	return cmp.Or(known, t.Value)
}

// works reports whether the storage's own work on processors is known.
func (s storageTimes) works() bool {
	return slices.ContainsFunc(s.flushes, func(t prediction.Flush) bool { return t.Processor > 0 })
}

// besideTransactions is how many times as much CPU time the storage's own work for a flush takes beside a database as it takes
// beside fio: the transactions replace what it had in the processors' caches. About the mean of what was counted for nine
// devices with 4 and 16 clients (docs/predict.md).
const besideTransactions = 1.2

// storageModel is how storage is simulated: whether it limits the rate, the multiple of its own work on
// processors, how the log that it gets depends on the rate, the multiple of all time on processors, and how many of these others
// use.
type storageModel struct {
	limited    bool
	work       float64
	images     *imageModel
	contention float64
	beside     float64
}

// middle, lower and upper select a value of an estimate.
func middle(e model.Estimate) float64 { return e.Value }
func lower(e model.Estimate) float64  { return e.Low }
func upper(e model.Estimate) float64  { return e.High }

// point is the prediction for a number of clients: the outcome of the simulation with the estimates,
// and an interval from its outcomes with each input at its bounds, and from the model's error. allowed is how many of
// the processors it may use.
func (l like) point(s storageTimes, clients, scale, processors int, allowed float64) prediction.Point {
	c := l.of(clients)
	at := func(flush, read, other func(model.Estimate) float64, on storageModel) outcome {
		x := server{clients: clients, other: l.other.Value * other(l.ownOf(1)), log: c.LogBytes, script: l.script, scale: scale,
			flush: flushOf(s.flushes, func(t prediction.Flush) float64 { return flush(t.Estimate) })}
		if on.limited {
			x.unlimited = flushOf(s.flushes, func(t prediction.Flush) float64 { return cmp.Or(s.uneven[t.Bytes], s.unlimited(t)) })
		}
		if on.work > 0 || l.inFlush > 0 {
			x.storageWork = flushOf(s.flushes, func(t prediction.Flush) float64 { return on.contention * (l.inFlush + on.work*t.Processor) })
		}
		if c.Processor != nil {
			x.work, x.processors = on.contention*l.onProcessors(c), processors
			if own := l.ownOf(clients); own.Value > 0 {
				x.work *= other(own)
			}
		}
		if s.read != nil {
			x.reads, x.read, x.readers = c.Reads, read(s.read.Estimate), s.read.Concurrency
		}
		return x.within(allowed-on.beside, on.images)
	}
	images := l.images[c.Workload]
	on := storageModel{limited: s.limited(), images: images.is, contention: cmp.Or(c.Contention, 1), beside: math.Min(c.Beside, allowed/2)}
	// otherwise is the outcome with another model of the storage.
	otherwise := func(change func(on *storageModel)) outcome {
		o := on
		change(&o)
		return at(middle, middle, middle, o)
	}
	if s.works() {
		on.work = besideTransactions
	}
	is := at(middle, middle, middle, on)
	p := prediction.Point{Clients: clients, Parts: is.parts, LogBytes: is.log, Flushes: is.flushes, Flushing: is.flushing}
	if c.Processor != nil && processors > 0 {
		p.Busy = &is.busy
	}
	doubt := func(of string, slow, fast outcome) {
		p.Uncertainties = append(p.Uncertainties, prediction.Uncertainty{Of: of, Low: math.Min(0, slow.rate/is.rate-1), High: math.Max(0, fast.rate/is.rate-1)})
	}
	doubt("time of a flush", at(upper, middle, middle, on), at(lower, middle, middle, on))
	if on.limited || len(s.uneven) > 0 {
		// Storage that answers most flushes fast and the others slowly looks the same.
		is := otherwise(func(on *storageModel) { on.limited = !on.limited })
		doubt("whether the storage limits the rate", is, is)
	}
	if on.work > 0 {
		doubt("CPU time used by the storage", otherwise(func(on *storageModel) { on.work = 2 }), otherwise(func(on *storageModel) { on.work = 0 }))
	}
	if on.images != nil {
		// The log is known at the rate at which it was counted. At lower rates more images make more of it, at higher ones less.
		slow, fast := otherwise(func(on *storageModel) { on.images = images.more }), otherwise(func(on *storageModel) { on.images = images.fewer })
		if slow.rate > fast.rate {
			slow, fast = fast, slow
		}
		doubt("full-page images in the log", slow, fast)
	}
	if on.contention != 1 {
		// On storage that is served without waiting for processors, it may be less.
		none := otherwise(func(on *storageModel) { on.contention = 1 })
		doubt("contention for processors", none, none)
	}
	if on.beside > 0 {
		// Part of it may be the work of the measured application's own storage.
		none := otherwise(func(on *storageModel) { on.beside = 0 })
		doubt("what else uses the processors", is, none)
	}
	if s.read != nil && c.Reads > 0 {
		doubt("time of a read", at(middle, upper, middle, on), at(middle, lower, middle, on))
	}
	doubt("own work of a transaction", at(middle, middle, upper, on), at(middle, middle, lower, on))
	p.Uncertainties = append(p.Uncertainties, prediction.Uncertainty{Of: "the model", Low: math.Expm1(-prediction.ModelError), High: math.Expm1(prediction.ModelError)})
	p.Rate = interval(is.rate, p.Uncertainties)
	n := float64(clients)
	p.Latency = model.Estimate{Unit: "s", Value: n / is.rate, Low: n / p.Rate.High, High: n / p.Rate.Low, Confidence: p.Rate.Confidence}
	p.Limit = limitOf(is)
	return p
}

// interval combines independent doubts, as ratios: the root of the sum of the squares of their
// logarithms. The value is a rate.
func interval(value float64, uncertainties []prediction.Uncertainty) model.Estimate {
	var low, high float64
	for _, d := range uncertainties {
		low, high = math.Hypot(low, math.Log1p(d.Low)), math.Hypot(high, math.Log1p(d.High))
	}
	return model.Estimate{Unit: "1/s", Value: value, Low: value * math.Exp(-low), High: value * math.Exp(high), Confidence: 0.95}
}

// limitOf names what most of the time is spent on; full processors come first, because everything else
// waits for them as well.
func limitOf(p outcome) prediction.Limit {
	if p.busy >= fullProcessors {
		return prediction.ByProcessors
	}
	best, most := prediction.ByFlushes, p.parts.Wait+p.parts.Flush
	for _, x := range []struct {
		limit   prediction.Limit
		seconds float64
	}{{prediction.ByReads, p.parts.Reads}, {prediction.ByRows, p.parts.Rows}, {prediction.ByWork, p.parts.Work + p.parts.Queue}} {
		if x.seconds > most {
			best, most = x.limit, x.seconds
		}
	}
	return best
}

// assumes are the assumptions of the prediction.
func (l like) assumes(p *prediction.Prediction) (list []string) {
	on := "its processors are like those of " + p.Like.Target
	if p.Like.Processors > 0 {
		on += ", " + processors(p.Like)
		if p.From.Processors > 0 && processors(p.From) != processors(p.Like) {
			on += "; the storage was measured with " + processors(p.From)
		}
	}
	list = append(list, on)
	measured := l.costs[len(l.costs)-1]
	if measured.Processor == nil {
		list = append(list, "its processors are never full: nobody counted how much of them a transaction takes")
	}
	most := p.Points[len(p.Points)-1].Clients
	if measured.Processor != nil && measured.Clients == 1 && most > 1 {
		list = append(list, "several clients wait for processors no longer than the simulation says: no run with several tells how much longer they do")
	}
	if i := slices.IndexFunc(l.costs, func(c prediction.Costs) bool {
		return c.Contention > 0 && (c.Contention < 1.02*leastContention || c.Contention > mostContention/1.02)
	}); i >= 0 {
		list = append(list, fmt.Sprintf("the simulation of %s does not come to its measured rate: no contention for processors between %g and %g explains it", l.costs[i].Workload, leastContention, mostContention))
	}
	if most > measured.Clients {
		list = append(list, fmt.Sprintf("a transaction of more than %s takes as much of the processors, the log and the disk as one of %s (%s)", clients(measured.Clients), clients(measured.Clients), measured.Workload))
	}
	between := slices.ContainsFunc(p.Points, func(x prediction.Point) bool {
		return x.Clients < measured.Clients && !slices.ContainsFunc(l.costs, func(c prediction.Costs) bool { return c.Clients == x.Clients })
	})
	if between && measured.Processor != nil {
		list = append(list, "where as many clients were not measured, the CPU time of a transaction is between those of fewer and of more")
	}
	if p.Read != nil {
		list = append(list, "a transaction reads as many pages from the disk as in that run")
	} else {
		list = append(list, "its pages are in memory, as in that run: none is read from the disk")
	}
	if l.scale > 0 && l.scale != p.Scale {
		list[len(list)-1] += fmt.Sprintf(", at scale %d and not %d", l.scale, p.Scale)
	}
	if i := slices.IndexFunc(p.Flushes, func(t prediction.Flush) bool { return t.Unlimited > 0 }); i >= 0 {
		first := p.Flushes[i]
		list = append(list, fmt.Sprintf("the storage limits the rate: to %s flushes of %s per second, and one that does not wait for that takes %s", units.FormatRate(1/first.Value), units.FormatBlock(first.Bytes), units.FormatDuration(first.Unlimited)))
		if p.Read != nil {
			list = append(list, "reads do not count towards that limit: if they do, these rates are too high")
		}
	}
	if work := p.Flushes[0].Processor; work > 0 {
		list = append(list, fmt.Sprintf("the storage's own work, %s on processors for a flush of %s, is done by these processors", units.FormatDuration(work), units.FormatBlock(p.Flushes[0].Bytes)))
	}
	if beside := measured.Beside; beside > 0.005 {
		list = append(list, fmt.Sprintf("what is neither a client nor one of the server's sessions uses %.2g of a processor beside them, as in that run", beside))
	}
	if len(p.Flushes) == 1 {
		list = append(list, "a flush of more log takes no longer than one of "+sizesOf(p.Flushes)+": no other size was measured")
	}
	return append(list, "data and log are on this storage, and nobody else uses it", "no checkpoint is in progress, and "+l.assumedImages())
}

// leftOut says which costs come from some of the repeats.
func (ev Evidence) leftOut(workloads []string) (list []string) {
	whole := ev
	whole.undisturbed = false
	for _, name := range workloads {
		used, all := ev.steps(name), whole.steps(name)
		if len(used) > 0 && stolen(used[0]) {
			list = append(list, fmt.Sprintf("the cost of a transaction of %s comes from repeats during each of which the hypervisor took away more than %s of the processors' time, and it is less where nobody takes any", name, percent(mostStolen)))
		}
		if len(used) < len(all) {
			list = append(list, fmt.Sprintf("the cost of a transaction of %s comes from %d of %d repeats: during the others the hypervisor took away more than %s of the processors' time", name, len(used), len(all), percent(mostStolen)))
		}
	}
	return list
}

// assumedImages says how many full-page images the log has.
func (l like) assumedImages() string {
	if m := l.images[l.costs[0].Workload].is; m != nil {
		ended := "a checkpoint has ended " + units.FormatSpan(m.ramp) + " before"
		if m.ramp < 0.5 {
			ended = "a checkpoint has just ended"
		}
		return ended + ", as in that run: a transaction writes more full-page images where fewer are done"
	}
	return "the log has as many full-page images as in that run"
}
