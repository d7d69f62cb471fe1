package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// database is evidence of a faultless database: 4 clients, one flush for two commits, the log flushed
// nearly all the time.
func database() Evidence {
	v := func(x float64) *float64 { return &x }
	w := model.Workload{Name: "tpcb-c4", Direction: model.Write, Depth: 4, Metric: model.Transactions,
		App: model.AppLoad{Tool: "pgbench", Threads: 4, Options: "--builtin=tpcb-like"}}
	cost := &model.AppResult{Transactions: 4000, UnderWay: 3.98, Flushes: v(0.5), FlushTime: v(0.004), Flushing: v(0.9), Reading: v(0.01), HitRate: v(0.99),
		Reads: v(0.5), DeviceReads: v(0.01)}
	counters := &model.Counters{Seconds: 12, Idle: 0.5, IOWait: 0.3, BusiestCPU: 0.6}
	rec := &model.Recorded{Directory: "run"}
	rec.Plan.Workloads = []model.Workload{w}
	rec.Plan.Experiment.App = &model.AppRequest{Name: "postgres", Fit: "cached"}
	rec.Plan.Volume.Target = model.Target{Name: "/srv/x", Kind: model.Postgres, Path: "/srv/x"}
	rec.Run.Status = model.Complete
	rec.Run.Prepare = &model.Preparation{App: &model.AppState{Name: "postgres", Version: "15.18", Scale: 10, Settings: []model.Setting{
		{Name: "fsync", Value: "on"}, {Name: "synchronous_commit", Value: "on"}, {Name: "full_page_writes", Value: "on"}}}}
	for i := range 3 {
		rec.Run.Steps = append(rec.Run.Steps, model.StepResult{Step: model.Step{Number: i + 1, Workload: w.Name}, Counters: counters, UserCPU: 0.1,
			App: &model.AppCounts{Transactions: 1333, Checkpoints: v(0), Vacuums: v(0)}})
	}
	rate := model.Estimate{Value: 450, Low: 440, High: 460, Confidence: 0.95}
	return Evidence{Recorded: rec, Results: []model.Result{{Workload: w.Name, Direction: model.Write, Metric: model.Transactions, App: cost,
		Metrics: map[model.Metric]model.Estimate{model.Transactions: rate, model.Latency: {Value: 0.0088}}}}}
}

// slowOnes gives the evidence transactions of 1 ms, one in twenty of which takes 20 ms.
func slowOnes(ev Evidence) {
	var h histogram.Histogram
	h.Add(histogram.BucketOf(1e6), 1900)
	h.Add(histogram.BucketOf(20e6), 100)
	ev.Recorded.Samples = append(ev.Recorded.Samples, model.Sample{Step: 1, End: 1, Seconds: 1, Write: &model.Flow{IOs: 2000, Histogram: h}})
}

// change changes the only workload of the evidence.
func (ev Evidence) change(f func(*model.Workload)) { f(&ev.Recorded.Plan.Workloads[0]) }

