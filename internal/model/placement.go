package model

// Placement says where the workers of an experiment run and under which identity, as far as that is
// part of the experiment: another cluster or namespace is another place for the same experiment,
// whereas another access mode or node makes it a different experiment. Empty fields mean the default.
type Placement struct {
	// Hosts are reached by ssh; volumes are assigned round robin.
	Hosts []string `json:"hosts,omitempty"`
	// Create allows the creation of a file that does not exist.
	Create bool `json:"create,omitempty"`
	// AccessMode is RWO, RWX or RWOP, for the claims that are created.
	AccessMode string `json:"access_mode,omitempty"`
	// Node is the only node to measure on, NodeSelector the labels that a node must have.
	Node         string            `json:"node,omitempty"`
	NodeSelector map[string]string `json:"node_selector,omitempty"`
	// Tolerations are written KEY=VALUE:EFFECT, or "*".
	Tolerations []string `json:"tolerations,omitempty"`
	// Resources are the limits and requests of a worker's pod.
	Resources map[string]string `json:"resources,omitempty"`
	// PullSecret is the name of the image pull secret, not the secret itself.
	PullSecret string `json:"pull_secret,omitempty"`
	// ReadyWithin is the timeout, in seconds, for a pod to be running.
	ReadyWithin float64 `json:"ready_within,omitempty"`
	// RunAsUser is "UID[:GID]", FSGroup a GID, SELinuxLevel a level such as "s0:c1,c2".
	RunAsUser    string `json:"run_as_user,omitempty"`
	FSGroup      string `json:"fs_group,omitempty"`
	SELinuxLevel string `json:"selinux_level,omitempty"`
	AsRoot       bool   `json:"as_root,omitempty"`
	// Spread is how the pods of several volumes are distributed over nodes: "hard" or "soft".
	Spread string `json:"spread,omitempty"`
	// Keep leaves pods and claims in place at the end.
	Keep bool `json:"keep,omitempty"`
}

// IsZero reports whether everything was left to the defaults.
func (p Placement) IsZero() bool {
	return len(p.Hosts)+len(p.NodeSelector)+len(p.Tolerations)+len(p.Resources) == 0 && !p.Create && !p.AsRoot && !p.Keep &&
		p.AccessMode+p.Node+p.PullSecret+p.RunAsUser+p.FSGroup+p.SELinuxLevel+p.Spread == "" && p.ReadyWithin == 0
}
