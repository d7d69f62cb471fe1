package explain

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
)

// load is a run of one workload of transactions.
func load(clients int, c model.AppCounts, idle float64) Evidence {
	w := model.Workload{Name: "tpcb", Direction: model.Write, Depth: clients, App: model.AppLoad{Tool: "pgbench", Threads: min(4, clients)}}
	ev := measured(w)
	ev.Recorded.Environment.CPUs = 2
	ev.Report.Results = []model.Result{{Workload: "tpcb", Direction: model.Write, Verdict: model.Valid}}
	ev.step("tpcb", func(s *model.StepResult) {
		s.App, s.Counters = &c, &model.Counters{Seconds: 11, Idle: idle}
	})
	return ev
}

// counted are the counts of some seconds: transactions in 1/s, and flushes per transaction that take
// flush seconds each; reads take readings of a transaction's time.
func counted(rate, flushes, flush, readings float64) model.AppCounts {
	const seconds = 10
	n := rate * seconds
	total, time, reads := n*flushes, n*flushes*flush, n*readings
	return model.AppCounts{Transactions: uint64(math.Round(n)), Seconds: seconds, Flushes: &total, FlushSeconds: &time, ReadSeconds: &reads}
}

// One client: its parts are sequential. With a flush of 2.5 ms in a transaction of 4.2 ms, 1 ms less
// gives 31 % more.
func TestOneClientWaitsForItsFlush(t *testing.T) {
	c := counted(1/4.2e-3, 1, 2.5e-3, 0.1e-3)
	n := float64(c.Transactions)
	c.Seconds = n * 4.2e-3
	c.Processor = &model.AppProcessor{Seconds: n * 4.2e-3 / 2, ServerCPU: n * 0.9e-3 / 2, ServerWait: n * 0.1e-3 / 2, ClientCPU: n * 0.2e-3 / 2, ClientWait: n * 0.05e-3 / 2}
	total, time, reads := n, n*2.5e-3, n*0.1e-3
	c.Flushes, c.FlushSeconds, c.ReadSeconds = &total, &time, &reads
	b := only(t, load(1, c, 0.6))
	for part, want := range map[budget.Part]float64{budget.ClientCPU: 0.2e-3, budget.ServerCPU: 0.9e-3, budget.RunQueue: 0.15e-3, budget.Reads: 0.1e-3, budget.Flush: 2.5e-3} {
		row, _ := b.Row(part)
		near(t, string(part), row.Seconds, want)
	}
	near(t, "seen", b.Seen, 4.2e-3)
	near(t, "left over", b.Residual.Seconds, 0.35e-3)
	if !b.Closes() || b.Residual.Name != roundTrips {
		t.Errorf("%+v", b)
	}
	for _, x := range b.Counterfactuals {
		if x.Change == "a flush 1 ms faster" {
			near(t, "1 ms faster", x.Gain, 1/3.2e-3*4.2e-3-1)
			if x.Law != serialLaw {
				t.Errorf("%+v", x)
			}
			return
		}
	}
	t.Errorf("nobody asks for 1 ms: %+v", b.Counterfactuals)
}

// One client that only selects, 0.5 pages of the disk each time: reads in half the time save half of what they take. With
// several clients, or where they take next to nothing, nothing is said of them.
func TestOneClientWaitsForItsReads(t *testing.T) {
	selects := func(clients int, seen, reading float64) *budget.Budget {
		c := counted(float64(clients)/seen, 0, 0, reading)
		c.Flushes, c.FlushSeconds = nil, nil
		c.Processor = &model.AppProcessor{Seconds: c.Seconds, ServerCPU: float64(c.Transactions) * (seen - reading)}
		ev := load(clients, c, 0.6)
		each := 0.5
		ev.Report.Results[0].App = &model.AppResult{Reads: &each}
		b := only(t, ev)
		return &b
	}
	b := selects(1, 1.1e-3, 1e-3)
	if !b.Closes() || len(b.Counterfactuals) != 2 {
		t.Fatalf("%+v", b)
	}
	for i, x := range b.Counterfactuals {
		want := []budget.Counterfactual{{Change: "a read in half the time (1.00 ms instead of 2.00 ms)", Rate: 1 / 0.6e-3}, {Change: "a read 1 ms faster", Rate: 1 / 0.6e-3}}[i]
		about(t, x.Change, x.Rate, want.Rate, 1e-4)
		if x.Change != want.Change || x.Part != budget.Reads || x.Law != serialLaw || !strings.Contains(strings.Join(x.Assumes, "\n"), "as many pages as now (0.5)") {
			t.Errorf("%+v", x)
		}
	}
	for name, b := range map[string]*budget.Budget{"four clients": selects(4, 1.1e-3, 1e-3), "reads from memory": selects(1, 1.1e-3, 0.02e-3)} {
		if len(b.Counterfactuals) != 0 {
			t.Errorf("%s: %+v", name, b.Counterfactuals)
		}
	}
}

