package model

// System is what the hardware and the storage on it are, as far as somebody said so.
// All figures are of one node; 0 is unknown.
type System struct {
	Nodes int `json:"nodes,omitempty"`
	// Replicas is the number of copies of each block. ExtraWrites counts the device
	// writes that each copy takes beyond its data (a counter, a journal), ExtraBytes
	// the bytes of one; nil is unknown.
	Replicas    int      `json:"replicas,omitempty"`
	ExtraWrites *float64 `json:"extra_writes,omitempty"`
	ExtraBytes  int64    `json:"extra_bytes,omitempty"`
	Disk        DiskSpec `json:"disk,omitzero"`
	// Network is the bandwidth of a node's link in bytes/s, each way; RoundTrip is in
	// seconds.
	Network   float64 `json:"network,omitempty"`
	RoundTrip float64 `json:"round_trip,omitempty"`
	// Cores is the number of processors, CPUPerIO the processor time in seconds that
	// one I/O of a volume costs, over all nodes.
	Cores    float64 `json:"cores,omitempty"`
	CPUPerIO float64 `json:"cpu_per_io,omitempty"`
	// RebuildReserve is the disk bandwidth in bytes/s that is kept for rebuilding.
	RebuildReserve float64 `json:"rebuild_reserve,omitempty"`
	// VolumesPerNode is the most volumes that the control plane carries.
	VolumesPerNode float64 `json:"volumes_per_node,omitempty"`
}

// DiskSpec is one kind of disk: Count of them in each node, with the caps of each.
type DiskSpec struct {
	Count int     `json:"count,omitempty"`
	IOPS  float64 `json:"iops,omitempty"`
	// Bandwidth is in bytes/s, Size in bytes.
	Bandwidth float64 `json:"bandwidth,omitempty"`
	Size      int64   `json:"size,omitempty"`
	// ReadLatency and WriteLatency are those of one small I/O alone, in seconds.
	ReadLatency  float64 `json:"read_latency,omitempty"`
	WriteLatency float64 `json:"write_latency,omitempty"`
}

// Disks is the number of disks of a node, at least 1.
func (s *System) Disks() float64 { return float64(max(1, s.Disk.Count)) }

// Copies is the number of replicas, at least 1.
func (s *System) Copies() float64 { return float64(max(1, s.Replicas)) }

// Published is what a report of somebody says, or a run of ours: the system, scales,
// and what was concluded from them.
type Published struct {
	Name   string           `json:"name"`
	Source string           `json:"source,omitempty"`
	System System           `json:"system"`
	Scales []PublishedScale `json:"scales,omitempty"`
	// LoopRun and LoopIdle are the seconds for which a volume's load runs and pauses,
	// where volumes loop without a common clock.
	LoopRun  float64 `json:"loop_run,omitempty"`
	LoopIdle float64 `json:"loop_idle,omitempty"`
	// FileSize is the data that each volume's load walks over, in bytes.
	FileSize int64 `json:"file_size,omitempty"`
	// Control is how many volumes the control plane carried, Rebuilds how long
	// replicas took to be made again.
	Control  []ControlPoint `json:"control,omitempty"`
	Rebuilds []Rebuild      `json:"rebuilds,omitempty"`
}

// PublishedScale is a scale with what its author says about it.
type PublishedScale struct {
	Scale
	// Merge is how many I/Os of the volume the layers below are said to make one device
	// I/O of; 0 is not said.
	Merge float64 `json:"merge,omitempty"`
	// Local is what one disk reached without the storage system, in the metric's unit,
	// or in seconds for a scale of latencies; 0 is not said.
	Local float64 `json:"local,omitempty"`
	// Stated are the totals as printed, and the rounding of the figures per volume and
	// of what was offered to each, in the order of Points: half a unit of the last
	// digit. A total of 0 was not printed.
	Stated          []float64 `json:"stated,omitempty"`
	Rounding        []float64 `json:"rounding,omitempty"`
	OfferedRounding []float64 `json:"offered_rounding,omitempty"`
	// Claims are capacities that the author states, InLine that it grows in line with
	// the nodes, and Binds which resource is said to bind.
	Claims []Claim  `json:"claims,omitempty"`
	InLine bool     `json:"in_line,omitempty"`
	Binds  Resource `json:"binds,omitempty"`
}

// Claim is a capacity that an author states somewhere, in the metric's unit. Of is
// "total" or, for the most that one volume reaches, "volume".
type Claim struct {
	Where string  `json:"where"`
	Value float64 `json:"value"`
	Of    string  `json:"of,omitempty"`
}

// ControlPoint is how many volumes a cluster's control plane carried. SlowsAt is the
// number from which starting them became slower. The rest is as stated; 0 is not said.
type ControlPoint struct {
	Nodes           int `json:"nodes"`
	Volumes         int `json:"volumes"`
	SlowsAt         int `json:"slows_at,omitempty"`
	VolumesPerNode  int `json:"volumes_per_node,omitempty"`
	ReplicasPerNode int `json:"replicas_per_node,omitempty"`
}

// Rebuild is how long it took to make a replica again, in seconds. Volume is the size
// of the volume, Data what lies in it, Extent the length of its pieces (0: one piece).
type Rebuild struct {
	Volume  int64   `json:"volume"`
	Data    int64   `json:"data"`
	Extent  int64   `json:"extent,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Resource is something that can be full.
type Resource string

// The resources. LimitPerVolume is what one volume reaches however large the cluster
// is; LimitOperations and LimitBytes are what a measured capacity stands for where nobody said what
// the hardware is.
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

// Name is what the resource is called in a sentence.
func (r Resource) Name() string { return resourceNames[r] }
