package model

import "encoding/json"

// Course is how one workload behaved over time in one direction: the data for the charts over time, the
// heatmap and the distribution. It is meant for display: long runs are thinned; the raw samples are in
// the run directory.
//
// The columns of Points have one entry for each point.
type Course struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	Points    Points    `json:"points"`
	// Spans are the repeats in chronological order.
	Spans []Span `json:"spans"`
	// Tail is the complementary distribution of the latency of all measured I/Os.
	Tail []TailPoint `json:"tail,omitempty"`
	// Heat is the latency histogram over time; nil without histograms.
	Heat *Heat `json:"heat,omitempty"`
	// Workers is the number of volumes summed here, and Thinned the number of seconds per point (1 if
	// not thinned).
	Workers int `json:"workers"`
	Thinned int `json:"thinned"`
}

// Points are columns. At is the end of the interval in seconds since the run began,
// Seconds its length; IOPS (1/s), Bandwidth (bytes/s) and the latencies (seconds)
// are those of the interval.
type Points struct {
	At        []float64 `json:"at"`
	Seconds   []float64 `json:"seconds"`
	IOPS      []float64 `json:"iops"`
	Bandwidth []float64 `json:"bandwidth"`
	Mean      latencies `json:"mean"`
	P50       latencies `json:"p50"`
	P99       latencies `json:"p99"`
	P999      latencies `json:"p99.9"`
	// Span is the index of the repeat that the point belongs to.
	Span []int `json:"span"`
}

// latencies is a column in seconds. 0, which a real latency never is, means that no I/O completed, or
// too few for the figure. In JSON such an entry is null, so that it does not enter any average.
type latencies []float64

// MarshalJSON writes null for absent values. Reading null gives 0 again.
func (l latencies) MarshalJSON() ([]byte, error) {
	list := make([]*float64, len(l))
	for i := range l {
		if l[i] != 0 {
			list[i] = &l[i]
		}
	}
	return json.Marshal(list)
}

// Span is one repeat: its ramp lasts from Ramp to Start, its measured part from Start to End, in
// seconds since the run began.
type Span struct {
	Round int     `json:"round"`
	Ramp  float64 `json:"ramp"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	// Error says why the repeat yields no number; empty if it went well.
	Error string `json:"error,omitempty"`
}

// TailPoint says that the fraction Above (0..1) of all I/Os took longer than Latency seconds.
type TailPoint struct {
	Latency float64 `json:"latency"`
	Above   float64 `json:"above"`
}

// Heat counts I/Os by time and latency. Cells holds [point, bucket, I/Os] for each non-empty cell. A
// bucket covers latencies from Bounds[bucket] to Bounds[bucket+1] seconds, a point the time from
// From[point] to Times[point] (seconds since the run began).
type Heat struct {
	From   []float64   `json:"from"`
	Times  []float64   `json:"times"`
	Bounds []float64   `json:"bounds"`
	Cells  [][3]uint64 `json:"cells"`
}
