package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
)

// unseen names the remainder of a transaction of which only block I/O was traced.
const unseen = "processors, round trips, locks, and flushes, which a trace of one process does not see"

// imported adds the budgets of transactions that another tool measured.
func (ev Evidence) imported(side *budget.Side) {
	im := ev.Recorded.Imported
	for _, f := range im.Figures {
		if f.Clients == nil || len(ev.Only) > 0 && !slices.Contains(ev.Only, f.Workload) {
			continue
		}
		if slices.ContainsFunc(side.Budgets, func(b budget.Budget) bool { return b.Workload == f.Workload }) {
			side.LeftOut = append(side.LeftOut, f.Workload+": it was run again (line "+fmt.Sprint(f.Line)+"), and the first time is explained")
			continue
		}
		b, why := ev.importedTransaction(f)
		if why != "" {
			side.LeftOut = append(side.LeftOut, f.Workload+": "+why)
			continue
		}
		side.Budgets = append(side.Budgets, b)
	}
}

// importedTransaction makes the budget of a pgbench transaction.
func (ev Evidence) importedTransaction(f model.Figure) (b budget.Budget, why string) {
	rate, latency, c := f.Values[model.Transactions], f.Values[model.Latency], f.Clients
	if rate <= 0 || latency <= 0 {
		return b, "its output holds no rate and latency of transactions"
	}
	if c.Offered {
		return b, "transactions were due at a rate, so that how long they wait depends on the rate"
	}
	w, _ := ev.workload(f.Workload)
	n := c.Clients
	if n == 0 {
		// pgbench computes the latency from the clients and the rate, so this is exact.
		n = max(1, int(math.Round(rate*latency)))
	}
	b = budget.Budget{Workload: f.Workload, Description: w.Describe(), Operation: "transaction", InFlight: float64(n), Rate: rate, Seen: latency, SeenBy: "pgbench's average latency, " + ev.where(f)}
	if c.Clients == 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("how many clients there were is not said: %s tps × %s are %s, by Little's law", units.FormatRate(rate), units.FormatDuration(latency), clients(n)))
	}
	residual := anything
	switch {
	case c.Reconnect && c.Connect > 0:
		threads := max(1, c.Threads)
		row := connectRow(n, threads, c.Connect, "pgbench")
		b.Rows = append(b.Rows, row)
		if c.Threads == 0 && n > 1 {
			b.Notes = append(b.Notes, "how many threads pgbench had is not said: 1, its default")
		}
		residual = "the transaction itself"
	case c.Reconnect:
		b.Missing = append(b.Missing, budget.Missing{What: "how long a connection took", Measure: "pgbench 14 or newer prints it"})
	default:
		if ev.tracedBeside(&b, f) {
			residual = unseen
		}
	}
	if !c.Reconnect {
		b.Missing = append(b.Missing, budget.Missing{What: "processors, flushes and round trips of a transaction", Measure: "loadline app postgres DIR on the same storage"})
	}
	if !c.Reconnect {
		ev.observed(&b, f)
	}
	judge(&b, residual)
	return b, ""
}

// page is the size of PostgreSQL's pages in bytes, unless it was built with another one.
const page = 8 << 10

// observed adds the reads and writes of the server's process according to a monitor: their maximum,
// because a second with less activity says nothing about a transaction.
func (ev Evidence) observed(b *budget.Budget, f model.Figure) {
	var read, written float64
	seen := 0
	for _, o := range ev.Recorded.Imported.Observed {
		if strings.HasPrefix(o.Command, "postgres") && nearness(o.Group, f.Group) > 0 {
			read, written, seen = max(read, o.Read), max(written, o.Written), seen+1
		}
	}
	if seen == 0 || b.InFlight != 1 {
		return
	}
	b.Counts = append(b.Counts, budget.Count{Name: "pages read", Unit: "1", Value: read / page / b.Rate}, budget.Count{Name: "written", Unit: "B", Value: written / b.Rate})
	b.Notes = append(b.Notes, fmt.Sprintf("a monitor saw the server read at most %s and write at most %s (seen %s): %s pages and %s for each transaction", units.FormatBandwidth(read), units.FormatBandwidth(written), often(seen), few(read/page/b.Rate), units.FormatSize(int64(written/b.Rate))))
}

