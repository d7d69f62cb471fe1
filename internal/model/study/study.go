// Package study defines the data of a study, that is, what a set of scales says about a system:
// published or measured points, the conclusions from them, and the reference report that presents them.
//
// Its assumptions: an author's statements are shown next to what the points show, and any contradiction
// is reported.
package study

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
)

// Latency explains the mean latencies of closed loops by Little's law: the latency of N volumes is
// N·depth / X(N), and X(N) is known.
type Latency struct {
	Workload  string          `json:"workload"`
	Direction model.Direction `json:"direction"`
	// Depth is the number of I/Os in flight per volume.
	Depth int `json:"depth"`
	// From names the workload whose capacity the prediction uses; Capacity is that value, with the
	// prediction interval for one new measurement of it.
	From     string         `json:"from"`
	Capacity model.Estimate `json:"capacity"`
	// Alone is the latency of a single volume in seconds. Knee is the N from which the volumes queue
	// for capacity, Slope the latency added by each further volume (seconds).
	Alone model.Estimate `json:"alone"`
	Knee  float64        `json:"knee"`
	Slope float64        `json:"slope"`
	// Implied is the capacity implied by the latencies beyond the knee.
	Implied *model.Estimate `json:"implied,omitempty"`
	Points  []LatencyPoint  `json:"points"`
}

// LatencyPoint is a mean latency in seconds, measured, and predicted with the interval that follows
// from that of the capacity.
type LatencyPoint struct {
	Volumes   int            `json:"volumes"`
	Measured  float64        `json:"measured"`
	Predicted model.Estimate `json:"predicted"`
}

// Nodes says whether a capacity scales linearly with the number of nodes.
type Nodes struct {
	Workload string      `json:"workload"`
	Points   []NodePoint `json:"points"`
	// Exponent is b in C ∝ nodesᵇ: 1 means linear. Absent for one number of nodes, without an interval
	// for two.
	Exponent *model.Estimate `json:"exponent,omitempty"`
	// Ratio is the capacity with the most nodes relative to that with the fewest.
	Ratio   *model.Estimate `json:"ratio,omitempty"`
	Verdict NodeVerdict     `json:"verdict"`
}

// NodePoint is the capacity for a number of nodes, in the unit of the workload.
type NodePoint struct {
	Nodes    int            `json:"nodes"`
	Capacity model.Estimate `json:"capacity"`
	Points   int            `json:"points"`
}

// NodeVerdict is the conclusion that the node counts allow.
type NodeVerdict string

// The verdicts: the interval of the exponent lies within 10 % of 1; entirely below or above it; or
// neither, which is always the case with only one or two node counts.
const (
	InLine        NodeVerdict = "in-line"
	LessThanLine  NodeVerdict = "less"
	MoreThanLine  NodeVerdict = "more"
	LineNotShown  NodeVerdict = "not-shown"
	OneNodeNumber NodeVerdict = "one-number"
)

// Limit says which resource is the bottleneck of a workload.
type Limit struct {
	Workload string `json:"workload"`
	// Binding is the resource that is exhausted first according to the hardware's figures, empty if at
	// the measured capacity all of them are far from exhausted; Rival is another within 10 % of it, so
	// that either may be the bottleneck.
	Binding hardware.Resource `json:"binding,omitempty"`
	Rival   hardware.Resource `json:"rival,omitempty"`
	// Resources are the limits due to each known resource, in the unit of the workload's metric, the
	// lowest first. Unknown names the resources whose size was not specified.
	Resources []ResourceLimit     `json:"resources"`
	Unknown   []hardware.Resource `json:"unknown,omitempty"`
	// Measured is the capacity; Excess is ln(measured / limit of the binding resource), the unexplained
	// part. Absent without a capacity.
	Measured *model.Estimate `json:"measured,omitempty"`
	Excess   *model.Estimate `json:"excess,omitempty"`
	// Expected and Amplification are device I/Os per I/O of a volume when all of the disks' IOPS are
	// used: as expected from replicas, extra writes and merging, and as measured (1/Merge of it is seen
	// where I/Os are merged).
	Expected      float64         `json:"expected,omitempty"`
	Amplification *model.Estimate `json:"amplification,omitempty"`
	// Merge is how many I/Os were merged into one device I/O: as stated, else the minimum implied by
	// the measured capacity (MergeInferred).
	Merge         float64 `json:"merge,omitempty"`
	MergeInferred bool    `json:"merge_inferred,omitempty"`
	// Extra is the number of device writes beyond the data that each copy seems to need, if it was not
	// stated and the capacity implies it.
	Extra float64 `json:"extra,omitempty"`
	// Copies is how many times each write seems to be made, if the number of replicas was not stated
	// and the capacity implies more than one.
	Copies int `json:"copies,omitempty"`
	// Sentences states all of this in words.
	Sentences []string `json:"sentences"`
}

