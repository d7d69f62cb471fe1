package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// existingRules apply only to a server that existed before the run and may have other users.
var existingRules = []Rule{ruleOthers, ruleCheckpoints}

// existing reports whether the run loaded a server that existed before it.
func (ev Evidence) existing() bool {
	s := ev.state()
	return s != nil && s.Server != nil
}

var ruleOthers = Rule{
	Name:     "others",
	Checks:   "nobody else used an existing server",
	Evidence: "the server's transactions beyond pgbench's (5 % of all), active sessions of others, sampled once a second, and operations for which the server reports progress (vacuum, base backup, index builds)",
	Severity: "warning: the rate was shared, and its flushes, log bytes and reads include those of all users; a note if others merely had an active session",
	Advice:   "measure when nobody else uses the server, or on a dedicated one",
	check:    checkOthers,
}

// othersMost is the share of others in a server's transactions that needs no finding.
const othersMost = 0.05

// checkOthers reports other users of the server, whose counters include all of them. pgbench says how
// many transactions were ours; the others' flushes, log and reads would be attributed to our result.
func checkOthers(ev Evidence) []model.Finding {
	var o outcome
	for _, name := range ev.workloads() {
		ours, others, busy, known, visible := 0.0, 0.0, 0.0, true, true
		tasks := map[string]bool{}
		for _, s := range ev.good(name) {
			if s.App == nil {
				known, visible = false, false
				continue
			}
			ours += float64(s.App.Transactions)
			if s.App.Others == nil {
				known = false
			} else {
				others += *s.App.Others
			}
			if s.App.Busy == nil {
				visible = false
			} else {
				busy = max(busy, *s.App.Busy)
			}
			for _, t := range s.App.Tasks {
				tasks[t] = true
			}
		}
		share := 0.0
		if ours+others > 0 {
			share = others / (ours + others)
		}
		running := slices.Sorted(maps.Keys(tasks))
		fault := func(severity model.Severity, message string) {
			o.fault(model.Finding{Severity: severity, Results: []string{name}, Message: message,
				Evidence: map[string]any{"others": others, "share": share, "busy": busy, "tasks": running, "allowed": othersMost},
				Next:     "measure when nobody else uses the server: " + ev.command()})
		}
		switch {
		case share > othersMost:
			fault(model.SeverityWarning, fmt.Sprintf("shared server: %s of the transactions during %s came from others; they shared the rate, and its flushes, log bytes and reads include theirs", percent(share), name))
		case len(running) > 0:
			fault(model.SeverityWarning, fmt.Sprintf("shared server: in progress during %s: %s; its flushes, log bytes and reads are included in the counts", name, strings.Join(running, ", ")))
		case busy > 0:
			fault(model.SeverityNote, fmt.Sprintf("other sessions were active on the server during %s, at most %.0f at once", name, busy))
		case !known:
			o.miss(name, "the number of transactions by others is not known")
		case !visible:
			o.miss(name, "the activity of other sessions could not be seen")
		default:
			o.pass(name)
		}
	}
	return o.findings("nobody else used the server", noLoad)
}

var ruleCheckpoints = Rule{
	Name:     "checkpoint-cycle",
	Checks:   "each repeat began after a checkpoint",
	Evidence: "whether the user may trigger one on an existing server (superuser, or pg_checkpoint from version 15 on)",
	Severity: "note: the phase of the checkpoint cycle is not controlled, so repeats differ in how many whole pages they write to the log",
	Advice:   "GRANT pg_checkpoint TO the user",
	check:    checkCheckpoints,
}

// checkCheckpoints checks that a checkpoint preceded each repeat: the first change of a page after a
// checkpoint writes the whole page to the log, which increases the log of a transaction by a factor of
// 20. So repeats that are to start alike each need a checkpoint first.
//
// Source: PostgreSQL's manual, full_page_writes.
func checkCheckpoints(ev Evidence) []model.Finding {
	if ev.state().Server.Checkpoint {
		return passedAll("each repeat began after a checkpoint")
	}
	return []model.Finding{{Severity: model.SeverityNote,
		Message: "phases of the checkpoint cycle not controlled: the user may not trigger a checkpoint before each repeat, so repeats differ in how many whole pages they write to the log",
		Next:    "GRANT pg_checkpoint TO the user (from version 15 on), or measure for longer than checkpoint_timeout"}}
}
