package fio

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// small returns a step with a volume and two jobs, which fio runs as separate processes.
func small(t *testing.T, path string) model.StartRequest {
	t.Helper()
	v := model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: 1 << 20, Engine: "psync"}
	w := randRead
	w.Jobs, w.RateIOPS = 2, 100
	return request(v, w, 30)
}

// under returns the ids of all processes whose working directory is below dir.
func under(t *testing.T, dir string) []int {
	t.Helper()
	dirs, err := filepath.Glob(dir + "/loadline-fio-*")
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, d := range dirs {
		ids = append(ids, procfs.ProcessesIn(d)...)
	}
	return ids
}

// visitor starts a program of somebody else in fio's directory below dir, which must live on.
func visitor(t *testing.T, dir string) {
	t.Helper()
	dirs, err := filepath.Glob(dir + "/loadline-fio-*")
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	cmd := exec.Command("sleep", "600")
	cmd.Dir = dirs[0]
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Had it been killed already, it would say so.
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err == nil || err.Error() != "signal: terminated" {
			t.Errorf("somebody else's program in fio's directory was ended: %v", err)
		}
	})
}

// end waits until none of the processes is alive.
func end(t *testing.T, ids []int) {
	t.Helper()
	var alive []int
	for range 1200 {
		alive = nil
		for _, id := range ids {
			// A zombie only waits for its parent; it does no I/O.
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
			if err == nil && !strings.Contains(string(stat), ") Z ") {
				alive = append(alive, id)
			}
		}
		if len(alive) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, id := range alive {
		t.Errorf("process %d still lives", id)
		_ = syscall.Kill(id, syscall.SIGKILL)
	}
}

// When fio's main process is killed, its jobs end too.
func TestRealKill(t *testing.T) {
	d := realDriver(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	path := tmp + "/f"
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	var family []int
	begin := time.Now()
	r, err := d.Run(context.Background(), small(t, path), load.BeginNow, func(e model.Event) {
		if e.Sample == nil || family != nil {
			return
		}
		family = under(t, tmp)
		visitor(t, tmp)
		for _, id := range family {
			if group, err := syscall.Getpgid(id); err == nil && group == id {
				if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)); err == nil && strings.Contains(string(stat), fmt.Sprintf(" %d %d ", os.Getpid(), id)) {
					_ = syscall.Kill(id, syscall.SIGKILL)
				}
			}
		}
	})
	if err != nil || !strings.Contains(r.Error, "killed by signal 9") || time.Since(begin) > 10*time.Second {
		t.Errorf("%+v, %v after %v", r, err, time.Since(begin))
	}
	if len(family) < 3 {
		t.Errorf("fio had the processes %v where one and two jobs are expected", family)
	}
	end(t, family)
}

// fio waits forever for the answer of a job that is killed while it is asked for its counters. The storage is not to
// blame, and it is said what the kernel did.
func TestRealJobKilledWhileItIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		kills []procfs.MemoryKills
		says  string
	}{
		"by the kernel": {[]procfs.MemoryKills{inFullPod(0), inFullPod(1)}, "fio was killed, most likely by the kernel's out-of-memory killer: the memory limit here is 64 MiB"},
		"by hand":       {[]procfs.MemoryKills{inFullPod(0), inFullPod(0)}, "a signal ended a job of fio, and fio, which printed nothing for "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := realDriver(t)
			countKills(t, d, c.kills...)
			path := t.TempDir() + "/f"
			if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			req := request(model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: 1 << 20, Engine: "psync"}, randRead, 60)
			// It answers between two I/Os.
			req.Workload.Job = "rw=randread\nbs=4k\ntime_based\nruntime=60\nthinktime=50s\n"
			begin := time.Now()
			o, err := d.execute(t.Context(), process{
				text: JobText(req.Workload, req.Volume, req.Step), args: []string{"--status-interval=1", "--output-format=json+"},
				silence: d.limits.stall, storage: "/a/volume", silent: func(s silence) { t.Errorf("a stall of the storage: %+v", s) },
				document: func([]byte) error { return nil },
				running: func(dir string, id int) func() {
					go func() {
						for jobs := []int{id}; jobs[0] == id && time.Since(begin) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
							jobs = jobsOf(dir, id)
						}
						time.Sleep(1500 * time.Millisecond)
						for _, job := range jobsOf(dir, id) {
							_ = syscall.Kill(job, syscall.SIGKILL)
						}
					}()
					return func() {}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if said := failure(o, nil); !strings.HasPrefix(said, c.says) || !strings.Contains(said, "got signal=9") || time.Since(begin) > time.Minute {
				t.Errorf("after %v: %q", time.Since(begin), said)
			}
			if !o.hungAfterSignal {
				t.Log("not tested: fio ended by itself")
			}
		})
	}
}

// TestVictim is not a real test: TestRealOrphans runs it as the process that is killed.
func TestVictim(t *testing.T) {
	path := os.Getenv("LOADLINE_FIO_VICTIM")
	if path == "" {
		t.Skip("skipped: only TestRealOrphans runs it")
	}
	_, _ = realDriver(t).Run(context.Background(), small(t, path), load.BeginNow, func(e model.Event) {
		if e.Sample != nil {
			fmt.Println("measuring")
		}
	})
}

// When this process is killed, no fio process survives, and the directory is removed.
func TestRealOrphans(t *testing.T) {
	realDriver(t)
	tmp := t.TempDir()
	path := tmp + "/f"
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$", "-test.v")
	cmd.Env = append(os.Environ(), "LOADLINE_FIO_VICTIM="+path, "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(text.String(), "measuring") {
		n, err := out.Read(buf)
		text.Write(buf[:n])
		if err != nil {
			break
		}
	}
	family := under(t, tmp)
	visitor(t, tmp)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(family) < 3 {
		t.Errorf("fio had the processes %v where one and two jobs are expected; it printed %s", family, text.String())
	}
	end(t, family)
	for range 1200 {
		if left, _ := filepath.Glob(tmp + "/loadline-fio-*"); len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("fio's private directory is left")
}
