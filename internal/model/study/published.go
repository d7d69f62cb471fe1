package study

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
)

// Published is the content of a published report, or of a run of ours: the system, its scales, and the
// conclusions drawn from them.
type Published struct {
	Name   string           `json:"name"`
	Source string           `json:"source,omitempty"`
	System hardware.System  `json:"system"`
	Scales []PublishedScale `json:"scales,omitempty"`
	// LoopRun and LoopIdle are the seconds for which a volume's load runs and pauses, if volumes loop
	// without a common clock.
	LoopRun  float64 `json:"loop_run,omitempty"`
	LoopIdle float64 `json:"loop_idle,omitempty"`
	// FileSize is the working set of each volume's load, in bytes.
	FileSize int64 `json:"file_size,omitempty"`
	// Control is how many volumes the control plane supported, Rebuilds how long replica rebuilds took.
	Control  []ControlPoint `json:"control,omitempty"`
	Rebuilds []Rebuild      `json:"rebuilds,omitempty"`
}

// PublishedScale is a scale with its author's statements about it.
type PublishedScale struct {
	model.Scale
	// Merge is how many I/Os of the volume the layers below merge into one device I/O according to the
	// author; 0 is not stated.
	Merge float64 `json:"merge,omitempty"`
	// Local is the result of a single disk without the storage system, in the metric's unit, or in
	// seconds for a scale of latencies; 0 is not stated.
	Local float64 `json:"local,omitempty"`
	// Stated are the totals as printed, with the rounding of the figures per volume and of the rate
	// offered to each, in the order of Points: half a unit of the last digit. A total of 0 was not
	// printed.
	Stated          []float64 `json:"stated,omitempty"`
	Rounding        []float64 `json:"rounding,omitempty"`
	OfferedRounding []float64 `json:"offered_rounding,omitempty"`
	// Claims are capacities that the author states, InLine is the claim that it scales linearly with
	// the nodes, and Binds names the resource said to be the bottleneck.
	Claims []Claim           `json:"claims,omitempty"`
	InLine bool              `json:"in_line,omitempty"`
	Binds  hardware.Resource `json:"binds,omitempty"`
}

// Claim is a capacity stated by an author, in the metric's unit. Of is "total" or, for the maximum of a
// single volume, "volume".
type Claim struct {
	Where string  `json:"where"`
	Value float64 `json:"value"`
	Of    string  `json:"of,omitempty"`
}

// ControlPoint is how many volumes a cluster's control plane supported. SlowsAt is the number from
// which starting them became slower. The other fields are as stated; 0 is not stated.
type ControlPoint struct {
	Nodes           int `json:"nodes"`
	Volumes         int `json:"volumes"`
	SlowsAt         int `json:"slows_at,omitempty"`
	VolumesPerNode  int `json:"volumes_per_node,omitempty"`
	ReplicasPerNode int `json:"replicas_per_node,omitempty"`
}

// Rebuild is how long rebuilding a replica took, in seconds. Volume is the size of the volume, Data the
// amount of data in it, Extent the length of its contiguous pieces (0: one piece).
type Rebuild struct {
	Volume  int64   `json:"volume"`
	Data    int64   `json:"data"`
	Extent  int64   `json:"extent,omitempty"`
	Seconds float64 `json:"seconds"`
}
