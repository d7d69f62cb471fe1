package model

import "slices"

// Sweep is the outcome of measuring one workload with varied parameters on one target. The numbers
// behind each point, with all their metrics, are in the result of the same name.
type Sweep struct {
	// Kind is SweepGrid or SweepLoad.
	Kind SweepKind `json:"kind"`
	// Base is the name of the workload that was varied.
	Base   string       `json:"base"`
	Points []SweepPoint `json:"points"`
	// Capacity is the rate (1/s) of the closed loop, of which the offered rates are fractions, and Knee
	// the highest offered rate that the storage handles well; both only in a load sweep, Knee only if
	// one was found.
	Capacity *Estimate `json:"capacity,omitempty"`
	Knee     *Knee     `json:"knee,omitempty"`
}

// Shows reports whether a point stands for the result: the capacity of a load sweep is no point.
func (s *Sweep) Shows(r Result) bool {
	return slices.ContainsFunc(s.Points, func(p SweepPoint) bool { return p.Result == r.Workload && p.Direction == r.Direction })
}

// SweepKind says what was varied.
type SweepKind string

// The kinds: depth × block size × jobs in a closed loop (each I/O waits for one to complete), or the
// offered rate in an open loop (I/Os begin when they are due).
const (
	SweepGrid SweepKind = "grid"
	SweepLoad SweepKind = "load"
)

// SweepPoint is one cell of a sweep in one direction.
type SweepPoint struct {
	// Result is the name of the workload in the report's results.
	Result    string    `json:"result"`
	Direction Direction `json:"direction"`
	Depth     int       `json:"depth"`
	Jobs      int       `json:"jobs"`
	BlockSize int64     `json:"block_size"`
	IOPS      Estimate  `json:"iops"`
	Bandwidth Estimate  `json:"bandwidth"`
	// Mean, P50, P99 and P999 are latencies in seconds; absent if the number of I/Os does not support
	// them. In an open loop they count from when an I/O was due.
	Mean *Estimate `json:"mean,omitempty"`
	P50  *Estimate `json:"p50,omitempty"`
	P99  *Estimate `json:"p99,omitempty"`
	P999 *Estimate `json:"p99.9,omitempty"`
	// Offered is the requested rate (1/s) and Fraction the same as a fraction of the capacity; 0 in a
	// closed loop.
	Offered  float64 `json:"offered,omitempty"`
	Fraction float64 `json:"fraction,omitempty"`
	// Achieved is the fraction of the due I/Os that completed in the same time; 0 in a closed loop.
	Achieved float64 `json:"achieved,omitempty"`
	Verdict  Verdict `json:"verdict"`
}

// Knee is the largest offered rate (1/s) at which p99 is at most twice that at the lowest rate and at
// least 98 % of the rate is achieved. Beyond is set if a higher rate was tried and failed; otherwise
// the knee is at or above Offered.
type Knee struct {
	Offered  float64 `json:"offered"`
	Fraction float64 `json:"fraction"`
	P99      float64 `json:"p99"`
	Beyond   bool    `json:"beyond"`
	// Why is a sentence.
	Why string `json:"why"`
}

// SweepRequest says what a sweep should vary.
type SweepRequest struct {
	// Pattern is randread, randwrite, read, write or randrw (half reads, half writes).
	Pattern string `json:"pattern"`
	// Depths, BlockSizes (bytes) and Jobs span the grid. A load sweep has one block
	// size and no depths or jobs.
	Depths     []int   `json:"depths,omitempty"`
	BlockSizes []int64 `json:"block_sizes"`
	Jobs       []int   `json:"jobs,omitempty"`
	// Load requests latency against offered rate.
	Load bool `json:"load,omitempty"`
}

// CapacityWorkload is the name of the closed loop of whose rate the offered rates of a load sweep are
// fractions.
const CapacityWorkload = "capacity"
