package explain

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
)

// transaction is the average of a workload's transactions over all counted repeats, including ramps:
// times in seconds per transaction; a pointer is nil if the value is unknown.
type transaction struct {
	// app is what was loaded.
	app              apps.App
	clients, threads int
	// rate is in 1/s; seen is the time of one from the client's point of view.
	rate, seen float64
	// flushes is the number of flushes per transaction, flush the mean time of one, flushing the share
	// of the time during which one was in progress.
	flushes, flush, flushing *float64
	reading                  *float64
	processor                *model.AppProcessor
	// far is set if the client was on another node, with its own processors.
	far bool
	// connect is the mean time of a connection, 0 if each client keeps its own.
	connect float64
	// idle is the share of all processors' time that was idle, processors their number; with a limit, of as
	// many as it allows, by these transactions alone.
	idle       *float64
	processors float64
	// throttled is the share of the time in which a limit of processors held the load back.
	throttled float64
	// sampled is what its clients' sessions waited for, or unsampled says why that is unknown.
	sampled   *sampling
	unsampled string
	// shared is set if the server's counts include other users.
	shared bool
}

// waits reports whether transactions wait for flushes: if commits do not (synchronous_commit=off), some
// other process still flushes now and then.
func (t transaction) waits() bool {
	return t.flushes != nil && t.flush != nil && *t.flush > 0 && *t.flushes >= 0.5/float64(t.clients)
}

// transaction sums up the steps of a workload; ok is false if there are none.
func (ev Evidence) transaction(w model.Workload) (t transaction, ok bool) {
	t = transaction{app: apps.Of(w), clients: max(1, w.Depth), threads: max(1, min(w.App.Threads, w.Depth)), processors: processorsOf(&ev.Recorded.Environment)}
	var transactions, seconds, flushes, flushing, reading, connects float64
	var p model.AppProcessor
	whole, timed, read, scheduled, others := true, true, true, true, 0.0
	for _, s := range ev.steps(w.Name) {
		c := s.App
		if c == nil || c.Transactions == 0 || c.Seconds <= 0 {
			continue
		}
		n := float64(c.Transactions)
		transactions, seconds, connects = transactions+n, seconds+c.Seconds, connects+c.Connect*n
		sum(&whole, &flushes, c.Flushes)
		sum(&timed, &flushing, c.FlushSeconds)
		sum(&read, &reading, c.ReadSeconds)
		if c.Others != nil {
			others += *c.Others
		}
		if c.Processor == nil {
			scheduled = false
		} else {
			e := c.Processor.Each(c)
			p.ServerCPU, p.ServerWait, p.ClientCPU, p.ClientWait = p.ServerCPU+n*e.ServerCPU, p.ServerWait+n*e.ServerWait, p.ClientCPU+n*e.ClientCPU, p.ClientWait+n*e.ClientWait
		}
	}
	if transactions == 0 {
		return t, false
	}
	if at := ev.Recorded.Environment.Cluster; at != nil && at.Client != nil {
		t.far = at.Client.Node != at.Node
	}
	t.rate = transactions / seconds
	t.seen = float64(t.clients) / t.rate
	share := func(known bool, v float64) *float64 {
		if !known {
			return nil
		}
		return &v
	}
	t.flushes, t.reading = share(whole, flushes/transactions), share(read, reading/transactions)
	t.flush, t.flushing = share(whole && timed && flushes > 0, flushing/max(1, flushes)), share(timed, flushing/seconds)
	if w.App.Reconnect {
		t.connect = connects / transactions
	}
	if scheduled {
		t.processor = &model.AppProcessor{ServerCPU: p.ServerCPU / transactions, ServerWait: p.ServerWait / transactions, ClientCPU: p.ClientCPU / transactions, ClientWait: p.ClientWait / transactions}
	}
	idle, counted := ev.idle(w.Name)
	t.idle = share(counted, idle)
	if ev.limitedProcessors() {
		t.idle = nil
		if scheduled {
			left := math.Max(0, 1-t.onServer(t.processor)*t.rate/t.processors)
			t.idle = &left
		}
	}
	t.throttled = ev.throttled(w.Name)
	t.shared = others > fewOthers*transactions
	if states[t.app.Kind] != nil {
		t.sampled, t.unsampled = ev.sampling(w)
	}
	return t, true
}

// fewOthers is the maximum number of other users' transactions, per transaction of ours, up to which
// the server's counts are attributed to us.
const fewOthers = 0.02

// sum adds a count that some of the steps may lack.
func sum(known *bool, to *float64, v *float64) {
	if v == nil {
		*known = false
		return
	}
	*to += *v
}

