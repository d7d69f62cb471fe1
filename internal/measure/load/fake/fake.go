// Package fake is simulated storage: a load driver like any other, whose true performance is known
// because it is a parameter. Its assumptions: statistics are verified on it over thousands of runs, in
// virtual time, through the same engine that measures real disks; its results are never evidence
// about a disk.
package fake

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/proof"
)

// Driver simulates a device described by the parameters of its target's URI. The zero value is
// ready. It must be used by one step at a time.
type Driver struct {
	// Clock is the clock that Pace refers to.
	Clock env.Clock

	mu  sync.Mutex
	dev *device
	uri string
	// filled is the duration of the last prefill in virtual seconds.
	filled float64
}

// Tool returns the fake as a worker's tool.
func Tool(e *env.Env) load.Tool {
	d := &Driver{Clock: e.Clock}
	return load.Tool{
		Name: "fake", Driver: d, Filler: d,
		Serves: func(kind model.TargetKind, _ model.Workload) bool { return kind == model.Fake },
		Virtual: &load.Virtual{Rest: d.Rest, Filled: d.Filled, Capacity: func(t model.Target) (int64, error) {
			p, err := ParseParameters(t.URI)
			return int64(p.Size), err
		}},
	}
}

// Version returns the driver's version.
func (d *Driver) Version(context.Context) (string, error) { return "1", nil }

// Engines returns the fake's only engine.
func (d *Driver) Engines(context.Context, model.Volume) ([]string, error) {
	return []string{"fake"}, nil
}

// Fill pretends to write the volume and returns at once. A cache that absorbs writes takes its part of it, and how long
// that would take is what Filled returns.
func (d *Driver) Fill(ctx context.Context, v model.Volume, _ time.Duration, progress func(model.Progress)) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.open(v.Target.URI); err != nil {
		return 0, err
	}
	total, done := float64(v.Size), 0.0
	for d.filled = 0; d.dev.Absorb > 0 && done < total; d.filled++ {
		rate := d.dev.absorbed(large, d.dev.base(large), 1) * float64(large.BlockSize)
		if done+rate >= total || d.filled >= mostFilled {
			d.filled += (total - done) / rate
			break
		}
		if err := ctx.Err(); err != nil {
			return int64(done), err
		}
		done += rate
		progress(model.Progress{Phase: model.PhasePrefill, Done: done, Total: total, Rate: rate})
	}
	progress(model.Progress{Phase: model.PhasePrefill, Done: total, Total: total})
	return v.Size, nil
}

// mostFilled is after how many virtual seconds a prefill keeps its rate, so that a large volume on a slow device takes
// no real time.
const mostFilled = 3600

// Filled returns how many virtual seconds the last Fill took; 0 if that is not simulated.
func (d *Driver) Filled() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.filled
}

// ReadBack reports that everything was written: the fake has no holes.
func (d *Driver) ReadBack(_ context.Context, v model.Volume, _ func(model.Progress)) (model.Proof, error) {
	return model.Proof{Method: proof.ReadBack, Checked: v.Size, Detail: "a fake device"}, nil
}

// Bandwidth returns the device's bandwidth in bytes/s: its true one, except that a cache absorbs writes, and that reads
// share the device with what it has absorbed.
func (d *Driver) Bandwidth(_ context.Context, v model.Volume, write bool, long time.Duration) (float64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.open(v.Target.URI); err != nil {
		return 0, err
	}
	rate := d.dev.Truth(large)
	switch {
	case d.dev.Absorb == 0 || long <= 0:
	case write:
		rate = d.dev.absorbed(large, rate, long.Seconds())
	default:
		rate *= 1 - d.dev.drain(long.Seconds(), readsLeave)*readsLeave
	}
	return rate * float64(large.BlockSize), nil
}

// large is how volumes are filled and bandwidths probed.
var large = model.Workload{BlockSize: 1 << 20, Depth: 8}

