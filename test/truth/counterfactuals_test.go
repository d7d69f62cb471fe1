package truth

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/test/lab"
)

// What explain says of flushes and reads that take half the time comes true on a real server, to 10 %: five drawn
// flushes with 1, 4 and 16 clients, and five drawn reads with 1. A server with half the delay alternates with the one
// that is explained. TestATransactionWaitsForWhatWasPlanted is the short form of this.
func TestHalfTheDelayDoesWhatWasExplained(t *testing.T) {
	if os.Getenv("LOADLINE_LONG") == "" {
		t.Skip("25 minutes on a quiet machine: LOADLINE_LONG=1 runs it")
	}
	lab.Lock(t)
	for range 5 {
		flush := 0.005 + 0.020*rand.Float64()
		t.Run(fmt.Sprintf("flush of %.1f ms", 1e3*flush), func(t *testing.T) {
			halved(t, flushing(t, serverDisk(t), flush), flushing(t, serverDisk(t), flush/2), "simple", []int{1, 4, 16}, "--scale", "16")
		})
	}
	for range 5 {
		read := 0.003 + 0.005*rand.Float64()
		t.Run(fmt.Sprintf("read of %.1f ms", 1e3*read), func(t *testing.T) {
			halved(t, reading(t, serverDisk(t), read), reading(t, serverDisk(t), read/2), "select", []int{1}, "--scale", "2", "--set", "shared_buffers=8MB")
		})
	}
}

// halved compares what explain says of half the delay with what was measured with it.
func halved(t *testing.T, slow, fast, load string, clients []int, args ...string) {
	t.Helper()
	e := slowFlushes(t, 0)
	both, _ := saved(t, e, append([]string{"app", "postgres", slow, "--baseline", fast, "--load", load, "--clients", listed(clients),
		"--repeat", "3", "--max-time", fmt.Sprintf("%ds", secondsEach*len(clients))}, args...)...)
	o := commandIn(t.Context(), t, e, "explain", filepath.Join(both, store.CandidateDir), "--json")
	var said budget.Explanation
	if err := json.Unmarshal([]byte(o.stdout), &said); err != nil || len(said.Runs) != 1 || len(said.Runs[0].Budgets) != len(clients) {
		t.Fatalf("%v: %s %s", err, o.stdout, o.stderr)
	}
	done := reported(t, e, filepath.Join(both, store.BaselineDir))
	for _, b := range said.Runs[0].Budgets {
		i := slices.IndexFunc(b.Counterfactuals, func(c budget.Counterfactual) bool { return strings.Contains(c.Change, "in half the time") })
		if i < 0 {
			// Where the processors would be nearly full, nothing may be.
			if why := b.Refused + strings.Join(b.Notes, "; "); b.InFlight < 16 || !strings.Contains(why, "would use") {
				t.Errorf("%s: nothing is predicted: %s", b.Workload, why)
			}
			continue
		}
		c := b.Counterfactuals[i]
		is := done.result(t, b.Workload).Metrics[model.Transactions].Value
		off := c.Rate/is - 1
		t.Logf("%s, %s: %.1f/s predicted (%s), %.1f/s measured (%+.1f %%); before %.1f/s", b.Workload, c.Change, c.Rate, c.Law, is, 100*off, b.Rate)
		if math.Abs(off) > 0.1 {
			t.Errorf("%s, %s: %.1f/s were predicted, and %.1f/s measured", b.Workload, c.Change, c.Rate, is)
		}
	}
}
