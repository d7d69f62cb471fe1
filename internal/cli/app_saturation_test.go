package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// On a real server whose flush takes 12 ms, clients that all update one row commit one after the other, so that
// one client is as fast as sixteen; with a row for each they share flushes (tps = N/2F), and eight are twice as
// fast as four.
func TestAppPostgresSaturation(t *testing.T) {
	lab.Lock(t)
	t.Setenv("LD_PRELOAD", lab.SlowFlush(t))
	for _, x := range []struct {
		name, scale, clients string
		with                 int
		says                 []string
	}{
		{"one row", "1", "1,4,16", 1, []string{"is saturated with one client", "most of them wait for each other's rows"}},
		{"a row for each", "16", "1,4,8", 0, []string{"is not saturated up to 8 clients"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			base := databaseDir(t)
			dir := filepath.Join(base, "flush-12000us")
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
			for _, words := range x.says {
				if c.To != x.with || !strings.Contains(c.Says, words) {
					t.Errorf("%d: %s (want %d, %q)", c.To, c.Says, x.with, words)
				}
			}
			empty(t, dir)
		})
	}
}
