package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/model/prediction"
)

// sure is an estimate with an interval of 3 %.
func sure(unit string, v float64) model.Estimate {
	return model.Estimate{Unit: unit, Value: v, Low: 0.97 * v, High: 1.03 * v, Confidence: 0.95}
}

// timedIO adds the results of a workload that does one I/O after the other, with or without flushes.
func (ev Evidence) timedIO(w model.Workload, seconds, flush float64) {
	ev.Recorded.Plan.Workloads = append(ev.Recorded.Plan.Workloads, w)
	rate := sure("1/s", float64(w.Depth)/(seconds+flush))
	result := func(d model.Direction, mean float64) {
		ev.Report.Results = append(ev.Report.Results, model.Result{Workload: w.Name, Direction: d, Verdict: model.Valid, Metrics: map[model.Metric]model.Estimate{model.IOPS: rate}, Latency: &model.LatencySummary{Mean: mean}})
	}
	result(w.Direction, seconds)
	if w.Sync != "" {
		result(model.Sync, flush)
	}
}

// logOf is a workload that writes blocks of that size, each with a flush.
func logOf(name string, block int64) model.Workload {
	return model.Workload{Name: name, Access: model.Sequential, Direction: model.Write, BlockSize: block, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
}

// pageReads is a workload of reads of pages.
func pageReads(name string, depth int) model.Workload {
	return model.Workload{Name: name, Access: model.Random, Direction: model.Read, BlockSize: 8 << 10, Depth: depth, Metric: model.Latency}
}

// onStorage is a run of a storage: a third of each flush's time is the write.
func onStorage(flush8k, flush64k, read float64) Evidence {
	ev := measured()
	ev.Report.Run.Target = model.Target{Name: "/new", Kind: model.Directory, Path: "/new"}
	ev.Report.Run.Directory = "from"
	ev.timedIO(logOf("wal-8k", 8<<10), flush8k/3, flush8k*2/3)
	ev.timedIO(logOf("wal-64k", 64<<10), flush64k/3, flush64k*2/3)
	if read > 0 {
		ev.timedIO(pageReads("page-read", 1), read, 0)
	}
	return ev
}

// cost is a transaction of 4.2 ms: 2.5 ms for its flush, 0.1 ms for reads, 1.1 ms on a processor, and
// 0.5 ms of other time.
type cost struct{ reads, deviceReads, log float64 }

// onPostgres is a run of PostgreSQL with those numbers of clients.
func onPostgres(option string, c cost, clients ...int) Evidence {
	ev := measured()
	ev.Report.Run.Directory, ev.Report.Run.Target = "like", model.Target{Name: "/old", Kind: model.Postgres}
	ev.Report.Run.Prepare = &model.Preparation{App: &model.AppState{Scale: 20}}
	ev.Recorded.Environment = model.Environment{CPUs: 2, CPUModel: "an old one"}
	for _, n := range clients {
		w := model.Workload{Name: fmt.Sprintf("load-c%d", n), Direction: model.Write, Depth: n, App: model.AppLoad{Tool: "pgbench", Threads: 1, Options: option}}
		ev.Recorded.Plan.Workloads = append(ev.Recorded.Plan.Workloads, w)
		ev.step(w.Name, func(s *model.StepResult) {
			done := 1000.0
			// Two processors do no more than 1800 transactions of 1.1 ms per second.
			each := max(4.2e-3/float64(n), 1.0/1800)
			flushes, flushing, reading := done, done*2.5e-3, done*0.1e-3
			s.App = &model.AppCounts{Transactions: uint64(done), Seconds: done * each, Flushes: &flushes, FlushSeconds: &flushing, ReadSeconds: &reading}
			s.App.Processor = &model.AppProcessor{Seconds: s.App.Seconds, ServerCPU: done * 0.9e-3, ClientCPU: done * 0.2e-3}
		})
		ev.Report.Results = append(ev.Report.Results, model.Result{Workload: w.Name, Direction: model.Write, Verdict: model.Valid,
			Metrics: map[model.Metric]model.Estimate{model.Transactions: sure("1/s", min(float64(n)/4.2e-3, 1800))},
			App:     &model.AppResult{LogBytes: &c.log, Reads: &c.reads, DeviceReads: &c.deviceReads}})
	}
	return ev
}

const tpcb, simple = "--builtin=tpcb-like", "--builtin=simple-update"

// inMemory reads nothing, and its log fits into one page.
var inMemory = cost{log: 8000}

func predict(t *testing.T, from, app Evidence, ask Ask) *prediction.Prediction {
	t.Helper()
	p, err := Predict(from, app, ask)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// One client's transaction takes 1.6 ms of its own work there, and a flush of 1 ms here.
func TestPredictOneClient(t *testing.T) {
	p := predict(t, onStorage(1e-3, 1.5e-3, 0), onPostgres(tpcb, inMemory, 1), Ask{Clients: []int{1}})
	x := p.Points[0]
	// Its 8,000 bytes are in two pages but for one time in forty, and so in one of seven steps from 1 to 1.5 ms.
	about(t, "rate", x.Rate.Value, 1/2.67e-3, 0.02)
	about(t, "latency", x.Latency.Value, 1/x.Rate.Value, 1e-9)
	about(t, "own work beside processors", p.Other.Value, 0.5e-3, 1e-6)
	// 3 % of 4.2 ms.
	about(t, "its lower bound", p.Other.Low, 0.5e-3-4.2e-3*(1-1/1.03), 1e-6)
	if x.Limit != prediction.ByWork || x.Busy == nil || p.Read != nil || p.Scale != 20 || p.Verdict != model.Valid {
		t.Errorf("%+v", p)
	}
	about(t, "flush", p.Flushes[0].Value, 1e-3, 1e-9)
	about(t, "bounds of the flush", p.Flushes[0].High, 1e-3/0.97, 1e-9)
	all := strings.Join(p.Assumes, "\n")
	for _, want := range []string{"processors are like those of /old, 2 processors (an old one)", "none is read from the disk", "nobody else uses it", "no checkpoint"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing is said of %q: %s", want, all)
		}
	}
}

// The CPU time of numbers of clients that were not measured is between those that were.
func TestTheCostOfOtherClientsIsBetween(t *testing.T) {
	app := onPostgres(tpcb, inMemory, 1, 16)
	app.Recorded.Run.Steps[1].App.Processor.ServerCPU /= 2
	l, err := app.like()
	if err != nil {
		t.Fatal(err)
	}
	one, sixteen := *l.of(1).Processor, *l.of(16).Processor
	if sixteen >= one {
		t.Fatalf("%v and %v", one, sixteen)
	}
	about(t, "4 clients", *l.of(4).Processor, math.Sqrt(one*sixteen), 1e-9)
	about(t, "64 clients", *l.of(64).Processor, sixteen, 1e-9)
	p := predict(t, onStorage(1e-3, 2e-3, 0), app, Ask{Clients: []int{1, 4, 16}})
	if all := strings.Join(p.Assumes, "\n"); !strings.Contains(all, "between those of fewer and of more") {
		t.Errorf("the condition is not said: %s", all)
	}
}

// Where the processors limit the rate, it is known as well as what a transaction costs them: if the rate of as many clients
// varied by a fifth, so may theirs.
func TestPredictIsAsSureAsTheCosts(t *testing.T) {
	app := onPostgres(tpcb, inMemory, 1, 32)
	is := &app.Report.Results[len(app.Report.Results)-1]
	rate := is.Metrics[model.Transactions]
	rate.Low, rate.High = rate.Value/1.2, rate.Value*1.2
	is.Metrics[model.Transactions] = rate
	// 31 clients were not measured: they are known no better than 32.
	for _, x := range predict(t, onStorage(50e-6, 60e-6, 0), app, Ask{Clients: []int{31, 32}}).Points {
		if x.Limit != prediction.ByProcessors {
			t.Errorf("the limit is %s", x.Limit)
		}
		i := slices.IndexFunc(x.Uncertainties, func(u prediction.Uncertainty) bool { return u.Of == "own work of a transaction" })
		if i < 0 {
			t.Fatalf("%+v", x.Uncertainties)
		}
		about(t, "lower bound", 1+x.Uncertainties[i].Low, 1/1.2, 0.03)
		about(t, "upper bound", 1+x.Uncertainties[i].High, 1.2, 0.03)
	}
}

// Four clients share flushes; the log of two is four pages, between 8 and 64 KiB: the first was begun by the flush before.
func TestPredictSeveralClients(t *testing.T) {
	p := predict(t, onStorage(8e-3, 15e-3, 0), onPostgres(simple, cost{log: 12_000}, 1), Ask{Clients: []int{64, 4, 1, 4}})
	if len(p.Points) != 3 || p.Points[0].Clients != 1 || p.Points[2].Clients != 64 {
		t.Fatalf("%+v", p.Points)
	}
	x := p.Points[1]
	about(t, "rate", x.Rate.Value, 4/(2*(8e-3+3*7e-3/7)), 0.06)
	if x.Limit != prediction.ByFlushes {
		t.Errorf("%+v", x)
	}
	all := strings.Join(p.Assumes, "\n")
	if !strings.Contains(all, "more than 1 client takes as much") || !strings.Contains(all, "at scale 20 and not 64") {
		t.Error(all)
	}
	// Two processors do no more than two seconds of 1.1 ms each.
	if x := p.Points[2]; x.Limit != prediction.ByProcessors && x.Rate.Value > 2/1.1e-3 {
		t.Errorf("%+v", x)
	}
}

// estimated selects the estimate of a time.
func estimated(t prediction.Flush) float64 { return t.Value }

// The time of a flush of more log.
func TestFlushesBetweenSizes(t *testing.T) {
	at := func(bytes int64, seconds float64) prediction.Flush {
		return prediction.Flush{Time: prediction.Time{Bytes: bytes, Estimate: model.Estimate{Value: seconds}}}
	}
	flush := flushOf([]prediction.Flush{at(8<<10, 1e-3), at(64<<10, 8e-3)}, estimated)
	for bytes, want := range map[float64]float64{1: 1e-3, 8192: 1e-3, 8193: 2e-3, 65536: 8e-3, 131072: 16e-3} {
		about(t, fmt.Sprint(bytes), flush(bytes), want, 1e-9)
	}
	// A larger flush that was measured to be faster counts as equally fast.
	flush = flushOf([]prediction.Flush{at(8<<10, 2e-3), at(64<<10, 1e-3)}, estimated)
	about(t, "larger and faster", flush(1<<20), 2e-3, 1e-9)
	about(t, "one size", flushOf([]prediction.Flush{at(8<<10, 2e-3)}, estimated)(1<<20), 2e-3, 1e-9)
}

// Pages read from the device wait for this storage.
func TestPredictReads(t *testing.T) {
	from := onStorage(1e-3, 1.5e-3, 4e-3)
	like := onPostgres(tpcb, cost{reads: 1, deviceReads: 0.5, log: 8000}, 1)
	p := predict(t, from, like, Ask{Clients: []int{1}})
	about(t, "rate", p.Points[0].Rate.Value, 1/4.6e-3, 0.04)
	if p.Read == nil || p.Read.Concurrency != 0 || p.Costs[0].Reads != 0.5 || len(p.Points[0].Uncertainties) != 4 {
		t.Errorf("%+v", p)
	}
	// A queue of 16 that is twice as fast as one of 1 serves two at once: 16 clients do no more than 2
	// / 4 ms / 0.5.
	from.timedIO(pageReads("page-read-16", 16), 8*4e-3, 0)
	p = predict(t, from, like, Ask{Clients: []int{64}})
	if p.Read.Concurrency != 2 {
		t.Errorf("%+v", p.Read)
	}
	about(t, "reads are the limit", p.Points[0].Rate.Value, 1000, 0.05)
	if p.Points[0].Limit != prediction.ByReads {
		t.Errorf("%+v", p.Points[0])
	}
	// The device cannot be read more often than the server's cache misses.
	p = predict(t, from, onPostgres(tpcb, cost{reads: 0.2, deviceReads: 3, log: 8000}, 1), Ask{})
	if p.Costs[0].Reads != 0.2 {
		t.Errorf("%+v", p.Costs)
	}
}

// A prediction includes the rules' findings on what was used.
func TestPredictionsInheritFindings(t *testing.T) {
	from := onStorage(1e-3, 1.5e-3, 1e-3)
	from.Report.Results[0].Verdict = model.Suspect
	from.Report.Findings = []model.Finding{
		{Rule: "stall", Severity: model.SeverityWarning, Results: []string{"wal-8k"}, Message: "x"},
		{Rule: "cache", Severity: model.SeverityWarning, Results: []string{"page-read"}, Message: "x"},
		{Rule: "network", Severity: model.SeverityWarning, Message: "x"},
		{Rule: "size", Severity: model.SeverityNote, Results: []string{"wal-8k"}, Message: "x"},
	}
	p := predict(t, from, onPostgres(tpcb, inMemory, 1), Ask{})
	if len(p.Findings) != 2 || p.Findings[0].Rule != "stall" || p.Findings[1].Rule != "network" || p.Verdict != model.Suspect {
		t.Errorf("%+v", p.Findings)
	}
	from.Report.Results[2].Verdict = model.Invalid
	if p := predict(t, from, onPostgres(tpcb, inMemory, 1), Ask{}); p.Verdict != model.Invalid {
		t.Errorf("%+v", p)
	}
}

// A run without the necessary data is refused, and the message says what would provide it.
func TestWhatCannotBePredicted(t *testing.T) {
	fine := func() (Evidence, Evidence, *Ask) {
		return onStorage(1e-3, 1.5e-3, 1e-3), onPostgres(tpcb, cost{reads: 1, deviceReads: 0.5, log: 8000}, 1), &Ask{}
	}
	const storage, costs = "loadline run /new --profile postgres", "loadline app postgres DIR --profile small"
	for name, c := range map[string]struct {
		spoil func(from, like *Evidence, ask *Ask)
		says  string
		next  string
	}{
		"imported":       {func(f, _ *Evidence, _ *Ask) { f.Recorded.Imported = &model.Imported{} }, "another tool", "--profile postgres"},
		"an application": {func(f, _ *Evidence, _ *Ask) { f.Report.Run.Target.Kind = model.Postgres }, "of the storage by itself", "--profile postgres"},
		"no flush":       {func(f, _ *Evidence, _ *Ask) { f.Report.Run.Volume.NoFlush = true }, "offers no flush", ""},
		"buffered": {func(f, _ *Evidence, _ *Ask) {
			f.Report.Findings = []model.Finding{{Rule: "buffered", Severity: model.SeverityWarning, Message: "x"}}
		}, "page cache", "direct I/O"},
		"appended": {func(f, _ *Evidence, _ *Ask) {
			f.Recorded.Plan.Workloads[0].Append, f.Recorded.Plan.Workloads[1].Append = true, true
		}, "how long a commit waits", storage},
		"no flushes": {func(f, _ *Evidence, _ *Ask) { f.Recorded.Plan.Workloads = f.Recorded.Plan.Workloads[2:] }, "how long a commit waits", storage},
		"once": {func(f, _ *Evidence, _ *Ask) {
			for _, r := range f.Report.Results {
				r.Metrics[model.IOPS] = model.Estimate{Value: 100, Low: 100, High: 100}
			}
		}, "how long a commit waits", storage},
		"no reads":         {func(f, _ *Evidence, _ *Ask) { f.Recorded.Plan.Workloads = f.Recorded.Plan.Workloads[:2] }, "the read of a page", storage},
		"a load imported":  {func(_, l *Evidence, _ *Ask) { l.Recorded.Imported = &model.Imported{} }, "another tool", costs},
		"several clients":  {func(_, l *Evidence, _ *Ask) { *l = onPostgres(tpcb, inMemory, 4) }, "load with 1 client", costs},
		"another load":     {func(_, l *Evidence, _ *Ask) { *l = onPostgres("--builtin=select-only", inMemory, 1) }, "TPC-B-like or simple-update", costs},
		"a script":         {func(_, l *Evidence, _ *Ask) { l.Recorded.Plan.Workloads[0].App.Script = "x" }, "load with 1 client", costs},
		"at a rate":        {func(_, l *Evidence, _ *Ask) { l.Recorded.Plan.Workloads[0].OpenLoop = true }, "load with 1 client", costs},
		"connecting":       {func(_, l *Evidence, _ *Ask) { l.Recorded.Plan.Workloads[0].App.Reconnect = true }, "load with 1 client", costs},
		"not waiting":      {func(_, l *Evidence, _ *Ask) { *l.Recorded.Run.Steps[0].App.Flushes = 5 }, "do not wait for flushes", costs},
		"uncounted":        {func(_, l *Evidence, _ *Ask) { l.Recorded.Run.Steps[0].App.ReadSeconds = nil }, "it is not known", costs},
		"flushes too long": {func(_, l *Evidence, _ *Ask) { *l.Recorded.Run.Steps[0].App.FlushSeconds = 5 }, "more than it took", costs},
		"reads without end": {func(_, l *Evidence, _ *Ask) {
			a, many := l.Report.Results[0].App, 1e9
			a.Reads, a.DeviceReads = &many, &many
		}, "touch some ten", costs},
		"log without end": {func(_, l *Evidence, _ *Ask) {
			many := 1e12
			l.Report.Results[0].App.LogBytes = &many
		}, "of log, and pgbench", costs},
		"a shared server": {func(_, l *Evidence, _ *Ask) {
			others := 100.0
			l.Recorded.Run.Steps[0].App.Others = &others
		}, "others used the server", costs},
		"no processors":        {func(_, l *Evidence, _ *Ask) { l.Recorded.Environment.CPUs = 0 }, "how many processors", costs},
		"countless processors": {func(_, l *Evidence, _ *Ask) { l.Recorded.Environment.CPUs = 1e9 }, "how many processors", costs},
		"busier than full":     {func(_, l *Evidence, _ *Ask) { l.Recorded.Run.Steps[0].App.Processor.ServerCPU = 100 }, "more than all processors have", costs},
		"large flushes only": {func(f, _ *Evidence, _ *Ask) {
			f.Recorded.Plan.Workloads = slices.Clone(f.Recorded.Plan.Workloads[1:])
		}, "the smallest flush of the log that from measured is one of 64k", storage},
		"numbers without end": {func(_, _ *Evidence, a *Ask) {
			a.Clients = nil
			for n := range 17 {
				a.Clients = append(a.Clients, n+1)
			}
		}, "17 numbers of clients", "at most 16"},
		"an unknown disk": {func(_, l *Evidence, _ *Ask) { l.Report.Results[0].App.DeviceReads = nil }, "come from the device", costs},
		"measured once": {func(_, l *Evidence, _ *Ask) {
			l.Report.Results[0].Metrics[model.Transactions] = model.Estimate{Value: 1}
		}, "how sure", costs},
		"an invalid load": {func(_, l *Evidence, _ *Ask) {
			l.Report.Results[0].Verdict = model.Invalid
			l.Report.Findings = []model.Finding{{Rule: "durable", Severity: model.SeverityInvalid, Results: []string{"load-c1"}, Message: "fsync is off", Next: "switch it on"}}
		}, "invalid (durable): fsync is off", "switch it on"},
		"no client": {func(_, _ *Evidence, a *Ask) { a.Clients = []int{0, 4} }, "from 1 to 1000", "--clients"},
		"many":      {func(_, _ *Evidence, a *Ask) { a.Clients = []int{1001} }, "from 1 to 1000", "--clients"},
		"enormous":  {func(_, _ *Evidence, a *Ask) { a.Scale = 100_001 }, "from 1 to 100000", "--scale"},
	} {
		t.Run(name, func(t *testing.T) {
			from, like, ask := fine()
			c.spoil(&from, &like, ask)
			_, err := Predict(from, like, *ask)
			if e := modeltest.Refused(t, err); !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.next) {
				t.Errorf("%s; next: %s", e.Message, e.Hint)
			}
		})
	}
	from, like, ask := fine()
	predict(t, from, like, *ask)
}

