package browser

import (
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
)

// made returns a budget of seen seconds, with all fields that a budget may have.
func made(workload string, seen float64, rows ...budget.Row) budget.Budget {
	b := budget.Budget{Workload: workload, Description: "pgbench TPC-B-like, 1 client", Operation: "transaction", InFlight: 1, Rate: 1 / seen, Seen: seen, SeenBy: "1 client at 240 tps, by Little's law", Rows: rows,
		Notes: []string{"between the laws: flushes follow each other for less than all of the time"}}
	b.Close("round trips, WAL writes, locks")
	return b
}

// closing returns a budget that closes.
func closing(workload string) budget.Budget {
	b := made(workload, 4.2e-3, budget.Row{Part: budget.ClientCPU, Name: "pgbench, on a processor", Seconds: 0.21e-3, Source: "scheduler"},
		budget.Row{Part: budget.ServerCPU, Name: "server, on a processor", Seconds: 1.1e-3, Source: "scheduler"},
		budget.Row{Part: budget.RunQueue, Name: "both, waiting for a processor", Seconds: 0.02e-3, Source: "scheduler"},
		budget.Row{Part: budget.Reads, Name: "reads of pages not in its cache", Seconds: 0.3e-3, Source: "PostgreSQL"},
		budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: 2.3e-3, Of: "1.01 flushes × 2.28 ms", Source: "PostgreSQL"})
	law := budget.Counterfactual{Change: "a flush in half the time (1.14 ms instead of 2.28 ms)", Part: budget.Flush, Saved: 1.14e-3, Rate: 327, Gain: 0.37, Law: "serial: L = sum of its parts, X = 1/L", Assumes: []string{"the client's and the server's own work stays what it is"}}
	other := law
	other.Change, other.Rate, other.Gain = "a flush 1 ms faster", 313, 0.31
	b.Counterfactuals = []budget.Counterfactual{law, other}
	return b
}

// refused returns a budget that does not close.
func refused(workload string) budget.Budget {
	b := made(workload, 6.1e-3, budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: 2.3e-3, Source: "PostgreSQL"})
	b.Refused = "only 38 % of the 6.10 ms of a transaction is accounted for"
	b.Missing = []budget.Missing{{What: "how long reads took", Measure: "loadline app postgres DIR --set track_io_timing=on"}}
	return b
}

// spent returns a report of a database whose time is accounted for, except for one workload.
func spent() *model.Report {
	target := model.Target{Name: "data", Kind: model.Postgres, Path: "/srv/data"}
	r := &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "spent", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Status: model.Complete, Target: target, Volume: model.Volume{Target: target}}}
	r.Budgets = []budget.Budget{closing("tpcb-c1"), refused("tpcb-c4")}
	for i, b := range r.Budgets {
		rate := sure(b.Rate)
		r.Results = append(r.Results, model.Result{Workload: b.Workload, Direction: model.Write, Metric: model.Transactions, Estimate: rate, Verdict: model.Valid, Converged: true, Description: b.Description,
			Metrics: map[model.Metric]model.Estimate{model.Transactions: rate}})
		r.Run.Workloads = append(r.Run.Workloads, model.Workload{Name: b.Workload, Direction: model.Write, Depth: 1 + 3*i, Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench", Threads: 1}})
	}
	return r
}

// hostileBudgets returns budgets in which every text is hostile.
func hostileBudgets() []budget.Budget {
	list := []budget.Budget{closing(evil), refused(evil)}
	for i := range list {
		b := &list[i]
		b.Description, b.Operation, b.SeenBy, b.Residual.Name, b.Notes = evil, evil, evil, evil, []string{evil}
		for k := range b.Rows {
			b.Rows[k].Name, b.Rows[k].Of, b.Rows[k].Source = evil, evil, evil
		}
		for k := range b.Counterfactuals {
			b.Counterfactuals[k].Change, b.Counterfactuals[k].Law, b.Counterfactuals[k].Assumes = evil, evil, []string{evil}
		}
		for k := range b.Missing {
			b.Missing[k].What, b.Missing[k].Measure, b.Refused = evil, evil, evil
		}
	}
	return list
}