func often(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// nearness is how near, within a document, an observation of the storage is to a test: 4 in its own
// section, 2 in one whose text mentions such tests, 0 elsewhere.
func nearness(group, test string) int {
	switch words := strings.ToLower(group); {
	case group == test || (group == "" || group == "block") && test == "pgbench":
		return 4
	case strings.Contains(words, "pgbench") || strings.Contains(words, "postgres"):
		return 2
	}
	return 0
}

// where is the place of a figure in its source.
func (ev Evidence) where(f model.Figure) string {
	if im := ev.Recorded.Imported; f.Source >= 0 && f.Source < len(im.Sources) {
		return fmt.Sprintf("%s line %d", im.Sources[f.Source].Name, f.Line)
	}
	return fmt.Sprintf("line %d", f.Line)
}

// beside finds the trace that belongs to a test: in its section, or in one whose text mentions it; a
// trace of one process is preferred to that of a whole disk. near reports whether it is in its own
// section.
func (ev Evidence) beside(f model.Figure) (found model.Figure, near, ok bool) {
	best := 0
	for _, x := range ev.Recorded.Imported.Figures {
		if x.Traced == "" || x.Latency == nil || x.Latency.Count == 0 {
			continue
		}
		score := nearness(x.Group, f.Group)
		if score == 0 {
			continue
		}
		if x.Traced == process {
			score++
		}
		if score > best {
			found, near, best = x, score >= 4, score
		}
	}
	return found, near, best > 0
}

// tracedBeside adds the findings of a trace of the server's block I/O: n I/Os per transaction, with
// their mean time, one after the other. It reports whether there was one.
func (ev Evidence) tracedBeside(b *budget.Budget, f model.Figure) bool {
	x, near, ok := ev.beside(f)
	if !ok {
		b.Missing = append(b.Missing, budget.Missing{What: "the I/Os of a transaction and how long each took", Measure: "trace the server meanwhile: loadline trace --pid PID, or biolatency"})
		return false
	}
	if b.InFlight > 1 {
		b.Missing = append(b.Missing, budget.Missing{What: "whose the I/Os of the trace were: those of several clients overlap", Measure: "trace one client"})
		return false
	}
	seconds, of := x.Seconds, "the trace's"
	switch {
	case seconds == 0 && ev.TraceSeconds > 0:
		seconds, of = ev.TraceSeconds, "as --traced says"
	case seconds == 0 && f.Seconds > 0:
		seconds, of = f.Seconds, "the test's: how long the trace was is not said"
	case seconds == 0:
		b.Missing = append(b.Missing, budget.Missing{What: "how long the trace was, and so how many of its I/Os one transaction made", Measure: "say it: --traced 30s"})
		return false
	}
	n, mean := float64(x.Latency.Count)/(b.Rate*seconds), x.Latency.Mean
	b.Rows = append(b.Rows, budget.Row{Part: budget.BlockIO, Name: "block I/O", Seconds: n * mean,
		Of: times(n, "I/O", "I/Os") + microseconds(mean), Source: "trace"})
	b.Counts = append(b.Counts, budget.Count{Name: ioCount, Unit: "1", Value: n})
	b.Notes = append(b.Notes, fmt.Sprintf("the trace (%s) has %s I/Os; in %s (%s) there were %s transactions", ev.where(x), units.FormatNumber(float64(x.Latency.Count)), units.FormatSpan(seconds), of, units.FormatNumber(math.Round(b.Rate*seconds))))
	if !near {
		b.Notes = append(b.Notes, fmt.Sprintf("the trace stands in another section (%s), and is taken to be of the same load", x.Group))
	}
	if x.Traced != process {
		b.Notes = append(b.Notes, "the trace is of a whole disk, with everybody's I/O")
	}
	return true
}

// process is the value of Figure.Traced for a trace of one process.
const process = "process"

// ioCount is the name of the count of a transaction's I/Os.
const ioCount = "I/Os"

// microseconds formats a mean as precisely as tracers print it: "1.307 ms".
func microseconds(s float64) string {
	if s >= 1e-3 {
		return fmt.Sprintf("%.3f ms", 1e3*s)
	}
	return units.FormatDuration(s)
}
