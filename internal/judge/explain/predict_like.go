package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/internal/model/units"
)

// scripts are pgbench's scripts that can be simulated, in order of preference.
var scripts = []script{
	{"--builtin=tpcb-like", "TPC-B-like", 7, true},
	{"--builtin=simple-update", "one update", 5, false},
}

// measureCosts is the command that measures the cost of a transaction.
const measureCosts = "loadline app postgres DIR --profile small"

// mostReads is the maximum number of reads per transaction of those scripts: they touch some ten pages.
const mostReads = 100

// mostLog is the largest amount of log per transaction, in bytes: as much as ten images of whole pages and their
// changes, many times over. mostBusy is the largest share of the processors' time that one can have counted: CPU time is counted for whole repeats,
// the rate for their parts.
const (
	mostLog  = 16 << 20
	mostBusy = 1.5
)

// noReads is the average number of device reads per transaction up to which it counts as having none.
const noReads = 0.01

// like is what is known of the transactions of the measured application.
type like struct {
	script
	// other is the part of a transaction's own work, in seconds, that is not on a processor, for one
	// client: the rest after subtracting everything else.
	other model.Estimate
	// inFlush is the time on processors that one client spends in a flush, in seconds: the flush's own system calls, which are
	// part of its time.
	inFlush float64
	// flushes are the flushes per transaction, by workload.
	flushes map[string]float64
	// costs are ordered by increasing numbers of clients, starting with 1.
	costs []prediction.Costs
	// own bounds, for each workload, a transaction's own work relative to the mean: by as much as its rate varied.
	own map[string]model.Estimate
	// images are the models of full-page images, by workload; there is none for a workload whose images are not
	// known.
	images map[string]imageModels
	// scale is the scale of its data; 0 if unknown.
	scale int
}

// of are the costs for a number of clients: those measured with as many, otherwise with the nearest
// smaller number. The CPU time is between those of the numbers on both sides, on a logarithmic scale: what is done
// once for each flush is shared by more transactions. Contention is that of the nearest larger number if the smaller has none.
func (l like) of(clients int) (c prediction.Costs) {
	for _, x := range l.costs {
		if x.Clients <= clients {
			c = x
			continue
		}
		if c.Processor != nil && x.Processor != nil && *c.Processor > 0 && *x.Processor > 0 {
			n := math.Log(float64(clients)/float64(c.Clients)) / math.Log(float64(x.Clients)/float64(c.Clients))
			v := *c.Processor * math.Pow(*x.Processor / *c.Processor, n)
			c.Processor = &v
		}
		break
	}
	if i := slices.IndexFunc(l.costs, func(x prediction.Costs) bool { return x.Clients >= clients && x.Contention > 0 }); clients > 1 && c.Contention == 0 && i >= 0 {
		c.Contention = l.costs[i].Contention
	}
	return c
}

// ownOf bounds the own work of a transaction of so many clients, relative to the mean: as widely as that of the numbers of
// clients on both sides.
func (l like) ownOf(clients int) (e model.Estimate) {
	for _, c := range l.costs {
		own, ok := l.own[c.Workload]
		switch {
		case c.Clients <= clients:
			e = own
		case ok && e.Value > 0:
			e.Low, e.High = min(e.Low, own.Low), max(e.High, own.High)
		case ok && clients > 1:
			e = own
		}
		if c.Clients >= clients {
			break
		}
	}
	return e
}

