package explain

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// simulatedPostgres is a run of PostgreSQL with 1 and 4 clients on two processors. With one client a flush takes 0.4 ms and the rest
// 0.8 ms on a processor; with four it is as the simulation says if all work on processors takes so many times as long.
func simulatedPostgres(contention float64) Evidence {
	const flush, work = 0.4e-3, 0.8e-3
	ev := onPostgres(simple, inMemory, 1, 4)
	x := server{clients: 4, processors: 2, work: contention * work, log: inMemory.log, flush: always(flush), script: scripts[1], scale: 20}
	four := x.simulate()
	for i, p := range []outcome{{rate: 1 / (flush + work), flushes: 1}, four} {
		s := &ev.Recorded.Run.Steps[i]
		n := float64(s.App.Transactions)
		flushes, flushing, reading := n*p.flushes, n*p.flushes*flush, 0.0
		s.App.Seconds, s.App.Flushes, s.App.FlushSeconds, s.App.ReadSeconds = n/p.rate, &flushes, &flushing, &reading
		s.Counters = &model.Counters{Seconds: s.App.Seconds, Idle: 1 - p.busy}
		s.App.Processor = &model.AppProcessor{Seconds: s.App.Seconds, ServerCPU: n * work}
		ev.Report.Results[i].Metrics[model.Transactions] = sure("1/s", p.rate)
	}
	return ev
}

// What several clients are slower than their parts say is found in the run that is used for costs, and holds on the
// other storage; with processors to spare there is nothing to find.
func TestContentionIsThatOfTheMeasuredApplication(t *testing.T) {
	for _, want := range []float64{1, 1.25, 1.5} {
		app := simulatedPostgres(want)
		l, err := app.like()
		if err != nil {
			t.Fatal(err)
		}
		if l.costs[0].Contention != 0 {
			t.Errorf("one client: %+v", l.costs[0])
		}
		about(t, "contention", l.costs[1].Contention, want, 0.02)
		// A flush of 20 ms leaves the processors idle.
		slow := predict(t, onStorage(20e-3, 20e-3, 0), app, Ask{Clients: []int{4}}).Points[0]
		about(t, "on slow storage", slow.Rate.Value, 4/(2*20e-3), 0.05)
		// The same flush as there.
		same := predict(t, onStorage(0.4e-3, 0.4e-3, 0), app, Ask{Clients: []int{4}}).Points[0]
		about(t, "on the same storage", same.Rate.Value, app.Report.Results[1].Metrics[model.Transactions].Value, 0.03)
	}
	spare := simulatedPostgres(1.25)
	spare.Recorded.Environment.CPUs = 16
	if l, err := spare.like(); err != nil || l.costs[1].Contention != 0 {
		t.Errorf("with processors to spare: %v, %+v", err, l.costs)
	}
}

// What the hypervisor took away during some of the repeats is not what a transaction costs; if it did so during all, they count.
func TestDisturbedRepeatsAreLeftOut(t *testing.T) {
	app := onPostgres(tpcb, inMemory, 1)
	w := app.Recorded.Plan.Workloads[0].Name
	quiet := app.Recorded.Run.Steps[0]
	for range 2 {
		app.step(w, func(s *model.StepResult) {
			a, p := *quiet.App, *quiet.App.Processor
			a.Seconds, p.ServerCPU = 2*a.Seconds, 2*p.ServerCPU
			a.Processor = &p
			s.App, s.Counters = &a, &model.Counters{Seconds: 1, Steal: 0.15}
		})
	}
	x := predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1}})
	about(t, "one client", x.Points[0].Rate.Value, 1/2.6e-3, 0.02)
	if all := strings.Join(x.Assumes, "\n"); !strings.Contains(all, "comes from 1 of 3 repeats") {
		t.Errorf("it is not said: %s", all)
	}
	for i := range app.Recorded.Run.Steps {
		app.Recorded.Run.Steps[i].Counters = &model.Counters{Seconds: 1, Steal: 0.15}
	}
	if all := strings.Join(predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1}}).Assumes, "\n"); !strings.Contains(all, "from repeats during each of which") || strings.Contains(all, "of 3") {
		t.Errorf("it is not said, or some are left out: %s", all)
	}
}

