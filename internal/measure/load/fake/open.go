package fake

import (
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// queue is the device under an open load: a single server that handles I/Os in the order in which
// they are due, at the rate of Parameters' IOPS plus the delays of its stalls. Its mean and
// percentiles are known (M/M/1 with exponential service, else M/D/1), so measurements on it can be
// compared with formulas. Times are virtual seconds.
type queue struct {
	*device
	service float64
	// origin is the device's time when the repeat began, next when the next I/O is due, free when
	// the server has completed all earlier I/Os.
	origin, next, free float64
}

// open simulates a repeat of an open loop and emits a sample for each second of it.
func (d *device) open(w model.Workload, ramp, seconds float64, emit func(model.Sample) bool) (due uint64) {
	q := &queue{device: d, service: 1 / d.base(w), origin: d.clock}
	samples := make([]model.Sample, int(math.Ceil(seconds-1e-9)))
	for i := range samples {
		f := &model.Flow{}
		samples[i].Seconds = min(1, seconds-float64(i))
		if w.Direction == model.Write {
			samples[i].Write = f
		} else {
			samples[i].Read = f
		}
	}
	for {
		q.next += d.rng.ExpFloat64() / w.RateIOPS
		if q.next >= ramp+seconds {
			break
		}
		if q.next >= ramp {
			due++
		}
		done := q.done()
		if i := int(math.Floor(done - ramp)); done >= ramp && i < len(samples) && done < ramp+seconds {
			record(samples[i].Flow(w.Direction), w.BlockSize, done-q.next)
		}
	}
	for i := range samples {
		if !emit(samples[i]) {
			break
		}
	}
	d.rest(ramp + seconds)
	return due
}

// done returns when the I/O that is due next completes.
func (q *queue) done() float64 {
	work := q.service / max(1+q.Drift*(q.origin+max(q.next, q.free))/60, slowest)
	if q.Exponential > 0 {
		work *= q.rng.ExpFloat64()
	}
	begin := q.afterStall(max(q.next, q.free))
	for q.Stall > 0 {
		left := q.StallEvery - math.Mod(q.origin+begin, q.StallEvery)
		if work <= left {
			break
		}
		work -= left
		begin = q.afterStall(begin + left)
	}
	q.free = begin + work
	return q.free + q.Latency
}

// afterStall returns the first time from t on at which the device is not stalled.
func (q *queue) afterStall(t float64) float64 {
	if q.Stall == 0 {
		return t
	}
	// Rounding must not put the end of a stall just before itself.
	if into := math.Mod(q.origin+t, q.StallEvery); into < q.Stall-1e-9 {
		return t + q.Stall - into
	}
	return t
}

// record counts one I/O.
func record(f *model.Flow, block int64, latency float64) {
	f.IOs++
	f.Bytes += uint64(block)
	f.LatencySum += latency
	f.Max = max(f.Max, latency)
	f.Histogram.Add(histogram.BucketOf(uint64(latency*1e9)), 1)
}

// stalled returns the fraction of the time from t on, over sec seconds, for which the device is stalled.
func (p Parameters) stalled(t, sec float64) float64 {
	if p.Stall == 0 {
		return 0
	}
	sum := 0.0
	for k := math.Floor(t / p.StallEvery); k*p.StallEvery < t+sec; k++ {
		from, to := max(t, k*p.StallEvery), min(t+sec, k*p.StallEvery+p.Stall)
		sum += max(0, to-from)
	}
	return sum / sec
}
