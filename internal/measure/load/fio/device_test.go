package fio

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// on returns the first bytes of a lab's device as a volume.
func on(d lab.Device, size int64) model.Volume {
	return model.Volume{Target: model.Target{Kind: model.NBD, URI: d.URI}, Size: size, Engine: "nbd", Direct: true}
}

func request(v model.Volume, w model.Workload, seconds float64) model.StartRequest {
	w.Name = "test"
	return model.StartRequest{Step: model.Step{Number: 1, Ramp: 0.2, Seconds: seconds}, Volume: v, Workload: w}
}

var randRead = model.Workload{Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1}

func TestDeviceDelay(t *testing.T) {
	d := realDriver(t)
	v := on(lab.Delayed(t, 5*time.Millisecond, 5*time.Millisecond), 16<<20)
	lab.UpToThree(t, func() []string { return delayed(t, d, v) })
}

// delayed measures a device of 5 ms for two seconds, and says what is wrong with its latencies.
func delayed(t *testing.T, d *Driver, v model.Volume) (wrong loadtest.Wrong) {
	t.Helper()
	var got collected
	r, err := d.Run(context.Background(), request(v, randRead, 2), load.BeginNow, got.emit)
	if err != nil || r.Error != "" || len(got.samples) == 0 {
		t.Fatalf("%+v, %v, %d samples", r, err, len(got.samples))
	}
	if len(got.samples) != 2 {
		wrong.Note("%d samples", len(got.samples))
	}
	var all model.Flow
	for _, s := range got.samples {
		all.Add(*s.Read)
	}
	if p := all.Histogram.Percentile(50); p < 0.005 || p > 0.0065 {
		wrong.Note("p50 is %v s on a device of 5 ms", p)
	}
	if mean := all.LatencySum / float64(all.IOs); mean < 0.005 || mean > 0.008 {
		wrong.Note("the mean is %v s on a device of 5 ms", mean)
	}
	if diff := math.Abs(float64(all.Histogram.Count()) - float64(all.IOs)); diff > 3 {
		wrong.Note("%d I/Os and %d latencies", all.IOs, all.Histogram.Count())
	}
	if r.DepthLevels["1"] != 1 {
		t.Errorf("depths: %v", r.DepthLevels)
	}
	return wrong
}

// A database's log on a device that has one kind of flush: each write is flushed, and no flush fails.
func TestDeviceFlushes(t *testing.T) {
	d := realDriver(t)
	v := on(lab.Delayed(t, 0, 5*time.Millisecond), 16<<20)
	for _, sync := range []string{"fsync", "fdatasync"} {
		var got collected
		w := model.Workload{Access: model.Sequential, Direction: model.Write, BlockSize: 8 << 10, Depth: 1, Sync: sync}
		r, err := d.Run(context.Background(), request(v, w, 2), load.BeginNow, got.emit)
		if err != nil || r.Error != "" || len(got.samples) == 0 {
			t.Errorf("%s: %+v, %v, %d samples", sync, r, err, len(got.samples))
			continue
		}
		var writes, flushes model.Flow
		for _, s := range got.samples {
			writes.Add(*s.Write)
			flushes.Add(*s.Sync)
		}
		if n := int64(writes.IOs) - int64(flushes.IOs); writes.IOs == 0 || n < -2 || n > 2 {
			t.Errorf("%s: %v writes and %v flushes", sync, writes.IOs, flushes.IOs)
		}
	}
}

