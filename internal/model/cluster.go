package model

import "slices"

// The kinds of target that a Kubernetes cluster holds. A place resolves them: to
// the worker in the pod they are a directory or a block device.
const (
	StorageClass TargetKind = "storageclass"
	VolumeClaim  TargetKind = "claim"
)

// ClusterVolume is what sc:NAME or pvc:NAMESPACE/NAME asks for.
type ClusterVolume struct {
	// Class is the StorageClass that a volume is made of; empty for a claim that
	// exists, which Namespace and Name then name.
	Class     string `json:"class,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Size is that of the volume to make, in bytes; 0 means that the plan decides.
	Size int64 `json:"size,omitempty"`
	// Block asks for a raw block device instead of a filesystem.
	Block bool `json:"block,omitempty"`
	// Access is "RWO", "RWX" or "RWOP"; empty is RWO.
	Access string `json:"access,omitempty"`
}

// Made reports whether the volume is made for the measurement and removed after it.
func (v *ClusterVolume) Made() bool { return v != nil && v.Class != "" }

// Cluster is where in a Kubernetes cluster a worker and its volume were. What
// could not be read, for want of a right, is empty.
type Cluster struct {
	// Version is that of the API server.
	Version   string `json:"version,omitempty"`
	Context   string `json:"context,omitempty"`
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Image     string `json:"image,omitempty"`
	// Node is where the pod landed.
	Node string `json:"node,omitempty"`
	// Kubelet, Runtime and OSImage are versions that the node tells of itself.
	Kubelet string `json:"kubelet,omitempty"`
	Runtime string `json:"runtime,omitempty"`
	OSImage string `json:"os_image,omitempty"`
	// InstanceType and Zone are the node's labels of a cloud.
	InstanceType string `json:"instance_type,omitempty"`
	Zone         string `json:"zone,omitempty"`
	// Root tells that the worker ran as root, which a raw block device may need.
	Root bool `json:"root,omitempty"`
	// Identity is as whom the worker ran.
	Identity *PodIdentity `json:"identity,omitempty"`

	Claim string `json:"claim"`
	// Made tells that the claim was made for this measurement.
	Made   bool   `json:"made"`
	Volume string `json:"volume,omitempty"`
	// Mode is "Filesystem" or "Block", Access the claim's access modes.
	Mode   string   `json:"mode,omitempty"`
	Access []string `json:"access,omitempty"`
	// Pinned tells that the volume was bound to certain nodes before its pod was placed.
	Pinned bool `json:"pinned,omitempty"`
	// Spread tells how the pods of several volumes lie on nodes; nil for a single one.
	Spread *Spread `json:"spread,omitempty"`
	// Capacity is the claim's, in bytes.
	Capacity int64 `json:"capacity,omitempty"`
	// Driver is the CSI driver, or the kind of volume where there is none ("local").
	Driver string `json:"driver,omitempty"`
	// Handle is the driver's name of the volume, and Attributes what it says of it.
	Handle     string            `json:"handle,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`

	Class        string            `json:"class,omitempty"`
	Provisioner  string            `json:"provisioner,omitempty"`
	Parameters   map[string]string `json:"parameters,omitempty"`
	MountOptions []string          `json:"mount_options,omitempty"`
	Reclaim      string            `json:"reclaim_policy,omitempty"`
	Binding      string            `json:"binding_mode,omitempty"`
	// Backing is what the storage system says of itself; nil when nobody has asked.
	Backing *Backing `json:"backing,omitempty"`
	// Log is the claim of an application's log, where it has one of its own, as far as it is
	// the claim's; nil otherwise.
	Log *Cluster `json:"log,omitempty"`
	// Client is the pod of an application's load tool, where it has one of its own, as far as
	// it is that pod's; nil otherwise.
	Client *Cluster `json:"client,omitempty"`
	// Events are what the cluster said of claim and pod until the worker answered.
	Events []ClusterEvent `json:"events,omitempty"`
}

// ManyNodes reports whether several nodes may use the volume at the same time.
func (c *Cluster) ManyNodes() bool {
	return c != nil && (slices.Contains(c.Access, "ReadWriteMany") || slices.Contains(c.Access, "ReadOnlyMany"))
}

// OnePod reports whether no second pod may use the volume.
func (c *Cluster) OnePod() bool {
	return c != nil && slices.Contains(c.Access, "ReadWriteOncePod")
}

// PodIdentity is as whom a worker in a pod ran.
type PodIdentity struct {
	User  int64 `json:"user"`
	Group int64 `json:"group"`
	// Groups are more groups, which change nothing of the volume.
	Groups []int64 `json:"groups,omitempty"`
	// FSGroup is the group that Kubernetes gave the volume's files to; 0 for none.
	FSGroup int64 `json:"fs_group,omitempty"`
	// Level is the SELinux level, where one was set.
	Level string `json:"selinux_level,omitempty"`
}

// Spread tells how the pods of several volumes lie on nodes.
type Spread struct {
	// Asked is "hard" or "soft".
	Asked   string `json:"asked,omitempty"`
	Volumes int    `json:"volumes"`
	// Nodes is how many have one at least, Eligible how many may have one; 0 where that
	// may not be read.
	Nodes    int `json:"nodes"`
	Eligible int `json:"eligible,omitempty"`
	// Most and Least are the most and the fewest volumes on one of the nodes that have any.
	Most  int `json:"most"`
	Least int `json:"least"`
	// Why is a phrase that tells why they are not spread as far or as evenly as they could.
	Why string `json:"why,omitempty"`
}

// ClusterEvent is one event of the cluster, in its own words.
type ClusterEvent struct {
	Object  string `json:"object"`
	Type    string `json:"type,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