// Numbers of clients below the smallest for which contention is known have that of it, but one client has none.
func TestContentionOfOtherClients(t *testing.T) {
	l, err := simulatedPostgres(1.25).like()
	if err != nil {
		t.Fatal(err)
	}
	for clients, want := range map[int]float64{1: 0, 2: l.costs[1].Contention, 4: l.costs[1].Contention, 9: l.costs[1].Contention} {
		if got := l.of(clients).Contention; got != want {
			t.Errorf("%d clients: %v, want %v", clients, got, want)
		}
	}
}

// The first repeat took a third longer than the others: the time of a flush is theirs, and its interval is that of the rate.
func TestTheTimeOfAFlushIsThatOfTheMedianRepeat(t *testing.T) {
	for metric, repeats := range map[model.Metric][]float64{model.IOPS: {700, 1000, 1000}, model.Latency: {1.5e-3, 1e-3, 1e-3}} {
		ev := onStorage(1e-3, 1e-3, 0)
		for i := range ev.Report.Results {
			ev.Report.Results[i].Metric, ev.Report.Results[i].RepeatValues = metric, repeats
		}
		s, err := ev.storageTimes(false)
		if err != nil {
			t.Fatal(err)
		}
		want := map[model.Metric]float64{model.IOPS: 0.9e-3, model.Latency: 1e-3 * 3 / 3.5}[metric]
		f := s.flushes[0]
		about(t, string(metric), f.Value, want, 1e-9)
		about(t, "upper bound", f.High, 1e-3/0.97, 1e-9)
		if f.Low > f.Value {
			t.Errorf("%+v", f)
		}
	}
}

// What contention does not explain, or is not known of it, is said.
func TestWhatIsNotKnownOfContention(t *testing.T) {
	said := func(app Evidence) string {
		return strings.Join(predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1, 4}}).Assumes, "\n")
	}
	const unknown, unexplained = "no run with several", "the simulation of load-c4 does not come to its measured rate"
	if all := said(onPostgres(simple, inMemory, 1)); !strings.Contains(all, unknown) {
		t.Errorf("one client only: %s", all)
	}
	if all := said(simulatedPostgres(1.25)); strings.Contains(all, unknown) || strings.Contains(all, unexplained) {
		t.Errorf("it is known: %s", all)
	}
	if all := said(simulatedPostgres(3)); !strings.Contains(all, unexplained) {
		t.Errorf("three times as long: %s", all)
	}
}

// Without the counters of processors, nobody knows that they were busy.
func TestNoContentionWithoutCounters(t *testing.T) {
	app := simulatedPostgres(1.5)
	for i := range app.Recorded.Run.Steps {
		app.Recorded.Run.Steps[i].Counters = nil
	}
	if l, err := app.like(); err != nil || l.costs[1].Contention != 0 {
		t.Errorf("%v, %+v", err, l.costs)
	}
}

// Time on processors that does not fit beside the flushes was spent in them: one client is not slower for it.
func TestWorkDuringAFlush(t *testing.T) {
	app := simulatedPostgres(1)
	for i := range app.Recorded.Run.Steps {
		a := app.Recorded.Run.Steps[i].App
		a.Processor.ServerCPU += 0.1e-3 * *a.Flushes
	}
	l, err := app.like()
	if err != nil {
		t.Fatal(err)
	}
	about(t, "in a flush", l.inFlush, 0.1e-3, 1e-6)
	x := predict(t, onStorage(1e-3, 1e-3, 0), app, Ask{Clients: []int{1}}).Points[0]
	about(t, "one client", x.Rate.Value, 1/1.8e-3, 0.02)
	// As sure as the time of 1.2 ms, of which 0.8 ms are its own.
	about(t, "its lower bound", l.own["load-c1"].Low, 1-1.2/0.8*(1-1/1.03), 1e-6)
}