// like reads the costs of transactions.
func (ev Evidence) like() (l like, err error) {
	name := ev.Report.Run.Directory
	if ev.Recorded.Imported != nil {
		return l, model.RefusedError(name+" was measured by another tool, which does not say what a transaction costs", "measure it: "+measureCosts)
	}
	for _, s := range scripts {
		loads := ev.loadsOf(s)
		if len(loads) == 0 || loads[0].Depth != 1 {
			continue
		}
		l.script = s
		if p := ev.Report.Run.Prepare; p != nil && p.App != nil {
			l.scale = p.App.Scale
		}
		l.own, l.flushes = map[string]model.Estimate{}, map[string]float64{}
		for _, w := range loads {
			if r := ev.results(w.Name)[w.Direction].Metrics[model.Transactions]; w.Depth > 1 && r.Confidence > 0 && r.Low > 0 && r.High >= r.Value && !r.Open {
				l.own[w.Name] = model.Estimate{Value: 1, Low: r.Value / r.High, High: r.Value / r.Low, Confidence: r.Confidence}
			}
			c, err := ev.costsOf(w)
			if err != nil {
				return l, err
			}
			l.costs = append(l.costs, c)
			t, _ := ev.transaction(w)
			if t.flushes != nil {
				l.flushes[w.Name] = *t.flushes
			}
			l.costs[len(l.costs)-1].Beside = ev.besideProcessors(w, t)
		}
		l.images = ev.imagesOf(l.costs, l.scale)
		if l.other, l.inFlush, err = ev.other(loads[0], l.costs[0]); err == nil {
			ev.fitContention(l, loads)
			l.own[loads[0].Name] = ev.ownOfOne(loads[0], l)
		}
		return l, err
	}
	return l, model.RefusedError(name+" contains no TPC-B-like or simple-update load with 1 client, from which the cost of a transaction is derived", "measure it once, on any machine: "+measureCosts)
}

// loadsOf are the workloads of a script, by increasing numbers of clients.
func (ev Evidence) loadsOf(s script) (list []model.Workload) {
	for _, w := range ev.Recorded.Plan.Workloads {
		if w.App.Tool == apps.Postgres.Tool && w.App.Script == "" && !w.App.Reconnect && slices.Contains(w.App.OptionList(), s.option) && ev.withoutBudget(w) == "" {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b model.Workload) int { return cmp.Compare(a.Depth, b.Depth) })
	return list
}

// costsOf are the costs of a transaction of a workload.
func (ev Evidence) costsOf(w model.Workload) (c prediction.Costs, err error) {
	c = prediction.Costs{Workload: w.Name, Clients: max(1, w.Depth)}
	if err := ev.believed(w.Name); err != nil {
		return c, err
	}
	t, ok := ev.transaction(w)
	a := ev.results(w.Name)[w.Direction].App
	switch {
	case !ok || a == nil:
		return c, model.RefusedError(w.Name+" counted no transactions", "measure it again: "+measureCosts)
	case t.shared:
		return c, model.RefusedError(fmt.Sprintf("others used the server while %s was measured, so that its counters do not tell what one transaction costs", w.Name), "measure it again on a server that nobody else uses: "+measureCosts)
	case t.flushes == nil || t.flush == nil || t.reading == nil || a.LogBytes == nil || a.Reads == nil:
		return c, model.RefusedError("it is not known how many flushes, reads and bytes of log a transaction of "+w.Name+" took, or how long they took", "measure it again: "+measureCosts)
	case !t.waits():
		return c, model.RefusedError("transactions of "+w.Name+" do not wait for flushes: how long one takes on another storage changes nothing for them", "measure it without synchronous_commit=off and fsync=off: "+measureCosts)
	}
	c.LogBytes, c.PageImages = *a.LogBytes, a.PageImages
	if c.LogBytes > mostLog {
		return c, model.RefusedError(fmt.Sprintf("a transaction of %s is said to write %s of log, and pgbench's scripts write some ten pages", w.Name, units.FormatSize(int64(c.LogBytes))), "measure it again: "+measureCosts)
	}
	if p := t.processor; p != nil {
		all := processorsOf(&ev.Recorded.Environment)
		v := t.onServer(p)
		switch {
		case all <= 0:
			return c, model.RefusedError("it is not known how many processors the machine of "+ev.Report.Run.Directory+" has", "measure it again: "+measureCosts)
		case v*t.rate > mostBusy*all:
			return c, model.RefusedError(fmt.Sprintf("a transaction of %s is said to take %s on a processor, which is more than all processors have at %s tps", w.Name, units.FormatDuration(v), units.FormatRate(t.rate)), "measure it again: "+measureCosts)
		}
		c.Processor = &v
	}
	if *a.Reads < noReads {
		return c, nil
	}
	if a.DeviceReads == nil {
		return c, model.RefusedError(fmt.Sprintf("a transaction of %s reads %s pages that the server's cache does not hold, and nobody counted how many of them come from the device", w.Name, few(*a.Reads)),
			"measure it on a disk whose device can be told: "+measureCosts)
	}
	if c.Reads = min(*a.DeviceReads, *a.Reads); c.Reads < noReads {
		c.Reads = 0
	}
	if c.Reads > mostReads {
		return c, model.RefusedError(fmt.Sprintf("a transaction of %s is said to read %s pages of the device, and pgbench's scripts touch some ten", w.Name, units.FormatNumber(c.Reads)), "measure it again: "+measureCosts)
	}
	return c, nil
}

