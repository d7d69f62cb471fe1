// Package study holds the words for what a set of scales says about a system: points as
// they were published or measured, what is concluded of them, and the reference report
// that tells it.
//
// Its opinion: what an author states stands beside what the points show, and where both
// differ it is said.
package study

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
)

// Latency explains the mean latencies of closed loops by Little's law: what N
// volumes with their depth wait for is N·depth / X(N), and X(N) is known.
type Latency struct {
	Workload  string          `json:"workload"`
	Direction model.Direction `json:"direction"`
	// Depth is the number of I/Os in flight per volume.
	Depth int `json:"depth"`
	// From names the workload whose capacity the prediction takes; Capacity is that,
	// with the interval of one new measurement of it.
	From     string         `json:"from"`
	Capacity model.Estimate `json:"capacity"`
	// Alone is the latency of one volume in seconds. Knee is the N from which the
	// capacity makes the volumes wait, Slope what each further volume adds (seconds).
	Alone model.Estimate `json:"alone"`
	Knee  float64        `json:"knee"`
	Slope float64        `json:"slope"`
	// Implied is the capacity that the latencies themselves tell behind the knee.
	Implied *model.Estimate `json:"implied,omitempty"`
	Points  []LatencyPoint  `json:"points"`
}

// LatencyPoint is a mean latency in seconds, measured and predicted with the interval
// that the capacity's leaves to it.
type LatencyPoint struct {
	Volumes   int            `json:"volumes"`
	Measured  float64        `json:"measured"`
	Predicted model.Estimate `json:"predicted"`
}

// Nodes reports whether a capacity grows in line with the number of nodes.
type Nodes struct {
	Workload string      `json:"workload"`
	Points   []NodePoint `json:"points"`
	// Exponent is b of C ∝ nodesᵇ: 1 is in line. Absent for one number of nodes,
	// without an interval for two.
	Exponent *model.Estimate `json:"exponent,omitempty"`
	// Ratio is how many times the capacity on the fewest nodes the most nodes have.
	Ratio   *model.Estimate `json:"ratio,omitempty"`
	Verdict NodeVerdict     `json:"verdict"`
}

