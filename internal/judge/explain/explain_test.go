package explain

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// measured is a run with workloads and no results yet.
func measured(workloads ...model.Workload) Evidence {
	rec := &model.Recorded{Run: model.Run{Started: time.Unix(990, 0), Clock: time.Unix(1000, 0)}}
	rec.Plan.Workloads = workloads
	return Evidence{Recorded: rec, Report: &model.Report{Run: model.RunInfo{ID: "run", Target: model.Target{Name: "/disk"}}}}
}

// did adds the result of a workload in one direction: I/Os per second and the mean latency.
func (ev Evidence) did(name string, d model.Direction, rate, latency float64) {
	ev.Report.Results = append(ev.Report.Results, model.Result{Workload: name, Direction: d, Verdict: model.Valid,
		Metrics: map[model.Metric]model.Estimate{model.IOPS: {Value: rate}}, Latency: &model.LatencySummary{Mean: latency}})
}

// step adds a repeat: 10 s long, after a ramp of 1 s.
func (ev Evidence) step(name string, more func(*model.StepResult)) {
	n := len(ev.Recorded.Run.Steps) + 1
	s := model.StepResult{Step: model.Step{Number: n, Workload: name, Ramp: 1, Seconds: 10}, Started: 20 * float64(n), Ended: 20*float64(n) + 11}
	more(&s)
	ev.Recorded.Run.Steps = append(ev.Recorded.Run.Steps, s)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// only is the budget of a run with a single one.
func only(t *testing.T, ev Evidence) budget.Budget {
	t.Helper()
	side := Run(ev)
	if len(side.Budgets) != 1 || len(side.LeftOut) > 0 {
		t.Fatalf("%+v", side)
	}
	return side.Budgets[0]
}

var oneRead = model.Workload{Name: "read", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1}

// One I/O after the other: the part of a second beyond the latencies is the load tool's.
func TestOneReadAfterTheOther(t *testing.T) {
	ev := measured(oneRead)
	ev.did("read", model.Read, 1000, 950e-6)
	ev.step("read", func(s *model.StepResult) { s.Submission = map[model.Direction]float64{model.Read: 50e-6} })
	// A failed repeat does not count.
	ev.step("read", func(s *model.StepResult) {
		s.Error, s.Submission = "it failed", map[model.Direction]float64{model.Read: 5}
	})
	b := only(t, ev)
	near(t, "seen", b.Seen, 1e-3)
	submission, _ := b.Row(budget.Submission)
	service, _ := b.Row(budget.Service)
	near(t, "submission", submission.Seconds, 50e-6)
	near(t, "kernel and device", service.Seconds, 900e-6)
	near(t, "its share", service.Share, 0.9)
	near(t, "left over", b.Residual.Seconds, 50e-6)
	near(t, "closure", b.Closure, 0.95)
	if !b.Closes() || b.Residual.Name != betweenIOs || b.Operation != "read" || len(b.Missing) > 0 {
		t.Errorf("%+v", b)
	}
	// In half the time: 1 ms less 450 µs.
	near(t, "rate in half the time", b.Counterfactuals[0].Rate, 1/550e-6)
	near(t, "gain", b.Counterfactuals[0].Gain, 1/0.55-1)
	if b.Counterfactuals[0].Law != serialLaw || len(b.Counterfactuals[0].Assumes) == 0 {
		t.Errorf("%+v", b.Counterfactuals[0])
	}
}

// With an error above 15 %, nothing is concluded: neither counterfactuals nor causes.
func TestNothingIsConcludedFromWhatDoesNotAddUp(t *testing.T) {
	for _, c := range []struct {
		latency float64
		stands  bool
		says    string
	}{{840e-6, false, "only 84 % of the 1.00 ms of a read"}, {860e-6, true, ""}, {1140e-6, true, ""}, {1160e-6, false, "come to 116 %"}} {
		ev := measured(oneRead)
		ev.did("read", model.Read, 1000, c.latency)
		b := only(t, ev)
		if b.Closes() != c.stands || !strings.Contains(b.Refused, c.says) || c.stands != (len(b.Counterfactuals) > 0) || c.stands == (len(b.Missing) > 0) {
			t.Errorf("%v: %+v", c.latency, b)
		}
	}
}

// A commit is a write and its flush.
func TestWritesAndTheirFlushes(t *testing.T) {
	log := model.Workload{Name: "log", Access: model.Sequential, Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync"}
	ev := measured(log)
	ev.did("log", model.Write, 200, 0.5e-3)
	ev.did("log", model.Sync, 200, 4e-3)
	b := only(t, ev)
	flush, _ := b.Row(budget.Flush)
	near(t, "seen", b.Seen, 5e-3)
	near(t, "share of the flush", flush.Share, 0.8)
	near(t, "closure", b.Closure, 0.9)
	rates := map[string]float64{}
	for _, c := range b.Counterfactuals {
		rates[c.Change] = c.Rate
	}
	near(t, "a flush in half the time", rates["a flush in half the time (2.00 ms instead of 4.00 ms)"], 1/3e-3)
	near(t, "1 ms faster", rates["a flush 1 ms faster"], 1/4e-3)
}

// By Little's law, 40,000 per second that take 100 µs each alone are 4 at once; the others of the 64
// wait.
func TestADeepQueueWaits(t *testing.T) {
	deep := oneRead
	deep.Name, deep.Depth, deep.Jobs = "deep", 32, 2
	ev := measured(oneRead, deep)
	ev.did("read", model.Read, 1/105e-6, 100e-6)
	ev.did("deep", model.Read, 40000, 1.58e-3)
	side := Run(ev)
	b := side.Budgets[1]
	near(t, "seen", b.Seen, 1.6e-3)
	queueing, _ := b.Row(budget.Queueing)
	service, _ := b.Row(budget.Service)
	near(t, "waiting", queueing.Seconds, 1.48e-3)
	near(t, "alone", service.Seconds, 100e-6)
	if !b.Closes() || !strings.Contains(strings.Join(b.Notes, "\n"), "together serve 4 at once, of the 64 in flight") {
		t.Errorf("%+v", b)
	}
	near(t, "in half the service time", b.Counterfactuals[0].Rate, 80000)
	near(t, "at twice the depth", b.Counterfactuals[1].Gain, 0)
	// If the processors are full, faster storage may change nothing.
	ev.step("deep", func(s *model.StepResult) { s.Counters = &model.Counters{Seconds: 11, Idle: 0.02} })
	if b := Run(ev).Budgets[1]; len(b.Counterfactuals) > 0 || !strings.Contains(strings.Join(b.Notes, "\n"), "only 2 % of the processors was idle") {
		t.Errorf("%+v", b)
	}
	// Processors that wait for I/O are idle.
	ev.step("deep", func(s *model.StepResult) { s.Counters = &model.Counters{Seconds: 11, Idle: 0.02, IOWait: 0.9} })
	if b := Run(ev).Budgets[1]; len(b.Counterfactuals) == 0 || strings.Contains(strings.Join(b.Notes, "\n"), "processors was idle") {
		t.Errorf("%+v", b)
	}
	// Without a measurement at depth 1 the waiting is unknown, and there is only one row.
	ev = measured(deep)
	ev.did("deep", model.Read, 40000, 1.58e-3)
	if b := only(t, ev); len(b.Rows) != 1 || len(b.Counterfactuals) > 0 {
		t.Errorf("%+v", b)
	}
}

// What the kernel saw of the load tool's own I/Os during the measurement.
func TestTracedRows(t *testing.T) {
	ev := measured(oneRead)
	ev.did("read", model.Read, 1000, 950e-6)
	ev.step("read", func(s *model.StepResult) {
		s.UserCPU, s.SystemCPU, s.Submission = 0.03, 0.09, map[model.Direction]float64{model.Read: 50e-6}
	})
	// The trace began 3 s before the run's seconds did.
	ev.TraceBegan = ev.Recorded.Run.Clock.Add(-3 * time.Second)
	sample := func(at float64, op iotrace.Operation, command string, ios uint64, each, wait float64) {
		ev.Trace = append(ev.Trace, iotrace.Sample{End: at + 3, Seconds: 1, Device: "vda", Operation: op, Originator: iotrace.Originator{Command: command},
			Flow: model.Flow{IOs: ios, LatencySum: each * float64(ios)}, Wait: wait * float64(ios)})
	}
	// The step is measured from 21 to 31.
	for at := 22.6; at < 31; at++ {
		sample(at, iotrace.Read, "fio", 1100, 700e-6, 10e-6)
		sample(at, iotrace.Read, "other", 5000, 9e-3, 0)
		sample(at, iotrace.Write, "fio", 5000, 9e-3, 0)
	}
	// The ramp, and another workload after it.
	sample(21.2, iotrace.Read, "fio", 9000, 5, 5)
	sample(32, iotrace.Read, "fio", 9000, 5, 5)
	b := only(t, ev)
	device, _ := b.Row(budget.Device)
	queue, _ := b.Row(budget.BlockQueue)
	near(t, "device", device.Seconds, 1.1*700e-6)
	near(t, "queue", queue.Seconds, 1.1*10e-6)
	near(t, "left over", b.Residual.Seconds, 1e-3-1.1*710e-6-120e-6)
	if tool, _ := b.Row(budget.ToolCPU); math.Abs(tool.Seconds-70e-6) > 1e-9 {
		t.Errorf("the rest of fio: %+v", tool)
	}
	if device.Of != "1.1 I/Os × 700 µs" || b.Residual.Name != completion || !b.Closes() {
		t.Errorf("%+v", b)
	}
	// A run whose clock is unknown cannot be aligned with a trace.
	ev.Recorded.Run.Clock = time.Time{}
	b = only(t, ev)
	if _, ok := b.Row(budget.Device); ok || !strings.Contains(strings.Join(b.Notes, "\n"), "an older version") {
		t.Errorf("%+v", b)
	}
}

// A workload without a budget says why, and is in no other list.
func TestLeftOut(t *testing.T) {
	with := func(change func(*model.Workload)) model.Workload {
		w := oneRead
		change(&w)
		return w
	}
	for says, w := range map[string]model.Workload{
		"due at a rate":    with(func(w *model.Workload) { w.OpenLoop, w.RateIOPS = true, 100 }),
		"rate is limited":  with(func(w *model.Workload) { w.RateIOPS = 100 }),
		"loads 3 volumes":  with(func(w *model.Workload) { w.Volumes = 3 }),
		"fio job of your":  with(func(w *model.Workload) { w.Job = "rw=read" }),
		"was not measured": with(func(w *model.Workload) { w.Name = "another" }),
	} {
		ev := measured(w)
		ev.did("read", model.Read, 1000, 950e-6)
		if side := Run(ev); len(side.Budgets) > 0 || len(side.LeftOut) != 1 || !strings.Contains(side.LeftOut[0], says) {
			t.Errorf("%s: %+v", says, side)
		}
	}
}

func TestDoubtsComeAlong(t *testing.T) {
	ev := measured(oneRead)
	ev.did("read", model.Read, 1000, 950e-6)
	ev.Report.Results[0].Verdict = model.Invalid
	ev.Report.Findings = []model.Finding{{Rule: "size", Severity: model.SeverityWarning, Results: []string{"read"}}, {Rule: "cpu", Severity: model.SeverityInvalid, Results: []string{"read"}}}
	if b := only(t, ev); len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "invalid (cpu)") || len(b.Counterfactuals) > 0 {
		t.Errorf("%+v", b)
	}
}

// The parts of the ratio of two runs add up to the whole ratio.
func TestComparedPartsAddUp(t *testing.T) {
	log := model.Workload{Name: "log", Direction: model.Write, Depth: 1, Sync: "fdatasync"}
	a, b := measured(log), measured(log)
	a.did("log", model.Write, 1000, 0.3e-3)
	a.did("log", model.Sync, 1000, 0.6e-3)
	b.did("log", model.Write, 400, 0.5e-3)
	b.did("log", model.Sync, 400, 1.9e-3)
	x, y := Run(a), Run(b)
	list := Compare(&x, &y)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	c := list[0]
	near(t, "ratio", c.Ratio, 2.5)
	sum := 0.0
	for _, p := range c.Changes {
		sum += p.Of
	}
	near(t, "sum of the parts", sum, 2.5)
	if want := "a write with its flush of B takes 2.5 times as long as one of A (2.50 ms, 1.00 ms); of these 2.5, 1.9 are fdatasync (0.6 in A)"; !strings.HasPrefix(c.Says[0], want) {
		t.Errorf("%q, want %q …", c.Says[0], want)
	}
	if len(c.DifferentCounts) > 0 || c.Equal != nil {
		t.Errorf("%+v", c)
	}
}

// The server's counts show whether two transactions did the same work; the device's include all of its
// users.
func TestOperationsThatDidOtherWork(t *testing.T) {
	side := func(flushes, reads, log, writes float64) *budget.Side {
		return &budget.Side{Budgets: []budget.Budget{{Workload: "x", Operation: "transaction", InFlight: 1, Seen: 1, Rate: 1, Counts: []budget.Count{
			{Name: "WAL flushes", Unit: "1", Value: flushes}, {Name: "reads", Unit: "1", Value: reads}, {Name: "WAL", Unit: "B", Value: log}, {Name: "device writes", Unit: "1", Value: writes}, {Name: "log device writes", Unit: "1", Value: writes}}}}}
	}
	list := Compare(side(1, 0.01, 9000, 1.2), side(1.2, 0.04, 400, 5))
	if len(list) != 1 || len(list[0].DifferentCounts) != 1 || list[0].DifferentCounts[0].Name != "WAL" {
		t.Errorf("%+v", list)
	}
}

// What the disks behind the volumes did is compared if it was counted on both sides, direction by direction.
func TestComparedAmplification(t *testing.T) {
	idle := 9.0
	write := amplification.Ratio{Direction: "write", Operation: "write", Value: 6.02, Low: 5.97, High: 6.07, Disks: 900, Idle: &idle}
	read := amplification.Ratio{Direction: "read", Operation: "read", Value: 1, Low: 1, High: 1, Disks: 900, Idle: &idle}
	side := func(list ...amplification.Ratio) *budget.Side {
		return &budget.Side{Budgets: []budget.Budget{{Workload: "x", Operation: "write", InFlight: 1, Seen: 1, Rate: 1, Amplification: list}}}
	}
	one, unknown, shared, unseen := write, write, write, write
	one.Value, one.Low, one.High = 1.01, 1, 1.02
	unknown.NotCounted, unseen.Idle = "a replica was lost", nil
	others := 400.0
	shared.Idle = &others
	want := "for each write the disks with the replicas do 1.01 writes in A (1.00 to 1.02), and 6.02 in B (5.97 to 6.07)"
	for name, c := range map[string]struct {
		a, b *budget.Side
		// says is the sentence, if there is one.
		says string
	}{
		"both": {side(read, one), side(write), want}, "none in B": {side(one), side(), ""}, "another direction": {side(write), side(read), ""},
		"not counted in A": {side(unknown), side(write), ""}, "not counted in B": {side(write), side(unknown), ""},
		"reads":        {side(read), side(read), "for each read the disks with the replicas do 1.00 reads in A (1.00 to 1.00), and 1.00 in B (1.00 to 1.00)"},
		"others in B":  {side(one), side(shared), want + "; of the I/Os of B's disks, 44 % were there before the run, without load"},
		"unknown in B": {side(one), side(unseen), want + "; what else used the disks of B is not known"},
	} {
		says := Compare(c.a, c.b)[0].Says
		if c.says == "" && strings.Contains(strings.Join(says, " "), "replicas") || c.says != "" && says[len(says)-1] != c.says {
			t.Errorf("%s: %q", name, says)
		}
	}
}

func TestComparedWorkloadsAreAlike(t *testing.T) {
	side := func(names ...string) *budget.Side {
		s := &budget.Side{}
		for i, n := range names {
			s.Budgets = append(s.Budgets, budget.Budget{Workload: n, Operation: "transaction", InFlight: float64(1 + i%2), Seen: 1, Rate: 1})
		}
		return s
	}
	for _, c := range []struct {
		a, b *budget.Side
		want string
	}{
		{side("x", "y"), side("x", "z"), "x=x"},
		{side("x", "y"), side("v", "w"), "x=v y=w"},
		// Two of one kind: the match is ambiguous.
		{side("x", "y", "z"), side("v", "w"), "y=w"},
		{side("x"), &budget.Side{}, ""},
	} {
		var got []string
		for _, p := range Compare(c.a, c.b) {
			got = append(got, fmt.Sprintf("%s=%s", p.A, p.B))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}
