package harm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forgedTrace returns the directory of a trace that claims to have lasted so many seconds, and whose
// last sample has the given length and end.
func forgedTrace(t testing.TB, name string, seconds, end, s float64) string {
	t.Helper()
	const line = `{"t":%g,"s":%g,"device":"sda","op":"read","size":4096,"pid":7,"command":"db","f":{"ios":100,"bytes":409600,"lat":0.1,"max":0.001}}` + "\n"
	return traceOf(t, name, seconds, fmt.Sprintf(line, 1.0, 1.0)+fmt.Sprintf(line, end, s))
}

// traceOf returns the directory of a trace that claims to have lasted so many seconds, with the given
// samples.
func traceOf(t testing.TB, name string, seconds float64, samples string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	record := fmt.Sprintf(`{"schema":"loadline.trace-run/v1","id":%q,"started":"2026-11-22T12:00:00Z","finished":"2026-11-22T12:00:30Z","status":"complete","request":{},"method":"bpf",`+
		`"seconds":%g,"devices":[{"name":"sda","number":"8:0"}],"environment":{}}`, name, seconds)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "trace.json"), []byte(record), 0o600)); err != nil {
		t.Fatal(err)
	}
	generate(t, filepath.Join(dir, "samples.jsonl.zst"), samples, "\n", 0)
	return dir
}

// A trace with the maximum number of devices, operations and sizes, over years: each combination has
// its own cells, which together take no more memory than those of another trace.
func TestTracesOfManyDevicesTakeLittleMemory(t *testing.T) {
	t.Parallel()
	many := func(devices, operations, sizes int) string {
		var b strings.Builder
		for second := 1; second <= 2; second++ {
			for i := range devices * operations * sizes {
				fmt.Fprintf(&b, `{"t":%d,"s":1,"device":"sd%d","op":"op%d","size":%d,"pid":%d,"command":"db","f":{"ios":%d,"bytes":409600,"lat":0.1,"max":0.001}}`+"\n",
					second, i%devices, i/devices%operations, 512<<(i/devices/operations), i, 100+i%7)
			}
		}
		return b.String()
	}
	for name, c := range map[string]struct{ devices, operations, sizes int }{"devices": {4096, 4, 1}, "operations": {64, 64, 4}, "sizes": {128, 4, 24}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			samples := many(c.devices, c.operations, c.sizes)
			a, b := traceOf(t, "a", 1e9, samples), traceOf(t, "b", 1e9, samples)
			frugal(t, "0", "report", a, "--format", "html")
			frugal(t, "0", "compare", a, b, "--fail-on", "none")
		})
	}
}

// A trace whose record claims an impossibly long time is reported as damaged; otherwise it takes
// no more memory than another.
func TestTracesOfAgesTakeLittleMemory(t *testing.T) {
	t.Parallel()
	const longest = 1e9
	for name, c := range map[string]struct {
		seconds, end, s float64
		codes, says     string
	}{
		"far":      {2, 1e12, 1, "1", "outside the trace's own time"},
		"cut off":  {0, 1e12, 1, "1", "outside the trace's own time"},
		"long":     {2, 2, 1e12, "1", "outside the trace's own time"},
		"record":   {1e12, 2, 1, "1", "times that cannot be"},
		"all":      {1e12, 1e12, 1e12, "1", "times that cannot be"},
		"possible": {longest, longest, 1, "0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := forgedTrace(t, "a", c.seconds, c.end, c.s)
			for _, args := range [][]string{
				{"analyze", dir}, {"report", dir}, {"report", dir, "--format", "html"}, {"report", dir, "--format", "csv"},
				{"compare", dir, forgedTrace(t, "b", 2, 2, 1)}, {"compare", forgedTrace(t, "b", 2, 2, 1), dir},
			} {
				if o := frugal(t, c.codes, args...); !strings.Contains(o.stderr, c.says) {
					t.Errorf("%v: %.500s", args, o.said())
				}
			}
		})
	}
}
