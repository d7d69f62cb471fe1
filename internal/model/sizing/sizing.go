// Package sizing defines the data of a sizing (how many nodes a set of loads needs): the needs, the
// question, and the answer with the source of each part.
//
// Its assumptions: an answer names the binding resource, and what could not be included.
package sizing

import (
	"github.com/loadline/loadline/internal/model/hardware"

	"github.com/loadline/loadline/internal/model"
)

// Need is the demand of a number of identical pods, each with one volume.
type Need struct {
	// Text is the need as written.
	Text string `json:"text"`
	Pods int    `json:"pods"`
	// Flows are the concurrent flows of each pod, Size is the size of its volume in bytes (0: not
	// specified).
	Flows []Flow `json:"flows"`
	Size  int64  `json:"size,omitempty"`
}

// Flow is one kind of I/O at a steady rate in 1/s. Merge is how many of them the layers below merge
// into one device I/O, at least 1.
type Flow struct {
	Access    model.Access    `json:"access"`
	Direction model.Direction `json:"direction"`
	BlockSize int64           `json:"block_size"`
	Rate      float64         `json:"rate"`
	Merge     float64         `json:"merge,omitempty"`
}

// Name returns the name by which this kind of I/O is requested: "rand-read".
func (f Flow) Name() string { return string(f.Access) + "-" + string(f.Direction) }

// Ask is the input of a sizing.
type Ask struct {
	Needs []Need `json:"needs"`
	// Survive is the number of nodes that may fail, Headroom the fraction of each resource to keep
	// free.
	Survive  int     `json:"survive"`
	Headroom float64 `json:"headroom"`
	// Nodes asks the reverse question: how much fits on this many nodes; 0 if not asked.
	Nodes int `json:"nodes,omitempty"`
}

// Sizing is the answer.
type Sizing struct {
	Schema string `json:"schema"`
	From   string `json:"from"`
	Ask    Ask    `json:"ask"`
	// Needed is the number of nodes that the loads need; Nodes is that plus Ask.Survive, the number added for
	// failures, or the number given in the question.
	Needed int `json:"needed"`
	Nodes  int `json:"nodes"`
	// Binding is the resource that needs the most nodes; Exact is their number before rounding up.
	Binding   hardware.Resource `json:"binding"`
	Exact     float64           `json:"exact"`
	Resources []ResourceUse     `json:"resources"`
	// Sources say for each flow from which measured law its cost was taken.
	Sources   []Source        `json:"sources,omitempty"`
	Latencies []Latency       `json:"latencies,omitempty"`
	Marginal  []MarginalCost  `json:"marginal"`
	Fit       *Fit            `json:"fit,omitempty"`
	Lacking   []Infeasibility `json:"lacking,omitempty"`
	// Notes list the assumptions, and what could not be included.
	Notes []string `json:"notes"`
}

// Schema is the schema name of a sizing.
const Schema = "loadline.sizing/v1"

// ResourceUse is the demand on a resource, in its unit per second (or bytes of space, or volumes),
// compared to what one node provides. The demand is computed with the tolerated number of nodes failed:
// for the network it depends on the number of nodes over which the copies are distributed.
type ResourceUse struct {
	Resource hardware.Resource `json:"resource"`
	Unit     string            `json:"unit"`
	Demand   float64           `json:"demand"`
	PerNode  float64           `json:"per_node"`
	// Nodes is how many nodes the demand needs including headroom, unrounded. Share is the utilization
	// with all nodes, Degraded that without the failed ones.
	Nodes    float64 `json:"nodes"`
	Share    float64 `json:"share"`
	Degraded float64 `json:"degraded"`
	// From says where PerNode and the costs come from.
	From string `json:"from"`
}

// Source says where the cost of a need's flow was taken from: the laws used, or none if the hardware's
// figures were used.
type Source struct {
	Need      int             `json:"need"`
	Access    model.Access    `json:"access"`
	Direction model.Direction `json:"direction"`
	BlockSize int64           `json:"block_size"`
	Laws      []SourceLaw     `json:"laws,omitempty"`
	How       string          `json:"how"`
}

// SourceLaw is a measured law from which a need's cost was taken. Capacity is the capacity assumed, in
// I/Os per second over all Nodes that were measured (0 if their number is unknown); Least is set if the
// storage was never saturated there, so that Capacity is the highest rate measured. Times is the block
// size of the need as a multiple of the law's.
type SourceLaw struct {
	Workload  string  `json:"workload"`
	BlockSize int64   `json:"block_size"`
	Capacity  float64 `json:"capacity"`
	Nodes     int     `json:"nodes,omitempty"`
	Least     bool    `json:"least,omitempty"`
	Times     float64 `json:"times"`
}

// Latency is the expected mean latency of a need's flow in seconds; Least is set if it is a lower
// bound.
type Latency struct {
	Need      int             `json:"need"`
	Access    model.Access    `json:"access"`
	Direction model.Direction `json:"direction"`
	Estimate  float64         `json:"estimate"`
	Degraded  float64         `json:"degraded"`
	Least     bool            `json:"least"`
	How       string          `json:"how"`
}

// MarginalCost is what one more pod of a need uses of the resource that it uses most, in the resource's
// unit and in nodes, and how many more fit before another node is needed. A need that uses no known
// resource has none.
type MarginalCost struct {
	Need     int               `json:"need"`
	Resource hardware.Resource `json:"resource"`
	Unit     string            `json:"unit"`
	Demand   float64           `json:"demand"`
	Nodes    float64           `json:"nodes"`
	Free     int               `json:"free"`
}

// Fit is the answer to the reverse question: how many times the whole list of needs fits, and how many
// pods of each need fit with all the others in place.
type Fit struct {
	Nodes   int               `json:"nodes"`
	Times   float64           `json:"times"`
	Pods    []int             `json:"pods"`
	Binding hardware.Resource `json:"binding"`
}

// Infeasibility is a limit that no number of nodes removes, or for which the given number is not
// enough: Asked against Allowed, in Unit.
type Infeasibility struct {
	Resource hardware.Resource `json:"resource"`
	Need     int               `json:"need"`
	Asked    float64           `json:"asked"`
	Allowed  float64           `json:"allowed"`
	Unit     string            `json:"unit"`
	Message  string            `json:"message"`
}
