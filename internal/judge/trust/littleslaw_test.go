package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// pgbenched is an imported test of pgbench: rate (1/s), mean latency (s) and clients.
func pgbenched(rate, latency float64, c model.ClientFigure) Evidence {
	ev := foreign(true)
	c.Rate = rate
	ev.Recorded.Imported.Figures[0] = model.Figure{Workload: "w", Direction: model.Mixed, Group: "pgbench", Outcome: true, Clients: &c,
		Values: map[model.Metric]float64{model.Transactions: rate, model.Latency: latency}}
	ev.Recorded.Plan.Workloads[0] = model.Workload{Name: "w", Direction: model.Mixed, Depth: c.Clients, Metric: model.Transactions}
	return ev
}

// fioFigure is an imported test of fio at a depth of 32.
func fioFigure(iops, latency float64) Evidence {
	ev := foreign(true)
	ev.Recorded.Imported.Figures[0].Values = map[model.Metric]float64{model.IOPS: iops, model.Latency: latency}
	ev.Recorded.Plan.Workloads[0].Depth = 32
	return ev
}

func TestLittlesLawOnImports(t *testing.T) {
	for _, x := range []struct {
		name     string
		ev       Evidence
		severity model.Severity
		says     string
	}{
		// A published bake-off: each printed latency is 100 clients / rate.
		{"a thread gone", pgbenched(2518.227768, 0.039710, model.ClientFigure{Clients: 100, Threads: 4, Done: 750000, Asked: 1000000}), model.SeverityInvalid,
			"75 of 100 clients of w ran (1 of 4 threads gone, as when a client cannot connect); the printed latency of 39.7 ms is that of all of them at this rate, and by Little's law it was 29.8 ms"},
		{"two threads gone", pgbenched(3076.181516, 0.032508, model.ClientFigure{Clients: 100, Threads: 4, Done: 500000, Asked: 1000000}), model.SeverityInvalid, "it was 16.3 ms"},
		{"part of a thread, timed", pgbenched(1000, 0.09, model.ClientFigure{Clients: 100, Threads: 4, Done: 900, Asked: 1000, Timed: true}), model.SeverityInvalid, "90 of 100 clients of w ran"},
		{"all there", pgbenched(412.891957, 0.002422, model.ClientFigure{Clients: 1, Threads: 1, Done: 10, Asked: 10}), model.SeverityPassed, ""},
		{"timed, all there", pgbenched(1000, 0.0159, model.ClientFigure{Clients: 16, Done: 60000, Timed: true}), model.SeverityPassed, ""},
		{"timed, a quarter gone", pgbenched(1000, 0.012, model.ClientFigure{Clients: 16, Done: 60000, Timed: true}), model.SeverityInvalid, "only 12 of 16 clients of w were active"},
		// A computed latency satisfies the law whichever clients ran.
		{"reckoned", pgbenched(1000, 0.016, model.ClientFigure{Clients: 16, Done: 60000}), model.SeverityNotChecked, "-P 1"},
		{"of two runs", pgbenched(1000, 0.016, model.ClientFigure{Clients: 4, Done: 60000}), model.SeverityInvalid, "not from the same run"},
		{"a rate", pgbenched(100, 0.001, model.ClientFigure{Clients: 16, Done: 6000, Timed: true, Offered: true}), model.SeverityNotChecked, "by design"},
		{"connecting", pgbenched(100, 0.001, model.ClientFigure{Clients: 16, Done: 6000, Timed: true, Reconnect: true}), model.SeverityNotChecked, "wait for their connections"},
		{"no clients told", pgbenched(348, 0.002873, model.ClientFigure{}), model.SeverityNotChecked, ""},
		{"fio", fioFigure(32000, 0.00098), model.SeverityPassed, ""},
		{"fio that cannot queue", fioFigure(1000, 0.00098), model.SeverityWarning, "1 I/Os of w were in flight, but 32"},
		{"fio without latency", fioFigure(1000, 0), model.SeverityNotChecked, ""},
	} {
		list := checkLittlesLaw(x.ev)
		if len(list) != 1 || list[0].Severity != x.severity || !strings.Contains(list[0].Message, x.says) {
			t.Errorf("%s: %+v, want %s %q", x.name, list, x.severity, x.says)
		}
	}
	own := fioFigure(1000, 0.00098)
	own.Recorded.Imported = nil
	if list := checkLittlesLaw(own); len(list) != 0 {
		t.Errorf("a run of one's own: %+v", list)
	}
}

// A published comparison of two places: 10 clients of one thread that connected for each transaction.
func TestImportsThatConnectInTurn(t *testing.T) {
	of := func(latency, connect float64) model.Severity {
		for _, f := range Check(pgbenched(455, latency, model.ClientFigure{Clients: 10, Reconnect: true, Connect: connect})) {
			if f.Rule == "connecting" {
				return f.Severity
			}
		}
		return ""
	}
	for want, got := range map[model.Severity]model.Severity{
		model.SeverityWarning: of(0.021968, 0.002180), model.SeverityPassed: of(0.021968, 0.0009), model.SeverityNotChecked: of(0.021968, 0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if of := of(0.080309, 0.007988); of != model.SeverityWarning {
		t.Error(of)
	}
}
