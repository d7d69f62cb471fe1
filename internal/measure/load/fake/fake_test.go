package fake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// play runs one long step and returns its samples.
func play(t *testing.T, d *Driver, uri string, w model.Workload, seconds float64) ([]model.Sample, model.StepResult) {
	t.Helper()
	var samples []model.Sample
	res, err := d.Run(t.Context(), model.StartRequest{
		Step: model.Step{Number: 1, Ramp: 0.5, Seconds: seconds}, Workload: w,
		Volume: model.Volume{Target: model.Target{Kind: model.Fake, URI: uri}},
	}, load.BeginNow, func(ev model.Event) { samples = append(samples, *ev.Sample) })
	if err != nil {
		t.Fatal(err)
	}
	return samples, res
}

func rate(samples []model.Sample, d model.Direction) float64 {
	var n, sec float64
	for _, s := range samples {
		n += float64(s.Flow(d).IOs)
		sec += s.Seconds
	}
	return n / sec
}

var small = model.Workload{Name: "a", Direction: model.Read, BlockSize: 4096, Depth: 16}

// The long-run mean equals the declared rate: everything verified on the fake depends on this.
func TestTheTruthIsTrue(t *testing.T) {
	for _, uri := range []string{
		"?iops=3000&cv=0", "?iops=3000&cv=0.05", "?iops=700&cv=0.05&phi=0.9", "?iops=3000&cv=0.02&spike=0.05&spike-level=0.4",
		"?iops=1000000&bandwidth=4096000&cv=0.01",
	} {
		p, err := ParseParameters(uri)
		if err != nil {
			t.Fatal(err)
		}
		samples, _ := play(t, &Driver{}, uri, small, 20000)
		if got, want := rate(samples, model.Read), p.Truth(small); math.Abs(got/want-1) > 0.005 {
			t.Errorf("%s: mean %g, truth %g", uri, got, want)
		}
	}
}

// A second of slow storage has only a few I/Os, which must not look like more of them in flight than there were.
func TestFewLatenciesHaveTheMeanOfMany(t *testing.T) {
	for _, n := range []uint64{1, 2, 5, 7, 13, 199, 201, 1000} {
		f := flow(n, small, 0.2)
		if mean := f.LatencySum / float64(n); math.Abs(mean/0.2-1) > 0.002 || f.Histogram.Count() != n {
			t.Errorf("%d I/Os of 200 ms: %d with a mean of %.0f ms", n, f.Histogram.Count(), 1000*mean)
		}
	}
}

func TestLatencyFollowsLittlesLaw(t *testing.T) {
	samples, _ := play(t, &Driver{}, "?iops=3000&cv=0.05", small, 100)
	for _, s := range samples {
		f := s.Read
		if f.Histogram.Count() != f.IOs {
			t.Fatalf("%d I/Os, but %d latencies", f.IOs, f.Histogram.Count())
		}
		inFlight := f.LatencySum / s.Seconds
		if math.Abs(inFlight/16-1) > 0.02 {
			t.Fatalf("%g I/Os in flight, want 16", inFlight)
		}
		if math.Abs(f.Histogram.Mean()/(f.LatencySum/float64(f.IOs))-1) > 0.01 {
			t.Fatalf("the histogram's mean is %g, the sum says %g", f.Histogram.Mean(), f.LatencySum/float64(f.IOs))
		}
	}
}

