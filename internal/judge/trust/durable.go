package trust

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var ruleDurable = Rule{
	Name:     "durable",
	Checks:   "a database flushes what it acknowledges",
	Evidence: "the server's settings fsync, synchronous_commit and full_page_writes (etcd: unsafe-no-fsync), and the number of flushes per writing transaction",
	Severity: "warning: durability unproven; the server may lose what it has acknowledged",
	Advice:   "measure with the server's own settings",
	check:    checkDurable,
}

// fewestFlushes is the minimum number of flushes per transaction that waits for one, multiplied by the
// number of clients whose commits may share a flush.
const fewestFlushes = 0.5

// checkDurable judges durability: a server that does not flush is fast on any storage. With fsync=off
// nothing is flushed, with synchronous_commit=off no commit waits for the flush, with
// full_page_writes=off a page torn by a power loss stays torn. Settings alone are not trusted: at most
// n writing clients share a flush, so there must be 0.5/n of them per transaction.
//
// Source: PostgreSQL's manual, "Write Ahead Log", and etcd's flags (settings); for the sharing, group
// commit: one flush serves all commits that waited for it.
func checkDurable(ev Evidence) []model.Finding {
	state := ev.state()
	if state == nil || len(state.Settings) == 0 {
		return notChecked("the server's settings are not known")
	}
	var off []string
	for _, unsafe := range ev.app().Unsafe {
		if v, known := state.Setting(unsafe.Name); known && v == unsafe.Value {
			off = append(off, unsafe.Name+"="+unsafe.Value)
		}
	}
	if len(off) > 0 {
		next := "leave " + strings.Join(off, " and ") + " out of --set"
		if state.Server != nil {
			next = "these are the server's own: SELECT name, setting, source FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')"
		}
		return []model.Finding{{Severity: model.SeverityWarning,
			Message:  "durability unproven: " + strings.Join(off, ", ") + ", so this server may lose what it has acknowledged, and its speed is not that of the storage",
			Evidence: map[string]any{"settings": off},
			Next:     next}}
	}
	var o outcome
	ev.loads(&o, func(w model.Workload, r model.Result, cost model.AppResult) {
		switch {
		case w.App.Script != "":
			o.miss(r.Workload, "it is not known what the script commits and whether it waits for that")
		case !w.Writes():
		case cost.Flushes == nil:
			o.miss(r.Workload, "the server's flushes were not counted")
		case *cost.Flushes < fewestFlushes/float64(max(1, w.Depth)):
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{r.Workload},
				Message:  fmt.Sprintf("durability unproven: the server counted %.3g flushes per transaction of %s, fewer than %d clients can share", *cost.Flushes, r.Workload, w.Depth),
				Evidence: map[string]any{"flushes": *cost.Flushes, "clients": w.Depth},
				Next:     "look at the server's settings (loadline plan app " + ev.Recorded.Plan.Experiment.App.Name + " DIR) and at what a transaction does"})
		default:
			o.pass(r.Workload)
		}
	})
	if len(o.faults)+len(o.passed)+len(o.unchecked) == 0 {
		return passedAll("the server flushes what it acknowledges")
	}
	return o.findings("the server flushed what it acknowledged", noLoad)
}
