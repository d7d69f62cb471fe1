package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleLittlesLaw = Rule{
	Name:     "littles-law",
	Checks:   "an imported rate, its latency and its load are consistent",
	Evidence: "Little's law: rate × mean latency is the number of clients or I/Os in flight (pgbench: 0.9 to 1.1 of its clients, connecting included; fio: 0.8 to 1.25 of jobs × depth); the share of requested transactions that ran",
	Severity: "invalid if clients were missing, or if an application's figures contradict each other; warning if a queue was not as deep as requested",
	Advice:   "look in the tool's full output for clients that could not connect, and for engines that cannot queue",
	check:    checkLittlesLaw,
}

const (
	// closesWithin is how far rate × latency may be from the number of clients: tools print three
	// digits.
	closesWithin = 0.1
	// queueLow and queueHigh are the same for fio's depth: some of its versions print the completion
	// latency without the submission latency.
	queueLow, queueHigh = 0.8, 1.25
)

// importedRules apply only to measurements by other tools.
var importedRules = []Rule{ruleLittlesLaw}

// checkLittlesLaw applies Little's law: rate × mean latency is the mean number under way, so a source
// that prints all three shows whether the load was present. pgbench needs special care: unless it was
// told to time its transactions one by one (-P, -r, -R, -L), the latency that it prints is clients ×
// time / transactions, with the requested clients. Then the law holds even if a quarter of them never
// ran: a published test prints 39.7 ms for 100 clients, 75 of which ran their transactions, in 29.8 ms.
// The number of transactions reveals it.
//
// Source: Little 1961; pgbench.c, printResults.
func checkLittlesLaw(ev Evidence) []model.Finding {
	im := ev.Recorded.Imported
	if im == nil {
		return nil
	}
	var o outcome
	for _, f := range im.Figures {
		w, known := ev.Recorded.Plan.Workload(f.Workload)
		switch {
		case !known || ev.sampled(f.Workload):
		case f.Clients != nil:
			closesClients(&o, f, *f.Clients)
		case f.Values[model.IOPS] > 0:
			closesQueue(&o, f, w, im.Figures)
		}
	}
	return o.findings("rate × latency equals the requested load", "the source does not give rate, latency and load of the same test")
}

// closesClients applies the law to the clients of an application.
func closesClients(o *outcome, f model.Figure, c model.ClientFigure) {
	latency, clients := f.Values[model.Latency], float64(c.Clients)
	underWay := c.Rate * latency
	fault := func(message string, evidence map[string]any) {
		evidence["clients"], evidence["in_flight"] = c.Clients, underWay
		o.fault(model.Finding{Severity: model.SeverityInvalid, Results: []string{f.Workload}, Message: message, Evidence: evidence,
			Next: "look in the tool's full output for clients that ended, and run the test again"})
	}
	switch {
	case c.Clients < 1 || c.Rate <= 0 || latency <= 0:
		o.miss(f.Workload, "the source does not give rate, latency and clients of the same test")
	case c.Asked > c.Done:
		ran := clients * float64(c.Done) / float64(c.Asked)
		message := fmt.Sprintf("clients gone: the transactions of %s of %d clients of %s ran%s", short(ran), c.Clients, f.Workload, threadsGone(c))
		if !c.Timed {
			message += fmt.Sprintf("; the printed latency of %s is that of all of them at this rate, and by Little's law it was %s",
				units.FormatDuration(latency), units.FormatDuration(ran/c.Rate))
		}
		fault(message, map[string]any{"done": c.Done, "asked": c.Asked, "ran": ran, "latency": ran / c.Rate})
	case c.Offered:
		o.miss(f.Workload, "transactions were due at a rate, so clients wait by design")
	case math.Abs(underWay/clients-1) > closesWithin && (!c.Timed || underWay > clients):
		fault(fmt.Sprintf("contradiction: %s tps × %s is %s transactions in flight, but %s had %d clients: these lines are not from the same run",
			units.FormatRate(c.Rate), units.FormatDuration(latency), short(underWay), f.Workload, c.Clients), map[string]any{})
	case c.Reconnect && c.Timed:
		o.miss(f.Workload, "clients wait for their connections beside their transactions")
	case underWay < (1-closesWithin)*clients:
		fault(fmt.Sprintf("clients gone: by Little's law, only %s of %d clients of %s were active", short(underWay), c.Clients, f.Workload), map[string]any{})
	case !c.Timed && c.Asked == 0:
		o.miss(f.Workload, "pgbench computed the latency from clients and rate, so it says nothing about missing clients (-P 1 times each transaction)")
	default:
		o.pass(f.Workload)
	}
}

// threadsGone says how many of pgbench's threads the missing clients make up, if these are whole
// threads: a thread ends when one of its clients cannot connect.
func threadsGone(c model.ClientFigure) string {
	if c.Threads < 2 || c.Clients%c.Threads != 0 {
		return ""
	}
	gone := float64(c.Threads) * float64(c.Asked-c.Done) / float64(c.Asked)
	if gone != math.Trunc(gone) {
		return ""
	}
	return fmt.Sprintf(" (%.0f of %d threads gone, as when a client cannot connect)", gone, c.Threads)
}

// closesQueue applies the law to fio's queue. Concurrent reads and writes share it, and a rate or a
// flush keeps it from being full.
func closesQueue(o *outcome, f model.Figure, w model.Workload, all []model.Figure) {
	shared := slices.ContainsFunc(all, func(x model.Figure) bool { return x.Workload == f.Workload && x.Direction != f.Direction })
	asked := float64(w.Depth * w.JobCount())
	inFlight := f.Values[model.IOPS] * f.Values[model.Latency]
	switch {
	case f.Values[model.Latency] <= 0 || w.Depth < 1:
		o.miss(f.Workload, "the source does not give rate, latency and depth of the same test")
	case shared || w.Sync != "" || w.Limit() > 0 || w.Job != "":
		o.miss(f.Workload, "this load does not keep its queue full by design, or shares it")
	case inFlight < queueLow*asked || inFlight > queueHigh*asked:
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{f.Workload},
			Message:  fmt.Sprintf("load not applied: by Little's law, %s I/Os of %s were in flight, but %s were requested", short(inFlight), f.Workload, short(asked)),
			Evidence: map[string]any{"in_flight": inFlight, "asked": asked},
			Next:     "check that the engine can queue and that direct=1 was given: loadline run measures it"})
	default:
		o.pass(f.Workload)
	}
}
