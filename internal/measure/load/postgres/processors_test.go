package postgres

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// played writes the files of a simulated /proc.
func played(t *testing.T, proc string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProcessorsCountsClientsOnly(t *testing.T) {
	proc := t.TempDir()
	at := time.Unix(100, 0)
	p := &processors{proc: proc, server: watched{here: true, pid: 7}, pgbench: watched{here: true, pid: 20}, clients: 2, now: func() time.Time { return at }}
	second := func(children, one, other, tool string) {
		played(t, proc, map[string]string{"7/task/7/children": children, "11/schedstat": one, "12/schedstat": other, "20/task/20/schedstat": tool})
		p.read()
		at = at.Add(time.Second)
	}
	played(t, proc, map[string]string{"10/cmdline": "postgres: checkpointer \x00", "10/schedstat": "900000000000 0 1\n",
		"11/cmdline": "postgres: postgres loadline [local] COMMIT\x00", "12/cmdline": "postgres: postgres loadline [local] idle\x00"})
	// First one client is connected, then both, then one has ended.
	second("10 11 ", "1000000000 0 1", "0 0 0", "0 0 0")
	second("10 11 12 ", "2000000000 500000000 2", "1000000000 0 1", "300000000 0 9")
	second("10 11 12 ", "2250000000 600000000 3", "1250000000 25000000 2", "400000000 10000000 19")
	second("10 11 12 ", "2500000000 700000000 3", "1500000000 50000000 2", "500000000 20000000 29")
	second("10 11 ", "9000000000 900000000 3", "0 0 0", "900000000 0 99")
	want := model.AppProcessor{Seconds: 2, ServerCPU: 1, ServerWait: 0.25, ClientCPU: 0.2, ClientWait: 0.02}
	got := p.found()
	if got == nil {
		t.Fatal("nothing was found")
	}
	for _, pair := range [][2]float64{{got.Seconds, want.Seconds}, {got.ServerCPU, want.ServerCPU}, {got.ServerWait, want.ServerWait}, {got.ClientCPU, want.ClientCPU}, {got.ClientWait, want.ClientWait}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("found %+v, want %+v", *got, want)
			break
		}
	}
}

// Clients that reconnect for each transaction are different processes each time: nothing is known.
func TestProcessorsOfClientsThatComeAndGo(t *testing.T) {
	proc := t.TempDir()
	at := time.Unix(100, 0)
	p := &processors{proc: proc, server: watched{here: true, pid: 7}, pgbench: watched{here: true, pid: 20}, clients: 1, now: func() time.Time { at = at.Add(time.Second); return at }}
	played(t, proc, map[string]string{"11/cmdline": "postgres: u loadline [local] idle\x00", "12/cmdline": "postgres: u loadline [local] idle\x00",
		"11/schedstat": "5 5 1", "12/schedstat": "6 6 1", "20/task/20/schedstat": "1 1 1", "7/task/7/children": "11"})
	p.read()
	played(t, proc, map[string]string{"7/task/7/children": "12"})
	p.read()
	if got := p.found(); got != nil {
		t.Errorf("found %+v", *got)
	}
	// A kernel without scheduler statistics.
	if (&processors{proc: t.TempDir(), server: watched{here: true, pid: 7}, pgbench: watched{here: true, pid: 20}, clients: 1, now: time.Now}).found() != nil {
		t.Error("something was found where nothing is told")
	}
}

// A single client runs on a CPU or waits for one, for a flush, for a read, or for the other side:
// what the scheduler reports is part of its time, and not zero.
func TestProcessorsOfARealServer(t *testing.T) {
	if _, err := os.ReadFile("/proc/self/schedstat"); err != nil {
		t.Skipf("the kernel does not tell: %v", err)
	}
	d := ready(t)
	res, err := d.Run(t.Context(), ask(1, 3), load.BeginNow, func(model.Event) {})
	if err != nil || res.Error != "" {
		t.Fatalf("%v %q", err, res.Error)
	}
	c, p := res.App, res.App.Processor
	if p == nil {
		t.Fatal("nothing was found of the processors")
	}
	latency := c.LatencySum / float64(c.Transactions)
	each := p.Each(c)
	t.Logf("a transaction took %.3f ms: server %.3f ms, and %.3f ms in the run queue; pgbench %.3f and %.3f", 1e3*latency, 1e3*each.ServerCPU, 1e3*each.ServerWait, 1e3*each.ClientCPU, 1e3*each.ClientWait)
	if p.Seconds < 1.5 || each.ServerCPU <= 0 || each.ClientCPU <= 0 {
		t.Errorf("%+v", *p)
	}
	// The two take turns; the sender keeps running briefly while the receiver starts.
	if sum := each.ServerCPU + each.ClientCPU; sum > 1.2*latency {
		t.Errorf("%.3f ms on a processor, in a transaction of %.3f ms", 1e3*sum, 1e3*latency)
	}
}