func TestApplicationFaults(t *testing.T) {
	set := func(name, value string) func(Evidence) {
		return func(ev Evidence) {
			for i, s := range ev.Recorded.Run.Prepare.App.Settings {
				if s.Name == name {
					ev.Recorded.Run.Prepare.App.Settings[i].Value = value
				}
			}
		}
	}
	for _, x := range []struct {
		name, rule string
		severity   model.Severity
		plant      func(Evidence)
	}{
		{"fsync", "durable", model.SeverityWarning, set("fsync", "off")},
		{"asynchronous commits", "durable", model.SeverityWarning, set("synchronous_commit", "off")},
		{"settings that lie", "durable", model.SeverityWarning, func(ev Evidence) { *ev.Results[0].App.Flushes = 0.01 }},
		{"a script that need not wait for its commits", "durable", model.SeverityNotChecked, func(ev Evidence) {
			ev.change(func(w *model.Workload) { w.App.Script = "own.sql" })
			*ev.Results[0].App.Flushes = 0.01
		}},
		{"a thread of clients gone", "clients", model.SeverityInvalid, func(ev Evidence) { ev.Results[0].App.UnderWay = 3 }},
		{"skipped", "skipped", model.SeverityWarning, func(ev Evidence) { ev.Results[0].App.Skipped = 200 }},
		{"nearly all skipped", "skipped", model.SeverityInvalid, func(ev Evidence) { ev.Results[0].App.Skipped = 20000 }},
		{"failed", "skipped", model.SeverityInvalid, func(ev Evidence) { ev.Results[0].App.Failed = 1 }},
		{"one thread connecting", "connecting", model.SeverityWarning, func(ev Evidence) {
			ev.change(func(w *model.Workload) { w.App.Reconnect, w.App.Threads = true, 1 })
		}},
		{"hot rows", "hot-rows", model.SeverityWarning, func(ev Evidence) { ev.Recorded.Run.Prepare.App.Scale = 3 }},
		{"the CPU's number", "storage-bound", model.SeverityWarning, func(ev Evidence) { *ev.Results[0].App.Flushing = 0.1 }},
		{"half the CPU's", "storage-bound", model.SeverityNote, func(ev Evidence) { *ev.Results[0].App.Flushing = 0.4 }},
		{"reads of memory", "storage-bound", model.SeverityWarning, func(ev Evidence) {
			ev.change(func(w *model.Workload) { w.Direction = model.Read })
			ev.Results[0].App.Flushes, ev.Results[0].App.Flushing = nil, nil
		}},
		{"a full CPU", "full-cpu", model.SeverityWarning, func(ev Evidence) {
			ev.Recorded.Run.Steps[0].Counters.Idle, ev.Recorded.Run.Steps[0].Counters.IOWait = 0.02, 0
		}},
		{"reads of the disk", "fit", model.SeverityWarning, func(ev Evidence) { *ev.Results[0].App.DeviceReads = 0.4 }},
		{"reads of memory where the disk was asked for", "fit", model.SeverityWarning, func(ev Evidence) { ev.Recorded.Plan.Experiment.App.Fit = "disk" }},
		{"ten transactions", "few-transactions", model.SeverityNote, func(ev Evidence) {
			ev.change(func(w *model.Workload) { w.App.Published = 10 })
			slowOnes(ev)
		}},
		{"a vacuum in one repeat", "maintenance", model.SeverityNote, func(ev Evidence) { *ev.Recorded.Run.Steps[1].App.Vacuums = 1 }},
	} {
		t.Run(x.name, func(t *testing.T) {
			ev := database()
			x.plant(ev)
			found := false
			for _, f := range Check(ev) {
				if !slices.ContainsFunc(applicationRules, func(r Rule) bool { return r.Name == f.Rule }) {
					continue
				}
				bad := f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning || f.Severity == model.SeverityNote
				found = found || f.Rule == x.rule && f.Severity == x.severity
				if bad && f.Rule != x.rule {
					t.Errorf("%s finds something as well: %s", f.Rule, f.Message)
				}
			}
			if !found {
				t.Errorf("%s did not end in %s", x.rule, x.severity)
			}
		})
	}
}

// Of a script that sleeps it is not said that it measured the CPU: what it measured is not known.
func TestAScriptThatSleeps(t *testing.T) {
	for script, sleep := range map[string]string{
		"INSERT INTO t VALUES (1);\n\\sleep 10 ms\n": `\sleep`, "\\ \\\n SLEEP 1 s\nSELECT 1;": `\SLEEP`, "SELECT pg_sleep(0.1);": "pg_sleep", "SELECT pg_sleep_for ('1 s')": "pg_sleep_for",
		"": "", "SELECT sleep, pg_sleeping FROM t;": "", "-- \\sleep 1 s\nSELECT 1;": "", "/* SELECT pg_sleep(1);\n*/ SELECT 1": "", "\\sleeping 1": "",
	} {
		for share, severity := range map[float64]model.Severity{0.1: model.SeverityWarning, 0.4: model.SeverityNote, 0.9: model.SeverityPassed} {
			ev := database()
			ev.change(func(w *model.Workload) { w.App.Script = script })
			*ev.Results[0].App.Flushing = share
			f := checkStorageBound(ev)[0]
			if f.Severity != severity {
				t.Errorf("%q, %g: %+v", script, share, f)
			}
			if severity == model.SeverityPassed {
				continue
			}
			words := strings.Contains(f.Message, "script makes clients sleep ("+sleep+")")
			if words != (sleep != "") || strings.Contains(f.Message, "measured the CPU") != (sleep == "" && severity == model.SeverityWarning) || strings.Contains(f.Next, "leave "+sleep+" out of the script") != words {
				t.Errorf("%q, %g: %s → %s", script, share, f.Message, f.Next)
			}
		}
	}
}

