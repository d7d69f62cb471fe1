package reporttest

import (
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/budget"
)

// Explanation returns the explanation of two runs of one workload, the second of which is not
// accounted for.
func Explanation() *budget.Explanation {
	made := func(workload string, seen float64, rows ...budget.Row) budget.Budget {
		b := budget.Budget{Workload: workload, Description: "pgbench TPC-B-like, 1 client", Operation: "transaction", InFlight: 1, Rate: 1 / seen, Seen: seen, SeenBy: "1 client at 240 tps, by Little's law", Rows: rows}
		b.Close("round trips, WAL writes, locks")
		return b
	}
	a := made("tpcb-c1", 4.2e-3, budget.Row{Part: budget.ServerCPU, Name: "server, on a processor", Seconds: 1.4e-3, Source: "scheduler"},
		budget.Row{Part: budget.Locks, Name: "other transactions' locks", Seconds: 0.1e-3, Margin: 0.02e-3, Of: "0.02 of 1 session ÷ rate", Source: "wait sampling"},
		budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: 2.5e-3, Of: "1 flush × 2.50 ms", Source: "PostgreSQL"})
	idle := 0.3
	a.Amplification = []amplification.Ratio{{Direction: "write", Operation: "write", Value: 6.02, Low: 5.97, High: 6.07, Confidence: 0.95, Expected: 6, Of: "3 replicas × 2 writes (data, revision counter)",
		Operations: 150, Disks: 903, Seconds: 27, Idle: &idle, Devices: []string{"node1/sdb", "node2/sdb1", "node3/dm-0"}}}
	a.Amplification[0].Conclude()
	a.Notes = []string{"a note"}
	a.Counterfactuals = []budget.Counterfactual{{Change: "a flush 1 ms faster", Part: budget.Flush, Saved: 1e-3, Rate: 312.5, Gain: 0.3125, Law: "serial: L = sum of its parts, X = 1/L", Assumes: []string{"one thing", "another"}},
		{Change: "twice the depth", Part: budget.Queueing, Rate: 240, Law: "saturation", Assumes: []string{"so"}}}
	b := made("tpcb-c1", 10e-3, budget.Row{Part: budget.Flush, Name: "flush of the WAL", Seconds: 12e-3, Source: "PostgreSQL"})
	b.Refused = "the parts of a transaction come to 120 % of the 10.0 ms that the client saw"
	b.Amplification = []amplification.Ratio{{Direction: "read", Operation: "transaction", NotCounted: "Longhorn does not say where its replicas are"}}
	b.Amplification[0].Conclude()
	b.Missing = []budget.Missing{{What: "how long reads took", Measure: "--set track_io_timing=on"}}
	first, second, all := 2.5e-3, 12e-3, -2e-3
	return &budget.Explanation{Schema: budget.Schema,
		Runs: []budget.Side{{ID: "one", Target: "/fast", Budgets: []budget.Budget{a}}, {ID: "two", Target: "/slow", Imported: true, Budgets: []budget.Budget{b}, LeftOut: []string{"tpcb-c4: not one of its repeats counted transactions"}}},
		Comparisons: []budget.Comparison{{A: "tpcb-c1", B: "tpcb-c1", Ratio: 2.38, Says: []string{"B takes 2.38 times as long"},
			Changes: []budget.Change{{Part: budget.Flush, Name: "flush of the WAL", A: &first, B: &second, Of: 2.86}, {Part: budget.Residual, Name: "round trips", B: &all, Of: -0.48}},
			Equal:   &budget.Equal{Count: "I/Os", Each: 1.1, Seconds: 1e-3, Rate: 1000, Law: "L = n·t + rest", Assumes: []string{"so"}}}}}
}

// budgets returns one budget that closes and one that does not.
func budgets() []budget.Budget {
	x := Explanation()
	a, b := x.Runs[0].Budgets[0], x.Runs[1].Budgets[0]
	b.Workload = "tpcb-c100"
	return []budget.Budget{a, b}
}

// hostileBudgets returns budgets in which every string is the text.
func hostileBudgets(text string) []budget.Budget {
	list := budgets()
	for i := range list {
		b := &list[i]
		b.Workload, b.Description, b.Operation, b.SeenBy, b.Residual.Name = text, text, text, text, text
		if b.Refused != "" {
			b.Refused = text
		}
		for k := range b.Rows {
			b.Rows[k].Name, b.Rows[k].Of, b.Rows[k].Source = text, text, text
		}
		for k := range b.Missing {
			b.Missing[k].What, b.Missing[k].Measure = text, text
		}
		for k := range b.Notes {
			b.Notes[k] = text
		}
		b.Amplification = hostileAmplification(text)
		for k := range b.Counterfactuals {
			c := &b.Counterfactuals[k]
			c.Change, c.Law, c.Assumes = text, text, []string{text, text}
		}
	}
	return list
}

// hostileAmplification returns ratios in which every string is the text.
func hostileAmplification(text string) []amplification.Ratio {
	return []amplification.Ratio{{Direction: text, Operation: text, NotCounted: text, Says: text}, {Direction: text, Operation: text, Of: text, Devices: []string{text}, Says: text}}
}

// hostileSides returns hostileBudgets side by side.
func hostileSides(text string) []budget.Comparison {
	list := Explanation().Comparisons
	for i := range list {
		c := &list[i]
		c.A, c.B, c.Says = text, text+text, []string{text, text}
		for k := range c.Changes {
			c.Changes[k].Name = text
		}
		c.Equal.Law, c.Equal.Assumes = text, []string{text}
	}
	return list
}
