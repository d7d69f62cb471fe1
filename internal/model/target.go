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
// path of what was typed as ".", else the name as it was typed.
func (t Target) Place() string {
	switch t.Kind {
	case Directory, File, BlockDevice:
		if t.Path != "" {
			return t.Path
		}
	}
	return t.Name
}
