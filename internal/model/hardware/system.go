// Package hardware describes the hardware below a storage system: nodes, disks, network, processors,
// and which of their resources can be exhausted.
//
// Its assumptions: a figure that was not given is 0 and unknown, never a guess.
package hardware

// System describes the hardware and the storage on it, as far as it was specified. All figures are per
// node; 0 is unknown.
type System struct {
	Nodes int `json:"nodes,omitempty"`
	// Replicas is the number of copies of each block. ExtraWrites counts the device writes that each
	// copy needs beyond its data (a counter, a journal), ExtraBytes the bytes of one; nil is unknown.
	Replicas    int      `json:"replicas,omitempty"`
	ExtraWrites *float64 `json:"extra_writes,omitempty"`
	ExtraBytes  int64    `json:"extra_bytes,omitempty"`
	Disk        DiskSpec `json:"disk,omitzero"`
	// Network is the bandwidth of a node's link in bytes/s, in each direction; RoundTrip is in seconds.
	Network   float64 `json:"network,omitempty"`
	RoundTrip float64 `json:"round_trip,omitempty"`
	// Cores is the number of processors, CPUPerIO the CPU time in seconds that one I/O of a volume
	// costs, over all nodes.
	Cores    float64 `json:"cores,omitempty"`
	CPUPerIO float64 `json:"cpu_per_io,omitempty"`
	// RebuildReserve is the disk bandwidth in bytes/s that is reserved for rebuilding.
	RebuildReserve float64 `json:"rebuild_reserve,omitempty"`
	// VolumesPerNode is the maximum number of volumes that the control plane supports.
	VolumesPerNode float64 `json:"volumes_per_node,omitempty"`
}

// DiskSpec is one kind of disk: Count of them in each node, with the limits of each.
type DiskSpec struct {
	Count int     `json:"count,omitempty"`
	IOPS  float64 `json:"iops,omitempty"`
	// Bandwidth is in bytes/s, Size in bytes.
	Bandwidth float64 `json:"bandwidth,omitempty"`
	Size      int64   `json:"size,omitempty"`
	// ReadLatency and WriteLatency are the latencies of a single small I/O without other load, in
	// seconds.
	ReadLatency  float64 `json:"read_latency,omitempty"`
	WriteLatency float64 `json:"write_latency,omitempty"`
}

// Disks returns the number of disks per node, at least 1.
func (s *System) Disks() float64 { return float64(max(1, s.Disk.Count)) }

// Copies returns the number of replicas, at least 1.
func (s *System) Copies() float64 { return float64(max(1, s.Replicas)) }

// Resource is something that can be exhausted.
type Resource string

// The resources. LimitPerVolume is what one volume reaches regardless of the size of the cluster;
// LimitOperations and LimitBytes represent a measured capacity if the hardware was not specified.
const (
	LimitDiskIOPS      Resource = "disk-iops"
	LimitDiskBandwidth Resource = "disk-bandwidth"
	LimitNetwork       Resource = "network"
	LimitCPU           Resource = "cpu"
	LimitSpace         Resource = "space"
	LimitVolumes       Resource = "volume-count"
	LimitPlacement     Resource = "placement"
	LimitPerVolume     Resource = "per-volume"
	LimitOperations    Resource = "operations"
	LimitBytes         Resource = "bytes"
)

var resourceNames = map[Resource]string{
	LimitDiskIOPS: "disk IOPS", LimitDiskBandwidth: "disk bandwidth", LimitNetwork: "network", LimitCPU: "CPU", LimitSpace: "disk space",
	LimitVolumes: "number of volumes", LimitPlacement: "replica placement", LimitPerVolume: "one volume's own limit",
	LimitOperations: "I/O operations (as measured)", LimitBytes: "bandwidth (as measured)",
}

// Name returns the name of the resource for use in a sentence.
func (r Resource) Name() string { return resourceNames[r] }