// NodePoint is the capacity on a number of nodes, in the unit of the workload.
type NodePoint struct {
	Nodes    int            `json:"nodes"`
	Capacity model.Estimate `json:"capacity"`
	Points   int            `json:"points"`
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

// Limit says which resource binds a workload.
type Limit struct {
	Workload string `json:"workload"`
	// Binding is the resource that the hardware's figures fill first, empty when the
	// measured capacity leaves all of them far from full; Rival is another
	// within 10 % of it, so that either may bind.
	Binding hardware.Resource `json:"binding,omitempty"`
	Rival   hardware.Resource `json:"rival,omitempty"`
	// Resources are what each known resource allows, in the unit of the workload's
	// metric, the least first. Unknown names those that nobody told the size of.
	Resources []ResourceLimit     `json:"resources"`
	Unknown   []hardware.Resource `json:"unknown,omitempty"`
	// Measured is the capacity; Excess is ln(measured / what the binding resource
	// allows), the part that is not explained. Absent without a capacity.
	Measured *model.Estimate `json:"measured,omitempty"`
	Excess   *model.Estimate `json:"excess,omitempty"`
	// Expected and Amplification are device I/Os per I/O of a volume when all of the
	// disks' IOPS are used: as replicas, extra writes and merging make it, and as
	// measured (1/Merge of it is seen where I/Os are merged).
	Expected      float64         `json:"expected,omitempty"`
	Amplification *model.Estimate `json:"amplification,omitempty"`
	// Merge is how many I/Os became one device I/O: as said, else as the measured
	// capacity asks for at least (MergeInferred).
	Merge         float64 `json:"merge,omitempty"`
	MergeInferred bool    `json:"merge_inferred,omitempty"`
	// Extra is the number of device writes beyond the data that each copy seems to take,
	// where nobody said it and the capacity asks for it.
	Extra float64 `json:"extra,omitempty"`
	// Copies is how many times each write seems to be made, where nobody said how many
	// replicas there are and the capacity asks for more than one.
	Copies int `json:"copies,omitempty"`
	// Sentences say all of it.
	Sentences []string `json:"sentences"`
}

// ResourceLimit is what one resource allows a workload. Uses is the share of it in
// use at the measured capacity; 0 without one.
type ResourceLimit struct {
	Resource hardware.Resource `json:"resource"`
	Allows   float64           `json:"allows"`
	Uses     float64           `json:"uses,omitempty"`
	How      string            `json:"how"`
}

// Slip is a place where a report contradicts itself or its own figures.
type Slip struct {
	// Kind is one of arithmetic, claim, nodes, saturated, size, binding, offered.
	Kind string `json:"kind"`
	// Where names the workload or chapter; Message is a sentence.
	Where   string `json:"where"`
	Message string `json:"message"`
	// Stated and Found are the figures, in the base unit of Where's metric.
	Stated float64 `json:"stated"`
	Found  float64 `json:"found"`
}

// Study is all that points allow to conclude.
type Study struct {
	Schema string          `json:"schema"`
	Name   string          `json:"name"`
	Source string          `json:"source,omitempty"`
	System hardware.System `json:"system"`
	Scales []Scale         `json:"scales"`
	// Control tells how the most volumes, and the number from which starting them
	// slows down, grow with the nodes.
	Control []Nodes       `json:"control,omitempty"`
	Common  *CommonExcess `json:"common,omitempty"`
	Slips   []Slip        `json:"slips,omitempty"`
	Rebuild *Rebuilds     `json:"rebuild,omitempty"`
}

// Schema is the schema name of a study.
const Schema = "loadline.study/v1"

// Scale is what one scale allows to conclude.
type Scale struct {
	Scale   PublishedScale `json:"scale"`
	Caveats []string       `json:"caveats"`
	Limit   *Limit         `json:"limit,omitempty"`
	Nodes   *Nodes         `json:"nodes,omitempty"`
	Latency *Latency       `json:"latency,omitempty"`
	// Path explains the latency of one volume by the parts of its way.
	Path *Path `json:"path,omitempty"`
}

// Path is the latency of one volume alone against the sum of the parts that are
// known, in seconds.
type Path struct {
	Measured  model.Estimate `json:"measured"`
	Explained float64        `json:"explained"`
	How       string         `json:"how"`
}

// CommonExcess is by how much measured capacities exceed what the hardware allows, as
// shares, over all workloads of which both are known.
type CommonExcess struct {
	Workloads int     `json:"workloads"`
	Above     int     `json:"above"`
	Least     float64 `json:"least"`
	Median    float64 `json:"median"`
	Most      float64 `json:"most"`
	// LocalMost is the most by which a bare disk exceeds its cap.
	LocalMost *float64 `json:"local_most,omitempty"`
	Sentences []string `json:"sentences"`
}

// Rebuilds is how long a replica takes to be made again: each piece Extent costs
// PerExtent seconds, and all data pass at Bandwidth.
type Rebuilds struct {
	Bandwidth float64 `json:"bandwidth"`
	PerExtent float64 `json:"per_extent,omitempty"`
	// Measured counts the rebuilds behind each; with fewer than three there is no
	// interval, and Spread (relative, 95 %) is 0.
	Measured int     `json:"measured"`
	Spread   float64 `json:"spread,omitempty"`
	// Longest is the longest rebuild that was timed, in seconds.
	Longest float64 `json:"longest"`
	// Binding is the resource that the bandwidth comes nearest to, if it is known.
	Binding hardware.Resource `json:"binding,omitempty"`
	Largest []RebuildSize     `json:"largest"`
	Notes   []string          `json:"notes"`
}

// RebuildSize is the largest volume in bytes that is rebuilt within Limit seconds,
// with Fill of it holding data in pieces of Extent bytes (0: one piece), in each of
// Snapshots (the head included; 0 is 1).
type RebuildSize struct {
	Snapshots int            `json:"snapshots,omitempty"`
	Extent    int64          `json:"extent,omitempty"`
	Fill      float64        `json:"fill"`
	Limit     float64        `json:"limit"`
	Volume    model.Estimate `json:"volume"`
}
