package truth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// database returns a driver with a small server of its own in an environment.
func database(t *testing.T, e *env.Env, set ...string) *postgres.Driver {
	t.Helper()
	dir, err := os.OpenRoot(serverDisk(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	d := postgres.New(e)
	t.Cleanup(func() {
		if err := d.Leave(); err != nil {
			t.Error(err)
		}
	})
	if _, err := d.Ready(t.Context(), dir, model.PrepareRequest{App: &model.AppRequest{Name: "postgres", Scale: 1, Clients: 4, Set: set}}, func(model.Progress) {}); err != nil {
		t.Fatal(err)
	}
	return d
}

// commits loads a server and returns the transactions per second of the measured part, and the step's counts.
func commits(t *testing.T, d *postgres.Driver, clients int) (float64, *model.AppCounts) {
	t.Helper()
	const seconds = 6
	done := uint64(0)
	res, err := d.Run(t.Context(), model.StartRequest{
		Step: model.Step{Number: 1, Workload: "simple", Ramp: 1, Seconds: seconds},
		// One table that is large enough for all clients: no transaction waits for a row lock.
		Workload: model.Workload{Name: "simple", Direction: model.Write, Depth: clients, Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench", Threads: 4, Options: "--builtin=simple-update"}},
	}, load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			done += ev.Sample.Write.IOs
		}
	})
	if err != nil || res.Error != "" {
		t.Fatalf("%d clients: %v %q", clients, err, res.Error)
	}
	return float64(done) / seconds, res.App
}

// On storage whose flush takes a known time F, one client commits every C + F, where C is its own
// work; n clients flush one after the other, each flush covering half of their commits, so they do
// n/2F. On a busy machine a sleep ends late, and so does a flush: F is what the server measured,
// which must be the time that was set, or a little more.
func TestGroupCommitOnAKnownFlush(t *testing.T) {
	takeSlots(t, demand{class: waiting, seconds: 45, slots: 2})
	lab.Lock(t)
	// The time of a transaction that does not wait for its flush.
	quick, _ := commits(t, database(t, env.OS(), "synchronous_commit=off"), 1)
	work := 1 / quick

	set := 0.015 + 0.010*rand.Float64()
	d := database(t, slowFlushes(t, time.Duration(set*1e9)))
	for _, clients := range []int{1, 4, 16} {
		lab.UpToThree(t, func() []string { return lawful(t, d, clients, work, set) })
	}
}

// lawful compares a load with the law, and returns the deviations.
func lawful(t *testing.T, d *postgres.Driver, clients int, work, set float64) (wrong []string) {
	t.Helper()
	got, c := commits(t, d, clients)
	flush := *c.FlushSeconds / *c.Flushes
	want, flushes := float64(clients)/(2*flush), 2/float64(clients)
	if clients == 1 {
		want, flushes = 1/(work+flush), 1
	}
	each := *c.Flushes / float64(c.Transactions)
	t.Logf("%2d clients: %.1f/s, by the law %.1f/s (%+.1f %%); %.3f flushes each, by the law %.3f; a flush took %.2f ms, was set to %.2f ms; C %.2f ms",
		clients, got, want, 100*(got/want-1), each, flushes, flush*1e3, set*1e3, work*1e3)
	say := func(format string, a ...any) {
		wrong = append(wrong, fmt.Sprintf("%d clients: ", clients)+fmt.Sprintf(format, a...))
	}
	if math.Abs(got/want-1) > 0.1 {
		say("%.1f/s, by the law %.1f/s", got, want)
	}
	if math.Abs(each/flushes-1) > 0.15 {
		say("%.3f flushes for each transaction, by the law %.3f", each, flushes)
	}
	if flush < set || flush > 1.2*set {
		say("the server says that a flush took %.2f ms, and it was set to %.2f ms", flush*1e3, set*1e3)
	}
	return wrong
}
