package postgres

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/test/lab"
)

// sideBySide is how many parallel tests run at once, however few processors there are: their servers
// mostly wait for flushes of a known duration.
const sideBySide = 6

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(sideBySide)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// onEachVersion runs a test with the PostgreSQL of this machine, and with versions whose counters
// are in other views: 17 has checkpoints in a separate one, 18 flushes in pg_stat_io. The test gets an
// environment in which that version is found.
func onEachVersion(t *testing.T, test func(t *testing.T, e *env.Env, major int)) {
	t.Run("this machine's", func(t *testing.T) {
		newWorkDir(t)
		e := env.OS()
		p, err := findPrograms(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		test(t, e, p.major)
	})
	for _, major := range []int{17, 18} {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			e := preferring(lab.Postgres(t, major, lab.ServerDir(t)))
			if p, err := findPrograms(t.Context(), e); err != nil || p.major != major {
				t.Fatalf("found %+v, %v", p, err)
			}
			test(t, e, major)
		})
	}
}

// preferring returns an environment in which the programs in a directory are found before all others.
func preferring(dir string) *env.Env {
	e := env.OS()
	e.LookPath = func(name string) (string, error) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
		return exec.LookPath(name)
	}
	return e
}

// eachVersionAtOnce is onEachVersion for a test that needs little of the processors: the versions run
// at the same time.
func eachVersionAtOnce(t *testing.T, test func(t *testing.T, e *env.Env, major int)) {
	onEachVersion(t, func(t *testing.T, e *env.Env, major int) {
		t.Parallel()
		test(t, e, major)
	})
}

// flushing returns an environment whose programs need that long for a flush, in microseconds.
func flushing(t *testing.T, e *env.Env, us int) *env.Env {
	t.Helper()
	slow := *e
	slow.Command = lab.SlowFlush(t, e.Command, time.Duration(us)*time.Microsecond)
	return &slow
}

// Each version counts what is reported with each result: for a load with known flushes, their
// number and time; checkpoints; log bytes; pages found and read.
func TestEachVersionCounts(t *testing.T) {
	const set = 0.004
	eachVersionAtOnce(t, func(t *testing.T, e *env.Env, major int) {
		d := readyWith(t, flushing(t, e, set*1e6))
		if version := d.state.Version; !strings.HasPrefix(version, fmt.Sprint(major, ".")) {
			t.Errorf("version %q", version)
		}
		before, err := d.server.counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.server.checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, err := d.server.counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var c model.AppCounts
		if difference(&c, before, after, true); c.Checkpoints == nil || *c.Checkpoints != 1 {
			t.Errorf("one checkpoint counts %v (%v, %v)", c.Checkpoints, before["checkpoints"], after["checkpoints"])
		}
		req := ask(1, 2)
		req.Workload.App.Options, req.Workload.App.Threads = "--builtin=simple-update", 1
		res, err := d.Run(t.Context(), req, load.BeginNow, func(model.Event) {})
		if err != nil || res.Error != "" {
			t.Fatalf("%v %q", err, res.Error)
		}
		a := res.App
		for name, v := range map[string]*float64{"flushes": a.Flushes, "flush time": a.FlushSeconds, "log": a.LogBytes, "pages": a.PageImages, "hits": a.Hits, "reads": a.Reads, "read time": a.ReadSeconds} {
			if v == nil {
				t.Fatalf("%s is not known", name)
			}
		}
		each, flush, log := *a.Flushes/float64(a.Transactions), *a.FlushSeconds / *a.Flushes, *a.LogBytes/float64(a.Transactions)
		t.Logf("%s: %.3f flushes of %.2f ms for each of %d transactions, %.0f B and %.2f pages of log, %.0f hits", d.state.Version, each, flush*1e3, a.Transactions, log, *a.PageImages/float64(a.Transactions), *a.Hits)
		if each < 0.95 || each > 1.2 {
			t.Errorf("%.3f flushes for each transaction of one client", each)
		}
		// Anything else that adds to a flush is due to this machine.
		if flush < set || *a.FlushSeconds > a.Seconds+1 {
			t.Errorf("a flush took %.2f ms where it takes at least %.2f", flush*1e3, set*1e3)
		}
		if log < 200 || *a.PageImages < 1 || *a.Hits < float64(a.Transactions) {
			t.Errorf("%+v", a)
		}
		if a.ToolTransactions != a.Transactions || a.ToolRate <= 0 {
			t.Errorf("pgbench's closing lines: %d of %d, %v/s", a.ToolTransactions, a.Transactions, a.ToolRate)
		}
	})
}

