package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/test/lab"
)

// kbenchCommand runs loadline kbench in an environment of "NAME=value" words.
func kbenchCommand(ctx context.Context, t testing.TB, words []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	e := env.OS()
	e.Args, e.Stdout, e.Stderr = append([]string{"kbench"}, args...), &out, &errs
	e.Terminal, e.Output, e.Command = env.Terminal{Width: 80}, env.Terminal{Width: 80}, exec.CommandContext
	e.Getenv = func(name string) string {
		for _, w := range slices.Backward(words) {
			if n, value, _ := strings.Cut(w, "="); n == name {
				return value
			}
		}
		return ""
	}
	code = cli.Run(ctx, e)
	return code, out.String(), errs.String()
}

// valuesOf parses a file of results.
func valuesOf(t testing.TB, file string) kbench.Values {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v kbench.Values
	if err := v.Read(data); err != nil {
		t.Fatal(err)
	}
	return v
}

// The twelve jobs on a device of 2,000 IOPS and 100 MiB/s: every number is correct, in
// its aspect's file and in the summary. The device has never
// been written, so that reads before the prefill would be far too fast.
func TestKbenchOnAThrottledDevice(t *testing.T) {
	runWithRetry(t, demand{seconds: 40, slots: 2}, twelveJobs)
}

func twelveJobs(t testing.TB) {
	t.Helper()
	dev := lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 2000, BytesPerSecond: 100 << 20, Size: 64 << 20, Unwritten: true}))
	prefix := filepath.Join(t.TempDir(), "results", "device")
	words := []string{"FILE_NAME=" + dev, "OUTPUT=" + prefix, "SIZE=32M", "CPU_IDLE_PROF=enabled"}
	if code, _, stderr := kbenchCommand(t.Context(), t, words, "run"); code != 2 || !strings.Contains(stderr, "--overwrite") {
		t.Fatalf("a device is overwritten unasked: exit code %d: %s", code, stderr)
	}
	code, stdout, stderr := kbenchCommand(t.Context(), t, words, "run", "--overwrite", "--time", "2s", "--ramp-time", "500ms")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var all kbench.Values
	for suffix, want := range map[string]float64{"iops": 2000, "bandwidth": 100 << 10} {
		v := valuesOf(t, prefix+"-"+suffix+".json")
		if len(v.Jobs) != 4 || len(v.Idle) != 1 {
			t.Errorf("%s: %+v", suffix, v)
		}
		for name, got := range v.Jobs {
			// A busy machine may not reach the limit, but nothing may exceed it.
			if got < 0.7*want || got > 1.1*want {
				t.Errorf("%s: %.0f, the device is set to %.0f", name, got, want)
			}
		}
	}
	for name, got := range valuesOf(t, prefix+"-latency.json").Jobs {
		if got < 1e9/2000*0.5 || got > 1e9/2000*4 {
			t.Errorf("%s: %.0f ns, but at 2,000 IOPS and depth 1 it is about 500,000", name, got)
		}
	}
	for _, suffix := range []string{"iops", "bandwidth", "latency"} {
		data, err := os.ReadFile(prefix + "-" + suffix + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Read(data); err != nil {
			t.Fatal(err)
		}
	}
	// The output begins with Kbench's summary of exactly these numbers, followed by the
	// verdicts.
	want := kbench.Summary(kbench.Request{Prefix: prefix, SizeText: "32M", Mode: "full", IdleProfile: true}, all)
	rest, ok := strings.CutPrefix(stdout, want)
	if !ok {
		t.Errorf("the summary is not Kbench's:\n%s\nwant:\n%s", stdout, want)
	}
	if !strings.Contains(rest, "trust") || !strings.Contains(rest, "rand-write-bw") {
		t.Errorf("no verdicts below the summary: %s", rest)
	}
	if saved, err := os.ReadFile(prefix + ".summary"); err != nil || string(saved) != stdout {
		t.Errorf("the saved summary differs from the printed one (%v): %s", err, saved)
	}
	var report struct{ Schema string }
	if data, err := os.ReadFile(prefix + "-report.json"); err != nil || json.Unmarshal(data, &report) != nil || report.Schema != "loadline.report/v1" {
		t.Errorf("no report: %v %+v", err, report)
	}
}

// Single modes that write: Kbench puts them into the file of another aspect. The requested
// rates are kept, and the file is created and removed again.
func TestKbenchKeepsRates(t *testing.T) { runWithRetry(t, demand{seconds: 16}, keepsRates) }

func keepsRates(t testing.TB) {
	t.Helper()
	lab.Need(t, "fio")
	lab.Lock(t)
	dir := t.TempDir()
	for _, c := range []struct {
		mode, rate, aspect, job string
		want                    float64
	}{
		{"random-write-bandwidth", "RATE=,4096k", "bandwidth", "rand-write-bw", 4096},
		{"sequential-read-iops", "RATE_IOPS=100", "iops", "seq-read-iops", 100},
		{"random-write-latency", "RATE_IOPS=,50", "latency", "rand-write-lat", 0},
	} {
		prefix := filepath.Join(dir, c.mode)
		words := []string{"MODE=" + c.mode, c.rate, "SIZE=32M"}
		code, _, stderr := kbenchCommand(t.Context(), t, words, "run", filepath.Join(dir, "vol"), prefix, "--time", "2s", "--ramp-time", "500ms")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		got := valuesOf(t, prefix+"-"+c.aspect+".json").Jobs[c.job]
		if got <= 0 || c.want > 0 && (got < 0.7*c.want || got > 1.15*c.want) {
			t.Errorf("%s: %.1f, want %.0f", c.mode, got, c.want)
		}
		if files, _ := filepath.Glob(prefix + "-*.json"); len(files) != 2 {
			t.Errorf("%s: one aspect and the report are two files, not %v", c.mode, files)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "vol")); !os.IsNotExist(err) {
		t.Errorf("the file that was made is still there: %v", err)
	}
}
