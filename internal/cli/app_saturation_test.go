package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// On a real server whose flush takes 40 ms, clients that all update one row commit one after the other, so that
// one client is as fast as sixteen; with a row for each they share flushes (tps = N/2F), and eight are twice as
// fast as four. The flush takes so long that processors that others use change the rate little.
func TestAppPostgresSaturation(t *testing.T) {
	lab.Lock(t)
	t.Setenv("LD_PRELOAD", lab.SlowFlush(t))
	for _, x := range []struct {
		name, scale, clients string
		with                 int
		says                 string
		hot                  bool
	}{
		{"one row", "1", "1,4,16", 1, "is saturated with one client", true},
		{"a row for each", "16", "1,4,8", 0, "is not saturated up to 8 clients", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			base := databaseDir(t)
			dir := filepath.Join(base, "flush-40000us")
			if err := os.Mkdir(dir, 0o711); err != nil {
				t.Fatal(err)
			}
			code, r := report(t, "app", "postgres", dir, "--results", t.TempDir(), "--format", "json", "-q", "--scale", x.scale, "--clients", x.clients, "--repeat", "3", "--max-time", "50s")
			if len(r.Saturation) != 1 || len(r.Saturation[0].Points) != 3 {
				t.Fatalf("exit code %d, %+v", code, r.Saturation)
			}
			c := r.Saturation[0]
			for _, res := range r.Results {
				t.Logf("%s: %.1f/s (%.1f to %.1f)", res.Workload, res.Value, res.Low, res.High)
			}
			t.Log(c.Says)
			if c.To != x.with || !strings.Contains(c.Says, x.says) {
				t.Errorf("%d: %s (want %d, %q)", c.To, c.Says, x.with, x.says)
			}
			warned := func(rules ...string) bool {
				return slices.ContainsFunc(r.Findings, func(f model.Finding) bool {
					return slices.Contains(rules, f.Rule) && (f.Severity == model.SeverityWarning || f.Severity == model.SeverityInvalid)
				})
			}
			// A limit that is found is named before the rows: other tests may keep the processors busy.
			if x.hot && (!warned("hot-rows") || !warned("full-cpu", "cpu") && !strings.Contains(c.Says, "most of them wait for each other's rows") || !strings.Contains(c.Says, "need not be the limit of the storage")) {
				t.Errorf("the rows are not named: %s", c.Says)
			}
			if !x.hot && warned("hot-rows") {
				t.Error("rows are accused although each client has its own")
			}
			empty(t, dir)
		})
	}
}
