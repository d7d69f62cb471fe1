package explain

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// watched adds a trace beside a run: the given number of I/Os of a command in each of the seconds in
// which its transactions were counted, from 20 to 30.
func (ev *Evidence) watched(list ...iotrace.Sample) {
	ev.TraceBegan = ev.Recorded.Run.Clock
	for at := 21.6; at < 29.9; at++ {
		for _, s := range list {
			s.End, s.Seconds = at, 1
			ev.Trace = append(ev.Trace, s)
		}
	}
	// Before and after them, other I/Os are done.
	for _, at := range []float64{20.5, 30.6} {
		for _, s := range list {
			s.End, s.Seconds, s.Flow = at, 1, model.Flow{IOs: 9000, LatencySum: 9000}
			ev.Trace = append(ev.Trace, s)
		}
	}
}

func io(device string, op iotrace.Operation, command string, ios uint64, each float64) iotrace.Sample {
	return iotrace.Sample{Device: device, Operation: op, Originator: iotrace.Originator{Command: command}, Flow: model.Flow{IOs: ios, LatencySum: each * float64(ios)}}
}

// oneClient is 250 transactions per second that wait 2.5 ms for a flush, 1.9 ms of which the device
// takes.
func oneClient() Evidence {
	c := counted(250, 1, 2.5e-3, 0.1e-3)
	n := float64(c.Transactions)
	c.Processor = &model.AppProcessor{Seconds: c.Seconds, ServerCPU: n * 0.9e-3, ClientCPU: n * 0.2e-3}
	return load(1, c, 0.6)
}

// The seconds of another machine's tracer, which ends them at other moments, are not counted twice.
func TestSecondsOfTwoMachinesAreCountedOnce(t *testing.T) {
	time := func(also float64) float64 {
		ev := oneClient()
		ev.watched(io("a/vda", iotrace.Flush, "postgres", 250, 1.9e-3), io("a/vda", iotrace.Write, "postgres", 500, 60e-6))
		if also > 0 {
			for at := 21.6 + also; at < 29.9; at++ {
				s := io("b/vda", iotrace.Read, "kubelet", 1, 1e-4)
				s.End, s.Seconds = at, 1
				ev.Trace = append(ev.Trace, s)
			}
		}
		b := only(t, ev)
		spent, _ := b.Count("device time")
		return spent
	}
	for _, apart := range []float64{0.1, 0.3, 0.5} {
		if one, two := time(0), time(apart); math.Abs(two/one-1) > 0.06 {
			t.Errorf("%g s apart: %g s on the device for a transaction, and %g s without the other machine", apart, two, one)
		}
	}
}

// The device's own part of a flush is a row from the trace; the parts of the flush stay what the server
// measured, and what others do is nobody's transaction.
func TestTracedTransaction(t *testing.T) {
	plain := only(t, oneClient())
	ev := oneClient()
	ev.watched(io("vda", iotrace.Flush, "postgres", 250, 1.9e-3), io("vda", iotrace.Flush, "other", 900, 9e-3), io("vda", iotrace.Flush, "", 10, 9e-3),
		io("vda", iotrace.Write, "postgres", 500, 60e-6), io("vda", iotrace.Read, "backup", 4000, 5e-3), io("vda", iotrace.FlushWait, "postgres", 250, 2e-3))
	b := only(t, ev)
	var flushes []budget.Row
	for _, r := range b.Rows {
		if r.Part == budget.Flush {
			flushes = append(flushes, r)
		}
	}
	if len(flushes) != 2 || flushes[0].Source != "block trace" || flushes[0].Of != "1 flush × 1.90 ms" || flushes[1].Source != "PostgreSQL less block trace" {
		t.Fatalf("%+v", flushes)
	}
	near(t, "the device's", flushes[0].Seconds, 1.9e-3)
	near(t, "the rest", flushes[1].Seconds, 0.6e-3)
	near(t, "closure", b.Closure, plain.Closure)
	spent, _ := b.Count("device time")
	near(t, "device time", spent, 1.9e-3+2*60e-6)
	if notes := strings.Join(b.Notes, "\n"); !strings.Contains(notes, "took the devices 2.02 ms (2 writes × 60.0 µs, 1 flush × 1.90 ms; block trace)") {
		t.Errorf("%s", notes)
	}
	if len(b.Counterfactuals) != len(plain.Counterfactuals) || b.Counterfactuals[0].Rate != plain.Counterfactuals[0].Rate {
		t.Errorf("the laws say otherwise beside a trace: %+v, %+v", b.Counterfactuals, plain.Counterfactuals)
	}
	// Compared with a run without a trace, the flush is one part again.
	c := compare(&b, &plain)
	for _, x := range c.Changes {
		if x.Part == budget.Flush {
			near(t, "flush of A", *x.A, *x.B)
			if x.Name != "flush of the WAL" {
				t.Errorf("%+v", x)
			}
		}
	}
	if c = compare(&plain, &b); c.Changes[len(c.Changes)-2].Name != "flush of the WAL" {
		t.Errorf("%+v", c.Changes)
	}
}

