package fake

import (
	"fmt"
	"math"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// playOpen runs an open loop on a fake device and returns its total flow.
func playOpen(t *testing.T, uri string, rate, seconds float64) (total model.Flow, due uint64) {
	t.Helper()
	res, err := (&Driver{}).Run(t.Context(), model.StartRequest{
		Step:     model.Step{Number: 1, Ramp: 5, Seconds: seconds},
		Workload: model.Workload{Name: "load", Access: model.Random, Direction: model.Read, BlockSize: 4096, OpenLoop: true, RateIOPS: rate},
		Volume:   model.Volume{Target: model.Target{Kind: model.Fake, URI: uri}},
	}, load.BeginNow, func(ev model.Event) { total.Add(*ev.Sample.Read) })
	if err != nil {
		t.Fatal(err)
	}
	return total, res.Due
}

// A single server is a textbook queue: with exponential service the time in it is exponential with
// mean 1/(μ−λ) (M/M/1); with constant service the mean is 1/μ + ρ/(2μ(1−ρ)) (M/D/1,
// Pollaczek–Khinchine).
func TestOpenLoopsAreTheQueuesOfTheTextbook(t *testing.T) {
	const mu = 1000.0
	for _, rho := range []float64{.1, .5, .8, .9} {
		lambda := rho * mu
		for kind, want := range map[int]struct{ mean, p99 float64 }{
			1: {1 / (mu - lambda), math.Log(100) / (mu - lambda)},
			0: {1/mu + rho/(2*mu*(1-rho)), 0},
		} {
			f, due := playOpen(t, fmt.Sprintf("iops=%g&exponential=%d&seed=3", mu, kind), lambda, 2000)
			if mean := f.LatencySum / float64(f.IOs); math.Abs(mean/want.mean-1) > .06 {
				t.Errorf("ρ=%g, exponential=%d: mean %g, want %g", rho, kind, mean, want.mean)
			}
			if p99 := f.Histogram.Percentile(99); want.p99 > 0 && math.Abs(p99/want.p99-1) > .08 {
				t.Errorf("ρ=%g: p99 %g, want %g", rho, p99, want.p99)
			}
			if done := float64(f.IOs) / float64(due); math.Abs(done-1) > .001 || math.Abs(float64(due)/(lambda*2000)-1) > .01 {
				t.Errorf("ρ=%g: %d due, %d done", rho, due, f.IOs)
			}
		}
	}
}

// Coordinated omission: 500 Poisson reads a second, a stall of 500 ms every 10 s. The wait of I/Os
// that arrive during a stall falls from 0.5 s to zero over the stall and the time in which its
// backlog drains, 0.5/(1−ρ): the mean is 0.05·0.25/(1−ρ) + 1/μ, and one in a hundred waits more
// than 0.5·(1 − 0.01·10·(1−ρ)/0.5).
func TestStallsAreSeenByAnOpenLoop(t *testing.T) {
	const mu, lambda = 5000.0, 500.0
	rho := lambda / mu
	f, _ := playOpen(t, "iops=5000&stall=0.5&stall-every=10", lambda, 2000)
	if mean, want := f.LatencySum/float64(f.IOs), .05*.25/(1-rho)+1/mu; math.Abs(mean/want-1) > .03 {
		t.Errorf("mean %g, want %g", mean, want)
	}
	if p99, want := f.Histogram.Percentile(99), .5*(1-.01*10*(1-rho)/.5); math.Abs(p99/want-1) > .03 {
		t.Errorf("p99 %g, want %g", p99, want)
	}
}

func TestOverloadIsSeen(t *testing.T) {
	f, due := playOpen(t, "iops=1000", 1250, 100)
	if done := float64(f.IOs) / float64(due); math.Abs(done-.8) > .01 {
		t.Errorf("%g of what was due was done, want 0.8", done)
	}
}

func TestDepthLimitsTheRate(t *testing.T) {
	p, err := ParseParameters("iops=3000&latency=0.001&stall=1&stall-every=4")
	if err != nil {
		t.Fatal(err)
	}
	for depth, want := range map[int]float64{1: 750, 2: 1500, 3: 2250, 64: 2250} {
		if got := p.Truth(model.Workload{Depth: depth, BlockSize: 4096}); math.Abs(got-want) > 1e-9 {
			t.Errorf("depth %d: %g, want %g", depth, got, want)
		}
	}
	if _, err := ParseParameters("stall=2&stall-every=2"); err == nil {
		t.Error("a device that always stalls is accepted")
	}
}

// A device that gets slower does so under an offered load as well.
func TestAnOpenLoopDrifts(t *testing.T) {
	steady, _ := playOpen(t, "iops=1000&seed=3", 900, 120)
	slower, due := playOpen(t, "iops=1000&drift=-0.2&seed=3", 900, 120)
	if slower.LatencySum/float64(slower.IOs) < 100*steady.LatencySum/float64(steady.IOs) || float64(slower.IOs) > 0.95*float64(due) {
		t.Errorf("%d of %d due I/Os were done", slower.IOs, due)
	}
}