// The counters include the ramps, so a budget's rate may differ from the result's; then it says why.
func TestARateUnlikeTheResultIsExplained(t *testing.T) {
	for result, explained := range map[float64]bool{240: false, 250: true} {
		ev := load(1, counted(239, 1, 2.5e-3, 0), 0.6)
		ev.Report.Results[0].Metrics = map[model.Metric]model.Estimate{model.Transactions: {Value: result}}
		if notes := strings.Join(only(t, ev).Notes, "\n"); strings.Contains(notes, "239 tps here and 250 tps in the result") != explained {
			t.Errorf("%g/s in the result: %q", result, notes)
		}
	}
}

// Without the scheduler's accounting, everything except flushes is unknown: the budget does not close,
// and the missing measurement is named.
func TestWithoutTheSchedulerItDoesNotClose(t *testing.T) {
	b := only(t, load(1, counted(250, 1, 2.5e-3, 0.1e-3), 0.6))
	if b.Closes() || b.Residual.Name != anything || len(b.Missing) != 1 || !strings.Contains(b.Missing[0].What, "on a processor") || len(b.Counterfactuals) > 0 {
		t.Errorf("%+v", b)
	}
	// Nor if the server does not measure times.
	c := counted(250, 1, 2.5e-3, 0.1e-3)
	c.FlushSeconds, c.ReadSeconds = nil, nil
	if b := only(t, load(1, c, 0.6)); len(b.Rows) > 0 || len(b.Missing) != 3 {
		t.Errorf("%+v", b)
	}
}

// What a run of etcd lacks is not measured with another application.
func TestWhatEtcdLacksIsNotMeasuredWithPostgreSQL(t *testing.T) {
	for _, clients := range []int{1, 4} {
		ev := load(clients, counted(250, 1, 2.5e-3, 0), 0.6)
		ev.Recorded.Plan.Workloads[0].App = model.AppLoad{Tool: "etcd"}
		b := only(t, ev)
		if b.Closes() || len(b.Missing) != 1 || !strings.Contains(b.Missing[0].What, "on a processor") || strings.Contains(b.Missing[0].Measure, "postgres") {
			t.Errorf("%d clients: %+v", clients, b.Missing)
		}
	}
}

// Commits that do not wait have no flush in their budget, even if some process flushes.
func TestCommitsThatDoNotWait(t *testing.T) {
	b := only(t, load(1, counted(4244, 0.005, 2e-3, 0), 0.6))
	if _, ok := b.Row(budget.Flush); ok || len(b.Counterfactuals) > 0 {
		t.Errorf("%+v", b)
	}
}

// Full processors stay full, however fast a flush is.
func TestFullProcessorsGainNothing(t *testing.T) {
	c := counted(2400, 0.5, 0.64e-3, 0)
	p := model.AppProcessor{Seconds: 5, ServerCPU: 8.5, ServerWait: 250, ClientCPU: 1.2, ClientWait: 15}
	c.Processor = &p
	b := only(t, load(64, c, 0.01))
	if !b.Closes() {
		t.Fatalf("%+v", b)
	}
	for _, x := range b.Counterfactuals {
		near(t, x.Change, x.Gain, 0)
		if x.Law != processLaw {
			t.Errorf("%+v", x)
		}
	}
	if len(b.Counterfactuals) == 0 {
		t.Error("nothing is asked")
	}
	// If others' work fills them, nothing is concluded, neither for one client nor for many.
	others := c
	few := p
	few.ServerCPU, few.ServerWait = 2, 256
	others.Processor = &few
	for _, clients := range []int{1, 64} {
		if b := only(t, load(clients, others, 0.01)); len(b.Counterfactuals) > 0 || !strings.Contains(strings.Join(b.Notes, "\n"), "did not fill them") {
			t.Errorf("%d clients: %+v", clients, b)
		}
	}
	// With idle processors no law applies.
	if b := only(t, load(64, c, 0.5)); len(b.Counterfactuals) > 0 || !strings.Contains(strings.Join(b.Notes, "\n"), "between the laws") {
		t.Errorf("%+v", b)
	}
}

