package imported

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// realFio runs fio on two small jobs, one of which reads and writes, and returns its output. Nothing is
// required of its speed.
func realFio(t *testing.T, format string, more ...string) string {
	t.Helper()
	lab.Need(t, "fio")
	// In memory, because a disk may complete nothing for a second.
	dir, err := os.MkdirTemp("/dev/shm", "loadline-imported-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	args := append([]string{"--output-format=" + format, "--filename=" + filepath.Join(dir, "data"), "--size=4M", "--ioengine=psync", "--bs=4k", "--rate_iops=400", "--direct=0"}, more...)
	args = append(args, "--name=look", "--rw=randread", "--name=mix", "--stonewall", "--rw=randrw", "--rwmixread=75", "--bs=16k", "--numjobs=2", "--group_reporting")
	out, err := exec.CommandContext(t.Context(), "fio", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("fio: %v: %s", err, out)
	}
	return string(out)
}

// figuresOf returns a part's figures by workload and direction.
func figuresOf(t *testing.T, data, as string) map[string]model.Figure {
	t.Helper()
	parts, err := Parse("fio.out", []byte(data), as)
	if err != nil || len(parts) != 1 {
		t.Fatalf("%d systems, %v", len(parts), err)
	}
	all := map[string]model.Figure{}
	for _, r := range parts[0].runs {
		for _, f := range r.figures {
			f.Line, f.Tail = 0, nil
			all[f.Workload+" "+string(f.Direction)] = f
		}
	}
	return all
}

// One run of fio in both output formats: the text is rounded, the JSON is exact.
func TestRealFioSaysTheSameInEveryFormat(t *testing.T) {
	t.Parallel()
	both := realFio(t, "normal,json+", "--runtime=1", "--time_based")
	// Both are printed one after the other, in fio's order.
	begin, end := strings.Index(both, "{\n"), strings.LastIndex(both, "}\n")
	if begin < 0 || end < begin {
		t.Fatalf("no JSON in %s", both)
	}
	full, text := both[begin:end+2], both[:begin]+both[end+2:]
	plus := figuresOf(t, full, "")
	printed := figuresOf(t, text, "")
	var names []string
	for name, f := range printed {
		names = append(names, name)
		g, ok := plus[name]
		if !ok {
			t.Fatalf("%s is not in the JSON", name)
		}
		for m, v := range f.Values {
			// The text has rates with three digits, and percentiles in whole units; a bucket of the
			// JSON's histogram is 1/64 wide.
			within, least := 0.01, 0.0
			switch {
			case m == model.IOPS:
				least = 0.51
			case strings.HasPrefix(string(m), "p") && f.Values[model.P50] > 2e-3:
				within, least = 0.02, 1.01e-3
			case strings.HasPrefix(string(m), "p"):
				within, least = 0.02, 1.01e-6
			}
			if w := g.Values[m]; math.Abs(v-w) > math.Max(within*w, least) {
				t.Errorf("%s %s: %v in text, %v in JSON+", name, m, v, w)
			}
		}
		if g.Values[model.P50] == 0 || f.Values[model.P50] == 0 || math.Abs(f.Seconds-g.Seconds) > 0.002 {
			t.Errorf("%s: text %+v, JSON+ %+v", name, f, g)
		}
	}
	if len(names) != 3 || len(plus) != 3 {
		t.Errorf("%d figures in text, %d in JSON+, want look read, mix read, mix write", len(names), len(plus))
	}
	// If both are given, the JSON takes precedence.
	if diff := cmp.Diff(plus, figuresOf(t, both, "")); diff != "" {
		t.Errorf("both at once (-JSON +both): %s", diff)
	}
}

func TestRealFioJSON(t *testing.T) {
	t.Parallel()
	f := figuresOf(t, realFio(t, "json", "--io_size=800k"), "")
	for _, name := range []string{"look read", "mix read", "mix write"} {
		if g := f[name]; g.Values[model.IOPS] < 1 || g.Values[model.P99] < g.Values[model.P50] || g.Values[model.Latency] <= 0 {
			t.Errorf("%s: %+v", name, g)
		}
	}
	w := figuresOf(t, realFio(t, "normal", "--io_size=200k"), "fio-text")
	if len(w) != 3 {
		t.Errorf("%d figures in text", len(w))
	}
}

func TestRealFioTerseIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := Parse("fio.out", []byte(realFio(t, "terse", "--io_size=64k")), ""); err == nil || !strings.Contains(err.Error(), "fio's terse output") {
		t.Errorf("%v", err)
	}
}

