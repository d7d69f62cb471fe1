package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// measureTraced measures with --trace, and returns the run and the trace saved in its directory.
func measureTraced(t *testing.T, args ...string) (*model.Report, *iotrace.Report) {
	t.Helper()
	results := t.TempDir()
	code, run := report(t, append(args, "--trace", "--results", results, "--format", "json", "-q")...)
	// The devices are in memory, which says nothing about etcd on a disk: its goal is undecided.
	if code != exitOK && code != exitInvalid && code != exitGoal {
		t.Fatalf("exit code %d", code)
	}
	code, out, errs := runLoadline(t, "report", filepath.Join(run.Run.Directory, store.TraceDir), "--format", "json")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var seen iotrace.Report
	if err := json.Unmarshal([]byte(out), &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Run.Method != iotrace.ByBPF {
		lab.Unavailable(t, "the kernel cannot be traced here: %v", seen.Run.Limitations)
	}
	for _, file := range []string{"report.html", "summary.txt"} {
		if _, err := os.Stat(filepath.Join(run.Run.Directory, store.TraceDir, file)); err != nil {
			t.Error(err)
		}
	}
	return run, &seen
}

// traced counts the I/Os of an operation by the processes of these names.
func traced(r *iotrace.Report, op iotrace.Operation, device string, names ...string) (n uint64) {
	for _, row := range r.Rows {
		if row.Operation == op && row.Device == device && slices.Contains(names, row.Command) {
			n += row.IOs
		}
	}
	return n
}

// A trace during scale covers the device of each target, once, and sees at least what was measured.
func TestTraceBesideScale(t *testing.T) {
	lab.Lock(t)
	a, b := lab.LoopOnMemory(t, 64<<20), lab.LoopOnMemory(t, 64<<20)
	run, seen := measureTraced(t, "scale", a, b, "--volumes", "1,2", "--max-time", "20s")
	devices := []string{filepath.Base(a), filepath.Base(b)}
	if !slices.Equal(seen.Run.Request.Devices, devices) || len(seen.Run.Devices) != 2 {
		t.Fatalf("%v was traced, want %v", seen.Run.Request.Devices, devices)
	}
	measured, got := 0.0, uint64(0)
	for _, r := range run.Results {
		measured += r.Metrics[model.IOPS].Value * r.Seconds
	}
	for _, d := range devices {
		n := traced(seen, iotrace.Read, d, "fio")
		if n == 0 {
			t.Errorf("%s: no read of fio", d)
		}
		got += n
	}
	if measured == 0 || float64(got) < 0.97*measured {
		t.Errorf("%d reads of fio were traced, and %.0f were measured", got, measured)
	}
}

// A trace during an application run sees the flushes that its server counts.
func TestTraceBesideApplications(t *testing.T) {
	lab.Lock(t)
	filesystem := func(t *testing.T, size int64) string {
		dir := lab.Filesystem(t, lab.LoopOnMemory(t, size), "ext4")
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	postgres := func(dir string) []string {
		databaseDir(t)
		return []string{"app", "postgres", dir, "--load", "simple", "--clients", "1", "--scale", "1"}
	}
	log := ""
	for name, args := range map[string]func(dir string) []string{
		"postgres": postgres,
		"postgres, log apart": func(dir string) []string {
			log = filesystem(t, 2<<30)
			return append(postgres(dir), "--wal", log)
		},
		"etcd": func(dir string) []string {
			return []string{"app", "etcd", dir, "--etcd", lab.Etcd(t), "--clients", "1"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			log = ""
			dir := filesystem(t, 2<<30)
			server, _, _ := strings.Cut(name, ",")
			run, seen := measureTraced(t, append(args(dir), "--time", "6s", "--ramp-time", "1s")...)
			if len(run.Results) != 1 || run.Results[0].App == nil || run.Results[0].App.Flushes == nil {
				t.Fatalf("%+v", run.Results)
			}
			var devices []string
			for _, place := range []string{dir, log} {
				if place == "" {
					continue
				}
				device, err := trace.Below(place)
				if err != nil {
					t.Fatal(err)
				}
				devices = append(devices, device)
			}
			// The log's device is the last one.
			device := devices[len(devices)-1]
			if !slices.Equal(seen.Run.Request.Devices, devices) {
				t.Fatalf("%v was traced, want %v", seen.Run.Request.Devices, devices)
			}
			r := run.Results[0]
			counted := *r.App.Flushes * r.Metrics[model.Transactions].Value * r.Seconds
			// Some flushes are the filesystem's: the server's changes are in its journal.
			var flushes uint64
			for _, k := range seen.Kinds {
				if k.Operation == iotrace.Flush {
					flushes += k.IOs
				}
			}
			waits := traced(seen, iotrace.FlushWait, device, server)
			t.Logf("the server counted %.0f flushes, and the trace %d of the device; its own processes waited for %d", counted, flushes, waits)
			if counted == 0 || float64(flushes) < 0.95*counted || waits == 0 {
				t.Errorf("the server counted %.0f flushes, and the trace %d; its own processes waited for %d", counted, flushes, waits)
			}
			// The budget contains the device's part of a flush, which is less than what the server saw.
			if len(run.Budgets) != 1 {
				t.Fatalf("%d budgets", len(run.Budgets))
			}
			parts := map[string]float64{}
			for _, row := range run.Budgets[0].Rows {
				if row.Part == budget.Flush {
					parts[row.Source] = row.Seconds
				}
			}
			t.Logf("%v, %v", parts, run.Budgets[0].Notes)
			if d := parts["block trace"]; d <= 0 || len(parts) != 2 || r.App.FlushTime == nil || d > *r.App.FlushTime**r.App.Flushes*1.01 {
				t.Errorf("the flush of the log is %v", parts)
			}
		})
	}
}

// What cannot be traced is refused before any I/O, with what to do instead.
func TestTraceBesideWhatIsElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"scale", "sc:x", dir}, {"run", "sc:x", "--in-cluster"}, {"app", "postgres", "postgres://x@localhost/db"}, {"app", "etcd", dir, "--baseline", dir + "/b"}, {"scale", dir, "--hosts", "a"}} {
		results := filepath.Join(dir, "results")
		refused(t, "--trace", append(args, "--trace", "--results", results)...)
		if _, err := os.Stat(results); err == nil {
			t.Errorf("%v: something was saved", args)
		}
	}
}