// Costs of the same number of clients are used if they were measured, otherwise those of a smaller
// number.
func TestCostsOfTheNearestClients(t *testing.T) {
	l, err := onPostgres(tpcb, inMemory, 16, 1, 4).like()
	if err != nil {
		t.Fatal(err)
	}
	for clients, want := range map[int]string{1: "load-c1", 3: "load-c1", 4: "load-c4", 15: "load-c4", 16: "load-c16", 500: "load-c16"} {
		if got := l.of(clients).Workload; got != want {
			t.Errorf("%d clients: %s, want %s", clients, got, want)
		}
	}
}

func TestPredictionsObeyArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 18))
	for range 12 {
		time := func() float64 { return math.Pow(10, -4+2*r.Float64()) }
		flush, read, reads := time(), time(), 2*r.Float64()
		like := onPostgres([]string{tpcb, simple}[r.IntN(2)], cost{reads: reads, deviceReads: reads, log: 100 + 20_000*r.Float64()}, 1, 16)
		ask := Ask{Clients: []int{1 + r.IntN(30)}}
		x := predict(t, onStorage(flush, flush*1.5, read), like, ask).Points[0]
		if !(x.Rate.Low <= x.Rate.Value*math.Exp(-prediction.ModelError)*(1+1e-9) && x.Rate.High*(1+1e-9) >= x.Rate.Value*math.Exp(prediction.ModelError)) {
			t.Errorf("the interval does not hold the model's error: %+v", x.Rate)
		}
		if !(x.Latency.Low <= x.Latency.Value && x.Latency.Value <= x.Latency.High) || math.Abs(x.Latency.High*x.Rate.Low-float64(x.Clients)) > 1e-6 {
			t.Errorf("%+v and %+v", x.Rate, x.Latency)
		}
		if faster := predict(t, onStorage(flush/2, flush*0.75, read), like, ask).Points[0]; faster.Rate.Value < 0.96*x.Rate.Value {
			t.Errorf("%v/s, on storage with flushes in half the time %v/s", x.Rate.Value, faster.Rate.Value)
		}
	}
}

