//go:build linux

package truth

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/open"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// openDriver opens NBD exports as the program does.
var openDriver = open.Driver{Dial: func(ctx context.Context, uri string) (*os.File, error) {
	conn, err := nbd.Dial(ctx, uri)
	if err != nil {
		return nil, err
	}
	return conn.HandOver()
}}

// playOpen runs a repeat on a lab device and returns its flow, its samples and its result.
func playOpen(t testing.TB, d lab.Device, w model.Workload, ramp, seconds float64) (total model.Flow, samples []model.Sample, res model.StepResult) {
	t.Helper()
	v := model.Volume{Target: model.Target{Name: d.Name, Kind: model.NBD, URI: d.URI}, Size: d.Size, Direct: true}
	if d.Path != "" {
		v.Target = model.Target{Name: d.Name, Kind: model.File, Path: d.Path}
		v.Path = d.Path
	}
	if w.Depth == 0 {
		w.Depth = 256
	}
	w.Name, w.OpenLoop = "load", true
	if w.Access == "" {
		w.Access = model.Random
	}
	if w.BlockSize == 0 {
		w.BlockSize = 4096
	}
	res, err := openDriver.Run(t.Context(), model.StartRequest{Step: model.Step{Number: 1, Ramp: ramp, Seconds: seconds}, Workload: w, Volume: v}, load.BeginNow,
		func(ev model.Event) {
			samples = append(samples, *ev.Sample)
			total.Add(*ev.Sample.Flow(w.Direction))
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%q %s: %d due, %d done, mean %.3g ms, p50 %.3g ms, p99 %.3g ms, max %.3g ms, late %.1f µs, CPU %.2f+%.2f", res.Error, d.Name, res.Due, total.IOs,
		1e3*total.LatencySum/float64(total.IOs), 1e3*total.Histogram.Percentile(50), 1e3*total.Histogram.Percentile(99), 1e3*total.Max, 1e6*res.Late, res.UserCPU, res.SystemCPU)
	return total, samples, res
}

// Coordinated omission: 500 Poisson reads a second on a device that stalls
// for S = 500 ms every 10 s. Reads due during a stall wait for the rest of it:
// the mean is S/10 s · S/2 more than without stalls, and one in a hundred of all I/Os waits
// longer than S − 0.1 s. fio's rate mode sees almost nothing of it. The window is two
// whole periods; the number of I/Os in the stalls has a standard deviation of 4.5 %. How long a stall really was, and
// how long an I/O takes without one, depends on when the processors of a shared machine let the device go on
// (510 ms and 1.7 ms here): both are in the latencies, the former as the longest. After a stall, the
// device does what has gathered at its full rate, which plain fio measures (28k IOPS by NBD, 7k through FUSE).
func TestOpenLoopSeesStalls(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, at := range map[string]func(testing.TB, lab.Device) lab.Device{
		"nbd":  func(_ testing.TB, d lab.Device) lab.Device { return d },
		"file": func(t testing.TB, d lab.Device) lab.Device { return lab.At(lab.File(t, d), d.Size) },
	} {
		t.Run(name, func(t *testing.T) {
			runWithRetry(t, demand{class: quiet, seconds: 21}, func(t testing.TB) {
				d := at(t, lab.Stalling(t, time.Millisecond, 500*time.Millisecond, 10*time.Second))
				full := lab.Fio(t, d, lab.Job{Depth: 256}).IOPS
				total, _, res := playOpen(t, d, model.Workload{Direction: model.Read, RateIOPS: 500}, 1, 20)
				fast, _ := total.Histogram.Divide(.02)
				usual, stall := fast.Mean(), total.Max
				if usual < .001 || usual > .004 || stall < .49 || stall > .6 {
					t.Errorf("mean %g s without stalls and at most %g s with them, want 0.001 and 0.5", usual, stall)
				}
				t.Logf("mean without stalls %.3g ms, %.0f IOPS at most", 1e3*usual, full)
				if mean, want := total.LatencySum/float64(total.IOs), usual+stall/10*(stall/2+500*stall/2/full); math.Abs(mean/want-1) > .2 {
					t.Errorf("mean %g s, want about %g", mean, want)
				}
				if p99, want := total.Histogram.Percentile(99), stall-.1; math.Abs(p99/want-1) > .1 {
					t.Errorf("p99 %g s, want about %g", p99, want)
				}
				if done := float64(total.IOs) / float64(res.Due); math.Abs(done-1) > .03 || math.Abs(float64(res.Due)/10000-1) > .05 {
					t.Errorf("%d due, %d done", res.Due, total.IOs)
				}
			})
		})
	}
}

// Below its limit a device completes I/Os within its delay, and the load generator adds little.
func TestOpenLoopLatenciesAreTheDevices(t *testing.T) {
	runWithRetry(t, demand{class: quiet, seconds: 8}, latencies)
}

func latencies(t testing.TB) {
	t.Helper()
	d := lab.Delayed(t, 5*time.Millisecond, 2*time.Millisecond)
	for direction, delay := range map[model.Direction]float64{model.Read: .005, model.Write: .002} {
		total, samples, res := playOpen(t, d, model.Workload{Direction: direction, RateIOPS: 1000}, .5, 3)
		// A latency begins when an I/O is due. What the processors of a shared machine delay is the load generator's
		// lateness, and has to be in its account of it.
		if p50 := total.Histogram.Percentile(50); p50 < delay || p50 > delay*1.5+min(res.Late, .003) {
			t.Errorf("%s: p50 %g s, the delay is %g, and the I/Os began %g s late", direction, p50, delay, res.Late)
		}
		if len(samples) != 3 || samples[2].End != 3.5 || res.Error != "" {
			t.Errorf("%s: %d samples, the last ends at %g; %q", direction, len(samples), samples[len(samples)-1].End, res.Error)
		}
	}
	lab.Verify(t, d)
}

// A device that serves one I/O at a time is a queue with a known answer: with the
// service time S, the inverse of its rate at full load, the mean is S + ρS/(2(1−ρ)) at a load
// of ρ (M/D/1, Pollaczek–Khinchine). At half load, 1,200 I/Os estimate it to 4 %.
func TestOpenLoopOnAQueueIsThatOfTheTextbook(t *testing.T) {
	runWithRetry(t, demand{class: quiet, seconds: 35, slots: capacity[quiet]}, textbookQueue)
}

func textbookQueue(t testing.TB) {
	t.Helper()
	d := lab.Serial(t, 4*time.Millisecond)
	service := 1 / lab.Fio(t, d, lab.Job{Depth: 32}).IOPS
	// A lack of processor time makes the queue longer and never
	// shorter, so the best of three repeats counts.
	best, want := math.Inf(1), service*1.5
	for try := 0; try < 3 && best > 1.15*want; try++ {
		total, _, res := playOpen(t, d, model.Workload{Direction: model.Read, RateIOPS: .5 / service}, 1, 10)
		best = min(best, total.LatencySum/float64(total.IOs))
		if done := float64(total.IOs) / float64(res.Due); math.Abs(done-1) > .03 {
			t.Errorf("%g of what was due was done", done)
		}
	}
	if math.Abs(best/want-1) > .15 {
		t.Errorf("mean %g s, want %g with a service time of %g s", best, want, service)
	}
}

// If more is requested than the device can do, its limit is reached, and the wait
// grows each second by one second × the share that is not done.
func TestOpenLoopTellsOverload(t *testing.T) { runWithRetry(t, demand{seconds: 13}, overload) }

func overload(t testing.TB) {
	t.Helper()
	d := lab.Throttled(t, lab.Throttle{IOPS: 1000})
	for _, slots := range []int{16, 256} {
		total, samples, res := playOpen(t, d, model.Workload{Direction: model.Read, RateIOPS: 1250, Depth: slots}, 1, 5)
		// A busy machine slows the device down, but never speeds it up.
		if done := float64(total.IOs) / float64(res.Due); done > .84 || done < .7 || float64(total.IOs) > 1.03*5000 {
			t.Errorf("%d slots: %d of %d due were done", slots, total.IOs, res.Due)
		}
		last := samples[len(samples)-1].Read
		// By second 5.5 the backlog is some 250·5.5 I/Os, less the 100 that the throttle admits
		// at once: more than one second's worth.
		if wait := last.LatencySum / float64(last.IOs); wait < .75 || wait > 2 {
			t.Errorf("%d slots: the wait in the last second is %g s", slots, wait)
		}
	}
}

func TestOpenLoopTellsFaults(t *testing.T) {
	broken := lab.Errors(t, lab.Fault{Error: "EIO", On: "read"})
	for name, d := range map[string]lab.Device{"nbd": broken.Device, "file": lab.At(lab.File(t, broken.Device), broken.Size)} {
		_, _, res := playOpen(t, d, model.Workload{Direction: model.Read, RateIOPS: 100}, 0, 2)
		if !strings.Contains(res.Error, "input/output error") || res.IOErrors == 0 {
			t.Errorf("%s: %q, %d errors", name, res.Error, res.IOErrors)
		}
	}
}

func TestAnInterruptEndsAnOpenLoop(t *testing.T) {
	d := lab.Delayed(t, time.Millisecond, time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	samples := 0
	res, err := openDriver.Run(ctx, model.StartRequest{Step: model.Step{Seconds: 600},
		Workload: model.Workload{OpenLoop: true, RateIOPS: 100, Depth: 8, BlockSize: 4096, Direction: model.Read, Access: model.Sequential},
		Volume:   model.Volume{Target: model.Target{Kind: model.NBD, URI: d.URI}, Size: d.Size}},
		load.BeginNow, func(model.Event) {
			if samples++; samples == 1 {
				cancel()
			}
		})
	if err != nil || res.Error != model.StoppedStep || samples > 2 {
		t.Errorf("%v, %+v after %d samples", err, res, samples)
	}
}