// Several clients share a flush; a transaction waits for one.
func TestTracedGroupCommit(t *testing.T) {
	ev := load(16, counted(8/2.5e-3, 2./16, 2.5e-3, 0), 0.6)
	ev.watched(io("vda", iotrace.Flush, "postgres", 400, 2e-3))
	b := only(t, ev)
	row, _ := b.Row(budget.Flush)
	near(t, "the device's", row.Seconds, 2e-3)
	if row.Source != "block trace" {
		t.Errorf("%+v", b.Rows)
	}
}

// If the trace does not suffice, this is said, and no row is made of it.
func TestTracedTransactionsThatCannotBeDivided(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Evidence)
		says   string
		rows   bool
	}{
		"no flush":  {func(ev *Evidence) { ev.watched(io("vda", iotrace.Write, "postgres", 500, 60e-6)) }, "no volatile cache", false},
		"unowned":   {func(ev *Evidence) { ev.watched(io("vda", iotrace.Flush, "", 250, 1.9e-3)) }, "no flush of the server's own", true},
		"longer":    {func(ev *Evidence) { ev.watched(io("vda", iotrace.Flush, "postgres", 250, 5e-3)) }, "longer than the server's own", true},
		"nothing":   {func(ev *Evidence) { ev.watched(io("vda", iotrace.Read, "backup", 250, 5e-3)) }, "", false},
		"elsewhere": {func(ev *Evidence) { ev.logOn("vdb1"); ev.watched(io("vda", iotrace.Write, "postgres", 500, 60e-6)) }, "was not traced", false},
		"log": {func(ev *Evidence) {
			ev.logOn("vdb1")
			ev.watched(io("vdb", iotrace.Flush, "postgres", 250, 1e-3), io("vda", iotrace.Flush, "postgres", 250, 2e-3))
		}, "1 flush × 1.00 ms", true},
	} {
		ev := oneClient()
		c.change(&ev)
		b := only(t, ev)
		traced := false
		for _, r := range b.Rows {
			traced = traced || r.Source == "block trace"
		}
		if traced != c.rows || !strings.Contains(strings.Join(b.Notes, "\n"), c.says) {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// logOn puts the log on a separate device.
func (ev *Evidence) logOn(device string) {
	for i := range ev.Recorded.Run.Steps {
		ev.Recorded.Run.Steps[i].Counters.LogDevice = device
	}
}

func TestPartitionsAreOfTheirDevice(t *testing.T) {
	for _, c := range []struct {
		name, traced string
		want         bool
	}{{"vdb", "vdb", true}, {"vdb1", "vdb", true}, {"/dev/vdb1", "vdb", true}, {"loop12", "loop1", false}, {"loop1p2", "loop1", true}, {"nvme0n1p3", "nvme0n1", true}, {"sdaa", "sda", false}, {"", "sda", false}, {"sda", "", false}} {
		if got := onDevice(c.name, c.traced); got != c.want {
			t.Errorf("%s on %s: %v", c.name, c.traced, got)
		}
	}
}
