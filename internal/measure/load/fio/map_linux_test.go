package fio

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// fio keeps a bit for each block that it has visited, which for 4 KiB of 4 TiB is 128 MiB that a
// small pod does not have. A sparse file can be as large as needed.
func TestAHugeVolumeTakesLittleMemory(t *testing.T) {
	d := realDriver(t)
	// The kernel reports the peak memory of the largest of all processes that this one has waited
	// for, and a process starts with the peak of the one that started it (execve keeps that of the
	// memory that it replaces). In a separate, small process this is the memory of this test's fio.
	const alone = "LOADLINE_TEST_ALONE"
	if os.Getenv(alone) == "" {
		self := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		self.Env = append(os.Environ(), alone+"=1")
		out, err := self.CombinedOutput()
		if err != nil {
			t.Errorf("%v", err)
		}
		t.Logf("%s", out)
		return
	}
	v := model.Volume{Target: model.Target{Kind: model.File}, Path: filepath.Join(t.TempDir(), "huge"), Size: 4 << 40, Engine: "psync"}
	f, err := os.Create(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(v.Size); err != nil {
		t.Skipf("skipped: this filesystem holds no file of 4 TiB: %v", err)
	}
	w := model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1}
	var c collected
	r, err := d.Run(context.Background(), model.StartRequest{Step: model.Step{Number: 1, Seconds: 1}, Workload: w, Volume: v}, load.BeginNow, c.emit)
	if err != nil || r.Error != "" || len(c.samples) == 0 {
		t.Fatalf("Run: %+v, %v, %d samples", r, err, len(c.samples))
	}
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &use); err != nil {
		t.Fatal(err)
	}
	// In MiB; model.Workload.DrawsAnew has the limit for the maps.
	const maps = 64
	if most, bare := use.Maxrss>>10, int64(40); most > bare+maps {
		t.Errorf("fio took %d MiB of memory, at most %d for itself and %d for its maps are allowed", most, bare, maps)
	} else {
		t.Logf("fio took %d MiB of memory", most)
	}
}
