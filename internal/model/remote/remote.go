// Package remote defines the messages between the workers of an application's server and client when
// the client has a pod of its own. Its assumptions: the engine forwards them without inspecting them,
// so they are not part of the protocol except for the two fields that carry them.
package remote

import "github.com/loadline/loadline/internal/model"

// The keywords for where a load tool runs in a cluster; anything else is the name of a node.
const (
	InPod = "pod"
	Same  = "same"
	Other = "other"
)

// HasOwnPod reports whether the load tool runs in a pod of its own.
func HasOwnPod(a *model.AppRequest) bool {
	return a != nil && a.Client != "" && a.Client != InPod
}

// Request asks the worker in a client's pod for something. Without Start and Reach it asks
// who it is. It holds a password, so the engine never writes it down; the server's worker has it in its
// spool of events, a file that only it can read and that is removed with the pod.
type Request struct {
	// Tool is the name of the load tool.
	Tool string `json:"tool"`
	// Host and Port are where the server listens, User, Password and Database the credentials for the
	// load tool.
	Host     string `json:"host,omitempty"`
	Port     string `json:"port,omitempty"`
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Database string `json:"database,omitempty"`
	// Reach requests the round-trip and connection times, Start requests one step.
	Reach bool                `json:"reach,omitempty"`
	Start *model.StartRequest `json:"start,omitempty"`
}

// Result is the answer. For a step it is what the load tool did there; the counters of the server and
// its machine are not included.
type Result struct {
	// Address is the address of the client's pod.
	Address string `json:"address,omitempty"`
	// RoundTrip and Connection are in seconds, 0 if they could not be measured.
	RoundTrip  float64 `json:"round_trip,omitempty"`
	Connection float64 `json:"connection,omitempty"`

	Counts model.AppCounts `json:"counts"`
	Due    uint64          `json:"due,omitempty"`
	// Told is the number of whole seconds for which samples were emitted.
	Told int `json:"told,omitempty"`
	// Said is the output of the tool, and Failed a sentence about what went wrong.
	Said        string `json:"said,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	Failed      string `json:"failed,omitempty"`
	// UserCPU and SystemCPU are the load tool's CPU use in cores.
	UserCPU   float64       `json:"user_cpu,omitempty"`
	SystemCPU float64       `json:"system_cpu,omitempty"`
	Stalls    []model.Stall `json:"stalls,omitempty"`
}