// readsLeave is the share of the device that its cache gets beside reads.
const readsLeave = 0.5

// open makes the device that a URI describes, unless it is there already.
func (d *Driver) open(uri string) error {
	if d.dev != nil && d.uri == uri {
		return nil
	}
	p, err := ParseParameters(uri)
	if err != nil {
		return err
	}
	d.dev, d.uri = newDevice(p), uri
	return nil
}

// Ceiling is unknown: there is no load generator.
func (d *Driver) Ceiling(context.Context, model.Workload, model.Volume, time.Duration) (rate float64, known bool, err error) {
	return 0, false, nil
}

// Rest lets time pass with the device idle.
func (d *Driver) Rest(seconds float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dev != nil {
		d.dev.rest(seconds)
		d.dev.drain(seconds, 1)
	}
}

// Run simulates one step in virtual time and emits a sample for each second.
func (d *Driver) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	begin()
	d.mu.Lock()
	defer d.mu.Unlock()
	res := model.StepResult{Step: req.Step}
	if err := d.open(req.Volume.Target.URI); err != nil {
		return res, err
	}
	if req.Workload.OpenLoop {
		d.runOpen(ctx, req, &res, emit)
		return res, nil
	}
	d.dev.rest(req.Step.Ramp + startCost)
	d.dev.refill(startCost)
	if !req.Workload.Writes() {
		d.dev.refill(req.Step.Ramp + req.Step.Seconds)
	}
	d.dev.drain(startCost, 1)
	d.dev.drain(req.Step.Ramp, readsLeave)
	d.dev.repeat()
	d.dev.stuck = 0
	t := req.Step.Ramp
	for left := req.Step.Seconds; left > 1e-9; {
		if ctx.Err() != nil {
			res.Error = model.StoppedStep
			break
		}
		sec := min(1, left)
		left -= sec
		s := d.dev.second(req.Workload, sec, left <= 1e-9)
		t += sec
		s.Step, s.End = req.Step.Number, t
		emit(model.Event{Sample: &s})
		if d.dev.Pace > 0 {
			select {
			case <-ctx.Done():
			case <-d.Clock.After(time.Duration(sec / d.dev.Pace * float64(time.Second))):
			}
		}
	}
	if d.dev.FailAfter > 0 && d.dev.clock > d.dev.FailAfter {
		res.Error = "the fake device was told to fail: Input/output error"
		res.IOErrors = 1
	}
	res.DepthLevels = map[string]float64{depthLevel(req.Workload.Depth): 1}
	res.Ended = t
	return res, nil
}

// runOpen simulates a repeat of an open loop.
func (d *Driver) runOpen(ctx context.Context, req model.StartRequest, res *model.StepResult, emit func(model.Event)) {
	d.dev.rest(startCost)
	t := req.Step.Ramp
	res.Due = d.dev.open(req.Workload, req.Step.Ramp, req.Step.Seconds, func(s model.Sample) bool {
		if ctx.Err() != nil {
			res.Error = model.StoppedStep
			return false
		}
		t += s.Seconds
		s.Step, s.End = req.Step.Number, t
		emit(model.Event{Sample: &s})
		return true
	})
	res.Ended = t
}

// startCost is the virtual time between repeats, corresponding to the time fio takes to start.
const startCost = 0.35

// depthLevel returns fio's name of the bucket of a queue depth.
func depthLevel(depth int) string {
	if depth >= 64 {
		return ">=64"
	}
	return fmt.Sprint(1 << int(math.Log2(float64(max(1, depth)))))
}

// device is the state of a fake: its clock and its autocorrelated noise.
type device struct {
	Parameters
	rng    *rand.Rand
	clock  float64
	ar     float64
	effect float64
	// budget is the remaining burst credit, in I/Os.
	budget float64
	// backlog is the number of I/Os in the write cache still to be written.
	backlog float64
	// stuck is for how long, in seconds, the I/Os in flight have been waiting for the end of a stall.
	stuck float64
}

