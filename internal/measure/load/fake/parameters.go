package fake

import (
	"fmt"
	"math"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// Parameters are the true characteristics of a fake device. They are written as a query:
// "fake:?iops=3000&cv=0.03&phi=0.8".
type Parameters struct {
	// IOPS is the mean rate in 1/s of every workload, MaxBandwidth the limit in bytes/s for large blocks.
	IOPS         float64
	MaxBandwidth float64
	// CV is the coefficient of variation from second to second, Phi the correlation between
	// successive seconds (0 ≤ φ < 1), RepeatCV the coefficient of variation between whole repeats.
	CV, Phi, RepeatCV float64
	// SpikeShare is the fraction of the seconds that run at SpikeLevel times the rate.
	SpikeShare, SpikeLevel float64
	// Drift is the relative change per minute; WarmUp a time constant in seconds.
	Drift, WarmUp float64
	// BurstRate applies until BurstCredit I/Os above the base rate are used up.
	BurstRate, BurstCredit float64
	// Refill makes only writes use the burst credit, and refills it by that many I/Os per second
	// while other workloads run.
	Refill float64
	// Cache is how many written I/Os a write cache holds, which are written to the device later, at
	// half of its rate during reads.
	Cache float64
	// Absorb is how many writes per second the cache takes while it has room; 0 is no more than the device does. Such
	// a cache also takes the prefill.
	Absorb float64
	// FailAfter makes every step after that many seconds end with an I/O error.
	FailAfter float64
	// Pace is the number of virtual seconds per real one; 0 is as fast as possible.
	Pace float64
	// Latency is the minimum latency of each I/O in seconds, so that a queue of depth q yields at
	// most q / Latency.
	Latency float64
	// Stall is for how many seconds no I/O completes, every StallEvery seconds; Exponential (1)
	// draws each I/O's service time in an open loop, 0 makes it constant.
	Stall, StallEvery, Exponential float64
	// Shared is the total rate in 1/s of all volumes for a workload that runs on several at once; 0
	// is no limit.
	Shared float64
	// Size is the size of the device in bytes.
	Size float64
	Seed uint64
}

// Beyond these bounds, a time or a count would not fit into a whole number: no device is as slow, as fast or as large. largest is an
// exbibyte, and leastRate that of one I/O in 1000 s.
const (
	largest   = 1 << 60
	leastRate = 1e-3
)

// ParseParameters reads a query such as "iops=3000&cv=0.03"; a leading "?" is
// allowed. An unknown or malformed parameter is refused.
func ParseParameters(query string) (Parameters, error) {
	p := Parameters{IOPS: 10000, MaxBandwidth: 500 << 20, CV: 0.01, SpikeLevel: 0.4, StallEvery: 10, Size: 64 << 30, Seed: 1}
	fields := map[string]*float64{
		"iops": &p.IOPS, "bandwidth": &p.MaxBandwidth, "cv": &p.CV, "phi": &p.Phi, "repeat-cv": &p.RepeatCV,
		"spike": &p.SpikeShare, "spike-level": &p.SpikeLevel, "drift": &p.Drift, "warm-up": &p.WarmUp,
		"burst": &p.BurstRate, "cache": &p.Cache, "absorb": &p.Absorb, "credit": &p.BurstCredit, "refill": &p.Refill, "fail-after": &p.FailAfter, "latency": &p.Latency, "stall": &p.Stall,
		"stall-every": &p.StallEvery, "exponential": &p.Exponential, "pace": &p.Pace, "size": &p.Size, "shared": &p.Shared,
	}
	values, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return p, model.RefusedError(fmt.Sprintf("fake:%s cannot be read: %v", query, err), "write it like 'fake:?iops=3000&cv=0.03'")
	}
	for name, v := range values {
		if name == "seed" {
			if p.Seed, err = strconv.ParseUint(v[0], 10, 64); err != nil {
				return p, model.RefusedError(fmt.Sprintf("the fake device's seed %q is not a whole number", v[0]), "write it like 'fake:?seed=1'")
			}
			continue
		}
		f, known := fields[name]
		if !known {
			names := []string{"seed"}
			for n := range fields {
				names = append(names, n)
			}
			sort.Strings(names)
			return p, model.RefusedError(fmt.Sprintf("a fake device has no parameter %q", name), "its parameters: "+strings.Join(names, ", "))
		}
		usual := *f
		if *f, err = strconv.ParseFloat(v[0], 64); err != nil || *f < 0 && name != "drift" || !(math.Abs(*f) <= largest) {
			return p, model.RefusedError(fmt.Sprintf("the fake device's %s=%q is not a number of the right kind", name, v[0]), fmt.Sprintf("write it like 'fake:?%s=%g'", name, usual))
		}
	}
	if p.Absorb > 0 && p.Absorb < p.IOPS {
		return p, model.RefusedError("a fake device's absorb must be at least its iops", "write it like 'fake:?iops=1000&absorb=3000'")
	}
	if p.Phi >= 1 || p.IOPS < leastRate || p.MaxBandwidth < 1 {
		return p, model.RefusedError(fmt.Sprintf("a fake device needs iops of at least %g, bandwidth of at least 1 and phi < 1", leastRate), "write it like 'fake:?iops=1000&phi=0.8'")
	}
	if p.StallEvery <= p.Stall {
		return p, model.RefusedError("a fake device's stall must be shorter than stall-every", "write it like 'fake:?stall=1&stall-every=10'")
	}
	return p, nil
}

// base returns the rate before noise, in I/Os per second.
func (p Parameters) base(w model.Workload) float64 {
	rate := p.IOPS
	if w.BlockSize > 0 {
		rate = min(rate, p.MaxBandwidth/float64(w.BlockSize))
	}
	if p.Latency > 0 && w.Depth > 0 && !w.OpenLoop {
		rate = min(rate, float64(w.Depth*w.JobCount())/p.Latency)
	}
	if p.Shared > 0 {
		rate = min(rate, p.Shared/float64(w.VolumeCount()))
	}
	if w.RateIOPS > 0 && !w.OpenLoop {
		// Both directions of a mix together do as much as their proportions add up to.
		both := 1.0
		if w.Direction == model.Mixed {
			both = w.Proportion(model.Read) + w.Proportion(model.Write)
		}
		rate = min(rate, w.RateIOPS*both)
	}
	return rate
}

// service returns the mean latency in seconds of a closed loop: by Little's law with a full queue,
// or that of a single I/O if a rate limit keeps the queue empty.
func (p Parameters) service(w model.Workload, rate float64) float64 {
	full := w
	full.RateIOPS = 0
	if most := p.base(full); w.RateIOPS > 0 && p.base(w) < most {
		return max(p.Latency, 1/most)
	}
	return float64(w.Depth*w.JobCount()) / rate
}

// Truth returns the long-run mean rate of a workload in I/Os per second, both directions together.
// It is valid for stationary parameters only: no drift, warm-up or burst.
func (p Parameters) Truth(w model.Workload) float64 {
	return p.base(w) * (1 - p.SpikeShare*(1-p.SpikeLevel)) * (1 - p.Stall/p.StallEvery)
}
