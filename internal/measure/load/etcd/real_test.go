package etcd

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// ready returns a driver with a member in a directory that its user can enter.
func ready(t *testing.T, set ...string) *Driver {
	t.Helper()
	return readyIn(t, lab.ServerDir(t), set...)
}

func readyIn(t *testing.T, dir string, set ...string) *Driver {
	t.Helper()
	program := lab.Etcd(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	d := newDriver(env.OS())
	t.Cleanup(func() {
		if err := d.Leave(); err != nil {
			t.Error(err)
		}
	})
	state, err := d.Ready(t.Context(), root, model.PrepareRequest{App: &model.AppRequest{Name: "etcd", Program: program, Set: set}}, func(model.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(state.Version, "3.") || state.Data <= 0 {
		t.Errorf("%+v", state)
	}
	return d
}

func ask(clients int, seconds float64) model.StartRequest {
	return model.StartRequest{
		Step:     model.Step{Number: 3, Workload: "put", Ramp: 0.5, Seconds: seconds},
		Workload: model.Workload{Name: "put", Words: "puts", Direction: model.Write, Depth: clients, Metric: model.Transactions, App: model.AppLoad{Tool: "etcd", Threads: 1}},
	}
}

// With one client each put is flushed; our counts and the server's agree put by put.
func TestDriverLoadsAnEtcd(t *testing.T) {
	d := ready(t)
	var samples []model.Sample
	raw := map[string]bool{}
	res, err := d.Run(t.Context(), ask(1, 3), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			samples = append(samples, *ev.Sample)
		}
		if ev.Raw != nil {
			raw[ev.Raw.Name] = true
		}
	})
	if err != nil || res.Error != "" {
		t.Fatalf("%v %q", err, res.Error)
	}
	c := res.App
	if len(samples) != 3 || c.Transactions == 0 || c.Failed+c.Skipped > 0 {
		t.Errorf("%d seconds, %+v", len(samples), c)
	}
	if each := flushesPerPut(c); !(each >= 0.98 && each <= 1.2) {
		t.Errorf("%v flushes for each put of one client", each)
	}
	if c.FlushSeconds == nil || *c.FlushSeconds <= 0 || *c.FlushSeconds > c.LatencySum || len(c.FlushTimes) != 14 || c.Commits == nil || *c.Commits <= 0 {
		t.Errorf("%+v", c)
	}
	if last := c.FlushTimes[13][1]; last > *c.Flushes {
		t.Errorf("%v of %v flushes took at most 8 s", last, *c.Flushes)
	}
	if little := c.LatencySum / c.Seconds; little < 0.9 || little > 1.01 {
		t.Errorf("by Little's law %v of 1 client was there", little)
	}
	if !raw["0003-put.log"] || res.UserCPU+res.SystemCPU <= 0 {
		t.Errorf("raw %v, cpu %v", raw, res.UserCPU+res.SystemCPU)
	}
}

// flushesPerPut returns NaN if etcd counted none.
func flushesPerPut(c *model.AppCounts) float64 {
	if c.Flushes == nil || c.Transactions == 0 {
		return math.NaN()
	}
	return *c.Flushes / float64(c.Transactions)
}

// What is put grows an etcd's data: the load is stopped before they fill the filesystem.
func TestTheLoadEndsBeforeTheFilesystemIsFull(t *testing.T) {
	dir := filepath.Join(lab.Tmpfs(t, 512<<20), "e")
	if err := os.Mkdir(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	d := readyIn(t, dir)
	res, err := d.Run(t.Context(), ask(32, 600), load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(res.Error, "more than 95 % full: free some space") || res.IOErrors > 0 {
		t.Errorf("%v, %q, %d errors", err, res.Error, res.IOErrors)
	}
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil || float64(st.Bavail) < 0.01*float64(st.Blocks) {
		t.Errorf("%v: %d of %d blocks are free", err, st.Bavail, st.Blocks)
	}
}

// Many clients share flushes.
func TestClientsShareFlushes(t *testing.T) {
	d := ready(t)
	res, err := d.Run(t.Context(), ask(32, 2), load.BeginNow, func(model.Event) {})
	if err != nil || res.Error != "" {
		t.Fatalf("%v %q", err, res.Error)
	}
	if each := flushesPerPut(res.App); !(each <= 0.7) {
		t.Errorf("%v flushes for each put of 32 clients", each)
	}
}

func TestDriverStopsWhenAsked(t *testing.T) {
	d := ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	res, err := d.Run(ctx, ask(2, 600), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			cancel()
		}
	})
	if err != nil || res.Error != model.StoppedStep {
		t.Errorf("%v, %q", err, res.Error)
	}
	pid := d.pid()
	if err := d.Leave(); err != nil || syscall.Kill(pid, 0) == nil {
		t.Errorf("process %d: %v", pid, err)
	}
}

// If the server is killed during a step, the error says so, and what was measured is kept.
func TestAServerThatIsKilledIsNamed(t *testing.T) {
	d := ready(t)
	told := 0
	res, err := d.Run(t.Context(), ask(2, 600), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			if told++; told == 2 {
				_ = syscall.Kill(d.pid(), syscall.SIGKILL)
			}
		}
	})
	if err != nil || res.Error != "" || !strings.Contains(res.Lost, "etcd ended in the middle (signal: killed)") || told < 2 || res.App.Failed > 0 {
		t.Errorf("%v, error %q, lost %q after %d seconds", err, res.Error, res.Lost, told)
	}
}

