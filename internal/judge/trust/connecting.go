package trust

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleConnecting = Rule{
	Name:     "connecting",
	Checks:   "clients that connect for each transaction do so side by side",
	Evidence: "the load tool's threads against the clients, where each transaction opens a connection",
	Severity: "warning: the rate is that of one thread connecting in turn, and says nothing of storage",
	Advice:   "give the load tool a thread for each client",
	check:    checkConnecting,
}

// checkConnecting: pgbench connects without letting its thread do anything else meanwhile, so
// that n clients of one thread wait for each other's connections: the latency that it prints is
// n × the time of a connection. (Measured: 10 clients, 4.35 ms each, 226/s on one thread, 364/s
// on ten; on two processors.)
func checkConnecting(ev Evidence) []model.Finding {
	var o outcome
	ev.loads(&o, func(w model.Workload, r model.Result, cost model.AppResult) {
		threads := max(1, w.App.Threads)
		switch {
		case !w.App.Reconnect:
		case threads < w.Depth:
			took := ""
			if cost.Connect > 0 {
				took = fmt.Sprintf(" (%s each)", units.FormatDuration(cost.Connect))
			}
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message: fmt.Sprintf("connecting in turn: %d clients of %s connect%s by %d of pgbench's threads, one after the other, so its rate is that of connecting and says nothing of storage",
					w.Depth, r.Workload, took, threads),
				Evidence: map[string]any{"clients": w.Depth, "threads": threads, "connect": cost.Connect},
				Next:     ev.appCommand("--load select", "--connect", fmt.Sprintf("--clients %d --threads %d", w.Depth, w.Depth))})
		default:
			o.pass(r.Workload)
		}
	})
	return o.findings("each client connected by a thread of its own", "no workload of this run connects for each transaction")
}

var ruleHotRows = Rule{
	Name:     "hot-rows",
	Checks:   "clients do not wait for each other's rows",
	Evidence: "pgbench's scale (the rows of the table that each TPC-B-like transaction updates one of) against the clients",
	Severity: "warning: clients wait for row locks and not for the storage",
	Advice:   "a `--scale` of at least the number of clients",
	check:    checkHotRows,
}

// checkHotRows: each transaction of the TPC-B kind updates one of "scale" rows, and holds it
// until its commit is flushed. With fewer rows than clients most of them wait for a lock
// (pgbench's manual, "Good Practices").
func checkHotRows(ev Evidence) []model.Finding {
	var o outcome
	state := ev.state()
	ev.loads(&o, func(w model.Workload, r model.Result, _ model.AppResult) {
		tpcb := slices.ContainsFunc(w.App.OptionList(), func(s string) bool { return s == "--builtin=tpcb-like" })
		switch {
		case !tpcb:
		case state == nil || state.Scale < 1:
			o.miss(r.Workload, "the scale is not known")
		case state.Scale < w.Depth:
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message:  fmt.Sprintf("hot rows: %d clients of %s update %d rows, so most wait for each other's locks and not for the storage", w.Depth, r.Workload, state.Scale),
				Evidence: map[string]any{"clients": w.Depth, "scale": state.Scale},
				Next:     ev.appCommand(fmt.Sprintf("--scale %d", w.Depth))})
		default:
			o.pass(r.Workload)
		}
	})
	return o.findings("there is a row for each client", "no workload of this run updates a small table")
}
