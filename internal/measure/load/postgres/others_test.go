package postgres

import (
	"math"
	"os/exec"
	"slices"
	"testing"
)

// others loads a server with another user's transactions, from one client, as many or as long as pgbench's
// arguments say, until end is called.
func (x *theirs) others(args ...string) (end func()) {
	x.t.Helper()
	cmd := x.otherLoad(args...)
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// otherLoad starts pgbench as another user of the server.
func (x *theirs) otherLoad(args ...string) *exec.Cmd {
	x.t.Helper()
	cmd := exec.Command(x.programs.path("pgbench"), append([]string{"-n", "-h", x.socket, "-U", superuser, "-c", "1", "-f", "/dev/stdin"}, append(args, database)...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		x.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	// A server counts transactions that touch a table promptly, and those that touch none with a delay.
	_, _ = in.Write([]byte("SELECT relname FROM pg_class WHERE oid = 1;\n"))
	_ = in.Close()
	return cmd
}

// The transactions of others are counted, and ours are not counted among them, not even if each
// transaction has its own connection.
func TestExistingServerCountsOthers(t *testing.T) {
	t.Parallel()
	x := startTheirs(t)
	d, _ := x.load(x.url("postgres", database))
	for _, reconnect := range []bool{false, true} {
		req := ask(2, 4)
		req.Workload.App.Reconnect = reconnect
		for _, number := range []string{"", "600"} {
			var meanwhile func()
			if number != "" {
				// They end within the repeat, so that all of them are counted.
				meanwhile = func() {
					if err := x.otherLoad("-t", number).Wait(); err != nil {
						t.Error(err)
					}
				}
			}
			res, _, err := x.repeat(d, req, meanwhile)
			if err != nil || res.Error != "" || res.App.Others == nil {
				t.Fatalf("%v %q %+v", err, res.Error, res.App)
			}
			others, ours := *res.App.Others, float64(res.App.Transactions)
			t.Logf("connecting %v, others %q: %.0f of others in %.1f s, %.0f of ours", reconnect, number, others, res.App.Seconds, ours)
			switch {
			case number == "" && others > 0.02*ours+20:
				t.Errorf("connecting %v: %.0f transactions of others were found, and %.0f are ours", reconnect, others, ours)
			case number != "" && math.Abs(others-600) > 30+0.02*ours:
				t.Errorf("connecting %v: %.0f transactions of others were found, and they did 600", reconnect, others)
			}
		}
	}
}

// Operations whose progress the server shows, and active sessions of others, are detected.
func TestExistingServerSeesOthersWork(t *testing.T) {
	t.Parallel()
	x := startTheirs(t)
	x.say(database, "CREATE TABLE public.large AS SELECT g, repeat('x', 500) FROM generate_series(1, 60000) g", "DELETE FROM public.large WHERE g % 2 = 0")
	d, _ := x.load(x.url("postgres", database))
	cmd := exec.Command(x.programs.path("psql"), "-h", x.socket, "-U", superuser, "-d", database, "-c", "SET vacuum_cost_delay = '50ms'", "-c", "SET vacuum_cost_limit = 20", "-c", "VACUUM public.large")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	res, _, err := x.repeat(d, ask(2, 3), nil)
	if err != nil || !slices.Contains(res.App.Tasks, "vacuum") || res.App.Busy == nil || *res.App.Busy < 1 {
		t.Errorf("%v %+v", err, res.App)
	}
}

// Counters that are not maintained are unknown, not 0.
func TestExistingServerForgetsWhatIsNotCounted(t *testing.T) {
	t.Parallel()
	x := startTheirs(t, "wal_sync_method=open_datasync", "track_io_timing=on", "track_wal_io_timing=on")
	d, _ := x.load(x.url("postgres", database))
	res, _, err := x.repeat(d, ask(2, 1), nil)
	if err != nil || res.App.Flushes != nil || res.App.FlushSeconds != nil || res.App.LogBytes == nil {
		t.Errorf("%v %+v", err, res.App)
	}
	// The statistics are reset during the repeat.
	res, _, err = x.repeat(d, ask(2, 3), func() { x.say(database, "SELECT pg_stat_reset_shared('wal')") })
	if c := res.App; err != nil || c.LogBytes != nil || c.Hits != nil || c.Others != nil || c.Transactions == 0 {
		t.Errorf("%v %+v", err, c)
	}
	x.say("postgres", "ALTER SYSTEM SET track_counts = off", "ALTER SYSTEM SET track_io_timing = off", "SELECT pg_reload_conf()")
	if err := d.Leave(); err != nil {
		t.Fatal(err)
	}
	d, state := x.load(x.url("postgres", database))
	if len(state.Server.Remarks) == 0 {
		t.Error("nothing is said of it")
	}
	if res, _, err = x.repeat(d, ask(2, 1), nil); err != nil || res.App.Hits != nil || res.App.Reads != nil || res.App.Vacuums != nil || res.App.Others != nil || res.App.ReadSeconds != nil {
		t.Errorf("%v %+v", err, res.App)
	}
}
