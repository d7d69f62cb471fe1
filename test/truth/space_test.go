package truth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/test/lab"
)

// thinSize is the size of a thin device, and thinFilled how much of it is filled.
const thinSize, thinFilled = 64 << 20, 32 << 20

// thin is a loop device on a sparse file: filling it allocates the file's blocks.
type thin struct{ file, device string }

func newThin(t testing.TB) thin {
	t.Helper()
	lab.Need(t, "fio")
	lab.Lock(t)
	file := lab.Sparse(t, t.TempDir(), thinSize)
	return thin{file, lab.Loop(t, file)}
}

// allocated returns how many bytes the file occupies.
func (d thin) allocated(t testing.TB) int64 {
	t.Helper()
	f, err := os.Open(d.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var st syscall.Stat_t
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Fstat(int(f.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// read returns how many bytes were read of the device so far, and of those that had its number before.
func (d thin) read() (bytes int64) {
	text, _ := os.ReadFile(filepath.Join("/sys/class/block", filepath.Base(d.device), "stat"))
	if fields := strings.Fields(string(text)); len(fields) > 2 {
		sectors, _ := strconv.ParseInt(fields[2], 10, 64)
		bytes = sectors * 512
	}
	return bytes
}

// returned is the line that says that the device's space was returned.
func (d thin) returned() string {
	return fmt.Sprintf("space   %d MiB of %s were returned to the storage (discard): until rewritten, these blocks are unallocated\n", thinFilled>>20, d.device)
}

// checkReturned fails unless the space of the devices was returned, and each said once.
func checkReturned(t testing.TB, stderr string, devices ...thin) {
	t.Helper()
	for _, d := range devices {
		if n := strings.Count(stderr, d.returned()); n != 1 {
			t.Errorf("%q is said %d times in:\n%s", d.returned(), n, stderr)
		}
		if left := d.allocated(t); left > thinFilled/4 {
			t.Errorf("%s still occupies %d bytes after %d were filled", d.file, left, thinFilled)
		}
	}
	if n := strings.Count(stderr, "space   "); n != len(devices) {
		t.Errorf("%d lines about space, not %d:\n%s", n, len(devices), stderr)
	}
}

// checkKept fails unless the devices still hold what they were filled with, and nothing else is said.
func checkKept(t testing.TB, stderr string, devices ...thin) {
	t.Helper()
	for _, d := range devices {
		if left := d.allocated(t); left < thinFilled {
			t.Errorf("%s occupies %d bytes after %d were filled", d.file, left, thinFilled)
		}
	}
	if strings.Contains(stderr, "space   ") {
		t.Errorf("space is said to be returned:\n%s", stderr)
	}
}

// slowWrites is a profile that writes little, so that it disturbs nothing else.
func slowWrites(t testing.TB) string {
	return ownFile(t, "own.yaml", "name: own\nworkloads:\n  - {name: rated, access: rand, direction: write, block_size: 4k, depth: 1, rate_iops: 50, metric: iops}\n")
}

// thinArgs are the arguments of a short measurement that fills the devices.
func thinArgs(t testing.TB, devices ...thin) []string {
	args := []string{"--profile", slowWrites(t), "--size", fmt.Sprint(thinFilled), "--max-time", "16s", "--fail-on", "invalid", "--results", t.TempDir()}
	for _, d := range devices {
		args = append(args, "--destroy-data-on", d.device)
	}
	return args
}

// Filling a thin device allocates its space. Every command that does so returns the space at the end,
// and says so.
func TestFilledSpaceIsReturned(t *testing.T) {
	defer scheduleSubtests(t)()
	commands := map[string]func(t *testing.T){
		"run": func(t *testing.T) {
			d := newThin(t)
			o := command(t.Context(), t, append([]string{"run", d.device}, thinArgs(t, d)...)...)
			checkReturned(t, o.stderr, d)
		},
		"scale": func(t *testing.T) {
			a, b := newThin(t), newThin(t)
			own := slowWrites(t)
			o := command(t.Context(), t, "scale", a.device, b.device, "--volumes", "2,3", "--profile", own, "--workload", "rated", "--size", fmt.Sprint(thinFilled),
				"--max-time", "16s", "--results", t.TempDir(), "--destroy-data-on", a.device, "--destroy-data-on", b.device)
			checkReturned(t, o.stderr, a, b)
		},
		"compare": func(t *testing.T) {
			a, b := newThin(t), newThin(t)
			o := command(t.Context(), t, append([]string{"compare", a.device, b.device}, thinArgs(t, a, b)...)...)
			checkReturned(t, o.stderr, a, b)
		},
		"run --baseline": func(t *testing.T) {
			a, b := newThin(t), newThin(t)
			o := command(t.Context(), t, append([]string{"run", b.device, "--baseline", a.device}, thinArgs(t, a, b)...)...)
			checkReturned(t, o.stderr, a, b)
		},
		"kbench run": func(t *testing.T) {
			d := newThin(t)
			code, _, stderr := kbenchCommand(t.Context(), t, thinKbench(t, d), "run", "--overwrite", "--time", "1s", "--ramp-time", "500ms")
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			checkReturned(t, stderr, d)
		},
	}
	for name, measured := range commands {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{class: bestEffort, seconds: 25})
			measured(t)
		})
	}
}

// thinKbench is the environment of a run of Kbench that fills the device.
func thinKbench(t testing.TB, d thin) []string {
	return []string{"FILE_NAME=" + d.device, "OUTPUT=" + filepath.Join(t.TempDir(), "device"), "SIZE=32M", "MODE=random-write-iops", "RATE_IOPS=50"}
}

// The data of an interrupted run is kept, so that it can be measured again as it is. A long run of Kbench
// ends only by being told to, so its space is returned once it has measured anything.
func TestSpaceOfAnInterruptedRun(t *testing.T) {
	defer scheduleSubtests(t)()
	commands := map[string]func(t *testing.T){
		"run": func(t *testing.T) {
			d := newThin(t)
			args := thinArgs(t, d)
			o := command(onceSaved(t, args), t, append([]string{"run", d.device}, args...)...)
			if o.code != 130 {
				t.Errorf("exit code %d", o.code)
			}
			checkKept(t, o.stderr, d)
		},
		"compare": func(t *testing.T) {
			a, b := newThin(t), newThin(t)
			args := thinArgs(t, a, b)
			o := command(onceSaved(t, args), t, append([]string{"compare", a.device, b.device}, args...)...)
			if o.code != 130 {
				t.Errorf("exit code %d", o.code)
			}
			checkKept(t, o.stderr, a, b)
		},
		"kbench run": func(t *testing.T) {
			d := newThin(t)
			// What was filled is read back before anything is measured.
			before := d.read()
			ctx := once(t, func() bool { return d.allocated(t) >= thinFilled && d.read() >= before+thinFilled/2 })
			code, _, stderr := kbenchCommand(ctx, t, thinKbench(t, d), "run", "--overwrite", "--time", "60s", "--ramp-time", "500ms")
			if code != 130 {
				t.Errorf("exit code %d", code)
			}
			checkKept(t, stderr, d)
		},
		"kbench run, long": func(t *testing.T) {
			d := newThin(t)
			words := append(thinKbench(t, d), "LONG_RUN=true")
			prefix, _ := strings.CutPrefix(words[1], "OUTPUT=")
			ctx := once(t, func() bool { _, err := os.Stat(prefix + "-report.json"); return err == nil })
			code, _, stderr := kbenchCommand(ctx, t, words, "run", "--overwrite", "--time", "1s", "--ramp-time", "500ms")
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			checkReturned(t, stderr, d)
		},
	}
	for name, interrupted := range commands {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{class: bestEffort, seconds: 15})
			interrupted(t)
		})
	}
}

// once returns a context that ends when something has come true, or after two minutes.
func once(t testing.TB, done func() bool) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	ended := make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	go func() {
		defer close(ended)
		for ctx.Err() == nil && !done() {
			time.Sleep(50 * time.Millisecond)
		}
		cancel()
	}()
	return ctx
}

// onceSaved returns a context that ends when the first seconds of a run, or of the first side of a
// comparison, were saved.
func onceSaved(t testing.TB, args []string) context.Context {
	results := args[slices.Index(args, "--results")+1]
	return once(t, func() bool {
		for _, pattern := range []string{"*", "*/" + store.BaselineDir} {
			dirs, _ := filepath.Glob(filepath.Join(results, pattern))
			for _, dir := range dirs {
				if run, err := store.Read(dir); err == nil && len(run.Samples) > 0 {
					return true
				}
			}
		}
		return false
	})
}
