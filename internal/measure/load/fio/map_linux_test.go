package fio

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// fio keeps a bit for each block that it has visited, which for 4 KiB of 4 TiB is 128 MiB
// that a small pod does not have. A file of holes is as large as one likes.
func TestAHugeVolumeTakesLittleMemory(t *testing.T) {
	d := realDriver(t)
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
	r, err := d.Run(context.Background(), model.StartRequest{Step: model.Step{Number: 1, Seconds: 1}, Workload: w, Volume: v}, load.AtOnce, c.emit)
	if err != nil || r.Error != "" || len(c.samples) == 0 {
		t.Fatalf("Run: %+v, %v, %d samples", r, err, len(c.samples))
	}
	// The largest process that this one has waited for, or that such a one has.
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &use); err != nil {
		t.Fatal(err)
	}
	if most, bare := use.Maxrss>>10, int64(40); most > bare+model.MostRandomMap>>20 {
		t.Errorf("fio took %d MiB of memory, at most %d for itself and %d for its maps are allowed", most, bare, model.MostRandomMap>>20)
	} else {
		t.Logf("fio took %d MiB of memory", most)
	}
}
