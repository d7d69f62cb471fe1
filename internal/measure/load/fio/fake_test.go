package fio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/env/envtest"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// fakeDriver returns a driver whose fio is a shell script. $docs is a directory with the recorded
// documents 1 … 4 of an error-free two-job run of three seconds.
func fakeDriver(t *testing.T, script string) *Driver {
	t.Helper()
	dir := t.TempDir()
	docs, _, _ := cut(fixture(t, "ramp-mixed-sync.json"), func() int { return 1 << 20 })
	for i, d := range docs {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(d+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "fio")
	text := "#!/bin/sh\ndocs=" + dir + "\nif [ \"$1\" = --version ]; then echo fio-3.33; exit; fi\n" + script
	envtest.Program(t, path, text)
	e := env.OS()
	e.LookPath = func(name string) (string, error) {
		if name == "fio" {
			return path, nil
		}
		return exec.LookPath(name)
	}
	d := New(e)
	d.limits = limits{silence: 500 * time.Millisecond, stall: 500 * time.Millisecond, late: 300 * time.Millisecond, grace: 300 * time.Millisecond, flush: time.Second}
	return d
}

func fakeRequest(t *testing.T) model.StartRequest {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	return model.StartRequest{
		Step:     model.Step{Number: 1, Seconds: 3},
		Workload: model.Workload{Name: "w", Access: model.Random, Direction: model.Mixed, ReadPercent: 50, BlockSize: 4096, Depth: 2, Jobs: 2, Sync: "fdatasync"},
		Volume:   model.Volume{Path: path, Size: 1 << 16, Engine: "psync"},
	}
}

// countKills has a driver read these counts one after the other when it runs fio; it knows the version by then.
func countKills(t *testing.T, d *Driver, kills ...procfs.MemoryKills) {
	t.Helper()
	if _, err := d.Version(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.memoryKills = func() procfs.MemoryKills {
		k := kills[0]
		kills = kills[1:]
		return k
	}
}

// inFullPod returns so many kills where a limit of 64 MiB was reached.
func inFullPod(kills int64) procfs.MemoryKills {
	return procfs.MemoryKills{Group: &kills, Machine: &kills, Limit: 64 << 20, Used: new(1.0)}
}

// A kill is the out-of-memory killer's if the kernel counted one there, and the limit is named; a kill
// that it did not count is somebody's.
func TestOutOfMemory(t *testing.T) {
	kills := func(group, machine *int64, limit int64) procfs.MemoryKills {
		return procfs.MemoryKills{Group: group, Machine: machine, Limit: limit, Used: new(1.0)}
	}
	n := func(n int64) *int64 { return &n }
	killed := func(group, machine, limit int64) procfs.MemoryKills { return kills(n(group), n(machine), limit) }
	unreached := func(group, machine, limit int64) procfs.MemoryKills {
		k := killed(group, machine, limit)
		k.Used = new(0.5)
		return k
	}
	const itself, child = "cat $docs/1; kill -9 $$", "cat $docs/1; echo 'fio: pid=7, got signal=9'; exit 1"
	// fio 3.33 may free memory twice after that.
	const abort = "cat $docs/1; echo 'fio: pid=7, got signal=9'; kill -6 $$"
	for name, c := range map[string]struct {
		script        string
		before, after procfs.MemoryKills
		says          string
	}{
		"a pod":                   {itself, killed(0, 4, 64<<20), killed(1, 5, 64<<20), "by the kernel's out-of-memory killer: the memory limit here is 64 MiB (for a pod, --resources memory=… sets it)"},
		"a job of it":             {child, killed(0, 4, 64<<20), killed(2, 6, 64<<20), "by the kernel's out-of-memory killer: the memory limit here is 64 MiB"},
		"a machine that ran out":  {itself, unreached(0, 4, 64<<20), unreached(1, 5, 64<<20), "killed by signal 9 (killed); the kernel's out-of-memory killer ended a process here meanwhile, although no memory limit that is visible here was reached"},
		"a job on such a machine": {child, unreached(0, 4, 64<<20), unreached(1, 5, 64<<20), "got signal=9; the kernel's out-of-memory killer ended a process here meanwhile, although"},
		"a job on a machine":      {child, killed(2, 4, 0), killed(3, 5, 0), "got signal=9; the kernel's out-of-memory killer ended a process meanwhile: see dmesg"},
		"aborted after a job":     {abort, killed(0, 4, 64<<20), killed(1, 5, 64<<20), "by the kernel's out-of-memory killer: the memory limit here is 64 MiB"},
		"aborted on a machine":    {abort, killed(0, 4, 0), killed(1, 5, 0), "a signal ended a job of fio, which then ended itself; the kernel's out-of-memory killer ended a process meanwhile: see dmesg (fio said: "},
		"aborted by hand":         {abort, killed(0, 4, 64<<20), killed(0, 4, 64<<20), "a signal ended a job of fio, which then ended itself (fio said: fio: pid=7, got signal=9"},
		"a job by hand":           {child, killed(2, 4, 64<<20), killed(2, 4, 64<<20), "fio failed with exit code 1: fio: pid=7, got signal=9"},
		"a machine":               {itself, killed(2, 4, 0), killed(3, 5, 0), "killed by signal 9 (killed); the kernel's out-of-memory killer ended a process meanwhile: see dmesg"},
		"no such counter":         {itself, kills(nil, n(4), 0), kills(nil, n(5), 0), "killed by signal 9 (killed); the kernel's out-of-memory killer ended a process meanwhile: see dmesg"},
		"by hand":                 {itself, killed(2, 4, 64<<20), killed(2, 9, 64<<20), "killed by signal 9 (killed), and not by the kernel's out-of-memory killer"},
		"not known before":        {itself, kills(nil, nil, 0), killed(5, 5, 0), "if it was not killed by hand"},
		"nothing is known":        {itself, kills(nil, nil, 0), kills(nil, nil, 0), "if it was not killed by hand, the kernel's out-of-memory killer did it: see dmesg"},
		"another's failure":       {"cat $docs/1; echo bad >&2; exit 3", killed(2, 4, 0), killed(3, 5, 0), "fio failed with exit code 3: bad"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fakeDriver(t, c.script)
			countKills(t, d, c.before, c.after)
			var got collected
			r, err := d.Run(context.Background(), fakeRequest(t), load.BeginNow, got.emit)
			if err != nil || !strings.Contains(r.Error, c.says) {
				t.Errorf("%v, %q, want %q", err, r.Error, c.says)
			}
		})
	}
}

// silentFor finds how long fio is said to have been silent.
var silentFor = regexp.MustCompile(`(?:nothing|suspended) for (\S+) s\b`)

func TestRunFaults(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		says    []string // empty: the step succeeds
		samples int
	}{
		"well":              {script: "cat $docs/0 $docs/1 $docs/2 $docs/3 $docs/4", samples: 3},
		"well, with text":   {script: "echo 'fio: connected'; cat $docs/1 $docs/2; echo; echo 'note {'; cat $docs/3", samples: 3},
		"killed":            {script: "cat $docs/1 $docs/2; kill -9 $$", says: []string{"killed by signal 9"}, samples: 2},
		"crash":             {script: "cat $docs/1 $docs/2; echo 'assert failed' >&2; kill -SEGV $$", says: []string{"killed by signal 11", "assert failed"}, samples: 2},
		"exit code":         {script: "echo 'fio: no can do' >&2; exit 3", says: []string{"exit code 3", "fio: no can do"}},
		"exit after all":    {script: "cat $docs/1 $docs/2 $docs/3; echo 'late trouble'; exit 1", says: []string{"exit code 1", "late trouble"}, samples: 3},
		"rubbish":           {script: "echo 'Segmentation violation, please hold the line'", says: []string{"printed no result", "please hold the line"}},
		"nothing":           {script: "exit 0", says: []string{"printed no result"}},
		"JSON rubbish":      {script: `printf '{\n "hello" : "world"\n}\n'`, says: []string{"holds 0 jobs"}},
		"bad JSON":          {script: `printf '{\n "jobs" : [ }\n'`, says: []string{"cannot be read"}},
		"torn":              {script: "cat $docs/1 $docs/2 $docs/3; head -c 5000 $docs/4", says: []string{"middle of a document"}, samples: 3},
		"told to end":       {script: "cat $docs/1 $docs/2; echo 'fio: terminating on signal 15'", says: []string{"ended after 2.1", "(fio said: fio: terminating on signal 15"}, samples: 2},
		"ends early":        {script: "cat $docs/1 $docs/2", says: []string{"ended after 2.1", "of 3.00 s"}, samples: 2},
		"goes backwards":    {script: "cat $docs/2 $docs/1; sleep 5", says: []string{"went backwards"}, samples: 1},
		"no I/O":            {script: `printf '{"jobs":[{"job_runtime":6000,"read":{},"write":{},"sync":{}}]}\n'`, says: []string{"not one I/O"}, samples: 1},
		"errors yet exit 0": {script: `printf '{"jobs":[{"error":5,"total_err":1547,"job_runtime":6000,"read":{"runtime":3000,"total_ios":99,"io_bytes":9,"lat_ns":{"N":9,"mean":5.0,"bins":{"5":9}}},"write":{},"sync":{}}]}\n'`, says: []string{"1547 I/Os failed", "EIO"}, samples: 1},
		"storage is still":  {script: "cat $docs/1; exec sleep 60", says: []string{"the storage stood still", "answered nothing for "}, samples: 1},
		"still, stubborn":   {script: "trap '' INT TERM; cat $docs/1; exec sleep 60", says: []string{"the storage stood still"}, samples: 1},
		"hangs":             {script: "cat $docs/1; while :; do :; done", says: []string{"fio hung", "printed nothing for "}, samples: 1},
		"suspended":         {script: "cat $docs/1; kill -STOP $$", says: []string{"fio was suspended for "}, samples: 1},
		"never ends":        {script: "cat $docs/1; trap 'exit 128' INT; while :; do echo still here; sleep 0.1; done", says: []string{"fio hung: it should have ended after 3.00 s"}, samples: 1},
		"child holds pipes": {script: "sleep 60 & cat $docs/1 $docs/2 $docs/3", samples: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fakeDriver(t, c.script)
			var got collected
			begin := time.Now()
			r, err := d.Run(context.Background(), fakeRequest(t), load.BeginNow, got.emit)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.says) == 0 && r.Error != "" {
				t.Errorf("error: %s", r.Error)
			}
			if len(c.says) > 0 && r.Error == "" {
				t.Error("no error")
			}
			for _, s := range c.says {
				if !strings.Contains(r.Error, s) {
					t.Errorf("%q does not say %q", r.Error, s)
				}
			}
			if len(got.samples) != c.samples {
				t.Errorf("%d samples, want %d", len(got.samples), c.samples)
			}
			if len(got.raws) != 2 || got.raws[0].Name != "0001-w.fio" || got.raws[1].Name != r.Raw {
				t.Errorf("raw files: %d", len(got.raws))
			}
			took := time.Since(begin)
			if took > 12*time.Second {
				t.Errorf("it took %v", took)
			}
			// It is told when the second of a status and half a second more are over, and on a busy machine later.
			if said := silentFor.FindStringSubmatch(r.Error); said != nil {
				if long, err := strconv.ParseFloat(said[1], 64); err != nil || long < 1.5 || long > took.Seconds()+0.01 {
					t.Errorf("after %v it says %q", took, r.Error)
				}
			}
		})
	}
}

