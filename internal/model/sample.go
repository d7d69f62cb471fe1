package model

import (
	"math"

	"github.com/loadline/loadline/internal/model/histogram"
)

// Flow is the I/O in one direction in one interval.
type Flow struct {
	IOs   uint64 `json:"ios"`
	Bytes uint64 `json:"bytes"`
	// LatencySum is the sum of all latencies in seconds, so that means can be combined exactly.
	LatencySum float64 `json:"lat,omitempty"`
	// Max is the largest latency seen so far in the step, in seconds.
	Max       float64             `json:"max,omitempty"`
	Histogram histogram.Histogram `json:"h,omitzero"`
}

// Add adds another flow to f.
func (f *Flow) Add(o Flow) {
	f.IOs += o.IOs
	f.Bytes += o.Bytes
	f.LatencySum += o.LatencySum
	f.Max = max(f.Max, o.Max)
	f.Histogram.Merge(o.Histogram)
}

// Value returns a metric of a flow that lasted the given number of seconds, in the metric's unit; NaN
// if no I/O completed, or if the flow does not provide the metric.
func (f *Flow) Value(m Metric, seconds float64) float64 {
	if seconds <= 0 || f.IOs == 0 {
		return math.NaN()
	}
	switch m {
	case Bandwidth:
		return float64(f.Bytes) / seconds
	case IOPS, Transactions:
		return float64(f.IOs) / seconds
	case Latency:
		return f.LatencySum / float64(f.IOs)
	}
	if p, ok := m.Percentile(); ok {
		return f.Histogram.PercentileUpTo(p, f.Max)
	}
	return math.NaN()
}

// Sample covers about one second of one worker. The ramp is not sampled.
type Sample struct {
	Step   int `json:"step"`
	Worker int `json:"worker"`
	// End is when the interval ended: seconds since the run began, on the
	// engine's clock. Seconds is the interval's length.
	End     float64 `json:"t"`
	Seconds float64 `json:"s"`
	Read    *Flow   `json:"r,omitempty"`
	Write   *Flow   `json:"w,omitempty"`
	// Sync counts flushes (fsync, fdatasync) and their latency; it has no bytes.
	Sync *Flow `json:"y,omitempty"`
	// Look is set in a long repeat. One that a killed run left without a result has the number of
	// a planned step, perhaps of another workload.
	Look bool `json:"long,omitempty"`
}

// Begin returns when the sample's time began, in seconds since the run began.
func (s *Sample) Begin() float64 { return s.End - s.Seconds }

// Within returns how many seconds of the sample's time lie between two times, in seconds since the run began; 0 if none do.
func (s *Sample) Within(from, to float64) float64 {
	return max(0, min(s.End, to)-max(s.Begin(), from))
}

// Flow returns the flow of a direction, nil if the sample has none.
func (s *Sample) Flow(d Direction) *Flow {
	switch d {
	case Read:
		return s.Read
	case Write:
		return s.Write
	case Sync:
		return s.Sync
	}
	return nil
}
