package model

import "strings"

// Environment is the machine and the storage as they were found. A field that
// could not be read is empty; sizes are bytes.
type Environment struct {
	Hostname    string `json:"hostname,omitempty"`
	OS          string `json:"os,omitempty"`
	Kernel      string `json:"kernel,omitempty"`
	Arch        string `json:"arch,omitempty"`
	CPUModel    string `json:"cpu_model,omitempty"`
	CPUs        int    `json:"cpus,omitempty"`
	Governor    string `json:"cpu_governor,omitempty"`
	Memory      int64  `json:"memory,omitempty"`
	Clocksource string `json:"clocksource,omitempty"`
	// Virtualization is the hypervisor ("kvm", "none", …) as far as it shows itself.
	Virtualization string `json:"virtualization,omitempty"`
	// CgroupCPU is the limit in cores and CgroupMemory in bytes; 0 is no limit.
	CgroupCPU    float64 `json:"cgroup_cpu,omitempty"`
	CgroupMemory int64   `json:"cgroup_memory,omitempty"`
	Storage      Storage `json:"storage"`
	// LogStorage is that of an application's log, where it has a volume of its own.
	LogStorage *Storage `json:"log_storage,omitempty"`
	// Cluster is nil outside of Kubernetes.
	Cluster *Cluster `json:"cluster,omitempty"`
}

// Storage is what probing a volume found.
type Storage struct {
	// Filesystem is its type ("ext4", "tmpfs" …); empty for devices and images.
	Filesystem string `json:"filesystem,omitempty"`
	Mount      string `json:"mount,omitempty"`
	MountFrom  string `json:"mount_from,omitempty"`
	MountOpts  string `json:"mount_options,omitempty"`
	// Total, Used and Free are those of the filesystem, in bytes; Free is what
	// this user may still write.
	Total int64 `json:"total,omitempty"`
	Used  int64 `json:"used,omitempty"`
	Free  int64 `json:"free,omitempty"`
	// Device is the kernel's name of the block device behind the volume ("vda"),
	// found through partitions and loop devices only as far as DeviceChain shows.
	Device      string   `json:"device,omitempty"`
	DeviceChain []string `json:"device_chain,omitempty"`
	DeviceSize  int64    `json:"device_size,omitempty"`
	Model       string   `json:"model,omitempty"`
	// Rotational is nil when unknown.
	Rotational    *bool  `json:"rotational,omitempty"`
	WriteCache    string `json:"write_cache,omitempty"`
	Scheduler     string `json:"scheduler,omitempty"`
	LogicalBlock  int    `json:"logical_block,omitempty"`
	PhysicalBlock int    `json:"physical_block,omitempty"`
	ReadOnly      bool   `json:"read_only,omitempty"`
	// Memory tells that the data lives in RAM (tmpfs, ramfs, a loop device on them).
	Memory bool `json:"memory"`
	// Direct reports whether O_DIRECT works; nil when it does not apply or was not tried.
	Direct *bool `json:"direct,omitempty"`
	// DirectError is what the kernel said when it refused.
	DirectError string `json:"direct_error,omitempty"`
	// Bypassed tells what reading with O_DIRECT was seen to do: pass by the caches of this
	// machine, or not; nil when that was not seen. BypassDetail is a clause that says how
	// it was seen that they did not.
	Bypassed     *bool  `json:"bypassed,omitempty"`
	BypassDetail string `json:"bypass_detail,omitempty"`
	// Server is what an NBD or Ceph server says of itself ("flush fua multi-conn").
	Server string `json:"server,omitempty"`
	// NoFlush tells that the server offers no flush: nobody can ask it to put on
	// stable storage what was written.
	NoFlush bool `json:"no_flush,omitempty"`
}

// Remote reports whether the filesystem stands on no block device of this machine, as those
// of a network and those that a process serves (FUSE) do.
func (s Storage) Remote() bool {
	return s.Filesystem != "" && !s.Memory && s.Device == "" && len(s.DeviceChain) == 1 && s.DeviceChain[0] == s.Filesystem
}

// Export is what of which server is mounted ("10.0.0.3:/export", "//files/data"), the
// same on every machine; empty where no server's name shows.
func (s Storage) Export() string {
	if s.Remote() && (strings.Contains(s.MountFrom, ":") || strings.HasPrefix(s.MountFrom, "//")) {
		return s.MountFrom
	}
	return ""
}