func TestApplicationRulesAreSilentWhereNothingIsWrong(t *testing.T) {
	findings := Check(database())
	for _, f := range findings {
		if slices.ContainsFunc(ofStorage, func(r *Rule) bool { return r.Name == f.Rule }) {
			t.Errorf("%s speaks of storage that was not loaded by itself: %s", f.Rule, f.Message)
		}
	}
	for _, r := range applicationRules {
		if r.Name == ruleFewTransactions.Name {
			continue // no workload stands for a published test
		}
		i := slices.IndexFunc(findings, func(f model.Finding) bool { return f.Rule == r.Name })
		if i < 0 || findings[i].Severity != model.SeverityPassed && r.Name != "connecting" {
			t.Errorf("%s did not pass: %+v", r.Name, findings)
		}
	}
}

// No rule passes without the server's counters.
func TestApplicationRulesNeedEvidence(t *testing.T) {
	ev := database()
	ev.Results[0].App, ev.Recorded.Run.Prepare = nil, nil
	for i := range ev.Recorded.Run.Steps {
		ev.Recorded.Run.Steps[i].App, ev.Recorded.Run.Steps[i].Counters = nil, nil
	}
	findings := Check(ev)
	for _, r := range applicationRules {
		if r.Name == ruleFewTransactions.Name {
			continue // no workload stands for a published test
		}
		i := slices.IndexFunc(findings, func(f model.Finding) bool { return f.Rule == r.Name })
		if i < 0 || findings[i].Severity != model.SeverityNotChecked {
			t.Errorf("%s does not say that it was not checked: %+v", r.Name, findings)
		}
	}
}

// Advice for full processors must be possible: never more clients, or another load.
func TestAFullCPUIsToldToHaveFewerClients(t *testing.T) {
	for _, x := range []struct {
		clients int
		ask     model.AppAsk
		next    string
	}{
		{1, model.AppAsk{}, "stop other programs on this machine (see top), or measure on one with more processors"},
		{4, model.AppAsk{}, "fewer clients: loadline app postgres /srv/x --clients 1"},
		{16, model.AppAsk{}, "fewer clients: loadline app postgres /srv/x --clients 1,4"},
		{16, model.AppAsk{Load: "select"}, "fewer clients: loadline app postgres /srv/x --load select --clients 1,4"},
	} {
		ev := database()
		ev.change(func(w *model.Workload) { w.Depth = x.clients })
		ev.Recorded.Plan.Experiment.App.Ask = x.ask
		if x.ask.Load != "" {
			// The goal's workload has its clients in its name.
			ev.Recorded.Run.Again = model.CommandLine{"loadline", "app", "postgres", "/srv/x", "--load=" + x.ask.Load, "--clients=16", "--goal=select-c16 tps > 100"}
		}
		ev.Recorded.Run.Steps[0].Counters.Idle, ev.Recorded.Run.Steps[0].Counters.IOWait = 0.02, 0
		list := checkFullCPU(ev)
		if len(list) != 1 {
			t.Fatalf("%d clients: %+v", x.clients, list)
		}
		if next, _, _ := strings.Cut(list[0].Next, " # "); next != x.next {
			t.Errorf("%d clients: %q", x.clients, list[0].Next)
		}
	}
}