// The states that fio prints every second become samples.
func TestRealFioStream(t *testing.T) {
	lab.UpToThree(t, func() (wrong []string) {
		parts, err := Parse("fio.out", []byte(realFio(t, "json+", "--runtime=3", "--time_based", "--status-interval=1")), "")
		if err != nil || len(parts) != 1 {
			t.Fatalf("%d systems, %v", len(parts), err)
		}
		byStep := map[int]float64{}
		for _, s := range Assemble("disk", time.Unix(0, 0).UTC(), parts).Samples {
			byStep[s.Step] += s.Seconds
			// fio prints its state while it is running, so an I/O may be in one count and not yet in the
			// other; more than one if fio waits for a processor meanwhile.
			if s.Read == nil || s.Read.IOs == 0 || math.Abs(float64(s.Read.Histogram.Count())-float64(s.Read.IOs)) > 3 {
				wrong = append(wrong, fmt.Sprintf("second %+v: %+v", s, s.Read))
			}
		}
		if len(byStep) != 2 || byStep[1] < 1.4 || byStep[2] < 1.4 || byStep[1] > 3.6 || byStep[2] > 3.6 {
			wrong = append(wrong, fmt.Sprintf("seconds by job: %v, want about 3 each", byStep))
		}
		return wrong
	})
}

// Each job of a stream gets its own seconds, also after one that is left out because it did no I/O.
func TestRealFioStreamOfSeveralJobs(t *testing.T) {
	lab.UpToThree(t, func() (wrong []string) {
		lab.Need(t, "fio")
		dir, err := os.MkdirTemp("/dev/shm", "loadline-imported-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		out, err := exec.CommandContext(t.Context(), "fio", "--output-format=json+", "--status-interval=1", "--filename="+filepath.Join(dir, "data"), "--size=4M", "--ioengine=psync", "--direct=0",
			"--name=layout", "--create_only=1", "--rw=read", "--name=r4k", "--stonewall", "--rw=randread", "--bs=4k", "--rate_iops=100", "--runtime=3", "--time_based",
			"--name=r64k", "--stonewall", "--rw=randread", "--bs=64k", "--rate_iops=20", "--runtime=3", "--time_based").CombinedOutput()
		if err != nil {
			t.Fatalf("fio: %v: %s", err, out)
		}
		parts, err := Parse("fio.out", out, "")
		if err != nil || len(parts) != 1 {
			t.Fatalf("%d systems, %v", len(parts), err)
		}
		seen := map[string]int{}
		for _, r := range parts[0].runs {
			for _, s := range r.samples {
				seen[r.workload.Name]++
				// fio prints its state while it is running: bytes may be counted of which the I/O is not yet.
				if block := float64(s.Read.Bytes) / float64(s.Read.IOs); !(math.Abs(block/float64(r.workload.BlockSize)-1) < 0.25) {
					wrong = append(wrong, fmt.Sprintf("%s has seconds of %.0f bytes per I/O", r.workload.Name, block))
				}
			}
		}
		if seen["r4k"] < 2 || seen["r64k"] < 2 {
			wrong = append(wrong, fmt.Sprintf("seconds: %v", seen))
		}
		return wrong
	})
}

// An interval without I/O between others counts as one: the rate is over all of the time.
func TestAnIntervalWithoutIO(t *testing.T) {
	state := func(ios, ms int) string {
		return fmt.Sprintf(`{"fio version": "fio-3.33", "jobs": [{"jobname": "r", "read": {"total_ios": %d, "io_bytes": %d, "runtime": %d, "iops": %d, "bw_bytes": %d, "lat_ns": {"N": %d, "mean": 1000}}}]}`, ios, ios*4096, ms, 1000*ios/ms, 4096000*ios/ms, ios)
	}
	text := strings.Join([]string{state(100, 1000), state(200, 2000), state(200, 3000), state(300, 4000), state(400, 5000)}, "\n")
	parts, err := Parse("fio.out", []byte(text), "")
	if err != nil || len(parts) != 1 || len(parts[0].runs) != 1 {
		t.Fatalf("%+v, %v", parts, err)
	}
	var ios, seconds float64
	for _, s := range parts[0].runs[0].samples {
		ios, seconds = ios+float64(s.Read.IOs), seconds+s.Seconds
	}
	if ios != 400 || seconds != 5 {
		t.Errorf("%v I/Os in %v s", ios, seconds)
	}
}

