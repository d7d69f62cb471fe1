package study

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
)

// Published is what a report of somebody says, or a run of ours: the system, scales,
// and what was concluded from them.
type Published struct {
	Name   string           `json:"name"`
	Source string           `json:"source,omitempty"`
	System hardware.System  `json:"system"`
	Scales []PublishedScale `json:"scales,omitempty"`
	// LoopRun and LoopIdle are the seconds for which a volume's load runs and pauses,
	// where volumes loop without a common clock.
	LoopRun  float64 `json:"loop_run,omitempty"`
	LoopIdle float64 `json:"loop_idle,omitempty"`
	// FileSize is the data that each volume's load walks over, in bytes.
	FileSize int64 `json:"file_size,omitempty"`
	// Control is how many volumes the control plane carried, Rebuilds how long
	// replicas took to be made again.
	Control  []ControlPoint `json:"control,omitempty"`
	Rebuilds []Rebuild      `json:"rebuilds,omitempty"`
}

// PublishedScale is a scale with what its author says about it.
type PublishedScale struct {
	model.Scale
	// Merge is how many I/Os of the volume the layers below are said to make one device
	// I/O of; 0 is not said.
	Merge float64 `json:"merge,omitempty"`
	// Local is what one disk reached without the storage system, in the metric's unit,
	// or in seconds for a scale of latencies; 0 is not said.
	Local float64 `json:"local,omitempty"`
	// Stated are the totals as printed, and the rounding of the figures per volume and
	// of what was offered to each, in the order of Points: half a unit of the last
	// digit. A total of 0 was not printed.
	Stated          []float64 `json:"stated,omitempty"`
	Rounding        []float64 `json:"rounding,omitempty"`
	OfferedRounding []float64 `json:"offered_rounding,omitempty"`
	// Claims are capacities that the author states, InLine that it grows in line with
	// the nodes, and Binds which resource is said to bind.
	Claims []Claim           `json:"claims,omitempty"`
	InLine bool              `json:"in_line,omitempty"`
	Binds  hardware.Resource `json:"binds,omitempty"`
}

// Claim is a capacity that an author states somewhere, in the metric's unit. Of is
// "total" or, for the most that one volume reaches, "volume".
type Claim struct {
	Where string  `json:"where"`
	Value float64 `json:"value"`
	Of    string  `json:"of,omitempty"`
}

// ControlPoint is how many volumes a cluster's control plane carried. SlowsAt is the
// number from which starting them became slower. The rest is as stated; 0 is not said.
type ControlPoint struct {
	Nodes           int `json:"nodes"`
	Volumes         int `json:"volumes"`
	SlowsAt         int `json:"slows_at,omitempty"`
	VolumesPerNode  int `json:"volumes_per_node,omitempty"`
	ReplicasPerNode int `json:"replicas_per_node,omitempty"`
}

// Rebuild is how long it took to make a replica again, in seconds. Volume is the size
// of the volume, Data what lies in it, Extent the length of its pieces (0: one piece).
type Rebuild struct {
	Volume  int64   `json:"volume"`
	Data    int64   `json:"data"`
	Extent  int64   `json:"extent,omitempty"`
	Seconds float64 `json:"seconds"`
}
