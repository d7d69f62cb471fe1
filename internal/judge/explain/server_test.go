package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model/prediction"
)

// always is a flush with a constant duration.
func always(seconds float64) func(float64) float64 { return func(float64) float64 { return seconds } }

// updates is a server running pgbench's simple update, in which no client waits for a row.
func updates(clients int, own, flush float64) server {
	return server{clients: clients, work: own / 2, other: own / 2, flush: always(flush), script: scripts[1], scale: 10}
}

// about fails if the relative difference between two values is larger than share.
func about(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got/want-1) > share {
		t.Errorf("%s: %v, want %v to %.0f %%", what, got, want, 100*share)
	}
}

// Where a law applies, the simulation agrees with it.
func TestTheSimulationComesToTheLaws(t *testing.T) {
	const own, flush = 1e-3, 5e-3
	serial := updates(1, own, flush).simulate()
	about(t, "one client", serial.rate, 1/(own+flush), 0.02)
	about(t, "its flushes", serial.flushes, 1, 1e-9)
	for _, n := range []float64{2, 4, 16, 64} {
		p := updates(int(n), own, flush).simulate()
		about(t, "group commit", p.rate, n/(2*flush), 0.03)
		about(t, "its flushes", p.flushes, 2/n, 0.05)
		if p.flushing < 0.98 {
			t.Errorf("%v clients: a flush is in progress %.2f of the time", n, p.flushing)
		}
	}
	full := updates(64, 4e-3, 0.1e-3)
	full.work, full.other, full.processors = 1e-3, 0, 2
	p := full.simulate()
	about(t, "full processors", p.rate, 2/1e-3, 0.02)
	if p.busy < 0.98 || limitOf(p) != prediction.ByProcessors {
		t.Errorf("%+v is limited by %s", p, limitOf(p))
	}
	disk := updates(64, 0.1e-3, 0.1e-3)
	disk.reads, disk.read, disk.readers = 1.5, 5e-3, 3
	p = disk.simulate()
	about(t, "reads", p.rate, 3/5e-3/1.5, 0.03)
	if limitOf(p) != prediction.ByReads {
		t.Errorf("%+v is limited by %s", p, limitOf(p))
	}
	// One branch: its holder does three of seven statements and flushes before the next client may
	// continue, and no client waits for another's flush.
	rows := server{clients: 16, work: 0.35e-3, other: 0.35e-3, flush: always(flush), script: scripts[0], scale: 1}
	p = rows.simulate()
	about(t, "one branch", p.rate, 1/(0.35e-3*3/7+0.35e-3*2/7+flush), 0.03)
	if limitOf(p) != prediction.ByRows {
		t.Errorf("%+v is limited by %s", p, limitOf(p))
	}
	if idle := updates(1, 5e-3, 0.1e-3).simulate(); limitOf(idle) != prediction.ByWork {
		t.Errorf("%+v is limited by %s", idle, limitOf(idle))
	}
}

// Measurements on PostgreSQL 17 with an fdatasync that takes 4 ms longer, by pgbench's simple update
// with 1 to 16 clients: transactions per second, and the time of a flush in ms. A transaction's own
// work comes from one client: 7.19 ms minus a flush.
func TestWhatWasMeasuredOnSlowFlushes(t *testing.T) {
	const own = 1/139.0 - 5.62e-3
	for _, m := range []struct {
		clients    int
		rate, each float64
	}{{1, 139, 5.62}, {2, 180, 5.46}, {4, 368, 5.22}, {8, 731, 5.24}, {16, 1483, 5.10}} {
		p := updates(m.clients, own, m.each*1e-3).simulate()
		t.Logf("%2d clients: %.0f/s simulated, %.0f/s measured (%+.1f %%)", m.clients, p.rate, m.rate, 100*(p.rate/m.rate-1))
		about(t, "simulated against measured", p.rate, m.rate, 0.08)
	}
}

// A different kind of simulation, from flush to flush, has the same outcome.
func TestTwoSimulationsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		f := 2e-3 + 20e-3*r.Float64()
		c := f * (0.05 + 0.35*r.Float64())
		for _, n := range []int{1, 4, 16} {
			counts := committed(r, n, c, f)
			about(t, "rate", updates(n, c, f).simulate().rate, float64(counts.Transactions)/counts.Seconds, 0.06)
		}
	}
}

// drawnServer draws a random server.
func drawnServer(t *rapid.T) server {
	time := func(name string) float64 { return math.Pow(10, rapid.Float64Range(-5, -2).Draw(t, name)) }
	s := server{clients: rapid.SampledFrom([]int{1, 2, 3, 8, 40}).Draw(t, "clients"), processors: rapid.IntRange(0, 8).Draw(t, "processors"), readers: rapid.IntRange(0, 8).Draw(t, "readers"),
		work: time("work"), other: time("other"), reads: rapid.Float64Range(0, 2).Draw(t, "reads"), read: time("read"),
		script: rapid.SampledFrom(scripts).Draw(t, "script"), scale: rapid.IntRange(1, 50).Draw(t, "scale")}
	s.flush = always(time("flush"))
	return s
}

func TestServersObeyArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnServer(t)
		p := s.simulate()
		n := float64(s.clients)
		// Little's law: the parts add up to a transaction.
		x := p.parts
		if sum := x.Work + x.Queue + x.Reads + x.Rows + x.Wait + x.Flush; math.Abs(sum*p.rate/n-1) > 1e-6 {
			t.Fatalf("the parts are %v of %v", sum, n/p.rate)
		}
		// No more than the serial law, the processors, or the readers allow.
		most := n / (s.work + s.other + s.reads*s.read + s.flush(0))
		if s.processors > 0 {
			most = min(most, float64(s.processors)/s.work)
		}
		if s.readers > 0 && s.reads > 0 {
			most = min(most, float64(s.readers)/(s.reads*s.read))
		}
		// A client's reads fall due every so many transactions: at either end of what is counted there is up
		// to one for each client, which matters where reads are few and still the limit.
		ends := 0.0
		if s.readers > 0 && s.reads > 0 {
			ends = n / (s.reads * (4000 + 40*n))
		}
		if p.rate > (1.06+ends)*most {
			t.Fatalf("%v/s, and no more than %v/s are possible: %+v", p.rate, most, p)
		}
		if p.flushes > 1+1e-2 || p.flushing > 1 || p.busy > 1+1e-9 {
			t.Fatalf("%+v", p)
		}
		if again := s.simulate(); again != p {
			t.Fatalf("%+v and then %+v", p, again)
		}
		// A faster component never reduces the rate, within the accuracy of the simulation.
		faster := s
		faster.flush = always(s.flush(0) / 2)
		if q := faster.simulate(); q.rate < (0.96-ends)*p.rate {
			t.Fatalf("%v/s, with flushes in half the time %v/s", p.rate, q.rate)
		}
		// One more client may reduce the rate: if processors and flushes are both nearly busy, commits
		// that arrive together keep arriving together. With flushes of 20 µs on seven processors, 42
		// clients do 9 % less than 41. Twice as many clients never do less.
		if s.clients > 1 {
			fewer := s
			fewer.clients = s.clients / 2
			if q := fewer.simulate(); q.rate > (1.02+ends)*p.rate {
				t.Fatalf("%v/s, with half the clients %v/s", p.rate, q.rate)
			}
		}
	})
}

// Storage that limits the rate of flushes answers at once as long as the server asks for fewer, so one
// client is as fast as without the limit, or as the limit. Several share the limited flushes as they share
// slow ones: a flush covers those that wait when it begins, also while it waits for the limit itself.
func TestALimitOnFlushes(t *testing.T) {
	const own, each = 1e-3, 0.2e-3
	for _, c := range []struct {
		clients            int
		limit, rate, every float64
	}{
		{1, 2000, 1 / (own + each), 1},
		{1, 300, 300, 1},
		{4, 300, 300 * 2, 0.5},
		{16, 300, 300 * 8, 0.125},
	} {
		s := updates(c.clients, own, 1/c.limit)
		s.unlimited = always(each)
		p := s.simulate()
		about(t, fmt.Sprintf("%d clients, limit %v", c.clients, c.limit), p.rate, c.rate, 0.04)
		about(t, "flushes of each", p.flushes, c.every, 0.04)
	}
}

// What a limit did not use for a tenth of a second may be used at once, as in QEMU's throttle: a client whose transactions
// take longer than the limit's interval on average, but not each of them, does not notice it.
func TestALimitLetsALittleThrough(t *testing.T) {
	const own, each = 0.8e-3, 0.2e-3
	s := updates(1, own, 0.97e-3)
	s.unlimited = always(each)
	about(t, "just below the limit", s.simulate().rate, 1/(own+each), 0.01)
	s.flush = always(1.2e-3)
	about(t, "above it", s.simulate().rate, 1/1.2e-3, 0.01)
}

// A flush for which the storage works hands it from thread to thread, and each waits for a processor: where those are
// full, it takes longer, and more transactions share it.
func TestAFlushWaitsForProcessors(t *testing.T) {
	s := updates(4, 0, 0.4e-3)
	s.work, s.other, s.processors = 0.8e-3, 0, 2
	alone := s.simulate()
	s.storageWork = always(0.3e-3)
	busy := s.simulate()
	each := func(p outcome) float64 { return p.flushing / p.flushes / p.rate }
	// Without such work, only the process that called it waits.
	if each(alone) < 1.05*0.4e-3 {
		t.Errorf("a flush takes %v on full processors", each(alone))
	}
	if each(busy) < 1.5*each(alone) || busy.flushes > 0.95*alone.flushes {
		t.Errorf("a flush takes %v, %v of them for each transaction; with work of the storage %v and %v", each(alone), alone.flushes, each(busy), busy.flushes)
	}
}

// The storage's own work for each flush takes its share of full processors, and makes flushes wait for
// them; with processors to spare it changes nothing.
func TestStorageWorksToo(t *testing.T) {
	const work, onProcessors = 1e-3, 0.4e-3
	s := updates(32, 0, 0.5e-3)
	s.work, s.other, s.processors, s.storageWork = work, 0, 2, always(onProcessors)
	p := s.simulate()
	about(t, "full processors", p.rate*(work+p.flushes*onProcessors), 2, 0.02)
	if p.busy < 0.98 || limitOf(p) != prediction.ByProcessors {
		t.Errorf("%+v is limited by %s", p, limitOf(p))
	}
	// More work than a flush takes keeps both processors busy longer.
	s.storageWork = always(2e-3)
	p = s.simulate()
	about(t, "full processors, much work", p.rate*(work+p.flushes*2e-3), 2, 0.02)
	for _, more := range []float64{onProcessors, 0.9e-3} {
		// The second one takes longer than a flush, so on two processors at once.
		idle := updates(1, work, 0.5e-3)
		idle.processors, idle.storageWork = 8, always(more)
		about(t, "with processors to spare", idle.simulate().rate, 1/(work+0.5e-3), 0.02)
	}
}
