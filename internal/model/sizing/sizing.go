// Package sizing holds the words for how many nodes a set of loads needs: the needs, the
// question, and the answer with what each part of it was taken from.
//
// Its opinion: an answer names the resource that binds, and what could not be counted.
package sizing

import (
	"github.com/loadline/loadline/internal/model/hardware"

	"github.com/loadline/loadline/internal/model"
)

// Need is what a number of alike pods ask for, each with one volume.
type Need struct {
	// Text is as it was written.
	Text string `json:"text"`
	Pods int    `json:"pods"`
	// Flows are what each pod does at once, Size is its volume's size in bytes (0: not
	// said).
	Flows []Flow `json:"flows"`
	Size  int64  `json:"size,omitempty"`
}

// Flow is one kind of I/O at a steady rate in 1/s. Merge is how many of them the
// layers below make one device I/O of, at least 1.
type Flow struct {
	Access    model.Access    `json:"access"`
	Direction model.Direction `json:"direction"`
	BlockSize int64           `json:"block_size"`
	Rate      float64         `json:"rate"`
	Merge     float64         `json:"merge,omitempty"`
}

// Name is the flow's kind of I/O as it is asked for: "rand-read".
func (f Flow) Name() string { return string(f.Access) + "-" + string(f.Direction) }

// Ask is what a sizing is asked for.
type Ask struct {
	Needs []Need `json:"needs"`
	// Survive is the number of nodes that may fail, Headroom the share of each
	// resource that stays free.
	Survive  int     `json:"survive"`
	Headroom float64 `json:"headroom"`
	// Nodes asks the opposite question: how many fit on so many; 0 does not ask.
	Nodes int `json:"nodes,omitempty"`
}

// Sizing is the answer.
type Sizing struct {
	Schema string `json:"schema"`
	From   string `json:"from"`
	Ask    Ask    `json:"ask"`
	// Needed is the number of nodes that the loads take, Survive those for failures;
	// Nodes is the sum, or the number that was asked about.
	Needed int `json:"needed"`
	Nodes  int `json:"nodes"`
	// Binding is the resource that asks for the most nodes; Exact is their number
	// before rounding up.
	Binding   hardware.Resource `json:"binding"`
	Exact     float64           `json:"exact"`
	Resources []ResourceUse     `json:"resources"`
	// Sources tell of each flow which measured law its cost is from.
	Sources   []Source        `json:"sources,omitempty"`
	Latencies []Latency       `json:"latencies,omitempty"`
	Marginal  []MarginalCost  `json:"marginal"`
	Fit       *Fit            `json:"fit,omitempty"`
	Lacking   []Infeasibility `json:"lacking,omitempty"`
	// Notes are what was assumed, and what could not be counted.
	Notes []string `json:"notes"`
}

// Schema is the schema name of a sizing.
const Schema = "loadline.sizing/v1"

// ResourceUse is the demand on a resource, in its unit per second (or bytes of space,
// or volumes), against what one node has of it. The demand is that with the nodes gone
// that may fail: of the network it depends on how many nodes the copies are spread over.
type ResourceUse struct {
	Resource hardware.Resource `json:"resource"`
	Unit     string            `json:"unit"`
	Demand   float64           `json:"demand"`
	PerNode  float64           `json:"per_node"`
	// Nodes is how many nodes the demand takes with the headroom, unrounded. Share is
	// the utilisation with all nodes, Degraded that with the failed ones gone.
	Nodes    float64 `json:"nodes"`
	Share    float64 `json:"share"`
	Degraded float64 `json:"degraded"`
	// From tells where PerNode and the costs come from.
	From string `json:"from"`
}

// Source is where the cost of a need's flow was taken from: the laws that count, none
// where the hardware's figures do.
type Source struct {
	Need      int             `json:"need"`
	Access    model.Access    `json:"access"`
	Direction model.Direction `json:"direction"`
	BlockSize int64           `json:"block_size"`
	Laws      []SourceLaw     `json:"laws,omitempty"`
	How       string          `json:"how"`
}

// SourceLaw is a measured law that a need's cost was taken from. Capacity is what is
// counted on, in I/Os per second of all Nodes that were measured (0 where nobody said how
// many they were); Least tells that the storage was never full there, and Capacity is the
// most that it carried. Times is how many times as large as the law's the need's block is.
type SourceLaw struct {
	Workload  string  `json:"workload"`
	BlockSize int64   `json:"block_size"`
	Capacity  float64 `json:"capacity"`
	Nodes     int     `json:"nodes,omitempty"`
	Least     bool    `json:"least,omitempty"`
	Times     float64 `json:"times"`
}

// Latency is the mean latency to expect of a need's flow in seconds; Least tells
// that it is a lower bound.
type Latency struct {
	Need      int             `json:"need"`
	Access    model.Access    `json:"access"`
	Direction model.Direction `json:"direction"`
	Estimate  float64         `json:"estimate"`
	Degraded  float64         `json:"degraded"`
	Least     bool            `json:"least"`
	How       string          `json:"how"`
}

// MarginalCost is what one more pod of a need takes of the resource that it takes the
// most of, in the resource's unit and in nodes, and how many more fit before another
// node is needed.
type MarginalCost struct {
	Need     int               `json:"need"`
	Resource hardware.Resource `json:"resource"`
	Unit     string            `json:"unit"`
	Demand   float64           `json:"demand"`
	Nodes    float64           `json:"nodes"`
	Free     int               `json:"free"`
}

// Fit is the answer to the opposite question: how many times the whole list of needs
// fits, and how many pods of each need alone fit beside all the others.
type Fit struct {
	Nodes   int               `json:"nodes"`
	Times   float64           `json:"times"`
	Pods    []int             `json:"pods"`
	Binding hardware.Resource `json:"binding"`
}

// Infeasibility is a limit that no number of nodes removes, or that the given number
// does not reach: Asked against Allowed, in Unit.
type Infeasibility struct {
	Resource hardware.Resource `json:"resource"`
	Need     int               `json:"need"`
	Asked    float64           `json:"asked"`
	Allowed  float64           `json:"allowed"`
	Unit     string            `json:"unit"`
	Message  string            `json:"message"`
}
