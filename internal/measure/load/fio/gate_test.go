package fio

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// gated returns a step with two writers to a file of zeros.
func gated(t *testing.T) (req model.StartRequest, untouched func() bool) {
	t.Helper()
	zeros := make([]byte, 1<<20)
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, zeros, 0o600); err != nil {
		t.Fatal(err)
	}
	w := model.Workload{Name: "rand-write-x2", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 1, Jobs: 2, RateIOPS: 200}
	req = request(model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: 1 << 20, Engine: "psync"}, w, 2)
	req.Step.Ramp, req.At = 0.5, 1
	return req, func() bool {
		now, err := os.ReadFile(path)
		return err == nil && bytes.Equal(now, zeros)
	}
}

// TestGatedFioWaitsForItsTime: fio is started in advance, does nothing until it may, and its
// seconds count from then.
func TestGatedFioWaitsForItsTime(t *testing.T) {
	t.Parallel()
	d := realDriver(t)
	var c collected
	lab.UpToThree(t, func() (wrong []string) {
		c, wrong = waited(t, d)
		return wrong
	})
	if got := string(c.raws[0].Data); !strings.Contains(got, gateLines) {
		t.Errorf("the job that is kept is not the one that ran:\n%s", got)
	}

	// A user who runs the kept job by hand finds no gate, so fio does not wait.
	dir := t.TempDir()
	job := filepath.Join(dir, c.raws[0].Name)
	if err := os.WriteFile(job, c.raws[0].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), "fio", "--runtime=1", job)
	again.Dir = dir
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// waited runs a step that waits at the gate for longer than its ramp, and says what is wrong with its seconds.
func waited(t *testing.T, d *Driver) (c collected, wrong loadtest.Wrong) {
	t.Helper()
	req, untouched := gated(t)
	var free time.Time
	r, err := d.Run(t.Context(), req, func() {
		// Long enough for fio to start, and longer than the ramp.
		time.Sleep(1500 * time.Millisecond)
		if !untouched() {
			t.Error("it wrote before its time")
		}
		free = time.Now()
	}, c.emit)
	took := time.Since(free)
	if err != nil || r.Error != "" || len(c.samples) == 0 || len(c.raws) != 2 {
		t.Fatalf("%v, %+v, %d samples, %d raws", err, r, len(c.samples), len(c.raws))
	}
	if len(c.samples) < 2 {
		wrong.Note("%d samples", len(c.samples))
	}
	if untouched() {
		t.Error("it wrote nothing")
	}
	var covered, ios float64
	for _, s := range c.samples {
		covered, ios = covered+s.Seconds, ios+float64(s.Write.IOs)
	}
	if last := c.samples[len(c.samples)-1].End; covered < 1.8 || last < 2.2 || last > took.Seconds() {
		wrong.Note("%g s are covered, the last until %g s of %s", covered, last, took)
	}
	// fio's limit is a rate over time: it does not catch up on the time spent at the gate.
	if rate := ios / covered; rate < 180 || rate > 220 {
		wrong.Note("%g I/Os per second, not 200", rate)
	}
	return c, wrong
}

func TestGatedFioThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	d := realDriver(t)
	req, _ := gated(t)
	req.Volume.Engine = "no-such-engine"
	r, err := d.Run(t.Context(), req, load.BeginNow, func(model.Event) {})
	if err != nil || !strings.Contains(r.Error, "no-such-engine") || strings.Contains(r.Error, "prerun") {
		t.Errorf("%v, %q", err, r.Error)
	}
}

func TestStepsThatCannotWaitAreHeldBefore(t *testing.T) {
	t.Parallel()
	req, _ := gated(t)
	if !canGate(req) {
		t.Fatal("a plain step cannot wait")
	}
	noRamp, odd := req, req
	noRamp.Step.Ramp, odd.Workload.Name = 0, "a & b"
	if canGate(noRamp) || canGate(odd) {
		t.Error("without a ramp, or with a name that a shell takes apart, it cannot")
	}
	d := realDriver(t)
	held := false
	r, err := d.Run(t.Context(), noRamp, func() { held = true }, func(e model.Event) {
		if e.Raw != nil && strings.Contains(string(e.Raw.Data), gateName) {
			t.Error("it has a gate")
		}
	})
	if err != nil || r.Error != "" || !held {
		t.Errorf("%v, %q, held %v", err, r.Error, held)
	}
}

func TestTheLineFilterLeavesWhatMatters(t *testing.T) {
	var c lineFilter
	var got bytes.Buffer
	keep := func(b []byte) { got.Write(b) }
	for _, piece := range []string{"fio: bad\nrand : Saving out", "put of prerun in rand.prerun.txt\nlast", " words"} {
		c.feed([]byte(piece), keep)
	}
	c.rest(keep)
	if got.String() != "fio: bad\nlast words" {
		t.Errorf("%q", got.String())
	}
}