func TestDeviceErrors(t *testing.T) {
	d := realDriver(t)
	v := on(lab.Errors(t, lab.Fault{Error: "EIO", On: "read", Rate: 0.01}, lab.Fault{Error: "ENOSPC", On: "write"}).Device, 16<<20)
	ctx := context.Background()

	r, err := d.Run(ctx, request(v, randRead, 2), load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(r.Error, "EIO") || !strings.Contains(r.Error, "read offset=") || r.IOErrors == 0 {
		t.Errorf("1%% EIO: %+v, %v", r, err)
	}
	own := randRead
	own.Job = "rw=randread\nbs=4k\ncontinue_on_error=all\nrate_iops=2000\n"
	r, err = d.Run(ctx, request(v, own, 1), load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(r.Error, "I/Os failed, the first with EIO") || r.IOErrors < 2 {
		t.Errorf("1%% EIO, continued: %+v, %v", r, err)
	}
	write := randRead
	write.Direction = model.Write
	r, err = d.Run(ctx, request(v, write, 1), load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(r.Error, "ENOSPC") {
		t.Errorf("ENOSPC: %+v, %v", r, err)
	}
	if n, err := d.Fill(ctx, v, time.Minute, nil); err == nil || !strings.Contains(err.Error(), "ENOSPC: no space is left") || n >= v.Size {
		t.Errorf("Fill: %d, %v", n, err)
	}
	// A workload declared as read-only cannot write, whatever its job says.
	own.Job = "rw=randwrite\nbs=4k\n"
	r, err = d.Run(ctx, request(v, own, 1), load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(r.Error, "read-only") && !strings.Contains(r.Error, "readonly") {
		t.Errorf("a write in disguise: %+v, %v", r, err)
	}
}

func TestDeviceReadBack(t *testing.T) {
	d := realDriver(t)
	device := lab.Plain(t)
	v := on(device, 32<<20+4096+512)
	ctx := context.Background()
	if p, err := d.ReadBack(ctx, v, nil); err != nil || p.Method != "none" || p.Detail == "" {
		t.Fatalf("before the fill: %+v, %v", p, err)
	}
	if n, err := d.Fill(ctx, v, time.Minute, nil); err != nil || n != v.Size {
		t.Fatalf("Fill: %d, %v", n, err)
	}
	var last model.Progress
	p, err := d.ReadBack(ctx, v, func(x model.Progress) { last = x })
	if want := (model.Proof{Method: "read-back", Checked: v.Size}); err != nil || !cmp.Equal(p, want) {
		t.Fatalf("as written: %+v, %v", p, err)
	}
	if last.Phase != model.PhaseProve || last.Done != float64(v.Size) {
		t.Errorf("progress: %+v", last)
	}

	for _, harm := range []struct {
		name string
		args []string
		want int64
	}{
		{"a torn block", []string{"--offset=10m", "--size=4k", "--bs=4k"}, 1 << 20},
		{"a hole of 3 MiB", []string{"--offset=20m", "--size=3m", "--bs=1m", "--zero_buffers"}, 4 << 20},
		{"the tail", []string{fmt.Sprint("--offset=", 32<<20+4096), "--size=512", "--bs=512"}, 4<<20 + 512},
	} {
		cmd := exec.Command("fio", append([]string{"--name=harm", "--ioengine=nbd", "--uri=" + device.URI, "--rw=write"}, harm.args...)...)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", harm.name, err, out)
		}
		p, err = d.ReadBack(ctx, v, nil)
		if err != nil || p.Checked != v.Size || p.Unwritten != harm.want || !strings.Contains(p.Detail, "verify") {
			t.Errorf("%s: %+v, %v; want %d bad bytes", harm.name, p, err, harm.want)
		}
	}
}

func TestDeviceWithoutFlush(t *testing.T) {
	d := realDriver(t)
	v := on(lab.WithoutFlush(t), 8<<20)
	ctx := context.Background()
	if _, err := d.Fill(ctx, v, time.Minute, nil); err == nil {
		t.Error("a flush succeeded where there is none: the device is not what this test needs")
	}
	v.NoFlush = true
	if n, err := d.Fill(ctx, v, time.Minute, nil); err != nil || n != v.Size {
		t.Errorf("Fill: %d, %v", n, err)
	}
	if p, err := d.ReadBack(ctx, v, nil); err != nil || p.Checked != v.Size || p.Unwritten != 0 {
		t.Errorf("as written: %+v, %v", p, err)
	}
}

func TestDeviceTooSlowToFill(t *testing.T) {
	d := realDriver(t)
	v := on(lab.RateLimited(t, 64<<20), 128<<20) // 8 MiB/s: it would take 16 s
	var seen []model.Progress
	n, err := d.Fill(context.Background(), v, 3*time.Second, func(p model.Progress) { seen = append(seen, p) })
	if err == nil || !strings.Contains(err.Error(), "given up: after 3 s only") || n == 0 || n >= v.Size {
		t.Errorf("%d bytes, %v", n, err)
	}
	if len(seen) < 2 || seen[1].Rate < 2<<20 || seen[1].Rate > 20<<20 {
		t.Errorf("progress: %+v", seen)
	}
	rate, err := d.Bandwidth(context.Background(), v, true, 2*time.Second)
	if err != nil || rate < 5<<20 || rate > 12<<20 {
		t.Errorf("bandwidth %.1f MiB/s of 8, %v", rate/(1<<20), err)
	}
}

func TestDeviceEngines(t *testing.T) {
	d := realDriver(t)
	ctx := context.Background()
	v := on(lab.Plain(t), 16<<20)
	if got, err := d.Engines(ctx, v); err != nil || len(got) != 1 || got[0] != "nbd" {
		t.Errorf("%v, %v", got, err)
	}
	v.Target.URI = "nbd+unix:///?socket=/nowhere"
	if got, err := d.Engines(ctx, v); err == nil || !strings.Contains(err.Error(), "No such file") {
		t.Errorf("nobody listens: %v, %v", got, err)
	}
	short := oddFile(t, 1<<20)
	if got, err := d.Engines(ctx, short); err == nil || !strings.Contains(err.Error(), "holds no block") {
		t.Errorf("an empty file: %v, %v", got, err)
	}
	if _, err := os.Stat(short.Path); err != nil {
		t.Errorf("the probe removed the file: %v", err)
	}
}

func TestRealCheckJob(t *testing.T) {
	d := realDriver(t)
	ctx := context.Background()
	if err := d.CheckJob(ctx, "rw=randread\nbs=4k\nsize=1m\n", "it's.fio"); err != nil {
		t.Error(err)
	}
	err := d.CheckJob(ctx, "[x]\nrw=rread\n", "it's.fio")
	if w, ok := err.(*model.WorkerError); !ok || w.Class != model.Refused || !strings.Contains(w.Message, "rread") || !strings.Contains(w.Hint, `fio --parse-only 'it'\''s.fio'`) {
		t.Errorf("%v", err)
	}
}
