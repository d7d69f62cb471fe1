package truth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/test/lab"
)

// logProfile is the log workload of the profile postgres, with an engine that calls fdatasync as a process
// does.
const logProfile = `engine: psync
workloads:
  - {name: wal-8k, access: seq, direction: write, block_size: 8k, sync: fdatasync}
  - {name: wal-16k, access: seq, direction: write, block_size: 16k, sync: fdatasync}
  - {name: wal-64k, access: seq, direction: write, block_size: 64k, sync: fdatasync}
  - {name: page-read, access: rand, direction: read, block_size: 8k}
`

// saved runs a command that measures in an environment, and returns the folder of its run and its report.
func saved(t *testing.T, e *env.Env, args ...string) (dir string, o outcome) {
	t.Helper()
	into := t.TempDir()
	o = commandIn(t.Context(), t, e, append(args, "--results", into, "--quiet", "--format", "json")...)
	if o.code == 2 && strings.Contains(o.stderr, "PostgreSQL") {
		lab.Unavailable(t, "no PostgreSQL: %s", o.stderr)
	}
	runs := glob(filepath.Join(into, "*"))
	if len(runs) != 1 {
		t.Fatalf("%d runs: %s", len(runs), o.stderr)
	}
	if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
		t.Fatalf("standard output is not a report: %v\n%s", err, o.stdout)
	}
	return runs[0], o
}

// The prediction for a database, on storage that was only measured by itself, comes true
// there: to 15 %, and within the predicted interval, with 1 and 16 clients. The cost of a
// transaction is measured where flushes are fast; the storage's flushes take a drawn time. If the
// machine is busy for a while, that is not an error of the model.
func TestADatabaseDoesWhatWasPredicted(t *testing.T) {
	takeSlots(t, demand{class: waiting, seconds: 136, slots: 2})
	lab.Lock(t)
	dir, like := serverDisk(t), serverDisk(t)
	lab.UpToThree(t, func() []string { return predicted(t, dir, like) })
}

// predicted measures what a prediction requires, predicts, measures the database, and returns the
// deviations.
func predicted(t *testing.T, dir, like string) (wrong []string) {
	t.Helper()
	us := 14_000 + rand.IntN(10_000)
	slow := filepath.Join(dir, fmt.Sprintf("flush-%dus", us))
	if err := os.Mkdir(slow, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	t.Logf("a flush is set to %.2f ms", 1e-3*float64(us))
	_, wrong = comparedWithPrediction(t, slowFlushes(t, 0), slow, like, ownFile(t, "log.yaml", logProfile), 1, 16)
	return wrong
}

// secondsEach is the time, in seconds, for the repeats of a number of clients on both sides: three on each, of four seconds
// and the time that it takes to start them.
const secondsEach = 48

// comparedWithPrediction measures the storage of the directory dir by itself; PostgreSQL there with these numbers of clients,
// alternating with PostgreSQL in the directory like, so that both see the same processors; and predicts the
// former from the first and the costs of the latter. It returns the folder of the databases' comparison, and the deviations:
// results more than 15 % off, or outside the interval.
func comparedWithPrediction(t *testing.T, e *env.Env, dir, like, profile string, clients ...int) (comparison string, wrong []string) {
	t.Helper()
	numbers := listed(clients)
	from, _ := saved(t, e, "run", dir, "--profile", profile, "--max-time", "24s", "--size", "64MiB")
	comparison, _ = saved(t, e, "app", "postgres", dir, "--baseline", like, "--clients", numbers, "--load", "tpcb", "--scale", "16",
		"--repeat", "3", "--max-time", fmt.Sprintf("%ds", secondsEach*len(clients)))
	o := commandIn(t.Context(), t, e, "predict", "postgres", "--from", from, "--like", filepath.Join(comparison, store.BaselineDir), "--clients", numbers, "--scale", "16", "--json")
	var p prediction.Prediction
	if err := json.Unmarshal([]byte(o.stdout), &p); err != nil || len(p.Points) != len(clients) {
		t.Fatalf("%v: %s %s", err, o.stdout, o.stderr)
	}
	return comparison, deviations(t, p, reported(t, e, filepath.Join(comparison, store.CandidateDir)))
}

// listed writes numbers of clients as --clients takes them.
func listed(clients []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(clients), " ", ","), "[]")
}

// reported returns the report of a saved run.
func reported(t *testing.T, e *env.Env, dir string) outcome {
	t.Helper()
	o := commandIn(t.Context(), t, e, "report", dir, "--json")
	if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
		t.Fatalf("%v: %s %s", err, o.stdout, o.stderr)
	}
	return o
}

// deviations compares a prediction with what was measured.
func deviations(t *testing.T, p prediction.Prediction, done outcome) (wrong []string) {
	t.Helper()
	t.Logf("a flush of 8 KiB takes %.2f ms, other work %.2f ms, processors %.2f ms with %d client", 1e3*p.Flushes[0].Value, 1e3*p.Other.Value, 1e3*processorsOf(p.Costs[0]), p.Costs[0].Clients)
	for _, x := range p.Points {
		r := done.result(t, fmt.Sprintf("tpcb-c%d", x.Clients))
		is := r.Metrics[model.Transactions].Value
		off := x.Rate.Value/is - 1
		t.Logf("%2d clients: %.1f/s predicted (%.1f to %.1f, limited by %s, %.2f flushes and %.0f bytes of log each), %.1f/s measured (%+.1f %%; %.2f flushes each of %.2f ms, %.0f bytes of log with %.2f images)",
			x.Clients, x.Rate.Value, x.Rate.Low, x.Rate.High, x.Limit, x.Flushes, x.LogBytes, is, 100*off, *r.App.Flushes, 1e3**r.App.FlushTime, *r.App.LogBytes, *r.App.PageImages)
		if is < x.Rate.Low || is > x.Rate.High || math.Abs(off) > 0.15 {
			wrong = append(wrong, fmt.Sprintf("%d clients: %.1f/s were predicted (%.1f to %.1f) and %.1f/s measured", x.Clients, x.Rate.Value, x.Rate.Low, x.Rate.High, is))
		}
	}
	return wrong
}

// processorsOf is the CPU time of a transaction, in seconds; 0 if it is not known.
func processorsOf(c prediction.Costs) float64 {
	if c.Processor == nil {
		return 0
	}
	return *c.Processor
}