// Storage that stalls when fio is done and only has to close it is reported as stalled too.
func TestAStallAtTheEndIsTold(t *testing.T) {
	d := fakeDriver(t, "cat $docs/1 $docs/2 $docs/3; sleep 3.5; cat $docs/4")
	d.limits.stall = 10 * time.Second
	d.limits.late = 10 * time.Second
	late := fakeDriver(t, "cat $docs/1 $docs/2 $docs/3 $docs/4; sleep 3.5")
	late.limits = d.limits
	for name, d := range map[string]*Driver{"before the last document": d, "after it": late} {
		r, err := d.Run(context.Background(), fakeRequest(t), load.BeginNow, func(model.Event) {})
		if err != nil || r.Error != "" || len(r.Stalls) != 1 || r.Stalls[0].Seconds < 2 || r.Stalls[0].Seconds > 3.5 || r.Stalls[0].Cause != model.StallStorage {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestRunCancelled(t *testing.T) {
	d := fakeDriver(t, "trap 'cat $docs/2; exit 128' INT; cat $docs/1; while :; do sleep 0.05; done")
	ctx, cancel := context.WithCancel(context.Background())
	var got collected
	r, err := d.Run(ctx, fakeRequest(t), load.BeginNow, func(e model.Event) {
		got.emit(e)
		if e.Sample != nil {
			cancel()
		}
	})
	cancel()
	if err != nil || r.Error != "interrupted" || len(got.samples) == 0 {
		t.Errorf("%+v, %v, %d samples", r, err, len(got.samples))
	}
}

// Two concurrent callers never run two fio processes at the same time.
func TestOneAtATime(t *testing.T) {
	d := fakeDriver(t, "mkdir $docs/busy || { echo 'two at once' >&2; exit 9; }; cat $docs/1 $docs/2; sleep 0.1; rmdir $docs/busy; cat $docs/3")
	var wrong atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			r, err := d.Run(context.Background(), fakeRequest(t), load.BeginNow, func(model.Event) {})
			if err != nil || r.Error != "" {
				t.Log(r.Error, err)
				wrong.Add(1)
			}
		})
	}
	all.Wait()
	if wrong.Load() > 0 {
		t.Error("some steps went wrong")
	}
}

