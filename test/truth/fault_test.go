package truth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// empty fails if the directory contains anything, hidden or not.
func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
}

// own lists Loadline's data files of more than one MiB in the directory: those that
// a prefill is writing to.
func own(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, volume.Prefix+"*"))
	return slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err != nil || info.Size() < 1<<20
	})
}

// One I/O in a hundred fails: the cause is named, and no result appears complete.
func TestReadErrorsAreNamed(t *testing.T) {
	d := lab.Errors(t, lab.Fault{Error: "EIO", On: "read", Rate: 0.01})
	o := measure(t.Context(), t, d.Target(), "--profile", "kbench", "--only", "rand-read-iops,rand-read-lat", "--size", "64M", "--max-time", "30s")
	if o.code != 1 && o.code != 5 {
		t.Errorf("exit code %d, want 1 or 5", o.code)
	}
	if !strings.Contains(o.stderr+o.stdout, "Input/output error") {
		t.Error("the cause is not named")
	}
	for _, r := range o.report.Results {
		if r.Verdict != model.Invalid {
			t.Errorf("%s: verdict %s on a device that loses reads", r.Workload, r.Verdict)
		}
	}
}

// Where the first read fails already, nothing is measured: the run ends with the cause, and no result.
func TestReadErrorsOfTheProbeAreNamed(t *testing.T) {
	takeSlots(t, demand{class: bestEffort, seconds: 1})
	d := lab.Errors(t, lab.Fault{Error: "EIO", On: "read"})
	o := measure(t.Context(), t, d.Target(), "--profile", "kbench", "--only", "rand-read-iops", "--size", "64M", "--max-time", "6s")
	if o.code != 1 || !strings.Contains(o.stderr, "an I/O failed with EIO") || !strings.Contains(o.stderr, "next: look at the kernel's or the server's log") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if len(o.report.Results) > 0 {
		t.Errorf("results of a device that cannot be read: %+v", o.report.Results)
	}
}

// The device runs out of space during the measurement.
func TestNoSpaceInTheMiddleIsNamed(t *testing.T) {
	takeSlots(t, demand{class: bestEffort, seconds: 14})
	d := lab.Errors(t, lab.Fault{Error: "ENOSPC", On: "write", Switched: true})
	results := t.TempDir()
	go func() {
		for samples(results) < 2 {
			select {
			case <-t.Context().Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		d.On(t)
	}()
	o := measure(t.Context(), t, d.Target(), "--profile", "kbench", "--only", "rand-write-iops,rand-read-iops", "--size", "64M",
		"--max-time", "12s", "--destroy-data-on", d.Target(), "--results", results)
	if o.code != 5 && o.code != 1 {
		t.Errorf("exit code %d, want 1 or 5", o.code)
	}
	if !strings.Contains(o.stderr+o.stdout, "No space left") {
		t.Error("the cause is not named")
	}
	if len(o.report.Results) > 0 && o.report.Results[0].Workload != "" {
		for _, r := range o.report.Results {
			if r.Workload == "rand-write-iops" && r.Verdict != model.Invalid {
				t.Errorf("rand-write-iops: verdict %s on a full device", r.Verdict)
			}
			// A device in memory may legitimately be too fast to be measured, but its reads did not fail.
			if r.Workload == "rand-read-iops" && slices.Contains(r.Findings, "errors") {
				t.Errorf("rand-read-iops: %v, though only writes failed", r.Findings)
			}
		}
	}
}

// With a disk that fails during prefill, the run is refused with the cause, and no file is left.
func TestAFailingDiskLeavesNoFile(t *testing.T) {
	d := lab.Errors(t, lab.Fault{Error: "EIO", On: "write", Switched: true})
	dir := lab.Filesystem(t, lab.Block(t, d.Device), "ext4", "-O", "^has_journal")
	go func() {
		// The fault starts when the prefill has begun.
		for len(own(dir)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		d.On(t)
	}()
	o := command(t.Context(), t, "run", dir, "--profile", "quick", "--size", "160M", "--results", t.TempDir())
	d.Off(t)
	if o.code != 1 {
		t.Errorf("exit code %d, want 1", o.code)
	}
	if !strings.Contains(o.stderr, "EIO: the storage returned an input/output error") {
		t.Errorf("the cause is not named: %s", o.stderr)
	}
	os.Remove(filepath.Join(dir, "lost+found"))
	empty(t, dir)
}

// A process that serves a filesystem may cache despite O_DIRECT: no result is valid.
func TestAProcessThatMayCacheIsNamed(t *testing.T) {
	lab.Need(t, "fio")
	takeSlots(t, demand{class: bestEffort, seconds: 20})
	dir := lab.Userspace(t, 256<<20)
	lab.Lock(t)
	o := measure(t.Context(), t, dir, "--profile", "kbench", "--only", "rand-read-iops", "--size", "64MiB", "--max-time", "12s")
	if !o.finding("buffered", model.SeverityWarning) {
		t.Errorf("exit code %d, findings %+v", o.code, o.report.Findings)
	}
	for _, r := range o.report.Results {
		if r.Verdict == model.Valid {
			t.Errorf("%s: %.0f/s out of memory are valid", r.Workload, r.Value)
		}
	}
}

// fallocated makes a file whose blocks are allocated but unwritten: reading it also measures memory.
func fallocated(t lab.T, dir string, size int64) string {
	path := filepath.Join(dir, "fallocated")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(unix.Fallocate(int(f.Fd()), 0, 0, size), f.Close())
	}
	if err != nil {
		lab.Unavailable(t, "%s cannot reserve blocks: %v", dir, err)
	}
	return path
}

// Holes are read at the speed of memory: the extents make the number invalid.
func TestHolesAreNamed(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	for name, file := range map[string]func(lab.T, string, int64) string{"sparse": lab.Sparse, "fallocated": fallocated} {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{class: bestEffort, seconds: 18})
			lab.Lock(t)
			path := file(t, t.TempDir(), 64<<20)
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			o := measure(t.Context(), t, path, "--profile", "kbench", "--only", "rand-read-iops,seq-read-bw", "--max-time", "12s")
			if o.code != 5 || !o.finding("sparse", model.SeverityInvalid) {
				t.Errorf("exit code %d, findings %+v", o.code, o.report.Findings)
			}
			for _, r := range o.report.Results {
				if r.Verdict != model.Invalid {
					t.Errorf("%s of holes: verdict %s", r.Workload, r.Verdict)
				}
			}
			if after, err := os.Stat(path); err != nil || after.ModTime() != before.ModTime() {
				t.Errorf("the user's file was touched: %v", err)
			}
		})
	}
}

