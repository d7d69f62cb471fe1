package postgres

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/waits"
)

// sampledOf loads a server and returns what was sampled in the seconds in which all clients were
// connected: the number of samples, and the mean number of sessions in each state, by their names
// in lower case.
func sampledOf(t *testing.T, d *Driver, req model.StartRequest) (moments int, states map[string]float64, c *model.AppCounts) {
	t.Helper()
	res, err := d.Run(t.Context(), req, load.BeginNow, func(model.Event) {})
	if err != nil || res.Error != "" || res.App.Waits == nil {
		t.Fatalf("%v %+v", err, res)
	}
	w := res.App.Waits
	if w.Without != "" || w.Hidden > 0 || w.Sessions != req.Workload.Depth || w.Width != 1 {
		t.Errorf("%+v", w)
	}
	states = map[string]float64{}
	for _, b := range w.Bins {
		if b.Moments > 0 && b.Sessions() == b.Moments*w.Sessions {
			moments += b.Moments
			for name, n := range b.States {
				states[strings.ToLower(name)] += float64(n)
			}
		}
	}
	for name := range states {
		states[name] /= float64(moments)
	}
	t.Logf("%s, %d clients: %.1f/s; %d of %d moments, %.2f ms each: %v", d.state.Version, w.Sessions, float64(res.App.Transactions)/res.App.Seconds, moments, w.Moments(), 1e3*w.Spent/float64(w.Moments()), show(states))
	return moments, states, res.App
}

func show(states map[string]float64) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(states)) {
		list = append(list, name+" "+strconv.FormatFloat(states[name], 'f', 2, 64))
	}
	return list
}

// Every session is in exactly one state in each sample, and only the clients are counted: neither
// the session that samples, nor those that query before and after.
func TestSamplesAreOfTheClients(t *testing.T) {
	onEachVersion(t, func(t *testing.T, e *env.Env, _ int) {
		req := ask(3, 4)
		req.Step.Ramp = 1
		d, moments, reading := readyWith(t, e), 0, 0.0
		// Clients connect in the first second and leave in the last. Where others keep the processors busy,
		// the server answers slowly and is asked less often.
		for range 5 {
			few, states, c := sampledOf(t, d, req)
			// Nor do the CPU statistics mistake it for a client.
			if c.Processor == nil {
				t.Error("nothing is known of the processors")
			}
			sum := 0.0
			for _, n := range states {
				sum += n
			}
			if few > 0 && (sum < 2.999 || sum > 3.001) {
				t.Errorf("%v sessions of 3 clients: %v", sum, states)
			}
			if moments, reading = moments+few, reading+states["client:clientread"]; moments >= 20 {
				break
			}
		}
		if moments < 20 || reading == 0 {
			t.Errorf("%d moments with all clients, %g of which wait for the client", moments, reading)
		}
	})
}

// If all transactions change the same row, they wait for each other.
func TestSamplesOfAHotRow(t *testing.T) {
	t.Parallel()
	d := readyWith(t, flushing(t, env.OS(), 5000))
	req := ask(16, 5)
	req.Workload.App.Threads = 2
	_, states, _ := sampledOf(t, d, req)
	locks := 0.0
	for name, n := range states {
		if strings.HasPrefix(name, "lock:") {
			locks += n
		}
	}
	if locks < 10 {
		t.Errorf("%.2f of 16 sessions wait for a lock: %v", locks, states)
	}
}

