package perf

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

const (
	// equalFlush is how long a flush takes on equal sides, in microseconds: longer than this
	// machine's own. On the slower side it takes a fifth longer.
	equalFlush = 12_000
	slowerPart = 5
	// equalDatabases is the number of comparisons of equal sides, slowerDatabases with a slower side.
	equalDatabases, slowerDatabases = 20, 8
)

// databasesCompared runs "loadline app postgres FIRST --baseline SECOND" in this process, with
// one client for that time, and returns the row of its transactions per second.
func databasesCompared(b *testing.B, e *env.Env, first, second, time string) model.Row {
	b.Helper()
	text := printed(b, e, "app", "postgres", first, "--baseline", second, "--load", "simple", "--clients", "1", "--scale", "10", "--max-time", time,
		"--fail-on", "none")
	var o struct {
		Comparison model.Comparison `json:"comparison"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		b.Errorf("standard output is not a report: %v\n%s", err, text)
	}
	for _, r := range o.Comparison.Rows {
		if r.Metric == model.Transactions {
			return r
		}
	}
	b.Errorf("no row of transactions: %+v", o.Comparison.Rows)
	return model.Row{}
}

// BenchmarkEqualDatabases compares PostgreSQL on directories with the same flush time, of
// which at most one in twenty may be called different, and on one where it takes a fifth longer,
// which has to be found.
func BenchmarkEqualDatabases(b *testing.B) {
	lab.Lock(b)
	e := env.OS()
	e.Command = lab.SlowFlush(b, e.Command, 0)
	for range b.N {
		base := lab.ServerDir(b)
		t := columns()
		fmt.Fprintf(t, "\nflushes\tfirst\tsecond\tchange\t95 %% interval\tblocks\tadjusted p\tverdict\t\n")
		var wrong, found int
		var mu sync.Mutex
		sideBySide(b, equalDatabases+slowerDatabases, func(i int, s *scope) {
			first, kind, time := equalFlush, "equal", "60s"
			if i >= equalDatabases {
				// A user with a difference to find takes the default of ten minutes for two sides.
				first, kind, time = equalFlush+equalFlush/slowerPart, "a fifth longer", "100s"
			}
			sides := make([]string, 2)
			for k, us := range []int{first, equalFlush} {
				sides[k] = filepath.Join(base, fmt.Sprint(i, "-", k), fmt.Sprintf("flush-%dus", us))
				if err := os.MkdirAll(sides[k], 0o711); err != nil {
					s.Error(err)
					return
				}
			}
			r := databasesCompared(b, e, sides[0], sides[1], time)
			mu.Lock()
			defer mu.Unlock()
			different := r.Verdict == model.Better || r.Verdict == model.Worse
			switch {
			case different && first == equalFlush:
				wrong++
			case r.Verdict == model.Worse:
				found++
			}
			fmt.Fprintf(t, "%s\t%.1f/s\t%.1f/s\t%+.1f %%\t%+.1f to %+.1f %%\t%d\t%.3f\t%s\t\n", kind, r.B.Value, r.A.Value, 100*(r.Ratio.Value-1),
				100*(r.Ratio.Low-1), 100*(r.Ratio.High-1), r.Blocks, r.Adjusted, r.Verdict)
		})
		t.Flush()
		fmt.Printf("of %d equal pairs %d are called different (goal: at most 1); of %d whose flush takes a fifth longer %d are called worse\n\n",
			equalDatabases, wrong, slowerDatabases, found)
		b.ReportMetric(float64(wrong), "wrong")
		b.ReportMetric(float64(found)/slowerDatabases, "found")
	}
}
