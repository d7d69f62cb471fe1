package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleClients = Rule{
	Name:     "clients",
	Checks:   "all clients of an application were active",
	Evidence: "Little's law: the sum of all latencies over the time is how many transactions were in flight (below 0.9 of the clients)",
	Severity: "invalid: the load was not applied; a warning if the load tool itself needed the time between two transactions",
	Advice:   "find out what ended or blocked clients: the load tool's output is in the run's `raw/` folder",
	check:    checkClients,
}

// clientsNeeded is the share of the clients that must have had a transaction under way. Between two
// transactions a client spends a few µs.
const clientsNeeded = 0.9

// checkClients checks that all clients took part: published tests have printed the throughput of a load
// that a quarter of the clients had left. A client without a transaction under way does not take part,
// so the latencies add up to clients × time. With a rate, or a connection for each transaction, clients
// wait by design.
//
// Source: Little 1961.
func checkClients(ev Evidence) []model.Finding {
	var o outcome
	ev.loads(&o, func(w model.Workload, r model.Result, cost model.AppResult) {
		asked := float64(w.Depth)
		switch {
		case w.OpenLoop || w.App.Reconnect:
		case asked < 1 || cost.UnderWay == 0:
			o.miss(r.Workload, "the latencies of all transactions were not recorded")
		case cost.UnderWay < clientsNeeded*asked && asked-cost.UnderWay <= ev.loadTool(r.Workload):
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message:  fmt.Sprintf("load generator saturated: by Little's law, only %.3g of %d clients of %s waited for the server at a time; the others waited for the load tool to begin their next transaction", cost.UnderWay, w.Depth, r.Workload),
				Evidence: map[string]any{"in_flight": cost.UnderWay, "asked": w.Depth, "needed": clientsNeeded, "load_tool": ev.loadTool(r.Workload)},
				Next:     "more --threads, or a load whose transactions take longer: these are too short to tell anything about storage"})
		case cost.UnderWay < clientsNeeded*asked:
			o.fault(model.Finding{Severity: model.SeverityInvalid, Results: []string{r.Workload},
				Message:  fmt.Sprintf("load not applied: by Little's law, only %.3g of %d clients of %s were active", cost.UnderWay, w.Depth, r.Workload),
				Evidence: map[string]any{"in_flight": cost.UnderWay, "asked": w.Depth, "needed": clientsNeeded},
				Next:     "find out what ended or blocked clients: the tool's output is in " + ev.Recorded.Directory + "/raw"})
		default:
			o.pass(r.Workload)
		}
	})
	return o.findings("all clients were active", "no workload of this run keeps its clients busy by design")
}

// loadTool returns how many threads of the load tool were running, or waiting for a processor, at a time; 0 if that is
// not known. As many clients may be between two transactions, which no latency contains.
func (ev Evidence) loadTool(name string) float64 {
	var busy, seconds float64
	for _, s := range ev.good(name) {
		if s.App != nil && s.App.Processor != nil {
			p := s.App.Processor
			busy, seconds = busy+p.ClientCPU+p.ClientWait, seconds+p.Seconds
		}
	}
	if seconds <= 0 {
		return 0
	}
	return busy / seconds
}

var ruleSkipped = Rule{
	Name:     "skipped",
	Checks:   "an application started all transactions that were due",
	Evidence: "the transactions that the load tool skipped because they were already late (1 % of those due), and those that failed",
	Severity: "warning: skipped transactions count in the percentiles as slower than the limit, and nothing more is known about them; invalid if half of all were skipped, or if transactions failed",
	Advice:   "ask for a lower rate, or a higher limit",
	check:    checkSkipped,
}

const (
	// skippedMost is the share of due transactions that may be skipped without a finding.
	skippedMost = 0.01
	// skippedHalf is the share from which on not even the median is known.
	skippedHalf = 0.5
)

// checkSkipped reports skipped transactions: a load tool that leaves out late ones prints good
// latencies for an overload (coordinated omission).
func checkSkipped(ev Evidence) []model.Finding {
	var o outcome
	ev.loads(&o, func(w model.Workload, r model.Result, cost model.AppResult) {
		due := float64(cost.Transactions + cost.Skipped + cost.Failed)
		share := float64(cost.Skipped) / due
		switch {
		case cost.Failed > 0:
			o.fault(model.Finding{Severity: model.SeverityInvalid, Results: []string{r.Workload},
				Message:  fmt.Sprintf("%d transactions of %s failed, and the rest are a biased sample", cost.Failed, r.Workload),
				Evidence: map[string]any{"failed": cost.Failed, "done": cost.Transactions},
				Next:     "fix the cause: the tool's output is in " + ev.Recorded.Directory + "/raw"})
		case share > skippedMost:
			f := model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message: fmt.Sprintf("overload: %s of the transactions due in %s were skipped because they were already later than %s: the percentiles count them as that slow, but they were slower",
					percent(share), r.Workload, units.FormatDuration(w.App.Limit)),
				Evidence: map[string]any{"skipped": cost.Skipped, "share": share, "allowed": skippedMost},
				Next:     fmt.Sprintf("ask for a lower rate: --rate %.0f", 0.8*r.Metrics[model.Transactions].Value)}
			if w.App.Limit == 0 {
				f.Message = fmt.Sprintf("overload: %s of the transactions due in %s had not started by the end of their repeat: the percentiles count them as late as they were by then, but they were slower",
					percent(share), r.Workload)
			}
			if share > skippedHalf {
				f.Severity = model.SeverityInvalid
			}
			o.fault(f)
		default:
			o.pass(r.Workload)
		}
	})
	return o.findings("all transactions due were started, and none failed", noLoad)
}
