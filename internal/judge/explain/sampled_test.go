package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/waits"
)

// played samples sessions that are in states with the given shares of their time, drawn independently
// for each moment and session, 20 times in each of the given number of seconds.
func played(r *rand.Rand, sessions, seconds int, names []string, shares []float64) *waits.Sampled {
	s := &waits.Sampled{Sessions: sessions, Width: 1, Spent: 0.0004 * 20 * float64(seconds)}
	for range seconds {
		var b waits.Bin
		for range 20 {
			states := map[string]int{}
			for range sessions {
				at := r.Float64()
				i := 0
				for at > shares[i] && i < len(shares)-1 {
					at -= shares[i]
					i++
				}
				states[names[i]]++
			}
			b.Add(states)
		}
		s.Bins = append(s.Bins, b)
	}
	return s
}

// exact is the same without randomness: 100 moments in each of ten seconds.
func exact(sessions int, states map[string]int) *waits.Sampled {
	s := &waits.Sampled{Sessions: sessions, Width: 1, Spent: 0.4}
	for range 10 {
		s.Bins = append(s.Bins, waits.Bin{Moments: 100, States: states})
	}
	return s
}

// One client, at 100/s: of 10 ms, 6 are its flush, 2 without a wait, 1.5 at the client, 0.5 reads; the
// scheduler divides the time without a wait and that at the client.
func TestSampledRowsOfOneClient(t *testing.T) {
	c := counted(100, 1, 6e-3, 0.5e-3)
	c.Processor = &model.AppProcessor{Seconds: 10, ServerCPU: 1.6, ClientCPU: 0.5}
	c.Waits = exact(1, map[string]int{"IO:WALSync": 58, waits.None: 20, "Client:ClientRead": 15, "IO:DataFileRead": 7})
	b := only(t, load(1, c, 0.6))
	for part, want := range map[budget.Part]float64{budget.ClientCPU: 0.5e-3, budget.RoundTrips: 1e-3, budget.ServerCPU: 1.6e-3, budget.RunQueue: 0.4e-3, budget.Reads: 0.5e-3, budget.Flush: 6e-3} {
		row, _ := b.Row(part)
		near(t, string(part), row.Seconds, want)
	}
	// The server's own times of flushes and reads replace the sampled ones.
	near(t, "closure", b.Closure, 1)
	if row, _ := b.Row(budget.Flush); row.Source != "PostgreSQL" || row.Margin != 0 {
		t.Errorf("%+v", row)
	}
	if row, _ := b.Row(budget.RoundTrips); row.Source != bySampling || row.Margin <= 0 || !strings.Contains(row.Of, "0.15 of 1 session ÷ rate") {
		t.Errorf("%+v", row)
	}
	notes := strings.Join(b.Notes, "\n")
	if !b.Closes() || len(b.Counterfactuals) == 0 || !strings.Contains(notes, "1 session, 1000 samples in 10 s; each took 400 µs") || strings.Contains(notes, "not sampled") {
		t.Errorf("%+v", b)
	}
}

// Sixteen clients that change one row: nearly all wait for a lock.
func TestSampledLocks(t *testing.T) {
	c := counted(200, 1, 4.5e-3, 0)
	c.Waits = exact(16, map[string]int{"Lock:transactionid": 1300, "Lock:tuple": 50, "IO:WalSync": 90, "LWLock:LockManager": 20, "LWLock:WALWrite": 40, waits.None: 60, "Client:ClientRead": 40})
	b := only(t, load(16, c, 0.6))
	for part, want := range map[budget.Part]float64{budget.Locks: 13.5 / 200, budget.Latches: 0.2 / 200, budget.FlushQueue: 0.4 / 200, budget.Flush: 4.5e-3, budget.ServerCPU: 0.6 / 200, budget.RoundTrips: 0.4 / 200} {
		row, _ := b.Row(part)
		near(t, string(part), row.Seconds, want)
	}
	if row, _ := b.Row(budget.Locks); !b.Closes() || !strings.Contains(row.Of, "Lock:transactionid, Lock:tuple") || row.Share < 0.8 {
		t.Errorf("%+v", b)
	}
}