// A storage that limits the rate of its flushes shows that by its median, if its rate is constant; a
// storage with rare stalls is not one. What processors do for it besides the load tool and what they do
// anyway is its own work.
func TestWhatAFlushCosts(t *testing.T) {
	const mean, median, own = 2.6e-3, 0.3e-3, 0.5e-3
	for _, c := range []struct {
		what            string
		median, spread  float64
		idle, vary      float64
		unlimited, work float64
		// itself is the CPU use of the worker and all of fio, in processors.
		itself float64
	}{
		{"a limit", median, 0.005, 1, 0, median, own, 0},
		{"stalls", median, 0.2, 1, 0, 0, own, 0},
		{"no limit", 0.95 * mean, 0.005, 1, 0, 0, own, 0},
		{"others at work", 0.95 * mean, 0.005, 0.98, 0, 0, own - 2*0.02*mean, 0},
		{"others at more work than that", 0.95 * mean, 0.005, 0.9, 0, 0, 0, 0},
		{"others that come and go", 0.95 * mean, 0.005, 1, 0.05, 0, 0, 0},
		{"not counted without load", 0.95 * mean, 0.005, -1, 0, 0, 0, 0},
		{"Loadline at work", 0.95 * mean, 0.005, 1, 0, 0, own - 0.1*mean, 0.2},
		{"only Loadline at work", 0.95 * mean, 0.005, 1, 0, 0, 0, 0.1 + own/mean},
	} {
		ev := onStorage(mean, mean, 0)
		ev.Recorded.Environment.CPUs = 2
		if c.idle >= 0 {
			ev.Recorded.Run.Beside.Idle = &model.Counters{Seconds: 1, Idle: c.idle}
		}
		for i := range ev.Report.Results {
			r := &ev.Report.Results[i]
			half := c.median / 2
			r.Latency.P50 = &half
			rate := r.Metrics[model.IOPS]
			rate.Low, rate.High = rate.Value*(1-c.spread), rate.Value*(1+c.spread)
			r.Metrics[model.IOPS] = rate
		}
		for _, name := range []string{"wal-8k", "wal-64k"} {
			for i := range 3 {
				ev.step(name, func(s *model.StepResult) {
					// One processor of two is busy for the load tool for a tenth of the time.
					s.UserCPU, s.SystemCPU = 0.04, 0.06
					s.Counters = &model.Counters{Seconds: 3, Idle: 0.7 + c.vary*float64(i-1), IOWait: 0.3 - (0.1+own/mean)/2, OwnCPU: 3 * c.itself}
				})
			}
		}
		s, err := ev.storageTimes(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.flushes {
			if f.Unlimited != c.unlimited || math.Abs(f.Processor-c.work) > 1e-9 || s.limited() != (c.unlimited > 0) {
				t.Errorf("%s: %s %+v", c.what, f.Workload, f)
			}
		}
		ev.Recorded.Environment.CgroupCPU = 1
		if s, _ := ev.storageTimes(false); s.works() {
			t.Errorf("%s: the storage works within the limit of a cgroup: %+v", c.what, s.flushes)
		}
	}
}

// predictedFor is the prediction for one client, whose own work takes 1.7 ms, on storage whose flushes have that mean and
// median, at a rate with an interval of that relative half-width.
func predictedFor(t *testing.T, mean, median, half float64) *prediction.Prediction {
	t.Helper()
	from := onStorage(mean, mean, 0)
	for i := range from.Report.Results {
		r := &from.Report.Results[i]
		part := median / 2
		r.Latency.P50 = &part
		rate := r.Metrics[model.IOPS]
		rate.Low, rate.High = rate.Value*(1-half), rate.Value*(1+half)
		r.Metrics[model.IOPS] = rate
	}
	p, err := Predict(from, onPostgres("--builtin=tpcb-like", cost{log: 1000}, 1), Ask{Clients: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Storage that answers most flushes fast and the others slowly may look as if it limited the rate: the
// interval contains what one client does there.
func TestALimitIsNotCertain(t *testing.T) {
	const mean, median = 2.6e-3, 0.5e-3
	p := predictedFor(t, mean, median, 0.005)
	x := p.Points[0].Rate
	about(t, "at the limit", x.Value, 1/mean, 0.05)
	if slow := 1 / (1.7e-3 + mean); x.Low > 1.01*slow || !strings.Contains(strings.Join(p.Assumes, "; "), "limits the rate: to 385 flushes of 8k per second") {
		t.Errorf("%+v, want down to %v: %q", x, slow, p.Assumes)
	}
}

// A limit that a busy machine has disturbed is not recognized by its constant rate: the interval contains what one
// client does if there is one.
func TestALimitThatIsNotRecognized(t *testing.T) {
	const mean, median = 2.6e-3, 0.5e-3
	p := predictedFor(t, mean, median, 0.07)
	x := p.Points[0].Rate
	about(t, "without a limit", x.Value, 1/(1.7e-3+mean), 0.05)
	if limited := 1 / mean; x.High < 0.99*limited {
		t.Errorf("%+v, want up to %v", x, limited)
	}
}