func TestMixedAndSyncedFlows(t *testing.T) {
	w := model.Workload{Direction: model.Mixed, ReadPercent: 70, BlockSize: 4096, Depth: 8}
	samples, _ := play(t, &Driver{}, "?iops=1000&cv=0", w, 50)
	if r, wr := rate(samples, model.Read), rate(samples, model.Write); math.Abs(r-700) > 1 || math.Abs(wr-300) > 1 {
		t.Errorf("70/30 of 1000 gave %g and %g", r, wr)
	}
	log := model.Workload{Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync"}
	samples, _ = play(t, &Driver{}, "?iops=1000&cv=0", log, 10)
	if s := samples[0]; s.Sync == nil || s.Sync.IOs != s.Write.IOs || s.Sync.Bytes != 0 {
		t.Errorf("flushes: %+v", s.Sync)
	}
}

// The I/Os in flight when a stall begins wait for its end: in a closed loop, as many are in flight at all times.
func TestAStallIsInTheLatenciesOfAClosedLoop(t *testing.T) {
	for _, direction := range []model.Direction{model.Read, model.Mixed} {
		w := small
		w.Direction, w.ReadPercent = direction, 70
		var d Driver
		samples, _ := play(t, &d, "?iops=2000&cv=0&stall=2.5&stall-every=10", w, 100)
		sum, longest, ios := 0.0, 0.0, uint64(0)
		for _, s := range samples {
			for _, f := range []*model.Flow{s.Read, s.Write} {
				if f != nil {
					sum, longest, ios = sum+f.LatencySum, math.Max(longest, f.Max), ios+f.IOs
				}
			}
		}
		if want := 100 * float64(w.Depth*w.JobCount()); math.Abs(sum/want-1) > 0.02 || longest < 2.5 || longest > 3 || math.Abs(float64(ios)/150000-1) > 0.02 {
			t.Errorf("%s: latencies add up to %.0f s of %.0f, the longest is %.2f s, %d I/Os", direction, sum, want, longest, ios)
		}
	}
}

func TestBurstCreditsRunOut(t *testing.T) {
	samples, _ := play(t, &Driver{}, "?iops=300&cv=0&burst=3000&credit=27000", small, 30)
	if first, last := samples[3].Read.IOs, samples[25].Read.IOs; first != 3000 || last != 300 {
		t.Errorf("second 4: %d, second 26: %d, want 3000 and 300", first, last)
	}
}

func TestFailureAndInterrupt(t *testing.T) {
	d := &Driver{}
	if _, res := play(t, d, "?iops=300&fail-after=20", small, 5); res.Error != "" {
		t.Errorf("failed too early: %s", res.Error)
	}
	if _, res := play(t, d, "?iops=300&fail-after=20", small, 30); res.Error == "" || res.IOErrors == 0 {
		t.Errorf("did not fail: %+v", res)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := (&Driver{}).Run(ctx, model.StartRequest{Step: model.Step{Seconds: 5}, Workload: small,
		Volume: model.Volume{Target: model.Target{URI: "?iops=300"}}}, load.BeginNow, func(model.Event) {})
	if err != nil || res.Error != model.StoppedStep {
		t.Errorf("interrupted: %+v, %v", res, err)
	}
}

func TestBadParametersAreRefused(t *testing.T) {
	for _, uri := range []string{"?iop=3", "?iops=x", "?iops=-1", "?phi=1", "?seed=a", "?iops=0", "%zz"} {
		var we *model.WorkerError
		if _, err := ParseParameters(uri); !errors.As(err, &we) || we.Class != model.Refused || we.Hint == "" {
			t.Errorf("%q: %v", uri, err)
		}
	}
}

// A cache that absorbs takes the prefill and writes at its own rate until it is full; reads then get half of the device
// until it has drained.
func TestACacheAbsorbsUntilItIsFull(t *testing.T) {
	const uri = "?iops=1000&cv=0&cache=20000&absorb=5000"
	writes := small
	writes.Direction = model.Write
	var d Driver
	samples, _ := play(t, &d, uri, writes, 10)
	// It fills at 4,000 per second.
	if full, later := rate(samples[:4], model.Write), rate(samples[6:], model.Write); math.Abs(full-5000) > 1 || math.Abs(later-1000) > 1 {
		t.Errorf("%g writes per second at first, %g later", full, later)
	}
	samples, _ = play(t, &d, uri, small, 60)
	if at, later := rate(samples[:30], model.Read), rate(samples[45:], model.Read); math.Abs(at-500) > 1 || math.Abs(later-1000) > 1 {
		t.Errorf("%g reads per second while it drains, %g later", at, later)
	}
	v := model.Volume{Target: model.Target{Kind: model.Fake, URI: uri}, Size: 4000 << 20}
	if _, err := d.Fill(t.Context(), v, 0, func(model.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if samples, _ = play(t, &d, uri, small, 5); math.Abs(rate(samples, model.Read)-500) > 1 {
		t.Errorf("%g reads per second after the prefill", rate(samples, model.Read))
	}
	// 4,000 MiB at 2,500 MiB/s, of which the device writes 500.
	if got := d.Filled(); math.Abs(got-1.6) > 1e-6 {
		t.Errorf("the prefill took %g s", got)
	}
	if _, err := ParseParameters("iops=1000&absorb=500"); err == nil {
		t.Error("a cache that is slower than its device was accepted")
	}
}

// Beside its cache, which writes back, a mix gets half of the device for its reads: one of many writes is faster than that until
// the cache is full, and one of many reads slower while the cache holds earlier writes.
func TestACacheTakesTheWritesOfAMix(t *testing.T) {
	const uri = "?iops=1000&cv=0&cache=20000&absorb=5000"
	mixed := small
	mixed.Direction, mixed.ReadPercent = model.Mixed, 25
	total := func(list []model.Sample) float64 { return rate(list, model.Read) + rate(list, model.Write) }
	var d Driver
	samples, _ := play(t, &d, uri, mixed, 40)
	if full, later := total(samples[:10]), total(samples[25:]); math.Abs(full-2000) > 2 || math.Abs(later-1000) > 2 {
		t.Errorf("%g I/Os per second at first, %g later", full, later)
	}
	mixed.ReadPercent = 80
	samples, _ = play(t, &d, uri, mixed, 80)
	if at, later := total(samples[:40]), total(samples[60:]); math.Abs(at-625) > 2 || math.Abs(later-1000) > 2 {
		t.Errorf("%g I/Os per second while it drains, %g later", at, later)
	}
}

// What the probe writes drains beside what it reads.
func TestTheProbeReadsBesideWhatItWrote(t *testing.T) {
	for _, c := range []struct {
		uri         string
		write, read float64
	}{
		{"?iops=5000&cv=0", 500, 500},
		{"?iops=5000&cv=0&cache=600000&absorb=6500", 650, 250},
		// 0.4 s of the device are left, which take 0.8 s beside reads.
		{"?iops=5000&cv=0&cache=600000&absorb=6000", 600, 300},
		// The cache is full after a second.
		{"?iops=5000&cv=0&cache=5000&absorb=10000", 750, 250},
	} {
		var d Driver
		v := model.Volume{Target: model.Target{Kind: model.Fake, URI: c.uri}}
		write, err := d.Bandwidth(t.Context(), v, true, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		read, err := d.Bandwidth(t.Context(), v, false, time.Second)
		if err != nil || math.Abs(write/mib-c.write) > 0.01 || math.Abs(read/mib-c.read) > 0.01 {
			t.Errorf("%s: %.1f and %.1f MiB/s, %v", c.uri, write/mib, read/mib, err)
		}
	}
}

const mib = 1 << 20

// An I/O that is held by a stall when the repeat ends is counted, whatever rounding makes of the rate times the latency.
func TestAStallLosesNoIO(t *testing.T) {
	one := model.Workload{Name: "a", Direction: model.Read, BlockSize: 4096, Depth: 1}
	for seed := range 60 {
		samples, _ := play(t, &Driver{}, fmt.Sprintf("?iops=1000&stall=5&stall-every=40&seed=%d", seed), one, 43)
		if last := samples[len(samples)-1].Read; last.IOs != 1 || last.Max < 3 {
			t.Errorf("seed %d: %d I/Os in the last second, of %.3f s", seed, last.IOs, last.Max)
		}
	}
}

func TestABurstKeepsToARate(t *testing.T) {
	limited := small
	limited.RateIOPS = 1500
	samples, _ := play(t, &Driver{}, "?iops=1500&burst=5000&credit=20000&cv=0", limited, 20)
	if got := rate(samples, model.Read); math.Abs(got/1500-1) > 0.01 {
		t.Errorf("%.0f IOPS, and 1500 were asked for", got)
	}
}