// Each version keeps its log where it is told, and none of it in the data directory.
func TestEachVersionKeepsItsLogApart(t *testing.T) {
	t.Parallel()
	eachVersionAtOnce(t, func(t *testing.T, e *env.Env, _ int) {
		dir, log := newWorkDir(t), newWorkDir(t)
		d := New(e)
		t.Cleanup(func() { _ = d.Leave() })
		req := model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Clients: 4}, Volume: model.Volume{Log: &model.Volume{Root: openDir(t, log)}}}
		if _, err := d.Ready(t.Context(), openDir(t, dir), req, func(model.Progress) {}); err != nil {
			t.Fatal(err)
		}
		link, err := os.Readlink(filepath.Join(dir, "data", "pg_wal"))
		segments, _ := filepath.Glob(filepath.Join(log, walName, "0*"))
		if err != nil || link != filepath.Join(log, walName) || len(segments) == 0 {
			t.Errorf("pg_wal is %q, %v; %d segments", link, err, len(segments))
		}
		if info, err := os.Stat(filepath.Join(log, walName)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info, err)
		}
		if res, err := d.Run(t.Context(), ask(2, 1), load.BeginNow, func(model.Event) {}); err != nil || res.Error != "" || *res.App.Flushes == 0 {
			t.Errorf("%v, %+v", err, res)
		}
	})
}

// What is foreseen of each version, before there is a server, is what its server says then: numbers and switches too,
// whose defaults the program's own description lacks.
func TestEachVersionIsForeseen(t *testing.T) {
	t.Parallel()
	onEachVersion(t, func(t *testing.T, e *env.Env, _ int) {
		p, err := findPrograms(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		foreseen, err := New(e).foresee(t.Context(), p, model.AppRequest{Clients: 4})
		if err != nil {
			t.Fatal(err)
		}
		is := map[string]string{}
		for _, s := range readyWith(t, e).state.Settings {
			if s.Source == "default" || s.Source == "command line" {
				is[s.Name] = s.Value
			}
		}
		same := 0
		for _, s := range foreseen.Settings {
			if want, known := is[s.Name]; known && s.Value == want {
				same++
			} else if known && baseUnits[s.Name] != "" && !strings.Contains(s.Name, "_buffers") {
				t.Errorf("%s is foreseen as %q, and is %q", s.Name, s.Value, want)
			}
		}
		for name, want := range map[string]string{"fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB", "max_connections": "100", "checkpoint_timeout": "5min", "max_wal_size": "1GB", "track_io_timing": "on"} {
			if got, _ := foreseen.Setting(name); got != want {
				t.Errorf("%s is foreseen as %q, not %q", name, got, want)
			}
		}
		if same < 150 {
			t.Errorf("%d settings of %d are as foreseen", same, len(is))
		}
		cased, err := New(e).foresee(t.Context(), p, model.AppRequest{Clients: 4, Set: []string{"FSYNC=off", "datestyle=German"}})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"fsync": "off", "DateStyle": "German"} {
			if got, _ := cased.Setting(name); got != want {
				t.Errorf("%s is foreseen as %q, not %q", name, got, want)
			}
		}
		for set, why := range map[string]string{"server_version=18": "that can be set", "shared_buffers=banana": "invalid value for parameter", "work_mem=-5": "outside the valid range", "fsync=maybe": "Boolean"} {
			_, err := New(e).foresee(t.Context(), p, model.AppRequest{Clients: 4, Set: []string{"max_wal_size=2GB", set}})
			modeltest.Refused(t, err, set, why)
		}
		t.Logf("%d of %d settings are as foreseen", same, len(is))
	})
}