func TestMemoryIsNamed(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	named := func(t *testing.T, target string) {
		o := measure(t.Context(), t, target, "--profile", "kbench", "--only", "rand-read-iops", "--size", "64M", "--max-time", "6s")
		if o.code != 5 || !o.finding("memory", model.SeverityInvalid) {
			t.Errorf("exit code %d, findings %+v", o.code, o.report.Findings)
		}
	}
	t.Run("tmpfs", func(t *testing.T) {
		takeSlots(t, demand{class: bestEffort, seconds: 10})
		dir := lab.Tmpfs(t, 256<<20)
		named(t, dir)
		empty(t, dir)
	})
	t.Run("a loop device on tmpfs", func(t *testing.T) {
		takeSlots(t, demand{class: bestEffort, seconds: 10})
		named(t, lab.LoopOnMemory(t, 64<<20))
	})
}

// A device with data to lose must be named, and one that contains data is refused
// even then.
func TestDevicesAreSafe(t *testing.T) {
	loop := lab.LoopOnFile(t, 64<<20)
	o := command(t.Context(), t, "run", loop, "--profile", "quick", "--results", t.TempDir())
	if o.code != 2 || !strings.Contains(o.stderr, "--destroy-data-on "+loop) {
		t.Errorf("writes without permission: exit code %d: %s", o.code, o.stderr)
	}
	mounted := lab.Filesystem(t, loop, "ext4")
	o = command(t.Context(), t, "run", loop, "--profile", "quick", "--destroy-data-on", loop, "--results", t.TempDir())
	if o.code != 2 || !strings.Contains(o.stderr, mounted) {
		t.Errorf("a mounted device: exit code %d: %s", o.code, o.stderr)
	}
}

// After an interrupt at any time, partial results are kept and no file is left.
func TestInterrupt(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	for name, c := range map[string]struct {
		after time.Duration
		// saved is how many seconds of samples have been saved by then.
		saved int
	}{"at once": {500 * time.Millisecond, 0}, "soon": {2500 * time.Millisecond, 0}, "in the midst": {0, 8}} {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{class: bestEffort, seconds: 12})
			lab.Lock(t)
			dir, results := t.TempDir(), t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				time.Sleep(c.after)
				for ctx.Err() == nil && samples(results) < c.saved {
					time.Sleep(50 * time.Millisecond)
				}
				cancel()
			}()
			o := measure(ctx, t, dir, "--profile", "quick", "--size", "64M", "--results", results)
			if o.code != 130 {
				t.Errorf("exit code %d, want 130", o.code)
			}
			if c.saved > 0 && (o.report.Run.Status != model.Interrupted || len(o.report.Results) == 0) {
				t.Errorf("nothing was kept: status %q, %d results", o.report.Run.Status, len(o.report.Results))
			}
			empty(t, dir)
		})
	}
}
