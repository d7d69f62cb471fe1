package imported

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// samplesOf returns the files of testdata.
func samplesOf(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = data
	}
	return all
}

// nasty has lines that are difficult for a parser.
var nasty = []string{
	"tps = 1e999 (excluding connections establishing)", "tps = NaN (excluding connections establishing)", "latency average = -1 ms",
	"number of clients: 99999999999999999999", "number of transactions actually processed: 18446744073709551616/0",
	"60000000 records sent, 0.0 records/sec (NaN MB/sec), Infinity ms avg latency, 99999999999999999999999999 ms max latency",
	"1 records sent, 0.000000000000000000000001 records/sec (0.00 MB/sec), 1 ms avg latency, 1 ms max latency",
	"2020-99-99 20:48:08:163, 2020-06-23 20:49:27:342, 5722.0459, 72.2672, 60000000, 757776.6832, 3040",
	"[INFO] SUCCESS (took 0 seconds)", "[INFO] SUCCESS (took 999999999999999999999999 seconds)",
	"Random Read/Write IOPS: 1e300k/0. BW: 99999999999999999999999TiB/s / 1B/s", "Average Latency (parsecs) Read/Write: 1/2",
	"= FIO Summary =", "FIO Benchmark Summary", "FIO Benchmark Comparsion Summary", "For: a vs a", "IOPS (Read/Write)", "Random: , / ,", "Random: 1 / 2 vs 3 / 0 : x% / y%",
	"     usecs               : count     distribution", "0 -> 18446744073709551615 : 99999999999999999999 |*|", "5 -> 1 : 5 |", "@usecs:", "[1T, 99999T) 7 |@|", "@io_count: 0", "@total_latency_ns: 1",
	"avg = 1 parsecs, total: 5 msecs, count: 0",
	"a: (groupid=99999999999999999999, jobs=99999999999999999999): err= 0: pid=1: x", "  read: IOPS=1e308k, BW=999999999999999999999GiB/s (1B/s)(1B/0msec)", "  read : io=1KB, bw=0B/s, iops=0, runt= 0msec",
	"    clat (nsec): min=0, max=1e400M, avg=NaN, stdev=0", "    clat percentiles (lightyears):", "     | 99.00th=[99999999999999999999999999999999]",
	"  IO depths    : 1=0.0%, >=64=1e400%", `{"fio version":"fio-3.33","jobs":[{"jobname":"x","read":{"iops":1e308,"bw_bytes":1e308,"total_ios":1e308,"lat_ns":{"mean":1e308,"N":1e308}}}]}`,
	`{"fio version":"fio-3.33","jobs":[{"jobname":"","read":{"iops":1,"bw_bytes":1,"total_ios":5,"runtime":1e300,"clat_ns":{"mean":5,"N":5,"bins":{"-1":5,"1e99":1e99}}}}]}`,
	`{"fio version":"fio-3.33","timestamp":99999999999999,"jobs":[{"jobname":"x","read":{"iops":5,"bw_bytes":20480,"total_ios":50,"runtime":10000,"lat_ns":{"mean":5,"N":50}}}]}`,
	"# A", "# A", "## A", "**A**", "```", "", "\r", "{", "}",
}

// FuzzParse: any file is either refused with a sentence or results in usable figures.
func FuzzParse(f *testing.F) {
	for _, data := range samplesOf(f) {
		f.Add(data)
	}
	for _, line := range nasty {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sane(t, data) })
}

// TestMangledFiles truncates files, drops, duplicates and moves their lines, and inserts lines that no
// tool would print.
func TestMangledFiles(t *testing.T) {
	files := samplesOf(t)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		lines := strings.Split(string(files[rapid.SampledFrom(names).Draw(rt, "file")]), "\n")
		for range rapid.IntRange(1, 6).Draw(rt, "changes") {
			i := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
			switch rapid.SampledFrom([]string{"drop", "double", "nasty", "move", "digits", "unit"}).Draw(rt, "change") {
			case "drop":
				lines = append(lines[:i:i], lines[i+1:]...)
			case "double":
				lines = append(lines[:i+1:i+1], lines[i:]...)
			case "nasty":
				lines = append(lines[:i+1:i+1], append([]string{rapid.SampledFrom(nasty).Draw(rt, "nasty")}, lines[i+1:]...)...)
			case "move":
				k := rapid.IntRange(0, len(lines)-1).Draw(rt, "to")
				lines[i], lines[k] = lines[k], lines[i]
			case "digits":
				lines[i] = strings.ReplaceAll(lines[i], rapid.SampledFrom([]string{"1", "5", ".", "0"}).Draw(rt, "digit"), rapid.SampledFrom([]string{"", "9999999999", "0", "-", "NaN", "e400"}).Draw(rt, "instead"))
			case "unit":
				lines[i] = strings.NewReplacer("msec", "usec", "usec", "nsec", "MiB", "KiB", "k", "M", "ms", "s").Replace(lines[i])
			}
			if len(lines) == 0 {
				lines = []string{""}
			}
		}
		data := []byte(strings.Join(lines, "\n"))
		sane(rt, data[:rapid.IntRange(0, len(data)).Draw(rt, "cut")])
	})
}

// complaints has the required methods of *testing.T and *rapid.T.
type complaints interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sane parses data and checks that the result is plausible.
func sane(t complaints, data []byte) {
	t.Helper()
	parts, err := Parse("file.txt", data, "")
	if err != nil {
		var refused *model.WorkerError
		if !errors.As(err, &refused) || refused.Class != model.Refused || refused.Message == "" {
			t.Fatalf("not a refusal: %v", err)
		}
		return
	}
	if len(parts) == 0 {
		t.Fatalf("neither parts nor an error")
	}
	rec := Assemble("x", time.Unix(0, 0).UTC(), parts)
	if len(rec.Imported.Figures) == 0 && len(rec.Samples) == 0 {
		t.Fatalf("no figure and no second")
	}
	if _, err := json.Marshal(rec); err != nil {
		t.Fatalf("the record cannot be saved: %v", err)
	}
	lines := strings.Count(string(data), "\n") + 1
	for _, f := range rec.Imported.Figures {
		if f.Line < 1 || f.Line > lines || f.Workload == "" || f.Direction == "" || f.Group == "" || len(f.Values) == 0 || !(f.Seconds >= 0) || math.IsInf(f.Seconds, 0) {
			t.Fatalf("figure %+v of %d lines", f, lines)
		}
		for m, v := range f.Values {
			if !(v >= 0) || math.IsInf(v, 0) {
				t.Fatalf("%s %s is %v", f.Workload, m, v)
			}
		}
		for i, p := range f.Tail {
			if !(p.Above > 0 && p.Above <= 1) || !(p.Latency > 0) || math.IsInf(p.Latency, 0) || i > 0 && (p.Latency <= f.Tail[i-1].Latency || p.Above > f.Tail[i-1].Above) {
				t.Fatalf("%s: tail %+v", f.Workload, f.Tail)
			}
		}
	}
	for _, w := range rec.Plan.Workloads {
		if w.Name == "" || w.Describe() == "" || w.BlockSize < 0 || w.Depth < 0 {
			t.Fatalf("workload %+v", w)
		}
	}
	for _, s := range rec.Run.Steps {
		if !(s.Ended >= s.Started) || math.IsInf(s.Ended, 0) {
			t.Fatalf("step from %v to %v", s.Started, s.Ended)
		}
	}
}
