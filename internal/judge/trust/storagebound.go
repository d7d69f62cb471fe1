package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleStorageBound = Rule{
	Name:     "storage-bound",
	Checks:   "an application's rate is determined by its storage",
	Evidence: "the share of the time in which a flush of the log was in progress, or of the clients' time spent on reads: below 20 %, and below 50 %",
	Severity: "warning below 20 %: this measured the CPU, or the pauses of a script, and not the storage; a note below 50 %",
	Advice:   "measure the storage directly (`loadline run`), or use more clients; faster storage would change little here",
	check:    checkStorageBound,
}

const (
	// boundLeast is the share of the time below which the storage hardly matters, boundHalf the one
	// below which most of a transaction is something else.
	boundLeast, boundHalf = 0.2, 0.5
	// flushedEach is the minimum number of flushes per transaction that commits.
	flushedEach = 0.001
)

// checkStorageBound judges how much of the time the storage takes. A commit takes C + F, its own work
// and the flush of the log. One client alone flushes for F/(C+F) of the time; if there are several and
// C < F, flushes follow each other directly: the log is being flushed all the time, and the rate is
// clients/2F, up to the CPU's limit. So the share of the time during which a flush was under way shows
// what limits the rate. For read-only transactions it is the share of the clients' time spent reading.
//
// Evidence: the server's times of flushes and reads over each repeat (track_wal_io_timing,
// track_io_timing).
func checkStorageBound(ev Evidence) []model.Finding {
	var o outcome
	ev.loads(&o, func(w model.Workload, r model.Result, cost model.AppResult) {
		if w.OpenLoop {
			return
		}
		share, known, what := 0.0, false, "reads"
		if cost.Reading != nil {
			share, known = *cost.Reading, true
		}
		if cost.Flushing != nil && (cost.Flushes == nil || *cost.Flushes > flushedEach) {
			known = true
			if *cost.Flushing > share || w.Writes() && *cost.Flushing >= share {
				share, what = *cost.Flushing, "flushes"
			}
		}
		// A writing load waits for its flushes: reads alone are not sufficient.
		if !known || w.Writes() && cost.Flushing == nil {
			o.miss(r.Workload, "the server did not time flushes and reads")
			return
		}
		if share >= boundHalf {
			o.pass(r.Workload)
			return
		}
		mean := r.Metrics[model.Latency].Value
		sleep, measured, rest := sleeping(w), "measured the CPU, not the storage", "CPU time, round trips and waiting"
		next := "measure the storage directly: " + ev.storageAlone()
		if sleep != "" {
			// How much of the rest is the CPU's is not known then.
			measured, rest = "did not measure the storage", rest+", and its script makes clients sleep ("+sleep+")"
			next = "leave " + sleep + " out of the script (--rate offers transactions at intervals), or " + next
		}
		message := fmt.Sprintf("%s: %s took %s of the time of %s", measured, what, percent(share), r.Workload)
		evidence := map[string]any{"share": share, "what": what, "needed": boundLeast}
		if cost.FlushTime != nil && cost.Flushes != nil && *cost.Flushes > flushedEach {
			message += fmt.Sprintf(" (a flush %s, a transaction %s)", units.FormatDuration(*cost.FlushTime), units.FormatDuration(mean))
			evidence["flush"], evidence["latency"] = *cost.FlushTime, mean
		}
		if sleep != "" {
			message += ", whose script makes clients sleep (" + sleep + ")"
			evidence["sleeps"] = sleep
		}
		f := model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload}, Message: message + ": faster storage would change little",
			Evidence: evidence, Next: next}
		if share >= boundLeast {
			f.Severity = model.SeverityNote
			f.Message = fmt.Sprintf("partly the storage: %s took %s of the time of %s; the rest is %s", what, percent(share), r.Workload, rest)
		}
		o.fault(f)
	})
	return o.findings("the transactions waited for the storage", "no workload of this run goes as fast as it can")
}

// storageAlone is the command that measures the application's storage without the application.
func (ev Evidence) storageAlone() string {
	if ev.existing() {
		return "on the server's machine, loadline run DIR with a directory beside its data"
	}
	return "loadline run " + ev.target()
}

var ruleFullCPU = Rule{
	Name:     "full-cpu",
	Checks:   "client and server did not fill the processors",
	Evidence: "the idle time of all processors over each repeat, including I/O wait (10 %)",
	Severity: "warning: client and server competed for the processors",
	Advice:   "fewer clients, or a client on another machine",
	check:    checkFullCPU,
}

// idleLeast is the minimum share of all processors' time that must be idle.
const idleLeast = 0.1