// application makes the budget of a transaction of an application.
func (ev Evidence) application(w model.Workload) (b budget.Budget, why string) {
	t, ok := ev.transaction(w)
	if !ok {
		return b, "not one of its repeats counted transactions"
	}
	b = budget.Budget{Workload: w.Name, Description: w.Describe(), Operation: "transaction", InFlight: float64(t.clients), Rate: t.rate, Seen: t.seen}
	b.SeenBy = fmt.Sprintf("%s at %s tps, by Little's law", clients(t.clients), units.FormatRate(t.rate))
	ev.notePublished(&b, w)
	ev.costs(&b, w)
	residual := transactionRows(&b, t)
	ev.tracedTransaction(&b, w, t)
	t.counterfactuals(&b)
	judge(&b, residual)
	return b, ""
}

// sameRate is by how much the rate of a budget may differ from the published one without a remark: less
// cannot be seen in both as they are printed.
const sameRate = 0.01

// notePublished explains why the rate of a budget is not that of the result.
func (ev Evidence) notePublished(b *budget.Budget, w model.Workload) {
	for _, r := range ev.results(w.Name) {
		if e := r.Metrics[model.Transactions]; e.Value > 0 && math.Abs(b.Rate/e.Value-1) > sameRate {
			b.Notes = append(b.Notes, fmt.Sprintf("%s tps here and %s tps in the result: the counters cover each repeat from its first transaction on, the result only what follows its ramp", units.FormatRate(b.Rate), units.FormatRate(e.Value)))
		}
	}
}

// costs are the counts per transaction, for a comparison with another run's.
func (ev Evidence) costs(b *budget.Budget, w model.Workload) {
	for _, r := range ev.results(w.Name) {
		a := r.App
		if a == nil {
			continue
		}
		for _, c := range []struct {
			name, unit string
			v          *float64
		}{{"WAL flushes", "1", a.Flushes}, {"WAL", "B", a.LogBytes}, {"reads", "1", a.Reads}, {"device reads", "1", a.DeviceReads}, {"device writes", "1", a.DeviceWrites}, {"device flushes", "1", a.DeviceFlushes},
			{"log device writes", "1", a.LogDeviceWrites}, {"log device flushes", "1", a.LogDeviceFlushes}} {
			if c.v != nil {
				b.Counts = append(b.Counts, budget.Count{Name: c.name, Unit: c.unit, Value: *c.v})
			}
		}
		return
	}
}

func clients(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}

// The remainder of a transaction.
const (
	roundTrips = "round trips, WAL writes, locks"
	anything   = "processors, run queue, round trips, WAL writes, locks"
)

// transactionRows adds the rows of a transaction, and names the remainder.
func transactionRows(b *budget.Budget, t transaction) (residual string) {
	residual = roundTrips
	if t.connect > 0 {
		b.Rows = append(b.Rows, connectRow(t.clients, t.threads, t.connect, t.app.Tool))
	}
	if t.sampled != nil && t.connect == 0 {
		return sampledRows(b, t)
	}
	if t.unsampled != "" {
		b.Notes = append(b.Notes, "waits were not sampled: "+t.unsampled)
	}
	if t.bound() {
		groupRows(b, t)
		return residual
	}
	if p := t.processor; p != nil {
		b.Rows = append(b.Rows,
			budget.Row{Part: budget.ClientCPU, Name: t.app.Tool + ", on a processor", Seconds: p.ClientCPU, Source: "scheduler"},
			budget.Row{Part: budget.ServerCPU, Name: "server, on a processor", Seconds: p.ServerCPU, Source: "scheduler"},
			budget.Row{Part: budget.RunQueue, Name: "both, waiting for a processor", Seconds: p.ServerWait + p.ClientWait, Source: "scheduler"})
	} else {
		residual = anything
		lacks(b, "how long client and server were on a processor, and waited for one", t.app.TimeProcessors)
	}
	if t.reading != nil {
		b.Rows = append(b.Rows, budget.Row{Part: budget.Reads, Name: "reads of pages not in its cache", Seconds: *t.reading, Source: t.app.Title})
	} else {
		lacks(b, "how long reads took", t.app.TimeReads)
	}
	switch {
	case t.waits() && t.clients == 1:
		b.Rows = append(b.Rows, budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: *t.flushes * *t.flush, Of: times(*t.flushes, "flush", "flushes") + units.FormatDuration(*t.flush), Source: t.app.Title})
	case t.waits():
		if t.flushing != nil {
			b.Rows = append(b.Rows, budget.Row{Part: budget.FlushQueue, Name: "waiting for the flush in progress", Seconds: *t.flushing * *t.flush / 2,
				Of: percent(*t.flushing) + " × half a flush", Source: "computed"})
		}
		b.Rows = append(b.Rows, budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: *t.flush, Source: t.app.Title})
	case t.flush == nil:
		lacks(b, "how long flushes took", t.app.TimeFlushes)
	}
	if p := t.processor; p != nil && p.ServerWait+p.ClientWait > budget.Tolerance*t.seen {
		// After a flush, a process waits for a processor like any other: this wait is in both rows.
		b.Missing = append(b.Missing, budget.Missing{What: "flushes and reads without the wait for a processor after them", Measure: "measure while nothing else runs on this machine, or on one with more processors"})
	}
	if t.clients > 1 && t.unsampled != "" {
		lacks(b, "how long transactions waited for each other's locks", t.app.SampleWaits)
	}
	return residual
}

