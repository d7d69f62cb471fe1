package explain

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
)

// A limit of a fraction of a processor is kept, and takes nothing from a client who does not use it up.
func TestPredictWithAFractionOfAProcessor(t *testing.T) {
	for _, allowed := range []float64{0.5, 1, 1.4, 1.5, 2.5, 8} {
		app := onPostgres(simple, inMemory, 1, 4)
		app.Recorded.Environment = model.Environment{CPUs: 8, CgroupCPU: allowed}
		for i, clients := range []float64{1, 4} {
			a := app.Recorded.Run.Steps[i].App
			a.Seconds = 1e3 * max(4.2e-3/clients, 1.1e-3/allowed)
			a.Processor.Seconds = a.Seconds
		}
		x := predict(t, onStorage(50e-6, 60e-6, 0), app, Ask{Clients: []int{1, 64}}).Points
		about(t, "64 clients", x[1].Rate.Value, allowed/1.1e-3, 0.03)
		about(t, "busy", *x[1].Busy, 1, 0.05)
		about(t, "one client", x[0].Rate.Value, math.Min(1/1.65e-3, allowed/1.1e-3), 0.03)
	}
	slow := onPostgres(simple, inMemory, 1)
	slow.Recorded.Environment = model.Environment{CPUs: 8, CgroupCPU: 1.5}
	p := predict(t, onStorage(20e-3, 20e-3, 0), slow, Ask{Clients: []int{16}})
	about(t, "on slow storage", p.Points[0].Rate.Value, 16/(2*20e-3), 0.05)
	if all := strings.Join(p.Assumes, "\n"); !strings.Contains(all, "1.5 processors") {
		t.Errorf("the limit is not said: %s", all)
	}
}

// Work that was done during flushes is part of what a limit allows: the rate × the time on processors of a transaction never
// exceeds it (found with 2 clients at 1.25 processors, which used 1.75).
func TestALimitHoldsWorkDuringFlushes(t *testing.T) {
	for _, allowed := range []float64{0.01, 0.9, 1.1, 1.25, 1.5, 2.25} {
		app := onPostgres(simple, inMemory, 1)
		app.Recorded.Environment = model.Environment{CPUs: 8, CgroupCPU: max(1, allowed)}
		a := app.Recorded.Run.Steps[0].App
		flushing, reading := 0.4, 0.0
		a.Seconds, a.FlushSeconds, a.ReadSeconds = 1, &flushing, &reading
		a.Processor = &model.AppProcessor{Seconds: 1, ServerCPU: 0.75, ClientCPU: 0.15}
		app.Report.Results[0].Metrics[model.Transactions] = sure("1/s", 1000)
		l, err := app.like()
		if err != nil {
			t.Fatal(err)
		}
		about(t, "during a flush", l.inFlush, 0.3e-3, 1e-6)
		s, err := onStorage(400e-6, 450e-6, 0).storageTimes(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 4, 16} {
			x := l.point(s, n, 20, int(math.Ceil(allowed)), allowed)
			if used := x.Rate.Value * (0.6e-3 + 0.3e-3*x.Flushes); used > 1.03*allowed {
				t.Errorf("%d clients with %g processors use %g", n, allowed, used)
			}
		}
	}
}

// A load that a limit held back, but that did not use it up, tells nothing of faster flushes.
func TestNothingIsConcludedOfAThrottledLoad(t *testing.T) {
	ev := onPostgres(simple, inMemory, 4)
	ev.Recorded.Environment = model.Environment{CPUs: 8, CgroupCPU: 1.5}
	ev.Recorded.Run.Steps[0].Counters = &model.Counters{Seconds: 1, Idle: 0.5, Throttled: 0.44}
	b, why := ev.application(ev.Recorded.Plan.Workloads[0])
	if all := strings.Join(b.Notes, "\n"); why != "" || len(b.Counterfactuals) != 0 || !strings.Contains(all, "held the load back for 44 %") {
		t.Errorf("%s: %s, %+v", why, all, b.Counterfactuals)
	}
}

