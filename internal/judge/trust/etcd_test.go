package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// member is evidence of a faultless etcd.
func member() Evidence {
	ev := database()
	w := &ev.Recorded.Plan.Workloads[0]
	w.App = model.AppLoad{Tool: "etcd", Threads: 1}
	ev.Recorded.Plan.Experiment.App.Name, ev.Recorded.Plan.Experiment.App.Fit = "etcd", ""
	ev.Recorded.Run.Prepare.App = &model.AppState{Name: "etcd", Version: "3.6.4", Settings: []model.Setting{{Name: "quota-backend-bytes", Value: "8589934592"}}}
	return ev
}

func TestRulesOfAnEtcd(t *testing.T) {
	for _, f := range Check(member()) {
		switch f.Rule {
		case "hot-rows", "fit", "maintenance", "connecting":
			t.Errorf("an etcd has no such thing: %+v", f)
		case "durable", "storage-bound", "clients", "skipped":
			if f.Severity != model.SeverityPassed {
				t.Errorf("%+v", f)
			}
		}
	}
	for name, c := range map[string]struct {
		rule, says string
		severity   model.Severity
		spoil      func(Evidence)
	}{
		"no flushes are asked for": {"durable", "durability unproven: unsafe-no-fsync=true", model.SeverityWarning, func(ev Evidence) {
			s := ev.state()
			s.Settings = append(s.Settings, model.Setting{Name: "unsafe-no-fsync", Value: "true"})
		}},
		"too few flushes": {"durable", "loadline plan app etcd DIR", model.SeverityWarning, func(ev Evidence) { *ev.Results[0].App.Flushes = 0.01 }},
		"nobody knows":    {"durable", "", model.SeverityNotChecked, func(ev Evidence) { ev.state().Settings = nil }},
		"an overload without a limit": {"skipped", "had not started by the end of their repeat", model.SeverityWarning, func(ev Evidence) {
			ev.Results[0].App.Skipped = 1000
		}},
	} {
		ev := member()
		c.spoil(ev)
		seen := false
		for _, f := range Check(ev) {
			if f.Rule == c.rule && f.Severity == c.severity && strings.Contains(f.Message+f.Next, c.says) {
				seen = true
			}
		}
		if !seen {
			t.Errorf("%s: %s does not say %q", name, c.rule, c.says)
		}
	}
}