// lacks notes what is missing, if the application has it and there is a way to measure it.
func lacks(b *budget.Budget, what, measure string) {
	if measure != "" {
		b.Missing = append(b.Missing, budget.Missing{What: what, Measure: measure})
	}
}

// connectRow is the row for connecting: a pgbench thread does nothing else while it connects, so its
// clients wait for each other's connections (docs/app-postgres.md).
func connectRow(clients, threads int, each float64, source string) budget.Row {
	turns := float64(clients) / float64(threads)
	row := budget.Row{Part: budget.Connect, Name: "connection set-up", Seconds: turns * each, Source: source}
	if turns > 1 {
		row.Of = fmt.Sprintf("%s in turn × %s", few(turns), units.FormatDuration(each))
	}
	return row
}

// lawful is the largest deviation, as a share, between a law and the measurement for the law to be
// used.
const lawful = budget.Tolerance

// bound reports whether the law of group commit describes these transactions: a flush is in progress
// nearly all the time, each contains half of the clients' commits, and a transaction takes two.
func (t transaction) bound() bool {
	if !t.waits() || t.clients < 2 || t.flushing == nil || *t.flushing < 1-2*lawful {
		return false
	}
	latency, share := 2**t.flush/t.seen, *t.flushes*float64(t.clients)/2
	return latency > 1-lawful && latency < 1+lawful && share > 1-2*lawful && share < 1+2*lawful
}

// own is C, the time of a transaction without waiting for a flush; ok is false if it was not measured.
func (t transaction) own() (c float64, ok bool) {
	p := t.processor
	if p == nil {
		return 0, false
	}
	c = p.ServerCPU + p.ServerWait + p.ClientCPU + p.ClientWait
	if t.reading != nil {
		c += *t.reading
	}
	return c, true
}

// groupRows are the rows by the law of group commit: a committing client waits for the end of the other
// group's flush, which began when its own ended, and for its own.
func groupRows(b *budget.Budget, t transaction) {
	const law = "group commit: L = 2F"
	first := budget.Row{Part: budget.FlushQueue, Name: "own work, then the other group's flush", Seconds: *t.flush, Source: law}
	if c, known := t.own(); known && c < *t.flush {
		b.Rows = append(b.Rows, budget.Row{Part: budget.Work, Name: "own work (processors, reads)", Seconds: c, Source: "scheduler, " + t.app.Title})
		first.Name, first.Seconds, first.Of = "waiting for the other group's flush", *t.flush-c, "a flush less own work"
	}
	b.Rows = append(b.Rows, first, budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: *t.flush, Source: t.app.Title})
	b.Notes = append(b.Notes, t.grouping())
}

// grouping is the sentence stating that the law of group commit describes these transactions.
func (t transaction) grouping() string {
	return fmt.Sprintf("group commit: %s flushes for each transaction (2/N = %s), and a flush is in progress %s of the time", few(*t.flushes), few(2/float64(t.clients)), percent(*t.flushing))
}

// fullShare is the idle share of the processors' time below which they count as full.
const fullShare = 0.1

// full reports whether the processors were full.
func (t transaction) full() bool { return t.idle != nil && *t.idle < fullShare }

// onServer is how long a transaction occupies the processors of the server's machine, in seconds.
func (t transaction) onServer(p *model.AppProcessor) float64 {
	if t.far {
		return p.ServerCPU
	}
	return p.ServerCPU + p.ClientCPU
}

// saturates reports whether these transactions are what fills the processors.
func (t transaction) saturates() bool {
	p := t.processor
	return t.full() && p != nil && t.onServer(p)*t.rate >= (1-2*lawful)*t.processors
}

