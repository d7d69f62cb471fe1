package model

import "github.com/loadline/loadline/internal/model/amplification"

// Backing is what the storage system behind a volume reports about it. What it does not report is
// empty; Unknown lists what could not be determined, and why.
type Backing struct {
	// Adapter is the adapter that asked: "longhorn", "local-path", "csi"; empty if the system is not
	// supported.
	Adapter string `json:"adapter,omitempty"`
	// System is the name of the storage system, or of its driver.
	System string `json:"system,omitempty"`
	// Version is the version of the system, Engine that of the component that serves this volume's I/O.
	Version string `json:"version,omitempty"`
	Engine  string `json:"engine,omitempty"`
	// Replicas is the number of copies of each block that the volume should have, Healthy the number in
	// use when the worker had found its volume; 0 is unknown.
	Replicas int `json:"replicas,omitempty"`
	Healthy  int `json:"healthy,omitempty"`
	// Nodes are the nodes that hold a copy, sorted.
	Nodes []string `json:"nodes,omitempty"`
	// Disks are where the copies are, as far as the system tells, each once.
	Disks []amplification.Disk `json:"disks,omitempty"`
	// WritesEach is how many writes of its disk a copy does for each write of the volume; 0 is unknown.
	// WritesOf names them: "data, revision counter".
	WritesEach int    `json:"writes_each,omitempty"`
	WritesOf   string `json:"writes_of,omitempty"`
	// Locality is the system's term for where copies are placed: Longhorn's "disabled", "best-effort"
	// or "strict-local", or "node" for data that never leaves its node.
	Locality string `json:"locality,omitempty"`
	// Facts holds other properties under the names that the system uses.
	Facts map[string]string `json:"facts,omitempty"`
	// Unknown are sentences such as "the version: the right to get … is missing".
	Unknown []string `json:"unknown,omitempty"`
}

// Replicas returns the number of copies that the storage system behind the volume reports; 0 is
// unknown.
func (e *Environment) Replicas() int {
	if e.Cluster == nil || e.Cluster.Backing == nil {
		return 0
	}
	return e.Cluster.Backing.Replicas
}