// ResourceLimit is the limit that one resource sets to a workload. Uses is its utilization at the
// measured capacity; 0 without one.
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

// Study holds all conclusions that the points allow.
type Study struct {
	Schema string          `json:"schema"`
	Name   string          `json:"name"`
	Source string          `json:"source,omitempty"`
	System hardware.System `json:"system"`
	Scales []Scale         `json:"scales"`
	// Control says how the maximum number of volumes, and the number from which starting them slows
	// down, scale with the nodes.
	Control []Nodes       `json:"control,omitempty"`
	Common  *CommonExcess `json:"common,omitempty"`
	Slips   []Slip        `json:"slips,omitempty"`
	Rebuild *Rebuilds     `json:"rebuild,omitempty"`
}

// Schema is the schema name of a study.
const Schema = "loadline.study/v1"

// Scale holds the conclusions from one scale.
type Scale struct {
	Scale   PublishedScale `json:"scale"`
	Caveats []string       `json:"caveats"`
	Limit   *Limit         `json:"limit,omitempty"`
	Nodes   *Nodes         `json:"nodes,omitempty"`
	Latency *Latency       `json:"latency,omitempty"`
	// Path explains the latency of a single volume by the components of its I/O path.
	Path *Path `json:"path,omitempty"`
}

// Path compares the latency of a single volume to the sum of its known components, in seconds.
type Path struct {
	Measured  model.Estimate `json:"measured"`
	Explained float64        `json:"explained"`
	How       string         `json:"how"`
}

// CommonExcess is by how much measured capacities exceed the hardware's limits, as fractions, over all
// workloads for which both are known.
type CommonExcess struct {
	Workloads int     `json:"workloads"`
	Above     int     `json:"above"`
	Least     float64 `json:"least"`
	Median    float64 `json:"median"`
	Most      float64 `json:"most"`
	// LocalMost is the largest excess of a bare disk over its limit.
	LocalMost *float64 `json:"local_most,omitempty"`
	Sentences []string `json:"sentences"`
}

// Rebuilds is a model of replica rebuild times: each extent of Extent bytes costs PerExtent seconds,
// and all data is copied at Bandwidth.
type Rebuilds struct {
	Bandwidth float64 `json:"bandwidth"`
	PerExtent float64 `json:"per_extent,omitempty"`
	// Measured counts the rebuilds on which each is based; with fewer than three there is no interval,
	// and Spread (relative, 95 %) is 0.
	Measured int     `json:"measured"`
	Spread   float64 `json:"spread,omitempty"`
	// Longest is the longest rebuild that was measured, in seconds.
	Longest float64 `json:"longest"`
	// Binding is the resource whose limit is closest to the bandwidth, if known.
	Binding hardware.Resource `json:"binding,omitempty"`
	Largest []RebuildSize     `json:"largest"`
	Notes   []string          `json:"notes"`
}

// RebuildSize is the largest volume in bytes that can be rebuilt within Limit seconds, if the fraction
// Fill of it holds data in extents of Extent bytes (0: one extent), in each of Snapshots (the head
// included; 0 means 1).
type RebuildSize struct {
	Snapshots int            `json:"snapshots,omitempty"`
	Extent    int64          `json:"extent,omitempty"`
	Fill      float64        `json:"fill"`
	Limit     float64        `json:"limit"`
	Volume    model.Estimate `json:"volume"`
}