// counterfactuals computes the effect of faster flushes and reads. Processors that are full of other work have no
// room for more transactions, and how long these would wait is unknown.
func (t transaction) counterfactuals(b *budget.Budget) {
	if t.connect > 0 || !t.waits() && !t.reads(b) {
		return
	}
	if t.shared {
		b.Notes = append(b.Notes, "others used the server meanwhile, and its counts of flushes and reads include theirs: no prediction is made for faster storage")
		return
	}
	if t.throttled > mostThrottled && !t.saturates() {
		b.Notes = append(b.Notes, fmt.Sprintf("a CPU limit held the load back for %s of the time, and these transactions did not use it up by themselves: no prediction is made for faster storage", percent(t.throttled)))
		return
	}
	if t.full() && !t.saturates() {
		b.Notes = append(b.Notes, fmt.Sprintf("only %s of the processors was idle, and these transactions did not fill them: no prediction is made for faster storage", percent(*t.idle)))
		return
	}
	if t.waits() {
		t.flushCounterfactuals(b)
	}
	if t.reads(b) {
		t.readCounterfactuals(b)
	}
}

// leastReading is the share of a transaction from which on faster reads are worth a prediction.
const leastReading = 0.05

// reads reports whether the only client waits for reads, one after the other. With several clients no law says how
// many reads the storage serves at once.
func (t transaction) reads(b *budget.Budget) bool {
	each, counted := b.Count("reads")
	return t.clients == 1 && counted && each > 0 && t.reading != nil && *t.reading >= leastReading*t.seen
}

// readCounterfactuals computes the effect of faster reads on one client.
func (t transaction) readCounterfactuals(b *budget.Budget) {
	each, _ := b.Count("reads")
	for _, c := range changes("a read", *t.reading/each) {
		counterfactual(b, c, budget.Reads, 1/(t.seen-c.saved*each), serialLaw, "a transaction reads as many pages as now ("+few(each)+")", "the client's and the server's own work stays what it is")
	}
}

// flushCounterfactuals computes the effect of faster flushes.
func (t transaction) flushCounterfactuals(b *budget.Budget) {
	for _, c := range changes("a flush", *t.flush) {
		f := *t.flush - c.saved
		switch {
		case t.clients == 1:
			counterfactual(b, c, budget.Flush, 1/(t.seen-c.saved**t.flushes), serialLaw, "the client's and the server's own work stays what it is")
		case t.bound():
			t.grouped(b, c, f)
		case t.queued():
			counterfactual(b, c, budget.Flush, 1/(1/t.rate-c.saved**t.flushes), rowLaw, "transactions keep waiting for the same row", "what its holder does beside its flush stays what it is")
		case t.saturates():
			counterfactual(b, c, budget.Flush, t.rate, processLaw, "the processors stay full: a transaction takes as much of their time as now")
		}
	}
	if t.clients > 1 && !t.bound() && !t.queued() && !t.full() {
		b.Notes = append(b.Notes, "between the laws: flushes follow each other for less than all of the time, and the processors are not full either, so no prediction is made for faster flushes")
	}
}

// mostUsed is the share of the processors up to which the law of group commit holds: beyond, transactions wait for processors as well.
// With flushes of 3.4 ms the law says 2374 tps of 16 clients, which takes 95 % of two processors, and 1957 were measured; with 4 clients
// 593, a quarter of the processors, and 559.
const mostUsed = 0.75

// grouped applies the law of group commit, up to where the own work is longer than a flush. Where the
// processors would be nearly full, nothing is predicted.
func (t transaction) grouped(b *budget.Budget, c change, f float64) {
	n := float64(t.clients)
	rate, assumes := n/(2*f), []string{"a transaction's own work stays shorter than a flush"}
	if own, known := t.own(); known {
		rate = min(rate, n/(own+f))
		assumes = []string{"a transaction's own work stays " + units.FormatDuration(own)}
	}
	if p := t.processor; p != nil && t.processors > 0 {
		if used := rate * t.onServer(p) / t.processors; used > mostUsed {
			b.Notes = append(b.Notes, fmt.Sprintf("%s: by the law of group commit %s tps, which would use %s of %s; beyond %s transactions wait for processors as well, so no prediction is made",
				c.words, units.FormatRate(rate), percent(math.Min(used, 1)), numberOfProcessors(t.processors), percent(mostUsed)))
			return
		}
	}
	// A bound that the measurement already exceeds is not one.
	counterfactual(b, c, budget.Flush, max(rate, t.rate), commitLaw, assumes...)
}