// Ten clients of one thread connect in turn.
func TestConnectingIsARowOfItsOwn(t *testing.T) {
	c := counted(450, 0, 0, 0)
	c.Flushes, c.FlushSeconds, c.Connect = nil, nil, 2.1e-3
	ev := load(10, c, 0.3)
	ev.Recorded.Plan.Workloads[0].App.Reconnect, ev.Recorded.Plan.Workloads[0].App.Threads = true, 1
	b := only(t, ev)
	row, _ := b.Row(budget.Connect)
	near(t, "connecting", row.Seconds, 21e-3)
	near(t, "seen", b.Seen, 10/450.0)
	if !b.Closes() || row.Of != "10 in turn × 2.10 ms" {
		t.Errorf("%+v", b)
	}
}

// committed simulates clients that work for about c, then commit: one flush of about f at a time covers
// all commits that wait when it begins. It returns the counts of such a server.
func committed(r *rand.Rand, clients int, c, f float64) model.AppCounts {
	const seconds = 200
	jitter := func(mean float64) float64 { return mean * (0.8 + 0.4*r.Float64()) }
	ready := make([]float64, clients)
	for i := range ready {
		ready[i] = jitter(c)
	}
	var now, flushing, flushes, done float64
	for now < seconds {
		first := math.Inf(1)
		for _, at := range ready {
			first = min(first, at)
		}
		begin := max(now, first)
		end := begin + jitter(f)
		for i, at := range ready {
			if at <= begin {
				ready[i] = end + jitter(c)
				done++
			}
		}
		flushes, flushing, now = flushes+1, flushing+end-begin, end
	}
	none := 0.0
	n := done / now
	return model.AppCounts{Transactions: uint64(done), Seconds: now, Flushes: &flushes, FlushSeconds: &flushing, ReadSeconds: &none,
		// Half of its own work is on a processor of the server's, and part of it is waiting for one.
		Processor: &model.AppProcessor{Seconds: 1, ServerCPU: 0.5 * c * n, ServerWait: 0.3 * c * n, ClientCPU: 0.2 * c * n}}
}

// For a simulated server with random flush times, the laws must predict the effect of another flush
// time: within 10 % of the same server with that flush, at 1, 4 and 16 clients.
func TestCounterfactualsOfAPlayedServer(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 18))
	for range 5 {
		f := 2e-3 + 20e-3*r.Float64()
		c := f * (0.05 + 0.35*r.Float64())
		for _, clients := range []int{1, 4, 16} {
			ev := load(clients, committed(r, clients, c, f), 0.5)
			ev.Recorded.Environment.CPUs = 64
			b := only(t, ev)
			if !b.Closes() {
				t.Errorf("%d clients, C %.2f ms, F %.2f ms: %+v", clients, 1e3*c, 1e3*f, b)
				continue
			}
			asked := 0
			for _, x := range b.Counterfactuals {
				other := committed(r, clients, c, f-x.Saved)
				rate := float64(other.Transactions) / other.Seconds
				if off := x.Rate/rate - 1; math.Abs(off) > 0.1 {
					t.Errorf("%d clients, C %.2f ms, F %.2f ms, %s: %.1f/s is predicted, %.1f/s are done (%+.1f %%; was %.1f/s)", clients, 1e3*c, 1e3*f, x.Change, x.Rate, rate, 100*off, b.Rate)
				}
				asked++
			}
			if asked < 2 {
				t.Errorf("%d clients: only %d questions", clients, asked)
			}
		}
	}
}

// If the own work is longer than a flush, the law of group commit does not apply to the server, and is
// not mentioned.
func TestTheLawIsSaidOnlyWhereItHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := only(t, load(4, committed(r, 4, 9e-3, 3e-3), 0.5))
	if len(b.Counterfactuals) > 0 {
		t.Errorf("%+v", b)
	}
	if _, ok := b.Row(budget.Work); ok {
		t.Errorf("%+v", b.Rows)
	}
}
