package fio

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// realDriver skips the test if fio is not installed.
func realDriver(t *testing.T) *Driver {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("skipped: fio is not installed")
	}
	return New(env.OS())
}

// oddName contains characters that are special to fio, its job files and shells.
const oddName = `a b:c$HOME;${x}#y%z'`

func oddFile(t *testing.T, size int64) model.Volume {
	t.Helper()
	return oddFileIn(t, t.TempDir(), size)
}

// inMemory returns a directory in memory, if there is one: the machine's own disk is shared, and may take a second for a flush.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "loadline-fio-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func oddFileIn(t *testing.T, dir string, size int64) model.Volume {
	t.Helper()
	path := filepath.Join(dir, oddName)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: size, Engine: "psync", Direct: false}
}

type collected struct {
	samples []model.Sample
	raws    []model.Raw
}

func (c *collected) emit(e model.Event) {
	if e.Sample != nil {
		c.samples = append(c.samples, *e.Sample)
	}
	if e.Raw != nil {
		c.raws = append(c.raws, *e.Raw)
	}
}

func TestRealRound(t *testing.T) {
	d := realDriver(t)
	ctx := context.Background()
	v := oddFile(t, 20<<20+4096)
	var progress []model.Progress
	written, err := d.Fill(ctx, v, time.Minute, func(p model.Progress) { progress = append(progress, p) })
	if err != nil || written != v.Size {
		t.Fatalf("Fill: %d bytes of %d, %v", written, v.Size, err)
	}
	if info, err := os.Stat(v.Path); err != nil || info.Size() != v.Size {
		t.Fatalf("the file is %v, %v", info, err)
	}
	if len(progress) == 0 || progress[len(progress)-1].Done != float64(v.Size) {
		t.Errorf("progress: %+v", progress)
	}
	engines, err := d.Engines(ctx, v)
	if err != nil || len(engines) == 0 || engines[len(engines)-1] != "psync" {
		t.Fatalf("Engines: %v, %v", engines, err)
	}
	v = oddFileIn(t, inMemory(t), v.Size)
	if written, err := d.Fill(ctx, v, time.Minute, nil); err != nil || written != v.Size {
		t.Fatalf("Fill: %d bytes of %d, %v", written, v.Size, err)
	}
	lab.UpToThree(t, func() []string { return logWrite(t, d, v) })
}

// logWrite measures mixed I/O with flushes for two seconds, and says what is wrong with its samples.
func logWrite(t *testing.T, d *Driver, v model.Volume) (wrong loadtest.Wrong) {
	t.Helper()
	var c collected
	w := model.Workload{Name: "log write", Access: model.Random, Direction: model.Mixed, ReadPercent: 50, BlockSize: 8192, Depth: 1, Sync: "fdatasync", Jobs: 2, RateIOPS: 200}
	r, err := d.Run(t.Context(), model.StartRequest{Step: model.Step{Number: 3, Ramp: 0.5, Seconds: 2}, Workload: w, Volume: v}, load.BeginNow, c.emit)
	if err != nil || r.Error != "" {
		t.Fatalf("Run: %+v, %v", r, err)
	}
	if len(c.raws) != 2 {
		t.Fatalf("%d raws", len(c.raws))
	}
	if len(c.samples) != 2 {
		wrong.Note("%d samples", len(c.samples))
	}
	// fio copies the byte counts when the status is due but the I/O counts when the job's thread
	// gets to it, which on a busy machine is a tenth of a second later: an excess in one second is
	// missing from the next. Likewise a late status makes its second longer and the next one
	// shorter.
	var ahead, seconds float64
	for _, s := range c.samples {
		seconds += s.Seconds
		if math.Abs(s.Seconds-1) > 0.5 || s.Read == nil || s.Write == nil || s.Sync == nil {
			wrong.Note("sample %+v", s)
			continue
		}
		ahead += float64(s.Read.Bytes)/8192 - float64(s.Read.IOs)
		if s.Read.IOs == 0 || s.Write.IOs == 0 || s.Sync.Bytes != 0 || s.Sync.IOs == 0 || s.Sync.LatencySum <= 0 {
			wrong.Note("read %d, write %d, sync %d (%d bytes)", s.Read.IOs, s.Write.IOs, s.Sync.IOs, s.Sync.Bytes)
		}
	}
	if math.Abs(seconds-2) > 0.05 {
		wrong.Note("%.3f s were measured, want 2", seconds)
	}
	if math.Abs(ahead) > 3 {
		wrong.Note("over the repeat, the bytes make %.1f more reads of 8k than there were", ahead)
	}
	if r.ShortIOs != 0 || r.IOErrors != 0 {
		t.Errorf("short %d, errors %d: fio counted flushes as short reads?", r.ShortIOs, r.IOErrors)
	}
	if !strings.Contains(string(c.raws[0].Data), "rw=randrw") || c.raws[0].Name != "0003-log-write.fio" || r.Raw != c.raws[1].Name {
		t.Errorf("raw %s: %s", c.raws[0].Name, c.raws[0].Data)
	}
	return wrong
}