// If the server is suspended, a stall of the right length is reported. The disk may have stalls of its own.
func TestAServerThatIsSuspendedIsTold(t *testing.T) {
	d := ready(t)
	const long = 2500 * time.Millisecond
	told := 0
	res, err := d.Run(t.Context(), ask(2, 6), load.BeginNow, func(ev model.Event) {
		if ev.Sample == nil {
			return
		}
		if told++; told == 1 {
			_ = syscall.Kill(d.pid(), syscall.SIGSTOP)
			time.AfterFunc(long, func() { _ = syscall.Kill(d.pid(), syscall.SIGCONT) })
		}
	})
	// One second was reported when the server was suspended.
	suspended := slices.ContainsFunc(res.Stalls, func(s model.Stall) bool {
		return s.Begin < 2.5 && s.Seconds >= long.Seconds()-0.2 && s.Cause == model.StallStorage
	})
	if err != nil || res.Error != "" || !suspended {
		t.Errorf("%v, %q, %+v", err, res.Error, res.Stalls)
	}
}

func (d *Driver) pid() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.server.process.Process.Pid
}

func TestWhatIsRefused(t *testing.T) {
	program := lab.Etcd(t)
	member := t.TempDir()
	if err := os.MkdirAll(filepath.Join(member, "member", "wal"), 0o755); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(notes, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for says, req := range map[string]model.ProbeRequest{
		"holds an etcd's data":         {Target: model.Target{Path: member}, App: &model.AppRequest{Program: program}},
		"lies in the data of the etcd": {Target: model.Target{Path: filepath.Join(member, "member")}, App: &model.AppRequest{Program: program}},
		"there is no etcd at":          {Target: model.Target{Path: "/"}, App: &model.AppRequest{Program: "/nowhere/etcd"}},
		"cannot be run by":             {Target: model.Target{Path: "/"}, App: &model.AppRequest{Program: notes}},
		"does not tell its version":    {Target: model.Target{Path: "/"}, App: &model.AppRequest{Program: "/bin/true"}},
		"is not a setting":             {Target: model.Target{Path: "/"}, App: &model.AppRequest{Program: program, Set: []string{"nothing"}}},
		"is for Loadline to say":       {Target: model.Target{Path: "/"}, App: &model.AppRequest{Program: program, Set: []string{"data-dir=/x"}}},
	} {
		err := newDriver(env.OS()).Examine(t.Context(), req, &model.ProbeResult{Tools: map[string]string{}})
		w, _ := err.(*model.WorkerError)
		if w == nil || w.Class != model.Refused || !strings.Contains(w.Message, says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
