package model

// Backing is what the storage system behind a volume says of itself. What it does not
// say is empty; Unknown tells what could not be found out, and why.
type Backing struct {
	// Adapter is who asked: "longhorn", "local-path", "csi"; empty when nobody knows
	// the system.
	Adapter string `json:"adapter,omitempty"`
	// System is the name of the storage system, or of its driver.
	System string `json:"system,omitempty"`
	// Version is the system's, Engine that of the part that serves this volume's I/O.
	Version string `json:"version,omitempty"`
	Engine  string `json:"engine,omitempty"`
	// Replicas is how many copies of each block the volume is to have, Healthy how
	// many took part when the worker had found its volume; 0 is unknown.
	Replicas int `json:"replicas,omitempty"`
	Healthy  int `json:"healthy,omitempty"`
	// Nodes are those that hold a copy, sorted.
	Nodes []string `json:"nodes,omitempty"`
	// Locality is the system's word for where copies lie: Longhorn's "disabled",
	// "best-effort" or "strict-local", or "node" for what never leaves its node.
	Locality string `json:"locality,omitempty"`
	// Facts are what else the system says, in its own words.
	Facts map[string]string `json:"facts,omitempty"`
	// Unknown are sentences such as "the version: the right to get … is missing".
	Unknown []string `json:"unknown,omitempty"`
}

// Replicas is how many copies the storage system behind the volume says that it
// keeps; 0 is unknown.
func (e *Environment) Replicas() int {
	if e.Cluster == nil || e.Cluster.Backing == nil {
		return 0
	}
	return e.Cluster.Backing.Replicas
}