// drain writes back the cache for some seconds with a share of the device, and returns the fraction of that time for which
// it held anything.
func (d *device) drain(seconds, share float64) float64 {
	if d.backlog <= 0 || seconds <= 0 {
		return 0
	}
	busy := min(1, d.backlog/(seconds*share*d.IOPS))
	d.backlog = max(0, d.backlog-seconds*share*d.IOPS)
	return busy
}

// cost is how many I/Os the device does in the time of one of the workload.
func (p Parameters) cost(w model.Workload) float64 { return p.IOPS / p.base(w) }

// absorbed lets the cache take writes while it has room, and returns their mean rate; rate is that of the device,
// which writes back meanwhile.
func (d *device) absorbed(w model.Workload, rate, sec float64) float64 {
	if w.Limit() > 0 {
		return rate
	}
	return d.cached(w, rate, rate*d.Absorb/d.IOPS, sec)
}

// absorbedBeside is the same for a mix: its reads, as a fixed share of it, get what the cache leaves them of the device while it
// writes back, so that a mix of many writes is faster than without the cache, and one of many reads slower.
func (d *device) absorbedBeside(w model.Workload, rate, sec float64) float64 {
	if w.Limit() > 0 {
		return rate
	}
	reads := float64(w.ReadPercent) / 100
	return d.cached(w, rate, min(rate*readsLeave/reads, rate*d.Absorb/d.IOPS/(1-reads)), sec)
}

// cached returns the mean rate where it is beside while the cache writes back and has room, and rate if it is empty or full.
func (d *device) cached(w model.Workload, rate, beside, sec float64) float64 {
	fills, most := (beside-rate)*d.cost(w), sec
	switch {
	case fills > 0:
		most = min(sec, (d.Cache-d.backlog)/fills)
	case fills < 0:
		most = min(sec, d.backlog/-fills)
	}
	d.backlog += most * fills
	return (most*beside + (sec-most)*rate) / sec
}

func newDevice(p Parameters) *device {
	d := &device{Parameters: p, rng: rand.New(rand.NewPCG(p.Seed, 0x10ad11e))}
	d.ar = d.rng.NormFloat64()
	d.budget = p.BurstCredit
	return d
}

// refill refills the burst credit while nothing is written.
func (d *device) refill(seconds float64) {
	d.budget = min(d.BurstCredit, d.budget+d.Refill*seconds)
}

// slowest is the smallest share of its rate to which a device falls.
const slowest = 0.01

// rest advances the noise while nothing is measured.
func (d *device) rest(seconds float64) {
	d.clock += seconds
	phi := math.Pow(d.Phi, seconds)
	d.ar = phi*d.ar + math.Sqrt(1-phi*phi)*d.rng.NormFloat64()
}

// repeat draws the effect that all seconds of one repeat share.
func (d *device) repeat() { d.effect = d.RepeatCV * d.rng.NormFloat64() }