func TestVersion(t *testing.T) {
	for name, c := range map[string]struct{ prints, want, says string }{
		"this":     {prints: "fio-3.33", want: "3.33"},
		"patched":  {prints: "fio-3.42-12-gabcdef-dirty", want: "3.42-12-gabcdef-dirty"},
		"next":     {prints: "fio-4.0", want: "4.0"},
		"oldest":   {prints: "fio-3.18", want: "3.18"},
		"too old":  {prints: "fio-3.17", says: "3.17 is too old: 3.18"},
		"very old": {prints: "fio-2.99", says: "too old"},
		"not fio":  {prints: "flexible images organiser 7", says: "flexible images organiser 7"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "fio")
		envtest.Program(t, path, "#!/bin/sh\necho '"+c.prints+"'\n")
		e := env.OS()
		e.LookPath = func(string) (string, error) { return path, nil }
		got, err := New(e).Version(context.Background())
		if got != c.want || (err == nil) != (c.says == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q does not say %q", name, err, c.says)
		}
	}
}

func TestAVersionThatIsKilled(t *testing.T) {
	for name, c := range map[string]struct {
		signal        string
		before, after procfs.MemoryKills
		says, hint    string
	}{
		"unknown":       {"KILL", procfs.MemoryKills{}, procfs.MemoryKills{}, "was killed, by signal 9 (killed); if it was not killed by hand, the kernel's out-of-memory killer did it: see dmesg.", "whether memory is free"},
		"out of memory": {"KILL", inFullPod(0), inFullPod(1), "was killed, most likely by the kernel's out-of-memory killer: the memory limit here is 64 MiB", "whether memory is free"},
		"by another":    {"KILL", inFullPod(1), inFullPod(1), "was killed, by signal 9 (killed), and not by the kernel's out-of-memory killer: something else sent it SIGKILL.", "see in dmesg by what"},
		"crashed":       {"SEGV", inFullPod(1), inFullPod(1), "was ended by signal 11 (segmentation fault).", "apt-get install fio"},
	} {
		path := filepath.Join(t.TempDir(), "fio")
		envtest.Program(t, path, "#!/bin/sh\nkill -"+c.signal+" $$\n")
		e := env.OS()
		e.LookPath = func(string) (string, error) { return path, nil }
		d := New(e)
		kills := []procfs.MemoryKills{c.before, c.after}
		d.memoryKills = func() procfs.MemoryKills {
			k := kills[0]
			kills = kills[1:]
			return k
		}
		_, err := d.Version(t.Context())
		var w *model.WorkerError
		if !errors.As(err, &w) || w.Class != model.Refused || !strings.Contains(w.Message, c.says) || !strings.Contains(w.Hint, c.hint) {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// Whenever this process is killed, the guard removes fio's directory: it is there before and after the directory.
func TestTheGuardOutlastsTheDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	fio, sh := filepath.Join(bin, "fio"), filepath.Join(bin, "sh")
	envtest.Program(t, fio, "#!/bin/sh\nexit 0\n")
	envtest.Program(t, sh, "#!/bin/sh\nread -r line\necho $line >"+log+"\n! test -e \"$4\" || echo left >>"+log+"\n")
	e := env.OS()
	e.LookPath = func(name string) (string, error) { return filepath.Join(bin, name), nil }
	var started []string
	e.Command = func(ctx context.Context, name string, args ...string) *exec.Cmd {
		started = append(started, filepath.Base(name))
		if private, _ := filepath.Glob(filepath.Join(dir, "loadline-fio-*")); len(private) != len(started)-1 {
			t.Errorf("when %s is started, there are %q", name, private)
		}
		return exec.CommandContext(ctx, name, args...)
	}
	if err := New(e).CheckJob(t.Context(), "rw=read", ""); err != nil {
		t.Error(err)
	}
	said, err := os.ReadFile(log)
	if len(started) != 2 || started[0] != "sh" || string(said) != "done\n" || err != nil {
		t.Errorf("%q: %q, %v", started, said, err)
	}
}

func TestAVersionIsTakenFromOthers(t *testing.T) {
	e := env.OS()
	e.LookPath = func(string) (string, error) { return "/bin/false", nil }
	d := New(e)
	d.Assume("3.33")
	if got, err := d.Version(t.Context()); got != "3.33" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMissing(t *testing.T) {
	e := env.OS()
	e.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	d := New(e)
	ctx := context.Background()
	_, version := d.Version(ctx)
	_, run := d.Run(ctx, fakeRequest(t), load.BeginNow, func(model.Event) {})
	_, fill := d.Fill(ctx, fakeRequest(t).Volume, 0, nil)
	_, engines := d.Engines(ctx, fakeRequest(t).Volume)
	for name, err := range map[string]error{"Version": version, "Run": run, "Fill": fill, "Engines": engines, "CheckJob": d.CheckJob(ctx, "rw=read", "it's.fio")} {
		var w *model.WorkerError
		if !errors.As(err, &w) || w.Class != model.Refused || !strings.Contains(w.Hint, "apt-get install fio") || !strings.Contains(w.Message, "not installed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fio would unlink a file that has become shorter and lay out a new one.
func TestRunRefusesShortFile(t *testing.T) {
	d := fakeDriver(t, "echo 'fio must not run' >&2; exit 9")
	req := fakeRequest(t)
	req.Volume.Size++
	r, err := d.Run(context.Background(), req, load.BeginNow, func(model.Event) {})
	if err == nil || !strings.Contains(err.Error(), "64 KiB") || r.Error != "" {
		t.Errorf("%+v, %v", r, err)
	}
}