// By Little's law the number of sessions in their own flush, divided by the rate, is the flush time
// per transaction that the server itself reports; with several clients most wait for another's
// flush.
func TestSamplesOfAKnownFlush(t *testing.T) {
	t.Parallel()
	eachVersionAtOnce(t, func(t *testing.T, e *env.Env, _ int) {
		d := readyWith(t, flushing(t, e, 17000))
		for _, clients := range []int{1, 8} {
			req := ask(clients, 8)
			req.Workload.App.Options = "--builtin=simple-update"
			moments, states, c := sampledOf(t, d, req)
			flushing := *c.FlushSeconds / c.Seconds
			own, others := states["io:walsync"], states["lwlock:walwrite"]
			t.Logf("%.3f of the time in a flush by the server's own times, %.3f sampled", flushing, own)
			// A proportion of about 0.9 in 150 samples is known to ±5 %.
			if moments < 80 || own < flushing-0.1 || own > flushing+0.1 {
				t.Errorf("%d clients: %.3f sessions in a flush at %d moments, and the server was in one %.3f of the time", clients, own, moments, flushing)
			}
			if clients == 1 && others > 0.05 || clients == 8 && others < 4 {
				t.Errorf("%d clients: %.2f wait for another's flush", clients, others)
			}
		}
	})
}

// An existing server is sampled by a user who is not a superuser: all users may see their own
// sessions. The session that holds the schema has the same name, but is not a client.
func TestSamplesOfAServerThatExists(t *testing.T) {
	x := startTheirs(t)
	x.say(database, "CREATE USER plain", "GRANT CREATE ON DATABASE "+database+" TO plain")
	d, _ := x.load(x.url("plain", database))
	req := ask(2, 4)
	req.Step.Ramp = 1
	end := x.others("-T", "600", "-R", "50")
	defer end()
	moments := 0
	for i := 0; i < 3 && moments < 20; i++ {
		few, states, c := sampledOf(t, d, req)
		if moments += few; c.Busy != nil && *c.Busy > 1 {
			t.Errorf("%d moments, %+v, others %v", few, states, c.Busy)
		}
	}
	if moments < 20 {
		t.Errorf("%d moments", moments)
	}
	req.Workload.App.Reconnect = true
	if res, _, err := x.repeat(d, req, nil); err != nil || res.Error != "" || !strings.Contains(res.App.Waits.Without, "opens its own connection") {
		t.Errorf("%v %+v", err, res)
	}
	if err := d.Leave(); err != nil {
		t.Error(err)
	}
	x.clean()
}

// Sampling is optional: if its session is ended, the repeat continues, the samples so far are kept,
// and the reason is reported.
func TestSamplesThatEndInTheMiddle(t *testing.T) {
	x := startTheirs(t)
	d, _ := x.load(x.url("postgres", database))
	res, n, err := x.repeat(d, ask(2, 4), func() {
		if rows := x.say(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'EXECUTE states%' OR query LIKE 'EXECUTE flushes%'"); len(rows) != 1 {
			t.Errorf("%d sessions sample", len(rows))
		}
	})
	if err != nil || res.Error != "" || res.Lost != "" || n != 4 {
		t.Fatalf("%v, %d samples, %+v", err, n, res)
	}
	if w := res.App.Waits; !strings.Contains(w.Without, "the server stopped answering") || w.Moments() == 0 || len(w.Bins) > 4 {
		t.Errorf("%+v", w)
	}
}

func TestAnswersAreTakenApart(t *testing.T) {
	hidden, states, err := statesIn([]string{"states", "2", "IO:WalSync" + countMark + "3" + stateMark + waits.None + countMark + "1"})
	if err != nil || hidden != 2 || states["IO:WalSync"] != 3 || states[waits.None] != 1 || len(states) != 2 {
		t.Errorf("%d %v %v", hidden, states, err)
	}
	if hidden, states, err := statesIn([]string{"states", "0", ""}); err != nil || hidden != 0 || len(states) != 0 {
		t.Errorf("%d %v %v", hidden, states, err)
	}
	for _, wrong := range [][]string{nil, {"states", "0"}, {"x", "0", ""}, {"states", "x", ""}, {"states", "0", "IO:WalSync"},
		{"states", "-1", ""}, {"states", "0", "IO:WalSync" + countMark + "-1"}, {"states", "0", "IO:WalSync" + countMark + "99999999999"}, {"states", "0", " " + countMark + "3"}} {
		if _, _, err := statesIn(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
