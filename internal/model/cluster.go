package model

import "slices"

// The kinds of target in a Kubernetes cluster. A place resolves them: for the worker in the pod they
// are a directory or a block device.
const (
	StorageClass TargetKind = "storageclass"
	VolumeClaim  TargetKind = "claim"
)

// ClusterVolume is a volume given as sc:NAME or pvc:NAMESPACE/NAME.
type ClusterVolume struct {
	// Class is the StorageClass from which to provision a volume; empty for an existing claim, given by
	// Namespace and Name.
	Class     string `json:"class,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Size is the size of the volume to create, in bytes; 0 lets the plan decide.
	Size int64 `json:"size,omitempty"`
	// Block asks for a raw block device instead of a filesystem.
	Block bool `json:"block,omitempty"`
	// Access is "RWO", "RWX" or "RWOP"; empty means RWO.
	Access string `json:"access,omitempty"`
}

// Made reports whether the volume is created for the measurement and removed after it.
func (v *ClusterVolume) Made() bool { return v != nil && v.Class != "" }

// Cluster describes where in a Kubernetes cluster a worker and its volume were. Anything that could not
// be read for lack of permission is empty.
type Cluster struct {
	// Version is the version of the API server.
	Version   string `json:"version,omitempty"`
	Context   string `json:"context,omitempty"`
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Image     string `json:"image,omitempty"`
	// Node is the node to which the pod was scheduled.
	Node string `json:"node,omitempty"`
	// Kubelet, Runtime and OSImage are versions reported by the node.
	Kubelet string `json:"kubelet,omitempty"`
	Runtime string `json:"runtime,omitempty"`
	OSImage string `json:"os_image,omitempty"`
	// InstanceType and Zone are from the node's cloud provider labels.
	InstanceType string `json:"instance_type,omitempty"`
	Zone         string `json:"zone,omitempty"`
	// Root is set if the worker ran as root, which a raw block device may need.
	Root bool `json:"root,omitempty"`
	// Identity is the user and groups under which the worker ran.
	Identity *PodIdentity `json:"identity,omitempty"`

	Claim string `json:"claim"`
	// Made is set if the claim was created for this measurement.
	Made   bool   `json:"made"`
	Volume string `json:"volume,omitempty"`
	// Mode is "Filesystem" or "Block", Access the access modes of the claim.
	Mode   string   `json:"mode,omitempty"`
	Access []string `json:"access,omitempty"`
	// Pinned is set if the volume was bound to certain nodes before its pod was scheduled.
	Pinned bool `json:"pinned,omitempty"`
	// Spread describes how the pods of several volumes are distributed over nodes; nil for a single
	// volume.
	Spread *Spread `json:"spread,omitempty"`
	// Capacity is the capacity of the claim in bytes.
	Capacity int64 `json:"capacity,omitempty"`
	// Driver is the CSI driver, or the volume type if there is none ("local").
	Driver string `json:"driver,omitempty"`
	// Handle is the driver's name for the volume, and Attributes the attributes it gave the volume.
	Handle     string            `json:"handle,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`

	Class        string            `json:"class,omitempty"`
	Provisioner  string            `json:"provisioner,omitempty"`
	Parameters   map[string]string `json:"parameters,omitempty"`
	MountOptions []string          `json:"mount_options,omitempty"`
	Reclaim      string            `json:"reclaim_policy,omitempty"`
	Binding      string            `json:"binding_mode,omitempty"`
	// Backing is what the storage system reports; nil if it was not asked.
	Backing *Backing `json:"backing,omitempty"`
	// Log holds the fields that concern the claim of an application's log; nil if the log has no claim
	// of its own.
	Log *Cluster `json:"log,omitempty"`
	// Client holds the fields that concern the pod of an application's load tool; nil if the tool has
	// no pod of its own.
	Client *Cluster `json:"client,omitempty"`
	// Events are the cluster's events for claim and pod until the worker answered.
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

// PodIdentity is the user and groups under which a worker in a pod ran.
type PodIdentity struct {
	User  int64 `json:"user"`
	Group int64 `json:"group"`
	// Groups are supplemental groups, which do not affect the volume.
	Groups []int64 `json:"groups,omitempty"`
	// FSGroup is the group to which Kubernetes assigned the volume's files; nil for none.
	FSGroup *int64 `json:"fs_group,omitempty"`
	// Level is the SELinux level, if one was set.
	Level string `json:"selinux_level,omitempty"`
}

// Spread describes how the pods of several volumes are distributed over nodes.
type Spread struct {
	// Asked is "hard" or "soft".
	Asked   string `json:"asked,omitempty"`
	Volumes int    `json:"volumes"`
	// Nodes is the number of nodes with at least one volume, Eligible the number that may have one; 0
	// if this may not be read.
	Nodes    int `json:"nodes"`
	Eligible int `json:"eligible,omitempty"`
	// Most and Least are the largest and smallest number of volumes on any node that has one.
	Most  int `json:"most"`
	Least int `json:"least"`
	// Why is a phrase saying why they are not spread as widely or as evenly as possible.
	Why string `json:"why,omitempty"`
}

// ClusterEvent is an event of the cluster, with its original text.
type ClusterEvent struct {
	Object  string `json:"object"`
	Type    string `json:"type,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