// If all wait for one row, everyone waits for the flush of its holder: the gain from a faster flush
// matches the simulated server, in which others wait for the row as well.
func TestFasterFlushesOfAHotRow(t *testing.T) {
	const clients = 16
	for _, flush := range []float64{2e-3, 5e-3, 17e-3} {
		at := func(flush float64) hotRow {
			s := server{clients: clients, work: 0.35e-3, other: 0.35e-3, flush: always(flush), script: scripts[0], scale: 1}
			p := s.simulate()
			return hotRow{p.rate, p.flushes, p.parts.Rows * p.rate, p.parts.Flush * p.rate}
		}
		was := at(flush)
		c := counted(was.rate, was.flushes, flush, 0)
		locked, flushing := int(100*was.rows+0.5), int(100*was.flushing+0.5)
		c.Waits = exact(clients, map[string]int{"Lock:tuple": locked, "IO:WalSync": flushing, waits.None: 100*clients - locked - flushing})
		b := only(t, load(clients, c, 0.6))
		if !b.Closes() || len(b.Counterfactuals) < 2 {
			t.Fatalf("%.1f ms: %+v", 1e3*flush, b)
		}
		for _, x := range b.Counterfactuals {
			is := at(flush - x.Saved).rate
			t.Logf("flush of %.1f ms, %s: %.1f/s is predicted, %.1f/s simulated; was %.1f/s", 1e3*flush, x.Change, x.Rate, is, was.rate)
			if x.Law != rowLaw || math.Abs(x.Rate/is-1) > 0.1 {
				t.Errorf("%+v: %.1f/s are simulated", x, is)
			}
		}
	}
	// For transactions that wait equally long for other things, nothing is concluded.
	c := counted(200, 1, 4.5e-3, 0)
	c.Waits = exact(16, map[string]int{"Lock:transactionid": 600, "IO:WalSync": 90, waits.None: 900, "Client:ClientRead": 10})
	if b := only(t, load(16, c, 0.6)); len(b.Counterfactuals) > 0 || !strings.Contains(strings.Join(b.Notes, "\n"), "between the laws") {
		t.Errorf("%+v", b)
	}
}

// hotRow is the behaviour of a simulated server: its rate, flushes per transaction, and how many
// sessions wait for a row and for a flush.
type hotRow struct{ rate, flushes, rows, flushing float64 }

// Samples that the server's own times contradict are refused, and nothing is concluded.
func TestSamplesThatTheServerContradicts(t *testing.T) {
	c := counted(100, 1, 6e-3, 0)
	c.Waits = exact(1, map[string]int{"IO:WalSync": 20, waits.None: 80})
	if b := only(t, load(1, c, 0.6)); b.Closes() || math.Abs(b.Closure-1.4) > 1e-9 || len(b.Counterfactuals) > 0 || len(b.Missing) == 0 {
		t.Errorf("%+v", b)
	}
	// If others use the server, its times are not those of a transaction.
	others := 500.0
	c.Others = &others
	if b := only(t, load(1, c, 0.6)); !b.Closes() || !strings.Contains(strings.Join(b.Notes, "\n"), "every part comes from sampling") {
		t.Errorf("%+v", b)
	}
}

// Without samples of all sessions a budget is unchanged, and says why.
func TestNotSampled(t *testing.T) {
	c := counted(100, 1, 6e-3, 0.5e-3)
	c.Processor = &model.AppProcessor{Seconds: 10, ServerCPU: 1.6, ServerWait: 0.4, ClientCPU: 1.5}
	before := only(t, load(1, c, 0.6))
	short := exact(1, map[string]int{waits.None: 100})
	short.Bins = short.Bins[:2]
	for says, w := range map[string]*waits.Sampled{
		"the run was measured by an older version": nil,
		"the session could not be opened":          {Without: "the session could not be opened"},
		"the user may not see":                     {Sessions: 1, Hidden: 300, Width: 1, Bins: []waits.Bin{{Moments: 300}}},
		// An extra session is not a client's: it is the one that samples.
		"at most 2 sessions were seen at once, of 1 expected":                         exact(1, map[string]int{waits.None: 200}),
		"all sessions were connected for only 200 samples in 2 s; at least 40 in 3 s": short,
		"at most 0 sessions were seen at once":                                        {Sessions: 1, Width: 1, Bins: []waits.Bin{{Moments: 300}}},
	} {
		c.Waits = w
		b := only(t, load(1, c, 0.6))
		if !strings.Contains(strings.Join(b.Notes, "\n"), "waits were not sampled: "+says) || len(b.Rows) != len(before.Rows) || b.Closure != before.Closure || bySamples(&b) {
			t.Errorf("%s: %+v", says, b)
		}
	}
	// Nor is there a message for an application whose server has no such states.
	ev := load(1, c, 0.6)
	ev.Recorded.Plan.Workloads[0].App.Tool = "etcd"
	if b := only(t, ev); strings.Contains(strings.Join(b.Notes, "\n"), "sampled") {
		t.Errorf("%q", b.Notes)
	}
	// A second in which a client was missing does not count, the others do.
	c.Waits = exact(1, map[string]int{"IO:WalSync": 60, waits.None: 40})
	c.Waits.Bins[3] = waits.Bin{Moments: 100, States: map[string]int{waits.None: 50}}
	if b := only(t, load(1, c, 0.6)); !strings.Contains(strings.Join(b.Notes, "\n"), "900 samples in 9 s") {
		t.Errorf("%q", b.Notes)
	}
}

