package model

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model/amplification"
)

// Scale is the outcome of loading N volumes at once, for several N.
type Scale struct {
	// Workload is the workload that ran on every volume.
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	// Access, BlockSize (bytes) and Depth (I/Os in flight per volume, over all jobs) describe the
	// workload as far as it is known; sizing needs the first two, the prediction of latencies the last.
	Access    Access `json:"access,omitempty"`
	BlockSize int64  `json:"block_size,omitempty"`
	Depth     int    `json:"depth,omitempty"`
	// Metric is what Total counts: IOPS or Bandwidth.
	Metric Metric       `json:"metric"`
	Points []ScalePoint `json:"points"`
	// Laws are the fitted laws, the chosen one first; none for fewer than 3 points.
	Laws []Law `json:"laws,omitempty"`
	// Source says where imported or hand-written points come from.
	Source string `json:"source,omitempty"`
}

// Law returns the chosen law, nil if there is none.
func (s *Scale) Law() *Law {
	for i := range s.Laws {
		if s.Laws[i].Chosen {
			return &s.Laws[i]
		}
	}
	return nil
}

// Shows reports whether a point stands for the result.
func (s *Scale) Shows(r Result) bool {
	return s.Direction == r.Direction && slices.ContainsFunc(s.Points, func(p ScalePoint) bool { return p.Result == r.Workload })
}

// Amplified says for each point how many I/Os the disks behind the volumes did for each of the clients', or
// once why that was not counted.
func (s *Scale) Amplified() (list []string) {
	for _, p := range s.Points {
		if p.Amplification == nil {
			continue
		}
		text := p.Amplification.Says
		if p.Amplification.NotCounted == "" {
			text = fmt.Sprintf("%d volumes: %s", p.Volumes, text)
			if p.Volumes == 1 {
				text = "1 volume: " + p.Amplification.Says
			}
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// ScalePoint is a measurement with N volumes at once.
type ScalePoint struct {
	Volumes int `json:"volumes"`
	// Result is the name of the workload in the report's results; "" in imported points.
	Result string `json:"result,omitempty"`
	// Nodes is the number of machines that carried the load; 0 is unknown.
	Nodes int `json:"nodes,omitempty"`
	// Total is the sum over the volumes, second by second, over the window they have in common;
	// PerVolume is Total / Volumes.
	Total     Estimate `json:"total"`
	PerVolume Estimate `json:"per_volume"`
	// Each is the rate of each volume, in the order of their numbers.
	Each []float64 `json:"each,omitempty"`
	// Fairness is Jain's index of Each: 1 if all are equal, 1/N if one volume has all of it.
	Fairness float64 `json:"fairness,omitempty"`
	// Mean and P99 are latencies in seconds, over all volumes' I/Os.
	Mean *Estimate `json:"mean,omitempty"`
	P50  *Estimate `json:"p50,omitempty"`
	P99  *Estimate `json:"p99,omitempty"`
	// Offered is the rate offered to each volume (1/s or bytes/s); 0 is unlimited.
	Offered float64 `json:"offered,omitempty"`
	// Device is the devices' rate over the same window, as far as it could be read.
	Device *Estimate `json:"device,omitempty"`
	// Amplification says how many I/Os the disks behind the volumes did for each I/O; nil if that was not
	// to be counted.
	Amplification *amplification.Ratio `json:"amplification,omitempty"`
	// StartSpread is the time in seconds between the start of the first worker and that of the last.
	StartSpread float64 `json:"start_spread,omitempty"`
	Verdict     Verdict `json:"verdict"`
}

// Same reports whether two points are of the same measurement: as many volumes and nodes, the same rate limit and total.
func (p ScalePoint) Same(o ScalePoint) bool {
	return p.Volumes == o.Volumes && p.Nodes == o.Nodes && p.Offered == o.Offered && p.Total.Value == o.Total.Value
}

// ScaleRequest is the specification of a scaling experiment.
type ScaleRequest struct {
	// Volumes are the numbers of volumes to load at once.
	Volumes []int `json:"volumes"`
	// Workload is the name of the workload to run on each volume.
	Workload string `json:"workload"`
	// Rate limits each volume to this many I/Os per second; 0 means no limit.
	Rate float64 `json:"rate,omitempty"`
	// Targets are targets in addition to the experiment's own: volume i is on the target i modulo their
	// number.
	Targets []string `json:"targets,omitempty"`
}

// LawKind names a scaling law.
type LawKind string

// The laws of the total X(N): min(N·x₁, C); Amdahl λN/(1+α(N−1)); and the universal
// scalability law λN/(1+α(N−1)+βN(N−1)) (Gunther).
const (
	SaturationLaw LawKind = "min"
	AmdahlLaw     LawKind = "amdahl"
	USLLaw        LawKind = "usl"
)

// Law is a fitted scaling law, in the unit of the points' totals.
type Law struct {
	Kind LawKind `json:"kind"`
	// First is x₁ or λ: the rate of a single volume. Capacity is C (min) or the largest total that the
	// law allows (amdahl: λ/α, usl: at its peak); absent if the law or the points do not determine one.
	First    Estimate  `json:"first"`
	Capacity *Estimate `json:"capacity,omitempty"`
	Alpha    float64   `json:"alpha,omitempty"`
	Beta     float64   `json:"beta,omitempty"`
	// CapacityExtrapolated is set if Capacity is above the largest measured total.
	CapacityExtrapolated bool `json:"capacity_extrapolated,omitempty"`
	// Knee is the N at which the capacity is reached (min: C/x₁), or the peak (usl).
	Knee float64 `json:"knee,omitempty"`
	// AllSaturated is set if every point is at the capacity (min): First is then a lower bound of x₁,
	// and Knee an upper bound of the knee.
	AllSaturated bool `json:"all_saturated,omitempty"`
	// Saturated counts the points at the capacity (min). Bent lists the volumes of points near the knee
	// that lie below both branches and were excluded from the fit.
	Saturated int   `json:"saturated,omitempty"`
	Bent      []int `json:"excluded,omitempty"`
	// Residuals are ln(measured / law) at each point, and Error the root mean square of the
	// leave-one-out prediction errors in the same unit. The chosen law is the simplest one unless
	// another has a clearly smaller Error.
	Residuals []float64 `json:"residuals"`
	Error     float64   `json:"error"`
	Chosen    bool      `json:"chosen"`
	// Band is the prediction band, for drawing.
	Band []BandPoint `json:"band,omitempty"`
}

// BandPoint is what a law predicts for N volumes, with the 95 % prediction interval for one new
// measurement. Extrapolated is set if N is outside the range of the points.
type BandPoint struct {
	Volumes      float64 `json:"volumes"`
	Value        float64 `json:"value"`
	Low          float64 `json:"low"`
	High         float64 `json:"high"`
	Extrapolated bool    `json:"extrapolated,omitempty"`
}
