package model

// Scale is the outcome of loading N volumes at once, for several N.
type Scale struct {
	// Workload is the one that was run on every volume.
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	// Access, BlockSize (bytes) and Depth (I/Os in flight per volume, over all jobs)
	// describe the workload as far as it is known; sizing needs the first two, the
	// prediction of latencies the last.
	Access    Access `json:"access,omitempty"`
	BlockSize int64  `json:"block_size,omitempty"`
	Depth     int    `json:"depth,omitempty"`
	// Metric is what Total counts: IOPS or Bandwidth.
	Metric Metric       `json:"metric"`
	Points []ScalePoint `json:"points"`
	// Laws are the fitted laws, the chosen one first; none for fewer than 3 points.
	Laws []Law `json:"laws,omitempty"`
	// Source names where imported or hand-written points come from.
	Source string `json:"source,omitempty"`
}

// Law is the chosen law, nil when the scale has none.
func (s *Scale) Law() *Law {
	for i := range s.Laws {
		if s.Laws[i].Chosen {
			return &s.Laws[i]
		}
	}
	return nil
}

// ScalePoint is N volumes at once.
type ScalePoint struct {
	Volumes int `json:"volumes"`
	// Result is the name of the workload in the report's results; "" in imported points.
	Result string `json:"result,omitempty"`
	// Nodes is the number of machines that carried the load; 0 is unknown.
	Nodes int `json:"nodes,omitempty"`
	// Total is the sum over the volumes, second by second, over their common window;
	// PerVolume is Total / Volumes.
	Total     Estimate `json:"total"`
	PerVolume Estimate `json:"per_volume"`
	// Each is the rate of each volume, in the order of their numbers.
	Each []float64 `json:"each,omitempty"`
	// Fairness is Jain's index of Each: 1 when all are equal, 1/N when one has all.
	Fairness float64 `json:"fairness,omitempty"`
	// Mean and P99 are latencies in seconds, of all volumes' I/Os together.
	Mean *Estimate `json:"mean,omitempty"`
	P50  *Estimate `json:"p50,omitempty"`
	P99  *Estimate `json:"p99,omitempty"`
	// Offered is the rate asked of each volume (1/s or bytes/s); 0 is unlimited.
	Offered float64 `json:"offered,omitempty"`
	// Device is what the devices counted over the same window, as far as read.
	Device *Estimate `json:"device,omitempty"`
	// StartSpread is the time in seconds from the first worker's start to the last's.
	StartSpread float64 `json:"start_spread,omitempty"`
	Verdict     Verdict `json:"verdict"`
}

// ScaleRequest is what a scaling experiment was asked for.
type ScaleRequest struct {
	// Volumes are the numbers of volumes to load at once.
	Volumes []int `json:"volumes"`
	// Workload is the name of the one that each volume gets.
	Workload string `json:"workload"`
	// Rate limits each volume to so many I/Os per second; 0 is no limit.
	Rate float64 `json:"rate,omitempty"`
	// Targets are further targets after the experiment's own: volume i is on the target
	// i modulo their number.
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
	// First is x₁ or λ: what one volume reaches alone. Capacity is C (min) or the
	// largest total that the law allows (amdahl: λ/α, usl: at its peak); absent when
	// the law or the points set none.
	First    Estimate  `json:"first"`
	Capacity *Estimate `json:"capacity,omitempty"`
	Alpha    float64   `json:"alpha,omitempty"`
	Beta     float64   `json:"beta,omitempty"`
	// CapacityExtrapolated tells that Capacity lies beyond the largest measured total.
	CapacityExtrapolated bool `json:"capacity_extrapolated,omitempty"`
	// Knee is the N at which the capacity is reached (min: C/x₁), or the peak (usl).
	Knee float64 `json:"knee,omitempty"`
	// AllSaturated tells that every point stands at the capacity (min): First is then
	// the least that x₁ can be, and Knee the most that the knee can be.
	AllSaturated bool `json:"all_saturated,omitempty"`
	// Saturated counts the points behind the capacity (min). Bent lists the volumes of
	// points at the knee that lie below both branches and were kept out of it.
	Saturated int   `json:"saturated,omitempty"`
	Bent      []int `json:"bent,omitempty"`
	// Residuals are ln(measured / law) at each point, and Error the root mean square
	// of the leave-one-out prediction errors in the same unit. The chosen law is the
	// simplest one that no other has a clearly smaller Error than.
	Residuals []float64 `json:"residuals"`
	Error     float64   `json:"error"`
	Chosen    bool      `json:"chosen"`
	// Band is the prediction band, for drawing.
	Band []BandPoint `json:"band,omitempty"`
}

// BandPoint is what a law predicts for N volumes, with the 95 % interval of one new
// measurement. Extrapolated tells that N lies outside of the points.
type BandPoint struct {
	Volumes      float64 `json:"volumes"`
	Value        float64 `json:"value"`
	Low          float64 `json:"low"`
	High         float64 `json:"high"`
	Extrapolated bool    `json:"extrapolated,omitempty"`
}
