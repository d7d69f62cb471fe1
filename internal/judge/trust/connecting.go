package trust

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleConnecting = Rule{
	Name:     "connecting",
	Checks:   "clients that connect for each transaction do so concurrently",
	Evidence: "the number of the load tool's threads against its clients, if each transaction opens a connection; for an imported test, whether its latency is clients × the time of a connection (within 10 %)",
	Severity: "warning: the rate is that of threads connecting one client at a time, and says nothing about storage",
	Advice:   "give the load tool a thread for each client",
	check:    checkConnecting,
}

// checkConnecting reports that clients waited for each other's connections: a pgbench thread does
// nothing else while it connects, so the latency printed for n clients of one thread is n × the
// connection time. (Measured: 10 clients, 4.35 ms each, 226/s on one thread, 364/s on ten; on two
// processors.)
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
				Message: fmt.Sprintf("connecting in turn: %d clients of %s connect%s through %d of %s's threads, one at a time, so the rate is that of connecting and says nothing about storage",
					w.Depth, r.Workload, took, threads, w.App.Tool),
				Evidence: map[string]any{"clients": w.Depth, "threads": threads, "connect": cost.Connect},
				Next:     ev.otherLoad("--load", "select", "--connect", "--clients", strconv.Itoa(w.Depth), "--threads", strconv.Itoa(w.Depth))})
		default:
			o.pass(r.Workload)
		}
	})
	if im := ev.Recorded.Imported; im != nil {
		for _, f := range im.Figures {
			if connects(f) {
				connectsInTurn(&o, f)
			}
		}
	}
	return o.findings("each client connected in a thread of its own", "no workload of this run connects for each transaction")
}

// connects reports whether an imported test connected for each transaction.
func connects(f model.Figure) bool { return f.Clients != nil && f.Clients.Reconnect }

// inTurnWithin is how near a latency must be to clients × the connection time.
const inTurnWithin = 0.1

// connectsInTurn judges an imported test: if its latency is the connection time × the clients, one
// thread connected them all. (A published comparison: 10 clients, 2.18 and 7.99 ms a connection, 22.0
// and 80.3 ms a transaction.)
func connectsInTurn(o *outcome, f model.Figure) {
	c, latency := f.Clients, f.Values[model.Latency]
	inTurn := float64(c.Clients) * c.Connect
	switch {
	case c.Clients == 1:
		o.pass(f.Workload)
	case c.Clients < 1 || c.Connect <= 0 || latency <= 0:
		o.miss(f.Workload, "the source does not say how many clients there were and how long a connection took")
	case math.Abs(latency/inTurn-1) <= inTurnWithin:
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{f.Workload},
			Message: fmt.Sprintf("connecting in turn: the %s of %s are %d × %s, the time one thread needs to open the connections one at a time, so this is the rate of connecting and says nothing about storage",
				units.FormatDuration(latency), f.Workload, c.Clients, units.FormatDuration(c.Connect)),
			Evidence: map[string]any{"clients": c.Clients, "connect": c.Connect, "latency": latency},
			Next:     fmt.Sprintf("run pgbench with a thread for each client (-j %d), or without -C", c.Clients)})
	default:
		o.pass(f.Workload)
	}
}

var ruleHotRows = Rule{
	Name:     "hot-rows",
	Checks:   "clients do not wait for each other's rows",
	Evidence: "pgbench's scale (the number of rows in the table in which each TPC-B-like transaction updates one) against the clients",
	Severity: "warning: clients wait for row locks, not for the storage",
	Advice:   "a `--scale` of at least the number of clients",
	check:    checkHotRows,
}

// checkHotRows reports contention for rows: each transaction of the TPC-B kind updates one of "scale"
// rows, and locks it until its commit is flushed. With fewer rows than clients, most of them wait for a
// lock (pgbench's manual, "Good Practices").
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
				Message:  fmt.Sprintf("hot rows: %d clients of %s update %d rows, so most wait for each other's locks, not for the storage", w.Depth, r.Workload, state.Scale),
				Evidence: map[string]any{"clients": w.Depth, "scale": state.Scale},
				Next:     ev.scaled(strconv.Itoa(w.Depth))})
		default:
			o.pass(r.Workload)
		}
	})
	return o.findings("there is a row for each client", "no workload of this run updates a small table")
}
