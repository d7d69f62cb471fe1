package truth

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/test/lab"
)

// logProfile is the log of the profile postgres, by an engine that calls fdatasync as a process
// does.
const logProfile = `engine: psync
workloads:
  - {name: wal-8k, access: seq, direction: write, block_size: 8k, sync: fdatasync}
  - {name: wal-64k, access: seq, direction: write, block_size: 64k, sync: fdatasync}
  - {name: page-read, access: rand, direction: read, block_size: 8k}
`

// saved runs a command that measures, and returns the folder of its run and its report.
func saved(t *testing.T, args ...string) (dir string, o outcome) {
	t.Helper()
	into := t.TempDir()
	o = command(t.Context(), t, append(args, "--results", into, "--quiet", "--format", "json")...)
	if o.code == 2 && strings.Contains(o.stderr, "PostgreSQL") {
		lab.Unavailable(t, "no PostgreSQL: %s", o.stderr)
	}
	runs := glob(filepath.Join(into, "*"))
	if len(runs) != 1 {
		t.Fatalf("%d runs: %s", len(runs), o.stderr)
	}
	if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
		t.Fatalf("standard output is no report: %v\n%s", err, o.stdout)
	}
	return runs[0], o
}

// What a database is said to do on storage that was only measured by itself is what it then does
// there: to 15 %, and within the interval that was said, with 1, 4 and 16 clients. What a
// transaction costs was measured where flushes are fast; the storage's take a drawn time. A
// machine that is busy for a while is no fault of the model's.
func TestADatabaseDoesWhatWasPredicted(t *testing.T) {
	lab.Lock(t)
	library := lab.SlowFlush(t)
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for range 3 {
		if wrong = predicted(t, dir, library); len(wrong) == 0 {
			return
		}
		lab.WriteDown(t, "SECOND TRY", strings.Join(wrong, "; "))
		t.Logf("again: %s", strings.Join(wrong, "; "))
	}
	t.Error(strings.Join(wrong, "; "))
}

// predicted measures what a prediction takes, predicts, measures that, and says what came out
// otherwise.
func predicted(t *testing.T, dir, library string) (wrong []string) {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "log.yaml")
	if err := os.WriteFile(profile, []byte(logProfile), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_PRELOAD", library)
	t.Setenv("SLOWFLUSH_US", "0")
	like, _ := saved(t, "app", "postgres", dir, "--clients", "1,16", "--load", "tpcb", "--time", "4s")
	set := 0.014 + 0.010*rand.Float64()
	t.Setenv("SLOWFLUSH_US", strconv.Itoa(int(set*1e6)))
	from, _ := saved(t, "run", dir, "--profile", profile, "--max-time", "18s", "--size", "64MiB")
	o := command(t.Context(), t, "predict", "postgres", "--from", from, "--like", like, "--clients", "1,4,16", "--scale", "16", "--json")
	var p prediction.Prediction
	if err := json.Unmarshal([]byte(o.stdout), &p); err != nil || len(p.Points) != 3 {
		t.Fatalf("%v: %s %s", err, o.stdout, o.stderr)
	}
	_, done := saved(t, "app", "postgres", dir, "--clients", "1,4,16", "--load", "tpcb", "--time", "4s")
	t.Logf("a flush of 8 KiB takes %.2f ms (set to %.2f ms), other work %.2f ms", 1e3*p.Flushes[0].Value, 1e3*set, 1e3*p.Other.Value)
	for _, x := range p.Points {
		r := done.result(t, fmt.Sprintf("tpcb-c%d", x.Clients))
		is := r.Metrics[model.Transactions].Value
		off := x.Rate.Value/is - 1
		t.Logf("%2d clients: %.1f/s predicted (%.1f to %.1f, limited by %s, %.2f flushes each), %.1f/s measured (%+.1f %%; %.2f flushes each of %.2f ms)",
			x.Clients, x.Rate.Value, x.Rate.Low, x.Rate.High, x.Limit, x.Flushes, is, 100*off, *r.App.Flushes, 1e3**r.App.FlushTime)
		if is < x.Rate.Low || is > x.Rate.High || math.Abs(off) > 0.15 {
			wrong = append(wrong, fmt.Sprintf("%d clients: %.1f/s were predicted (%.1f to %.1f) and %.1f/s measured", x.Clients, x.Rate.Value, x.Rate.Low, x.Rate.High, is))
		}
	}
	return wrong
}