// Transactions of a few µs leave their clients waiting for the load tool, which ended or blocked none of them.
func TestClientsThatWaitForTheirTool(t *testing.T) {
	for _, x := range []struct {
		underWay float64
		tool     *model.AppProcessor
		severity model.Severity
	}{
		{1.58, &model.AppProcessor{Seconds: 10, ClientCPU: 6, ClientWait: 1}, model.SeverityWarning},
		{1.58, &model.AppProcessor{Seconds: 10, ClientCPU: 1}, model.SeverityInvalid},
		{1.58, nil, model.SeverityInvalid},
		{1.9, &model.AppProcessor{Seconds: 10, ClientCPU: 6}, model.SeverityPassed},
	} {
		ev := database()
		ev.change(func(w *model.Workload) { w.Depth = 2 })
		ev.Results[0].App.UnderWay = x.underWay
		for i := range ev.Recorded.Run.Steps {
			ev.Recorded.Run.Steps[i].App.Processor = x.tool
		}
		if list := checkClients(ev); len(list) != 1 || list[0].Severity != x.severity {
			t.Errorf("%g clients, %+v: %+v", x.underWay, x.tool, list)
		}
	}
}

// Clients that sleep do not fill the processors: whose time it was decides.
func TestAFullCPUOfOthersIsTheirs(t *testing.T) {
	for _, x := range []struct {
		ours   *model.AppProcessor
		others bool
	}{
		{nil, false},
		{&model.AppProcessor{Seconds: 10, ServerCPU: 0.2, ClientCPU: 0.1}, true},
		{&model.AppProcessor{Seconds: 10, ServerCPU: 11, ClientCPU: 5}, false},
	} {
		ev := database()
		ev.Recorded.Environment.CPUs = 2
		ev.change(func(w *model.Workload) { w.Depth = 4 })
		for i := range ev.Recorded.Run.Steps {
			ev.Recorded.Run.Steps[i].App.Processor = x.ours
			ev.Recorded.Run.Steps[i].Counters.Idle, ev.Recorded.Run.Steps[i].Counters.IOWait = 0.02, 0
		}
		list := checkFullCPU(ev)
		if len(list) != 1 || strings.Contains(list[0].Message, "other programs used most of it") != x.others || strings.Contains(list[0].Next, "stop other programs") != x.others {
			t.Errorf("%+v: %+v", x.ours, list)
		}
	}
}

// A run that repeats an experiment's file takes no flags: the change is made in the file.
func TestAnExperimentsAdviceIsToChangeItsFile(t *testing.T) {
	ev := database()
	ev.Recorded.Run.Again = model.CommandLine{"loadline", "run", "--experiment=x.yaml", "--allow-programs"}
	if got, want := ev.command("--clients", "1"), "loadline run --experiment x.yaml --allow-programs   # after this change in its file: --clients 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Ten of the transactions that slowOnes draws include one slow one in 40 % of all cases.
func TestWhatFewTransactionsTell(t *testing.T) {
	for n, want := range map[int]model.Severity{10: model.SeverityNote, 1_000_000: model.SeverityPassed} {
		ev := database()
		slowOnes(ev)
		ev.change(func(w *model.Workload) { w.App.Published, w.Depth = n, 1 })
		list := checkFewTransactions(ev)
		if len(list) != 1 || list[0].Severity != want {
			t.Errorf("%d: %+v", n, list)
		}
		if n > 10 {
			continue
		}
		// All ten of 1 ms are 1,000/s; with two or three slow ones of 20 ms it is 10/0.048 or 10/0.067.
		if low, high := list[0].Evidence["low"].(float64), list[0].Evidence["high"].(float64); low < 140 || low > 215 || high < 980 || high > 1020 {
			t.Errorf("from %v to %v", low, high)
		}
	}
	for seconds, want := range map[float64]model.Severity{0.0242: model.SeverityWarning, 60: model.SeverityPassed, 0: model.SeverityNotChecked} {
		ev := pgbenched(412, 0.0024, model.ClientFigure{Clients: 1, Done: 10, Asked: 10})
		ev.Recorded.Imported.Figures[0].Seconds = seconds
		if list := checkFewTransactions(ev); len(list) != 1 || list[0].Severity != want {
			t.Errorf("%v s: %+v", seconds, list)
		}
	}
}
