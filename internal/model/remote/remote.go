// Package remote is what the workers of an application's server and of its client say to each
// other, where the client has a pod of its own. Its opinion: the engine hands it over and does not
// look into it, so it is no part of the protocol but for the two fields that carry it.
package remote

import "github.com/loadline/loadline/internal/model"

// The words for where a load tool runs in a cluster; any other is a node's name.
const (
	InPod = "pod"
	Same  = "same"
	Other = "other"
)

// Apart reports whether the load tool runs in a pod of its own.
func Apart(a *model.AppRequest) bool {
	return a != nil && a.Client != "" && a.Client != InPod
}

// Request asks the worker in a client's pod for something. Without Start and Reach it asks
// who it is. It holds a password, so the engine never writes it down; the server's worker has it in its
// spool of events, a file that only it can read and that is removed with the pod.
type Request struct {
	// Host and Port are where the server listens, User, Password and Database how it lets the
	// load tool in.
	Host     string `json:"host,omitempty"`
	Port     string `json:"port,omitempty"`
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Database string `json:"database,omitempty"`
	// Reach asks for the round trip and the connection's time, Start for one step.
	Reach bool                `json:"reach,omitempty"`
	Start *model.StartRequest `json:"start,omitempty"`
}

// Result is the answer. Of a step it is what the load tool did there; what the server and
// its machine counted meanwhile is not in it.
type Result struct {
	// Address is that of the client's pod.
	Address string `json:"address,omitempty"`
	// RoundTrip and Connection are in seconds, 0 where they could not be measured.
	RoundTrip  float64 `json:"round_trip,omitempty"`
	Connection float64 `json:"connection,omitempty"`

	Counts model.AppCounts `json:"counts"`
	Due    uint64          `json:"due,omitempty"`
	// Told is for how many whole seconds samples were emitted.
	Told int `json:"told,omitempty"`
	// Said is what the tool printed, and Failed a sentence about what went wrong.
	Said        string `json:"said,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	Failed      string `json:"failed,omitempty"`
	// UserCPU and SystemCPU are cores that the load tool used.
	UserCPU   float64       `json:"user_cpu,omitempty"`
	SystemCPU float64       `json:"system_cpu,omitempty"`
	Stalls    []model.Stall `json:"stalls,omitempty"`
}