// second simulates sec seconds of the workload, the last ones of a repeat if last is set: what is in flight then is waited for.
func (d *device) second(w model.Workload, sec float64, last bool) model.Sample {
	d.rest(sec)
	rate := d.base(w)
	active := 1 - d.stalled(d.clock-sec, sec)
	d.stuck += (1 - active) * sec
	factor := 1 + d.CV*d.ar + d.effect + d.Drift*d.clock/60
	if d.SpikeShare > 0 && d.rng.Float64() < d.SpikeShare {
		factor *= d.SpikeLevel
	}
	if d.WarmUp > 0 {
		factor *= 1 - math.Exp(-d.clock/d.WarmUp)
	}
	if d.BurstRate > 0 && (d.Refill == 0 || w.Writes()) {
		if d.budget > 0 {
			rate = d.BurstRate
			if w.RateIOPS > 0 {
				rate = max(d.base(w), min(rate, w.RateIOPS))
			}
			d.budget -= (rate - d.base(w)) * sec
		}
	}
	rate *= max(factor, slowest)
	if w.Direction == model.Mixed && d.Absorb > 0 {
		rate = d.absorbedBeside(w, rate, sec)
	} else if w.Writes() && d.Absorb > 0 {
		rate = d.absorbed(w, rate, sec)
	} else if w.Writes() {
		d.backlog = min(d.Cache, d.backlog+rate*sec)
	} else {
		rate *= 1 - d.drain(sec, readsLeave)*readsLeave
	}
	n := rate * active * sec
	ios := uint64(n)
	if d.rng.Float64() < n-float64(ios) {
		ios++
	}
	s := model.Sample{Seconds: sec}
	// What is in flight when a stall is not over at the end of the second goes on waiting.
	over, held := last || ios > 0 && d.stalled(d.clock, 1e-6) == 0, 0.0
	if over && d.stuck > 0 {
		held = rate * d.service(w, rate)
		// All that were in flight complete: rounding must lose none.
		held = math.Round(held)
		ios = max(ios, uint64(held))
	}
	for _, dir := range w.Directions() {
		share := 1.0
		if w.Direction == model.Mixed {
			share = float64(w.ReadPercent) / 100
			if dir == model.Write {
				share = 1 - share
			}
		}
		f := flowAfter(uint64(math.Round(float64(ios)*share)), uint64(math.Round(held*share)), d.stuck, w, d.service(w, rate))
		if dir == model.Read {
			s.Read = f
		} else {
			s.Write = f
		}
	}
	if over {
		d.stuck = 0
	}
	if w.Sync != "" && s.Write != nil {
		s.Sync = flow(s.Write.IOs, model.Workload{}, 0.5/rate)
	}
	return s
}

// flowAfter generates n I/Os, of which held were in flight during a stall of that many seconds.
func flowAfter(n, held uint64, stall float64, w model.Workload, mean float64) *model.Flow {
	held = min(held, n)
	f := flow(n-held, w, mean)
	if held > 0 {
		l := stall + mean
		f.IOs, f.Bytes = n, n*uint64(w.BlockSize)
		f.Histogram.Add(histogram.BucketOf(uint64(l*1e9)), held)
		f.LatencySum += float64(held) * l
		f.Max = max(f.Max, l)
	}
	return f
}

// flow generates n I/Os with log-normal latencies around the mean given by Little's law.
func flow(n uint64, w model.Workload, mean float64) *model.Flow {
	f := &model.Flow{IOs: n, Bytes: n * uint64(w.BlockSize)}
	// Each of a few I/Os gets the latency in the middle of its share of the distribution: with that at the end of the share,
	// the mean of five was 20 % too long.
	const all, half = uint64(len(quantiles)), uint64(len(quantiles)) / 2
	share := func(i int) uint64 { return (n*uint64(i+1)+half)/all - (n*uint64(i)+half)/all }
	if sum := 0.0; n > 0 && n < all {
		// The middle of a skewed distribution is below its mean.
		for i, q := range quantiles {
			sum += float64(share(i)) * q
		}
		mean *= float64(n) / sum
	}
	for i, q := range quantiles {
		c := share(i)
		if c == 0 {
			continue
		}
		l := q * mean
		f.Histogram.Add(histogram.BucketOf(uint64(l*1e9)), c)
		f.LatencySum += float64(c) * l
		f.Max = max(f.Max, l)
	}
	return f
}

// quantiles are the 200 quantiles of a log-normal distribution (σ = 0.3) with mean 1.
var quantiles = func() (q [200]float64) {
	const n, sigma = float64(len(q)), 0.3
	var sum float64
	for i := range q {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/n-1)
		q[i] = math.Exp(sigma * z)
		sum += q[i]
	}
	for i := range q {
		q[i] *= n / sum
	}
	return q
}()
