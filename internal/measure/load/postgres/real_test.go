package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/env/envtest"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/test/lab"
)

// newWorkDir creates an empty directory that the server's user can enter.
func newWorkDir(t *testing.T) string {
	t.Helper()
	if _, err := findPrograms(t.Context(), env.OS()); err != nil {
		t.Skipf("%v", err)
	}
	return lab.ServerDir(t)
}

// openDir holds a directory open until the end of the test, as a worker does.
func openDir(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// ready returns a driver with a small server.
func ready(t *testing.T, set ...string) *Driver {
	t.Helper()
	return readyWith(t, env.OS(), set...)
}

// readyWith returns a driver with a small server of the PostgreSQL in an environment.
func readyWith(t *testing.T, e *env.Env, set ...string) *Driver {
	t.Helper()
	dir := newWorkDir(t)
	d := New(e)
	t.Cleanup(func() {
		if err := d.Leave(); err != nil {
			t.Error(err)
		}
	})
	state, err := d.Ready(t.Context(), openDir(t, dir), model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Clients: 4, Set: set}}, func(model.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if v, known := state.Setting("listen_addresses"); !known || v != "" {
		t.Errorf("the server listens on %q", v)
	}
	if state.Data < 10<<20 || state.Cache < 1<<20 || state.Scale != 1 || len(state.Settings) < 200 {
		t.Errorf("%d bytes of data, a cache of %d, scale %d, %d settings", state.Data, state.Cache, state.Scale, len(state.Settings))
	}
	return d
}

func ask(clients int, seconds float64) model.StartRequest {
	return model.StartRequest{
		Step:     model.Step{Number: 3, Workload: "tpcb", Ramp: 0.5, Seconds: seconds},
		Workload: model.Workload{Name: "tpcb", Direction: model.Write, Depth: clients, Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench", Threads: 2, Options: "--builtin=tpcb-like"}},
	}
}

func TestDriverLoadsAServer(t *testing.T) {
	onEachVersion(t, loadsAServer)
}

func loadsAServer(t *testing.T, e *env.Env, _ int) {
	d := readyWith(t, e)
	var samples []model.Sample
	raw := map[string]bool{}
	res, err := d.Run(t.Context(), ask(4, 2), load.BeginNow, func(ev model.Event) {
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
	var inside uint64
	for i, s := range samples {
		inside += s.Write.IOs
		if s.Step != 3 || s.Seconds != 1 || s.End != 1.5+float64(i) || s.Write.Histogram.Count() != s.Write.IOs {
			t.Errorf("%+v", s)
		}
	}
	c := res.App
	if len(samples) != 2 || inside == 0 || inside > c.Transactions || c.Transactions != c.ToolTransactions || c.ToolRate <= 0 {
		t.Errorf("%d samples with %d transactions, %+v", len(samples), inside, c)
	}
	// Commits are flushed, if not each by itself; and the log is not empty.
	for name, v := range map[string]*float64{"flushes": c.Flushes, "flush time": c.FlushSeconds, "log": c.LogBytes, "pages": c.PageImages, "hits": c.Hits} {
		if v == nil || *v <= 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
	// The WAL writer flushes up to five times a second, whatever commits.
	if *c.Flushes > 1.05*float64(c.Transactions)+5*(c.Seconds+2) {
		t.Errorf("%v flushes for %d transactions in %.1f s", *c.Flushes, c.Transactions, c.Seconds)
	}
	if little := c.LatencySum / c.Seconds; little < 3.5 || little > 4.1 {
		t.Errorf("by Little's law %v of 4 clients were there", little)
	}
	if res.UserCPU+res.SystemCPU <= 0 || !raw["0003-tpcb.pgbench"] || !raw["0003-tpcb.log"] {
		t.Errorf("cpu %v, raw %v", res.UserCPU+res.SystemCPU, raw)
	}
	if left, _ := filepath.Glob(filepath.Join(d.server.dir, "log.*")); len(left) > 0 {
		t.Errorf("pipes are left: %v", left)
	}
}

func TestDriverWithARateCountsWhatIsSkipped(t *testing.T) {
	d := ready(t, "synchronous_commit=off")
	req := ask(1, 8)
	req.Workload.OpenLoop, req.Workload.RateIOPS, req.Workload.App.Limit = true, 50000, 0.02
	res, err := d.Run(t.Context(), req, load.BeginNow, func(model.Event) {})
	if err != nil || res.Error != "" {
		t.Fatalf("%v %q", err, res.Error)
	}
	if due := float64(res.Due) / 8; res.App.Skipped == 0 || due < 40000 || due > 60000 {
		t.Errorf("%d skipped, %v due per second of 50,000", res.App.Skipped, due)
	}
}

func TestDriverStopsWhenAsked(t *testing.T) {
	d := ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	res, err := d.Run(ctx, ask(2, 600), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			if n++; n == 1 {
				cancel()
			}
		}
	})
	if err != nil || res.Error != model.StoppedStep || n == 0 {
		t.Errorf("%v %q, %d samples", err, res.Error, n)
	}
}

func TestDriverTellsThatItsServerDied(t *testing.T) {
	d := ready(t)
	n := 0
	res, err := d.Run(t.Context(), ask(2, 60), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			if n++; n == 1 {
				_ = syscall.Kill(d.server.process.Process.Pid, syscall.SIGKILL)
			}
		}
	})
	if err != nil || !strings.Contains(res.Lost, "ended in the middle") || !strings.Contains(res.Lost, "signal: killed") || n == 0 {
		t.Errorf("%v, lost %q, error %q, %d samples", err, res.Lost, res.Error, n)
	}
	_, err = d.Run(t.Context(), ask(2, 1), load.BeginNow, func(model.Event) {})
	if err == nil || !strings.Contains(err.Error(), "ended in the middle") {
		t.Errorf("the next repeat: %v", err)
	}
	// Its shared memory is removed too, because nothing else would remove it.
	has := *d.server.shared
	if has.files = has.all(); has.segment < 0 || len(has.files) < 2 {
		t.Errorf("not found: %+v", has)
	}
	if err := d.Leave(); err != nil {
		t.Error(err)
	}
	var left unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(has.segment, unix.IPC_STAT, &left); err == nil && int(left.Cpid) == has.pid && left.Nattch == 0 {
		t.Errorf("the segment %d is still there", has.segment)
	}
	for _, name := range has.files {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestDriverTellsOfACrashedBackend(t *testing.T) {
	d := ready(t)
	n := 0
	res, err := d.Run(t.Context(), ask(2, 60), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			if n++; n == 1 {
				rows, err := d.server.ask(context.Background(), database, "SELECT pid FROM pg_stat_activity WHERE backend_type='walwriter'")
				if err != nil {
					t.Error(err)
					return
				}
				_ = syscall.Kill(numberIn(rows[0][0]), syscall.SIGKILL)
			}
		}
	})
	if err != nil || !strings.Contains(res.Lost+res.Error, "was terminated by signal 9") {
		t.Errorf("%v, lost %q, error %q", err, res.Lost, res.Error)
	}
}

// One of several clients is lost: the repeat has failed, because the others' rate is not that of all.
func TestDriverTellsThatAClientIsGone(t *testing.T) {
	t.Parallel()
	d := ready(t)
	n := 0
	res, err := d.Run(t.Context(), ask(3, 10), load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			if n++; n == 1 {
				if _, err := d.server.ask(context.Background(), "postgres", "SELECT pg_terminate_backend(min(pid)) FROM pg_stat_activity WHERE datname = '"+database+"' AND backend_type = 'client backend'"); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if err != nil || !strings.Contains(res.Error, "pgbench failed") || !strings.Contains(res.Error, "client") {
		t.Errorf("%v, error %q, lost %q", err, res.Error, res.Lost)
	}
}

func TestDriverSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := newWorkDir(t)
	d := New(env.OS())
	found := func() *model.ProbeResult { return &model.ProbeResult{Tools: map[string]string{}} }
	probe := func(path string, set ...string) error {
		return d.Examine(t.Context(), model.ProbeRequest{Target: model.Target{Path: path}, App: &model.AppRequest{Set: set}}, found())
	}
	if err := probe(dir); err != nil {
		t.Error(err)
	}
	cluster := filepath.Join(dir, "cluster", "base")
	if err := os.MkdirAll(cluster, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cluster", "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	modeltest.Refused(t, probe(filepath.Dir(cluster)), "holds a PostgreSQL cluster")
	modeltest.Refused(t, probe(cluster), "lies in the PostgreSQL cluster")
	modeltest.Refused(t, probe(filepath.Join(dir, "a,b")), "takes it for two directories")
	modeltest.Refused(t, probe(dir, "shared_bufers=1GB"), `no setting "shared_bufers"`)
	modeltest.Refused(t, probe(dir, "port=1"), "for Loadline to say")
	modeltest.Refused(t, probe(dir, "fsync"), "is not a setting")
	modeltest.Refused(t, checkSocket(filepath.Join(dir, strings.Repeat("x", 90))), "unix sockets allow 107")

	// An invalid setting that only the server detects.
	_, err := New(env.OS()).Ready(t.Context(), openDir(t, dir), model.PrepareRequest{App: &model.AppRequest{Scale: 1, Set: []string{"max_connections=none"}}}, func(model.Progress) {})
	if err == nil || !strings.Contains(err.Error(), "max_connections") {
		t.Errorf("%v", err)
	}
}

// No PostgreSQL, half of one, and one of an unknown version.
func TestFindPrograms(t *testing.T) {
	world := env.OS()
	places = nil
	t.Cleanup(func() { places = []string{"/usr/lib/postgresql/*/bin"} })
	dir := t.TempDir()
	world.LookPath = func(name string) (string, error) {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", err
		}
		return filepath.Join(dir, name), nil
	}
	put := func(name, version string) {
		t.Helper()
		envtest.Program(t, filepath.Join(dir, name), "#!/bin/sh\necho '"+name+" (PostgreSQL) "+version+"'\n")
	}
	look := func(words string) {
		t.Helper()
		if _, err := findPrograms(t.Context(), world); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	look("there is no PostgreSQL on this machine")
	put("postgres", "15.4")
	look("lacks initdb and psql and pgbench")
	put("initdb", "15.4")
	put("psql", "15.4")
	put("pgbench", "17.2 (Debian 17.2-1)")
	look("they must be of one major version")
	put("pgbench", "15.4")
	if p, err := findPrograms(t.Context(), world); err != nil || p.version != "15.4" || p.major != 15 {
		t.Errorf("%+v %v", p, err)
	}
	put("postgres", "13.1")
	put("pgbench", "13.1")
	look("Loadline knows 14 to 18")
}

// A full disk while the cluster is created, and which of two disks is full: a tmpfs of 20 MB cannot
// hold a cluster.
func TestReadyOnAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir := newWorkDir(t)
	if err := syscall.Mount("loadline-test", dir, "tmpfs", 0, "size=20m,mode=0711"); err != nil {
		t.Skipf("no mount here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	d := New(env.OS())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, err := d.Ready(ctx, openDir(t, dir), model.PrepareRequest{App: &model.AppRequest{Scale: 1}}, func(model.Progress) {})
	_ = d.Leave()
	if err == nil || !strings.Contains(err.Error(), "is full") {
		t.Errorf("%v", err)
	}
	data, log := newWorkDir(t), filepath.Join(dir, "log")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "data")), os.RemoveAll(filepath.Join(dir, "s")), os.Mkdir(log, 0o711)); err != nil {
		t.Fatal(err)
	}
	req := model.PrepareRequest{App: &model.AppRequest{Scale: 1}, Volume: model.Volume{Log: &model.Volume{Root: openDir(t, log)}}}
	_, err = d.Ready(ctx, openDir(t, data), req, func(model.Progress) {})
	_ = d.Leave()
	if err == nil || !strings.Contains(err.Error(), "the filesystem of "+dir+", the log's volume, is full") {
		t.Errorf("%v", err)
	}
}

// Until all clients are connected pgbench does nothing, which is no rate of the storage.
func TestClientsThatConnectForLongerThanTheRamp(t *testing.T) {
	t.Parallel()
	d := ready(t, "pre_auth_delay=1")
	req := ask(4, 4)
	req.Step.Ramp = 0.5
	res, err := d.Run(t.Context(), req, load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(res.Error, "the clients took ") || !strings.Contains(res.Error, "--ramp-time") {
		t.Errorf("%v %q", err, res.Error)
	}
}