// Each version of the server has its own names.
func TestStatesOfEachVersion(t *testing.T) {
	for name, want := range map[string]state{
		"none": inNothing, "IO:WALSync": inOwnFlush, "IO:WalSync": inOwnFlush, "LWLock:WALWrite": inOthersFlush, "IO:WALWrite": inWrite, "IO:WalWrite": inWrite,
		"IO:DataFileRead": inRead, "IO:AioIoCompletion": inRead, "IPC:BufferIO": inRead, "IPC:BufferIo": inRead, "Lock:transactionid": inLock, "Lock:tuple": inLock, "Lock:extend": inLock,
		"LWLock:LockManager": inLatch, "LWLock:WALInsert": inLatch, "BufferPin:BufferPin": inLatch, "Client:ClientRead": inClient, "Client:ClientWrite": inClient,
		"IO:DataFileExtend": inOther, "IPC:SyncRep": inOther, "Timeout:VacuumDelay": inOther, "Extension:Extension": inOther,
	} {
		if got := postgresState(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// The interval of a share contains the true value in 95 of 100 cases, even if all sessions of a second
// are alike.
func TestMarginsHoldTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 23))
	names, shares := []string{"Lock:tuple", "IO:WalSync", waits.None}, []float64{0.5, 0.2, 0.3}
	const runs = 400
	for _, alike := range []bool{false, true} {
		held := 0
		for range runs {
			x := played(r, 4, 10, names, shares)
			if alike {
				for i := range x.Bins {
					one := played(r, 1, 1, names, shares).Bins[0]
					state := waits.None
					if one.States["Lock:tuple"] >= 10 {
						state = "Lock:tuple"
					}
					x.Bins[i] = waits.Bin{Moments: 20, States: map[string]int{state: 80}}
				}
			}
			s := &sampling{sessions: 4, bins: x.Bins, state: postgresState}
			for _, b := range x.Bins {
				s.moments += b.Moments
			}
			truth := 4 * 0.5
			if alike {
				// 10 of 20 or more, with a probability of one half each.
				truth = 4 * (0.5 + 0.17620/2)
			}
			if o := s.in(inLock); math.Abs(o.mean-truth) <= o.margin {
				held++
			}
		}
		t.Logf("alike %v: the interval held the truth in %d of %d", alike, held, runs)
		if held < runs*90/100 {
			t.Errorf("alike %v: only in %d of %d", alike, held, runs)
		}
	}
}

// If only one of two runs was sampled, its parts have a different meaning, and the comparison says so.
func TestComparedWithARunThatWasNotSampled(t *testing.T) {
	side := func(w *waits.Sampled) budget.Side {
		c := counted(100, 1, 6e-3, 0.5e-3)
		c.Waits = w
		return Run(load(1, c, 0.6))
	}
	sampled, not := side(exact(1, map[string]int{"IO:WalSync": 60, waits.None: 40})), side(nil)
	for _, x := range []struct {
		a, b *budget.Side
		want string
	}{{&sampled, &not, "sampled in A only"}, {&not, &sampled, "sampled in B only"}, {&sampled, &sampled, ""}, {&not, &not, ""}} {
		says := fmt.Sprint(Compare(x.a, x.b)[0].Says)
		if strings.Contains(says, "sampled in") != (x.want != "") || !strings.Contains(says, x.want) {
			t.Errorf("%q: %s", x.want, says)
		}
	}
}

// The law of one row needs a flush that fits between two transactions. Numbers that contradict each other
// get no answer, rather than an infinite or a negative rate.
func TestARowIsHeldForItsFlush(t *testing.T) {
	for flush, answers := range map[float64]bool{4e-3: true, 10e-3: false, 15e-3: false} { // one transaction each 5 ms
		c := counted(200, 1, flush, 0)
		c.Waits = exact(100, map[string]int{"Lock:tuple": 9600, "IO:WalSync": 200, waits.None: 200})
		b := only(t, load(100, c, 0.6))
		if (len(b.Counterfactuals) > 0) != answers {
			t.Errorf("a flush of %g ms: %+v", flush*1e3, b.Counterfactuals)
		}
		for _, x := range b.Counterfactuals {
			if !(x.Rate > 200 && x.Rate < 1000) {
				t.Errorf("a flush of %g ms: %s gives %v/s", flush*1e3, x.Change, x.Rate)
			}
		}
	}
}
