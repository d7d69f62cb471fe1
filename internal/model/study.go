package model

// LatencyStudy explains the mean latencies of closed loops by Little's law: what N
// volumes with their depth wait for is N·depth / X(N), and X(N) is known.
type LatencyStudy struct {
	Workload  string    `json:"workload"`
	Direction Direction `json:"direction"`
	// Depth is the number of I/Os in flight per volume.
	Depth int `json:"depth"`
	// From names the workload whose capacity the prediction takes; Capacity is that,
	// with the interval of one new measurement of it.
	From     string   `json:"from"`
	Capacity Estimate `json:"capacity"`
	// Alone is the latency of one volume in seconds. Knee is the N from which the
	// capacity makes the volumes wait, Slope what each further volume adds (seconds).
	Alone Estimate `json:"alone"`
	Knee  float64  `json:"knee"`
	Slope float64  `json:"slope"`
	// Implied is the capacity that the latencies themselves tell behind the knee.
	Implied *Estimate      `json:"implied,omitempty"`
	Points  []LatencyPoint `json:"points"`
}

// LatencyPoint is a mean latency in seconds, measured and predicted with the interval
// that the capacity's leaves to it.
type LatencyPoint struct {
	Volumes   int      `json:"volumes"`
	Measured  float64  `json:"measured"`
	Predicted Estimate `json:"predicted"`
}

// NodeStudy tells whether a capacity grows in line with the number of nodes.
type NodeStudy struct {
	Workload string      `json:"workload"`
	Points   []NodePoint `json:"points"`
	// Exponent is b of C ∝ nodesᵇ: 1 is in line. Absent for one number of nodes,
	// without an interval for two.
	Exponent *Estimate `json:"exponent,omitempty"`
	// Ratio is how many times the capacity on the fewest nodes the most nodes have.
	Ratio   *Estimate   `json:"ratio,omitempty"`
	Verdict NodeVerdict `json:"verdict"`
}

// NodePoint is the capacity on a number of nodes, in the unit of the workload.
type NodePoint struct {
	Nodes    int      `json:"nodes"`
	Capacity Estimate `json:"capacity"`
	Points   int      `json:"points"`
}

// NodeVerdict is what the numbers of nodes allow to conclude.
type NodeVerdict string

// The verdicts: the interval of the exponent lies within 10 % of 1; wholly below or
// above it; or it says neither, as with one or two numbers of nodes it always does.
const (
	InLine        NodeVerdict = "in-line"
	LessThanLine  NodeVerdict = "less"
	MoreThanLine  NodeVerdict = "more"
	LineNotShown  NodeVerdict = "not-shown"
	OneNodeNumber NodeVerdict = "one-number"
)
