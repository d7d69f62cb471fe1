package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/external"
)

// existingDatabase is database on a server that existed before the run and had no other users.
func existingDatabase() Evidence {
	ev := database()
	v := func(x float64) *float64 { return &x }
	ev.Recorded.Run.Prepare.App.Server = &external.Server{Instance: "1-2", Schema: "loadline_x", Data: "/srv/pg", Checkpoint: true}
	for i := range ev.Recorded.Run.Steps {
		ev.Recorded.Run.Steps[i].App.Others, ev.Recorded.Run.Steps[i].App.Busy = v(0), v(0)
	}
	return ev
}

func TestExistingServers(t *testing.T) {
	app := func(ev Evidence, i int) *model.AppCounts { return ev.Recorded.Run.Steps[i].App }
	for _, x := range []struct {
		name, rule, words string
		severity          model.Severity
		plant             func(Evidence)
	}{
		{"nothing", "others", "nobody else used the server", model.SeverityPassed, func(Evidence) {}},
		{"a tenth is others'", "others", "10 % of the transactions during", model.SeverityWarning, func(ev Evidence) {
			for i := range 3 {
				*app(ev, i).Others = 148
			}
		}},
		{"a vacuum", "others", "in progress during tpcb-c4: vacuum", model.SeverityWarning, func(ev Evidence) { app(ev, 1).Tasks = []string{"vacuum"} }},
		{"a session that works", "others", "at most 3 at once", model.SeverityNote, func(ev Evidence) { *app(ev, 2).Busy = 3 }},
		{"transactions are not counted", "others", "is not known", model.SeverityNotChecked, func(ev Evidence) { app(ev, 0).Others = nil }},
		{"sessions are not shown", "others", "could not be seen", model.SeverityNotChecked, func(ev Evidence) { app(ev, 0).Busy = nil }},
		{"no right to a checkpoint", "checkpoint-cycle", "phases of the checkpoint cycle not controlled", model.SeverityNote, func(ev Evidence) {
			ev.Recorded.Run.Prepare.App.Server.Checkpoint = false
		}},
		{"a checkpoint before each", "checkpoint-cycle", "after a checkpoint", model.SeverityPassed, func(Evidence) {}},
		{"fsync of the server's own", "durable", "durability unproven", model.SeverityWarning, func(ev Evidence) {
			ev.Recorded.Run.Prepare.App.Settings[0].Value = "off"
		}},
		{"processors that are not seen", "full-cpu", "cannot be seen from here", model.SeverityNotChecked, func(ev Evidence) {
			ev.Recorded.Run.Prepare.App.Server.Data = ""
		}},
		{"a client whose processors are full", "full-cpu", "of the client's processor time", model.SeverityWarning, func(ev Evidence) {
			ev.Recorded.Run.Prepare.App.Server.Data = ""
			ev.Recorded.Run.Steps[0].Counters.Idle, ev.Recorded.Run.Steps[0].Counters.IOWait = 0, 0
		}},
		// Reads alone do not show what a writing load waited for.
		{"flushes without their times", "storage-bound", "did not time flushes", model.SeverityNotChecked, func(ev Evidence) {
			ev.Results[0].App.FlushTime, ev.Results[0].App.Flushing = nil, nil
			*ev.Results[0].App.Reading = 0.9
		}},
		{"flushes that are not counted", "durable", "were not counted", model.SeverityNotChecked, func(ev Evidence) { ev.Results[0].App.Flushes = nil }},
	} {
		ev := existingDatabase()
		x.plant(ev)
		found := false
		for _, f := range Check(ev) {
			if f.Rule == x.rule {
				found = true
				if f.Severity != x.severity || !strings.Contains(f.Message, x.words) {
					t.Errorf("%s: %s %q, want %s %q", x.name, f.Severity, f.Message, x.severity, x.words)
				}
				if strings.Contains(f.Next, "--set") {
					t.Errorf("%s: %q is no advice for a server that exists", x.name, f.Next)
				}
			}
		}
		if !found {
			t.Errorf("%s: the rule %s is silent", x.name, x.rule)
		}
	}
	for _, f := range Check(database()) {
		if f.Rule == "others" || f.Rule == "checkpoint-cycle" {
			t.Errorf("of a server of our own: %+v", f)
		}
	}
}
