package truth

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// comparison runs "loadline compare A B … --format json" inside this process.
func comparison(t testing.TB, a, b string, args ...string) (model.Comparison, int) {
	t.Helper()
	o := command(t.Context(), t, append([]string{"compare", a, b, "--format", "json", "--quiet", "--results", t.TempDir()}, args...)...)
	var c model.Comparison
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
		t.Fatalf("exit code %d: standard output is no comparison: %v\n%s%s", o.code, err, o.stdout, o.stderr)
	}
	return c, o.code
}

// Two throttled devices, one set to a tenth less than the other: the ratio is that of the
// settings, and the verdict is worse one way and better the other.
func TestThrottledDevicesAreToldApart(t *testing.T) {
	defer scheduleSubtests(t)()
	for _, c := range []struct {
		a, b  int64
		ratio float64
		want  model.Change
		code  int
	}{{2000, 1800, 0.9, model.Worse, 4}, {1800, 2000, 1 / 0.9, model.Better, 0}} {
		t.Run(fmt.Sprintf("%d after %d", c.b, c.a), func(t *testing.T) {
			runWithRetry(t, demand{seconds: 43, slots: 2}, func(t testing.TB) {
				a, b := lab.Throttled(t, lab.Throttle{IOPS: c.a, Size: 64 << 20}), lab.Throttled(t, lab.Throttle{IOPS: c.b, Size: 64 << 20})
				got, code := comparison(t, a.Target(), b.Target(), "--profile", "kbench", "--only", "rand-read-iops", "--size", "64M", "--max-time", "40s")
				r := got.Rows[0]
				t.Logf("ratio %.4f [%.4f, %.4f] after %d blocks", r.Ratio.Value, r.Ratio.Low, r.Ratio.High, r.Blocks)
				if code != c.code || r.Verdict != c.want || r.Ratio.Value < 0.99*c.ratio || r.Ratio.Value > 1.01*c.ratio {
					t.Errorf("exit code %d, %s, ratio %g [%g, %g], want %s and %g", code, r.Verdict, r.Ratio.Value, r.Ratio.Low, r.Ratio.High, c.want, c.ratio)
				}
				if got.Method != model.Paired || !got.Comparable {
					t.Errorf("method %s, differences %+v", got.Method, got.Differences)
				}
			})
		})
	}
}

// Two directories on one disk may be compared; the report says that they share it, and
// nothing is left in them.
func TestTwoDirectoriesOnOneDisk(t *testing.T) {
	lab.Need(t, "fio")
	takeSlots(t, demand{class: bestEffort, seconds: 23})
	lab.Lock(t)
	base := t.TempDir()
	a, b := filepath.Join(base, "a"), filepath.Join(base, "b")
	for _, dir := range []string{a, b} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, code := comparison(t, a, b, "--profile", "kbench", "--only", "rand-read-iops", "--size", "32M", "--max-time", "15s", "--fail-on", "none")
	if code != 0 || len(c.Rows) == 0 || c.Rows[0].Blocks < 4 {
		t.Fatalf("exit code %d, rows %+v", code, c.Rows)
	}
	shared := false
	for _, f := range c.Findings {
		shared = shared || f.Rule == "shared-disk" && f.Severity == model.SeverityWarning
	}
	// In a container the device may not be visible, and then sharing cannot be detected.
	if c.A.Environment.Storage.Device != "" && !shared {
		t.Errorf("that both lie on %s is not said: %+v", c.A.Environment.Storage.Device, c.Findings)
	}
	empty(t, a)
	empty(t, b)
	if left, _ := filepath.Glob(filepath.Join(c.Directory, "a", "samples*")); len(left) != 1 {
		t.Errorf("side A is not saved in %s", c.Directory)
	}
}