func TestNumbersOfProcessors(t *testing.T) {
	for n, want := range map[float64]string{1: "1 processor", 2: "2 processors", 1.5: "1.5 processors", 0.0004: "0.0004 processors", 128: "128 processors"} {
		if got := numberOfProcessors(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a client on another node computes is not done by the server's processors.
func TestPredictWithAClientElsewhere(t *testing.T) {
	app := onPostgres(simple, inMemory, 1)
	app.Recorded.Environment.Cluster = &model.Cluster{Node: "a", Client: &model.Cluster{Node: "b"}}
	x := predict(t, onStorage(50e-6, 60e-6, 0), app, Ask{Clients: []int{64}}).Points[0]
	about(t, "rate", x.Rate.Value, 2/0.9e-3, 0.03)
}

// Findings that say that the costs were not those of a transaction by itself are those of the prediction too; that a
// rate did not converge, or that processors were full, is not.
func TestWhatDisturbedTheCostsIsSaid(t *testing.T) {
	app := onPostgres(simple, inMemory, 1)
	app.Report.Findings = []model.Finding{
		{Rule: "cpu", Severity: model.SeverityWarning, Results: []string{"load-c1"}, Message: "stolen time"},
		{Rule: "full-cpu", Severity: model.SeverityWarning, Results: []string{"load-c1"}},
		{Rule: "others", Severity: model.SeverityWarning, Results: []string{"another"}},
		{Rule: "others", Severity: model.SeverityPassed},
	}
	p := predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1}})
	if p.Verdict != model.Suspect || len(p.Findings) != 1 || p.Findings[0].Rule != "cpu" {
		t.Errorf("%s: %+v", p.Verdict, p.Findings)
	}
	// The disturbed repeat is not used, or there is no other.
	steal := model.Finding{Rule: "cpu", Severity: model.SeverityWarning, Results: []string{"load-c1"}, Message: "stolen time", Evidence: map[string]any{"steal": 0.15}}
	app.Report.Findings = []model.Finding{steal}
	app.Recorded.Run.Steps[0].Counters = &model.Counters{Seconds: 1, Steal: 0.15}
	if p := predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1}}); p.Verdict != model.Suspect {
		t.Errorf("only a disturbed repeat: %s", p.Verdict)
	}
	quiet := app.Recorded.Run.Steps[0]
	quiet.Counters = &model.Counters{Seconds: 1}
	app.Recorded.Run.Steps = append(app.Recorded.Run.Steps, quiet)
	if p := predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1}}); p.Verdict != model.Valid || len(p.Findings) != 0 {
		t.Errorf("the disturbed repeat is left out: %s, %+v", p.Verdict, p.Findings)
	}
}

// With a limit, the processors are those that it allows, and full when these transactions fill them.
func TestCounterfactualsKeepALimitOfProcessors(t *testing.T) {
	const flush = 5e-3
	of := func(limit float64) (b budget.Budget) {
		ev := onPostgres(simple, inMemory, 16)
		ev.Recorded.Environment = model.Environment{CPUs: 64, CgroupCPU: limit}
		s := &ev.Recorded.Run.Steps[0]
		// By the law of group commit: 16 / (2 × 5 ms) = 1600 tps, 1/8 of a flush each.
		flushes, flushing, reading := 125.0, 125*flush, 0.0
		s.App.Processor.Seconds = 1000.0 / 1600
		s.App.Seconds, s.App.Flushes, s.App.FlushSeconds, s.App.ReadSeconds = 1000.0/1600, &flushes, &flushing, &reading
		s.Counters = &model.Counters{Seconds: 1, Idle: 0.97}
		b, why := ev.application(ev.Recorded.Plan.Workloads[0])
		if why != "" {
			t.Fatal(why)
		}
		return b
	}
	free := of(0)
	if len(free.Counterfactuals) == 0 || free.Counterfactuals[0].Rate < 3000 {
		t.Errorf("without a limit: %+v", free.Counterfactuals)
	}
	// Two processors do 1818, and wait for each other long before.
	limited := of(2)
	if all := strings.Join(limited.Notes, "\n"); len(limited.Counterfactuals) != 0 || !strings.Contains(all, "3200 tps, which would use 100 % of 2 processors") && !strings.Contains(all, "3.20k tps, which would use 100 % of 2 processors") {
		t.Errorf("with a limit: %s, %+v", all, limited.Counterfactuals)
	}
}

// Nothing is concluded from the counts of a server that others use as well.
func TestNothingIsConcludedOfASharedServer(t *testing.T) {
	ev := onPostgres(simple, inMemory, 1)
	others := 500.0
	ev.Recorded.Run.Steps[0].App.Others = &others
	b, why := ev.application(ev.Recorded.Plan.Workloads[0])
	if why != "" || len(b.Counterfactuals) != 0 || !strings.Contains(strings.Join(b.Notes, "\n"), "others used the server") {
		t.Errorf("%s: %+v", why, b)
	}
}
