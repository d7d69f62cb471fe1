package model

import "strings"

// TargetKind is the kind of target that the user named.
type TargetKind string

// The kinds of target that a single machine can reach.
const (
	Directory   TargetKind = "directory"
	File        TargetKind = "file"
	BlockDevice TargetKind = "block"
	NBD         TargetKind = "nbd"
	RBD         TargetKind = "rbd"
	// Fake is simulated storage with known properties.
	Fake TargetKind = "fake"
)

// Words names a target of the kind in a sentence, after "the": "block device".
func (k TargetKind) Words() string {
	switch k {
	case BlockDevice:
		return "block device"
	case NBD:
		return "NBD export"
	case RBD:
		return "Ceph image"
	}
	return string(k)
}

// Target is what the user named, resolved.
type Target struct {
	// Name is the target as the user typed it.
	Name string     `json:"name"`
	Kind TargetKind `json:"kind"`
	// Path is the absolute path of a directory, file or device.
	Path string `json:"path,omitempty"`
	// TypedPath is the absolute path of what was typed, if links led from there to Path.
	TypedPath string `json:"typed_path,omitempty"`
	// URI is the NBD URI, "pool/image" of an rbd target, or the fake's parameters.
	URI string `json:"uri,omitempty"`
	// User is the Ceph client name, without "client."; empty means Ceph's default.
	User string `json:"user,omitempty"`
	// Cluster is the requested volume in a Kubernetes cluster; nil elsewhere.
	Cluster *ClusterVolume `json:"cluster,omitempty"`
}

// Place returns a name by which the target can be found again from elsewhere: the absolute path of a
// target typed as ".", else the name as typed. The path of a cluster volume inside its pod is
// meaningless outside of it.
func (t Target) Place() string {
	if t.Cluster != nil {
		return t.Name
	}
	onDisk := t.Kind == Directory || t.Kind == File || t.Kind == BlockDevice || t.Kind.Application()
	if onDisk && t.Path != "" {
		return t.Path
	}
	return t.Name
}

// InCommand returns the name for a command that measures the target again, from any directory: the absolute path of
// what was typed, with its links. /dev/disk/by-id/x is one disk, and the /dev/sdb that it leads to today may be
// another one after the next boot.
func (t Target) InCommand() string {
	switch {
	case t.TypedPath != "" && t.Cluster == nil:
		return t.TypedPath
	case strings.HasPrefix(t.Name, "/"):
		return t.Name
	}
	return t.Place()
}

// Is reports whether a word that the user typed names the target.
func (t Target) Is(word string) bool {
	return word != "" && (word == t.Name || word == t.Path || word == t.TypedPath || word == t.URI)
}

// Targets returns the run's own target and those of its volumes and logs.
func (r *RunInfo) Targets() []Target {
	list := []Target{r.Target}
	for _, v := range append([]Volume{r.Volume}, r.Volumes...) {
		list = append(list, v.targets()...)
	}
	return list
}

// targets returns the volume's target, and that of its log if it has one.
func (v *Volume) targets() []Target {
	if v.Log == nil {
		return []Target{v.Target}
	}
	return []Target{v.Target, v.Log.Target}
}