// A stream that goes backwards has no seconds, not even those without I/O before it did.
func TestAStreamThatGoesBackwards(t *testing.T) {
	state := func(ios, ms int) string {
		return fmt.Sprintf(`{"fio version": "fio-3.33", "jobs": [{"jobname": "r", "read": {"total_ios": %d, "io_bytes": %d, "runtime": %d, "iops": 100, "bw_bytes": 409600, "lat_ns": {"N": %d, "mean": 1000}}}]}`, ios, ios*4096, ms, ios)
	}
	var docs []fioDocument
	for _, text := range []string{state(100, 1000), state(200, 2000), state(200, 3000), state(200, 4000), state(150, 5000)} {
		var d fioDocument
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	runs, p := []run{{workload: model.Workload{Name: "r"}}}, &Part{}
	takeStream(docs, runs, false, p)
	if len(runs[0].samples) != 0 {
		t.Errorf("%+v", runs[0].samples)
	}
	// Without the last one there are four seconds.
	if takeStream(docs[:4], runs, false, p); len(runs[0].samples) != 4 {
		t.Errorf("%+v", runs[0].samples)
	}
}

// A job that has ended has no more seconds, although versions of fio before 3.30 go on counting its time; with later
// ones, time without I/O at the end is that of a stall.
func TestSecondsAfterTheEndOfAJob(t *testing.T) {
	for version, want := range map[string]float64{"fio-3.28": 3, "fio-3.29-dirty": 3, "fio-3.30": 5, "fio-3.41": 5, "": 3} {
		job := func(name string, ios, ms int) string {
			return fmt.Sprintf(`{"jobname": "%s", "read": {"total_ios": %d, "io_bytes": %d, "runtime": %d, "iops": 100, "bw_bytes": 409600, "lat_ns": {"N": %d, "mean": 1000}}}`, name, ios, ios*4096, ms, ios)
		}
		var docs []string
		for second := 1; second <= 5; second++ {
			// The second clone goes on; the first has ended after three seconds.
			done := min(second, 3)
			docs = append(docs, fmt.Sprintf(`{"fio version": "%s", "jobs": [%s, %s, %s]}`, version, job("a", 100*done, 1000*second), job("b", 100*done, 1000*second), job("b", 50*second, 1000*second)))
		}
		parts, err := Parse("fio.out", []byte(strings.Join(docs, "\n")), "")
		if err != nil || len(parts) != 1 || len(parts[0].runs) != 2 {
			t.Fatalf("%+v, %v", parts, err)
		}
		for i, want := range []float64{want, 5} {
			seconds := 0.0
			for _, s := range parts[0].runs[i].samples {
				seconds += s.Seconds
			}
			if seconds != want {
				t.Errorf("%s: job %d has %v seconds, not %v", version, i, seconds, want)
			}
		}
	}
}

// A clone that has ended long ago does not stretch the seconds of the others.
func TestAnEndedCloneOfAnOldFio(t *testing.T) {
	state := func(a, ms, b, later int) string {
		job := func(ios, ms int) string {
			return fmt.Sprintf(`{"jobname": "b", "read": {"total_ios": %d, "io_bytes": %d, "runtime": %d, "iops": 100, "bw_bytes": 409600, "lat_ns": {"N": %d, "mean": 1000}}}`, ios, ios*4096, ms, ios)
		}
		return fmt.Sprintf(`{"fio version": "fio-3.19", "jobs": [%s, %s]}`, job(a, ms), job(b, later))
	}
	parts, err := Parse("fio.out", []byte(strings.Join([]string{state(100, 1000, 100, 1000), state(100, 9000, 200, 2000), state(100, 10000, 300, 3000)}, "\n")), "")
	if err != nil || len(parts) != 1 || len(parts[0].runs) != 1 {
		t.Fatalf("%+v, %v", parts, err)
	}
	for _, s := range parts[0].runs[0].samples {
		if s.Seconds != 1 {
			t.Errorf("a sample of %v s", s.Seconds)
		}
	}
}

// Several runs in one file are repeats, however many I/Os each did, and no stream of one of them.
func TestRunsOneAfterTheOtherAreRepeats(t *testing.T) {
	run := func(at, ios, ms int) string {
		return fmt.Sprintf(`{"fio version": "fio-3.33", "timestamp": %d, "jobs": [{"jobname": "r", "elapsed": %d, "read": {"total_ios": %d, "io_bytes": %d, "runtime": %d, "iops": %d, "bw_bytes": %d, "lat_ns": {"N": %d, "mean": 1000}}}]}`,
			at, ms/1000+1, ios, ios*4096, ms, 1000*ios/ms, 4096000*ios/ms, ios)
	}
	oldest, middle, newest := run(1700000011, 1000, 10000), run(1700000024, 1000, 12000), run(1700000038, 1200, 13000)
	// The second row is in the order of ls -t, with runs of a limited rate: none has more I/Os than the one before.
	for _, docs := range [][]string{{oldest, middle, newest}, {run(1700000038, 1000, 10000), run(1700000024, 1000, 10000), oldest}} {
		parts, err := Parse("all.json", []byte(strings.Join(docs, "\n")), "")
		if err != nil || len(parts) != 1 || len(parts[0].runs) != 3 {
			t.Fatalf("%+v, %v", parts, err)
		}
		for _, r := range parts[0].runs {
			if len(r.samples) > 0 {
				t.Errorf("samples: %+v", r.samples)
			}
		}
	}
}