// believed refuses a workload whose numbers are invalid.
func (ev Evidence) believed(workload string) error {
	invalid := false
	for _, r := range ev.results(workload) {
		invalid = invalid || r.Verdict == model.Invalid
	}
	if !invalid {
		return nil
	}
	for _, f := range ev.Report.Findings {
		if f.Severity == model.SeverityInvalid && (len(f.Results) == 0 || slices.Contains(f.Results, workload)) {
			return model.RefusedError(fmt.Sprintf("the numbers of %s in %s are invalid (%s): %s", workload, ev.Report.Run.Directory, f.Rule, f.Message), strings.TrimSpace(f.Next))
		}
	}
	return model.RefusedError(fmt.Sprintf("the numbers of %s in %s are invalid", workload, ev.Report.Run.Directory), "measure it again: "+measureCosts)
}

// other is the time of one client's transaction besides processors, flushes and reads: by the serial
// law, the rest of the total. Its interval is that of the time of a transaction. If it was on processors for longer
// than that, it was so for inFlush seconds while it waited for a flush.
func (ev Evidence) other(w model.Workload, c prediction.Costs) (e model.Estimate, inFlush float64, err error) {
	t, _ := ev.transaction(w)
	own := t.seen - *t.flushes**t.flush - *t.reading
	if own <= 0 {
		return e, 0, model.RefusedError(fmt.Sprintf("the flushes and reads of a transaction of %s come to more than it took, so its own work is not known", w.Name), "measure it on faster storage: "+measureCosts)
	}
	if c.Processor != nil {
		inFlush = math.Max(0, *c.Processor-own) / *t.flushes
		own = math.Max(0, own-*c.Processor)
	}
	rate := ev.results(w.Name)[w.Direction].Metrics[model.Transactions]
	if rate.Confidence == 0 || rate.Value <= 0 || rate.Low <= 0 {
		return e, 0, model.RefusedError(w.Name+" was measured once, so that nothing is known of how sure its rate is", "measure it again, with repeats: "+measureCosts)
	}
	return model.Estimate{Unit: "s", Value: own, Low: math.Max(0, own-t.seen*(1-rate.Value/rate.High)), High: own + t.seen*(rate.Value/rate.Low-1), Confidence: rate.Confidence}, inFlush, nil
}

// ownOfOne bounds the own work of one client's transaction relative to its mean: what is not known of its time is not
// known of that.
func (ev Evidence) ownOfOne(w model.Workload, l like) model.Estimate {
	t, _ := ev.transaction(w)
	rate := ev.results(w.Name)[w.Direction].Metrics[model.Transactions]
	own := l.other.Value
	if l.costs[0].Processor != nil {
		own += l.onProcessors(l.costs[0])
	}
	if own <= 0 {
		return model.Estimate{Value: 1, Low: 1, High: 1, Confidence: rate.Confidence}
	}
	return model.Estimate{Value: 1, Low: math.Max(0, 1-t.seen*(1-rate.Value/rate.High)/own), High: 1 + t.seen*(rate.Value/rate.Low-1)/own, Confidence: rate.Confidence}
}
