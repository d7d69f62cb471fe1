package truth

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/test/lab"
)

// plantedFlush is the minimum time of a flush, in seconds.
const plantedFlush = 0.017

// A transaction waits for what was planted: with flushes of 17 ms one client waits for its own flush,
// and eight mostly for another session's, about one and two flushes long, respectively; sixteen that
// change one row wait for each other's locks. The budgets close, and can be recomputed from the saved
// run; and faster flushes change the rate as they predict. A machine that is busy for a while does not count
// as a failure.
func TestATransactionWaitsForWhatWasPlanted(t *testing.T) {
	defer scheduleSubtests(t)()
	const flush = plantedFlush
	for _, x := range []struct {
		name  string
		args  []string
		wrong func(b *budget.Budget) string
	}{
		{"simple-c1", []string{"--load", "simple", "--clients", "1"}, func(b *budget.Budget) string {
			return within("its own flush", seconds(b, budget.Flush), flush, 1.3*flush)
		}},
		{"simple-c8", []string{"--load", "simple", "--clients", "8"}, func(b *budget.Budget) string {
			return within("flushes", seconds(b, budget.Flush, budget.FlushQueue), 1.5*flush, 2.3*flush) +
				within("another's flush", seconds(b, budget.FlushQueue)/b.Seen, 0.6, 0.95)
		}},
		{"tpcb-c16", []string{"--load", "tpcb", "--scale", "1", "--clients", "16"}, func(b *budget.Budget) string {
			return within("locks", seconds(b, budget.Locks)/b.Seen, 0.7, 1)
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			takeSlots(t, demand{class: waiting, seconds: 38, slots: 2})
			lab.Lock(t)
			slow, disk := slowFlushes(t, 0), serverDisk(t)
			measured := func(saved float64) []string {
				return append([]string{"app", "postgres", flushing(t, disk, plantedFlush-saved), "--time", "6s", "--max-time", "40s"}, x.args...)
			}
			lab.UpToThree(t, func() []string {
				run, _ := saved(t, slow, measured(0)...)
				o := command(t.Context(), t, "explain", run, "--json")
				var e budget.Explanation
				if err := json.Unmarshal([]byte(o.stdout), &e); err != nil || len(e.Runs) != 1 || len(e.Runs[0].Budgets) != 1 {
					t.Fatalf("%v: %s %s", err, o.stdout, o.stderr)
				}
				b := &e.Runs[0].Budgets[0]
				t.Logf("%s: closure %.0f %% of %.2f ms; %s", b.Workload, 100*b.Closure, 1e3*b.Seen, strings.Join(b.Notes, "; "))
				for _, r := range b.Rows {
					t.Logf("  %-34s %7.3f ms %3.0f %%  %s, ± %.3f ms", r.Name, 1e3*r.Seconds, 100*r.Share, r.Source, 1e3*r.Margin)
				}
				wrong := x.wrong(b) + b.Refused
				if wrong == "" {
					wrong = faster(t, slow, b, measured)
				}
				if wrong == "" {
					return nil
				}
				return []string{wrong}
			})
		})
	}
}

// faster speeds flushes up by the largest change that the budget covers, and returns a message
// if the rate is not as predicted, to 10 %. Nothing is predicted if other programs use up the
// processors.
func faster(t *testing.T, e *env.Env, b *budget.Budget, measured func(saved float64) []string) string {
	t.Helper()
	if len(b.Counterfactuals) == 0 {
		t.Logf("%s: nothing is predicted", b.Workload)
		return ""
	}
	c := b.Counterfactuals[0]
	_, o := saved(t, e, measured(c.Saved)...)
	is := o.result(t, b.Workload).Metrics[model.Transactions].Value
	t.Logf("%s: %s: %.1f/s predicted (%s), %.1f/s measured (%+.1f %%); was %.1f/s", b.Workload, c.Change, c.Rate, c.Law, is, 100*(c.Rate/is-1), b.Rate)
	return within(c.Change, c.Rate/is, 0.9, 1.1)
}

// flushing returns the directory on a disk in which a flush takes that many seconds, and reading the one in which a read does.
func flushing(t *testing.T, disk string, seconds float64) string {
	return delaying(t, disk, "flush", seconds)
}
func reading(t *testing.T, disk string, seconds float64) string {
	return delaying(t, disk, "read", seconds)
}

// delaying returns the directory on a disk in which lab.SlowFlush delays a call.
func delaying(t *testing.T, disk, call string, seconds float64) string {
	t.Helper()
	dir := filepath.Join(disk, fmt.Sprintf("%s-%dus", call, int(seconds*1e6)))
	if err := os.MkdirAll(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// seconds returns the total time of some parts.
func seconds(b *budget.Budget, parts ...budget.Part) (sum float64) {
	for _, p := range parts {
		row, _ := b.Row(p)
		sum += row.Seconds
	}
	return sum
}

// within returns a message if a value is out of bounds.
func within(what string, v, from, to float64) string {
	if v >= from && v <= to {
		return ""
	}
	return fmt.Sprintf("%s: %.4f is not between %.4f and %.4f; ", what, v, from, to)
}