// checkFullCPU reports full processors: the load tool runs beside the server. If both fill the
// processors, rates depend on the scheduler, and percentiles on its time slices.
func checkFullCPU(ev Evidence) []model.Finding {
	var o outcome
	for _, name := range ev.workloads() {
		c, ok := ev.counters(name)
		switch {
		case !ok:
			o.miss(name, "the CPU's counters were not recorded")
		case ev.state().Elsewhere() && c.Idle < idleLeast:
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{name},
				Message:  fmt.Sprintf("full CPU: only %s of the client's processor time was idle in %s, so the client may have been measured", percent(c.Idle), name),
				Evidence: map[string]any{"idle": c.Idle, "needed": idleLeast},
				Next:     "run loadline on a machine with more processors, or offer a --rate"})
		case ev.state().Elsewhere():
			o.miss(name, "the server's processors cannot be seen from here; the client's were not full")
		case c.Idle < idleLeast && ev.othersBusy(name, 1-c.Idle):
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{name},
				Message:  fmt.Sprintf("full CPU: only %s of the processor time was idle in %s, and other programs used most of it", percent(c.Idle), name),
				Evidence: map[string]any{"idle": c.Idle, "needed": idleLeast},
				Next:     stopOthers})
		case c.Idle < idleLeast:
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{name},
				Message:  fmt.Sprintf("full CPU: only %s of the processor time was idle in %s, and client and server share the processors", percent(c.Idle), name),
				Evidence: map[string]any{"idle": c.Idle, "needed": idleLeast},
				Next:     ev.fewerClients(name)})
		default:
			o.pass(name)
		}
	}
	return o.findings("the processors were not full", noLoad)
}

// stopOthers is the advice if it is not the clients that fill the processors.
const stopOthers = "stop other programs on this machine (see top), or measure on one with more processors"

// othersBusy reports whether client and server used less than half of the busy time of a workload, by the scheduler's
// accounts of their processes; false if there are none. The server's background processes are not among them.
func (ev Evidence) othersBusy(name string, busy float64) bool {
	var ours, seconds float64
	for _, s := range ev.good(name) {
		if s.App != nil && s.App.Processor != nil {
			p := s.App.Processor
			ours, seconds = ours+p.ServerCPU+p.ClientCPU, seconds+p.Seconds
		}
	}
	all := seconds * float64(ev.Recorded.Environment.CPUs)
	return all > 0 && ours < 0.5*busy*all
}

// fewerClients is the advice for full processors. A single client cannot be reduced further.
func (ev Evidence) fewerClients(name string) string {
	w, _ := ev.Recorded.Plan.Workload(name)
	if w.Depth <= 1 {
		return stopOthers
	}
	fewer := "1"
	if w.Depth > 4 {
		fewer = "1,4"
	}
	if ev.Recorded.Plan.Experiment.App.Ask.OwnLoad() {
		return "fewer clients: " + ev.command("--clients", fewer)
	}
	return "fewer clients: " + ev.otherLoad("--clients", fewer)
}

var ruleMaintenance = Rule{
	Name:     "maintenance",
	Checks:   "background work of the server affected all repeats alike",
	Evidence: "the checkpoints and autovacuum runs started by the server itself in each repeat",
	Severity: "note: repeats with and without them are not comparable",
	Advice:   "use longer repeats, so that each includes the same work",
	check:    checkMaintenance,
}

// checkMaintenance reports maintenance: each repeat begins after a checkpoint of ours, so that all are
// in the same phase; the server's own checkpoints or autovacuums fall into one repeat and not into
// others.
func checkMaintenance(ev Evidence) []model.Finding {
	var o outcome
	for _, name := range ev.workloads() {
		repeats, checkpoints, vacuums, known := 0, 0, 0, true
		for _, s := range ev.good(name) {
			if s.App == nil || s.App.Checkpoints == nil || s.App.Vacuums == nil {
				known = false
				continue
			}
			repeats++
			if *s.App.Checkpoints > 0 {
				checkpoints++
			}
			if *s.App.Vacuums > 0 {
				vacuums++
			}
		}
		odd := func(n int) bool { return n > 0 && n < repeats }
		switch {
		case !known || repeats == 0:
			o.miss(name, "the server's background work was not counted")
		case odd(checkpoints) || odd(vacuums):
			o.fault(model.Finding{Severity: model.SeverityNote, Results: []string{name},
				Message:  fmt.Sprintf("the server itself made checkpoints in %d and vacuumed in %d of %d repeats of %s, so these repeats are not comparable", checkpoints, vacuums, repeats, name),
				Evidence: map[string]any{"checkpoints": checkpoints, "vacuums": vacuums, "repeats": repeats}})
		default:
			o.pass(name)
		}
	}
	return o.findings("the server's background work was the same in all repeats", noLoad)
}