// Under a limit that holds back many of the writes, the median is theirs: those that are not held back say how
// long a flush takes. A few slow ones, or a wide distribution, are no limit.
func TestWhatIsNotHeldBack(t *testing.T) {
	const mean = 1e-3
	for name, c := range map[string]struct {
		fast, slow, share float64
		want              float64
	}{
		"most are held back":   {0.2e-3, 1.3e-3, 0.3, 0.4e-3},
		"half of them":         {0.2e-3, 1.3e-3, 0.5, 0.4e-3},
		"hardly one is not":    {0.2e-3, 1.0e-3, 0.05, 0},
		"they differ a little": {0.7e-3, 0.9e-3, 0.5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ev := onStorage(mean, mean, 0)
			for i := range ev.Report.Results {
				r := &ev.Report.Results[i]
				half := c.slow
				if r.Direction == model.Sync {
					half = 0.2e-3
				}
				r.Latency.P50 = &half
				rate := r.Metrics[model.IOPS]
				rate.Low, rate.High = 0.99*rate.Value, 1.01*rate.Value
				r.Metrics[model.IOPS] = rate
			}
			var h, y histogram.Histogram
			h.Add(histogram.BucketOf(uint64(1e9*c.fast)), uint64(1000*c.share))
			h.Add(histogram.BucketOf(uint64(1e9*c.slow)), uint64(1000*(1-c.share)))
			y.Add(histogram.BucketOf(200_000), 1000)
			for _, name := range []string{"wal-8k", "wal-64k"} {
				ev.step(name, func(s *model.StepResult) {})
			}
			for _, s := range ev.Recorded.Run.Steps {
				ev.Recorded.Samples = append(ev.Recorded.Samples, model.Sample{Step: s.Step.Number, Write: &model.Flow{IOs: 1000, Histogram: h}, Sync: &model.Flow{IOs: 1000, Histogram: y}})
			}
			s, err := ev.storageTimes(false)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.flushes[0].Unlimited; math.Abs(got-c.want) > 0.02*mean {
				t.Errorf("a flush that is not held back takes %v, want %v", got, c.want)
			}
		})
	}
}

// What else used the processors of the measured application is no contention of its own, and uses them on the other storage, too: where
// they are full that much less is left, and where they are not it takes nothing.
func TestWhatElseUsesTheProcessors(t *testing.T) {
	const beside = 0.2
	app := simulatedPostgres(1)
	app.Recorded.Run.Beside.Idle = &model.Counters{Seconds: 1, Idle: 1}
	full := server{clients: 4, processors: 2, work: 0.8e-3, log: inMemory.log, flush: always(0.4e-3), script: scripts[1], scale: 20}.within(2-beside, nil)
	for i, rate := range []float64{1 / 1.2e-3, full.rate} {
		s := &app.Recorded.Run.Steps[i]
		n := float64(s.App.Transactions)
		s.App.Seconds = n / rate
		s.App.Processor.Seconds = s.App.Seconds
		s.Counters = &model.Counters{Seconds: s.App.Seconds, Idle: 1 - (rate*0.8e-3+beside)/2}
		app.Report.Results[i].Metrics[model.Transactions] = sure("1/s", rate)
	}
	l, err := app.like()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range l.costs {
		about(t, c.Workload+", beside", c.Beside, beside, 0.01)
	}
	about(t, "contention", l.costs[1].Contention, 1, 0.03)
	p := predict(t, onStorage(0.4e-3, 0.4e-3, 0), app, Ask{Clients: []int{1, 4}})
	about(t, "one client on the same storage", p.Points[0].Rate.Value, 1/1.2e-3, 0.01)
	about(t, "four clients on the same storage", p.Points[1].Rate.Value, full.rate, 0.03)
	if said := strings.Join(p.Assumes, "\n"); !strings.Contains(said, "uses 0.2 of a processor") {
		t.Error(said)
	}
	// Flushes of 10 µs leave nothing to wait for but processors.
	about(t, "full processors", predict(t, onStorage(10e-6, 10e-6, 0), app, Ask{Clients: []int{4}}).Points[0].Rate.Value, (2-beside)/0.8e-3, 0.05)
}
