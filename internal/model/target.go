package model

// TargetKind tells what kind of thing the user named.
type TargetKind string

// The kinds of target that one machine can reach.
const (
	Directory   TargetKind = "directory"
	File        TargetKind = "file"
	BlockDevice TargetKind = "block"
	NBD         TargetKind = "nbd"
	RBD         TargetKind = "rbd"
	// Fake is storage with a known truth that exists only as numbers.
	Fake TargetKind = "fake"
)

// Target is what the user named, resolved.
type Target struct {
	// Name is the target as the user typed it.
	Name string     `json:"name"`
	Kind TargetKind `json:"kind"`
	// Path is the absolute path of a directory, file or device.
	Path string `json:"path,omitempty"`
	// URI is the NBD URI, "pool/image" of an rbd target, or the fake's parameters.
	URI string `json:"uri,omitempty"`
	// User is the name that Ceph knows the client by, without "client."; empty is Ceph's default.
	User string `json:"user,omitempty"`
	// Cluster is what was asked of a Kubernetes cluster; nil elsewhere.
	Cluster *ClusterVolume `json:"cluster,omitempty"`
}

// Place names the target so that it can be found again from elsewhere: the absolute
// path of what was typed as ".", else the name as it was typed. What a volume in a cluster is
// called in its pod says nothing outside of it.
func (t Target) Place() string {
	if t.Cluster != nil {
		return t.Name
	}
	switch t.Kind {
	case Directory, File, BlockDevice, Postgres, Etcd:
		if t.Path != "" {
			return t.Path
		}
	}
	return t.Name
}

// Targets are those of a run: its own, and those of its volumes.
func (r *RunInfo) Targets() []Target {
	list := []Target{r.Target}
	for _, v := range r.Volumes {
		list = append(list, v.Target)
	}
	return list
}
