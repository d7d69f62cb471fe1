package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model/safetext"
)

// Environment describes the machine and the storage as found. A field that could not be read is empty;
// sizes are bytes.
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
	// Virtualization is the hypervisor ("kvm", "none", …) as far as it can be detected.
	Virtualization string `json:"virtualization,omitempty"`
	// CgroupCPU is the limit in cores and CgroupMemory in bytes; 0 means no limit.
	CgroupCPU    float64 `json:"cgroup_cpu,omitempty"`
	CgroupMemory int64   `json:"cgroup_memory,omitempty"`
	Storage      Storage `json:"storage"`
	// LogStorage is the storage of an application's log, if the log has its own volume.
	LogStorage *Storage `json:"log_storage,omitempty"`
	// Cluster is nil outside of Kubernetes.
	Cluster *Cluster `json:"cluster,omitempty"`
}

// Storage is what probing a volume found.
type Storage struct {
	// Filesystem is the filesystem type ("ext4", "tmpfs" …); empty for devices and images.
	Filesystem string `json:"filesystem,omitempty"`
	Mount      string `json:"mount,omitempty"`
	MountFrom  string `json:"mount_from,omitempty"`
	MountOpts  string `json:"mount_options,omitempty"`
	// Total, Used and Free refer to the filesystem, in bytes; Free is what this user may still write.
	Total int64 `json:"total,omitempty"`
	Used  int64 `json:"used,omitempty"`
	Free  int64 `json:"free,omitempty"`
	// Device is the kernel's name of the block device behind the volume ("vda"); DeviceChain lists the
	// partitions and loop devices that were followed to find it.
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
	// Memory is set if the data is in RAM (tmpfs, ramfs, or a loop device on one of them).
	Memory bool `json:"memory"`
	// MemoryPart is the device that is in RAM where others of the volume are not, as of a cache or a mirror.
	MemoryPart string `json:"memory_part,omitempty"`
	// Unseen is a clause that says why this machine does not show whether the data is in RAM; empty if it
	// does, or if the filesystem has no block device to look at (Remote).
	Unseen string `json:"unseen,omitempty"`
	// Untraced is set if nothing visible leads to what holds the data, neither a mount nor a device.
	Untraced bool `json:"untraced,omitempty"`
	// Direct is whether O_DIRECT works; nil if it does not apply or was not tried.
	Direct *bool `json:"direct,omitempty"`
	// DirectError is the kernel's error if it refused.
	DirectError string `json:"direct_error,omitempty"`
	// Bypassed is whether reads with O_DIRECT were seen to bypass the caches of this machine; nil if
	// unknown. BypassDetail is a clause that says how it was detected that they did not, or why it could
	// not be seen.
	Bypassed     *bool  `json:"bypassed,omitempty"`
	BypassDetail string `json:"bypass_detail,omitempty"`
	// Server is what an NBD or Ceph server reports about itself ("flush fua multi-conn").
	Server string `json:"server,omitempty"`
	// NoFlush is set if the server offers no flush: there is no way to ask it to put written data on
	// stable storage.
	NoFlush bool `json:"no_flush,omitempty"`
}

// networked lists the kernel's clients of a server on another machine, or on the host of this virtual
// machine, and one FUSE client: the caches of GlusterFS's own client leave out a file that was opened
// with O_DIRECT.
var networked = []string{
	"nfs", "nfs4", "cifs", "smb3", "ceph", "afs", "lustre", "gpfs", "beegfs", "pvfs2", "9p", "virtiofs", "vboxsf",
	"fuse.glusterfs",
}

// OnZFS reports whether ZFS's cache is between a volume and its disks: a dataset, a device whose file is in one, or a
// volume of ZFS (zd0), whose own counters count what the cache answers too.
func (s Storage) OnZFS() bool {
	return s.Filesystem == "zfs" || slices.ContainsFunc(s.DeviceChain, func(device string) bool {
		number, volume := strings.CutPrefix(device, "zd")
		_, err := strconv.Atoi(number)
		return device == "zfs" || volume && err == nil
	})
}

// DirectFix says what to change where O_DIRECT is accepted and a cache of this machine answers.
func (s Storage) DirectFix() string {
	if !s.OnZFS() || strings.Contains(s.BypassDetail, "page cache") {
		return "remove what prevents direct I/O (ext4: data=journal; losetup without --direct-io=on)"
	}
	dataset := "DATASET"
	if s.Filesystem == "zfs" && s.MountFrom != "" {
		dataset = safetext.ShellWord(s.MountFrom)
	}
	return "let ZFS cache only metadata while this is measured (zfs get primarycache " + dataset + " shows the setting to return to, zfs set primarycache=metadata " + dataset +
		" changes it; zfs list -t filesystem,volume lists the names)"
}

// DirectUnknownFix says what to do where O_DIRECT is accepted and nothing shows whether a cache of this machine answers.
func (s Storage) DirectUnknownFix() string {
	if s.OnZFS() {
		return "measure a directory in which Loadline may write, or write data to the beginning of what is measured first"
	}
	return "measure a directory in which Loadline may write, or the device itself"
}

// Networked reports whether the filesystem is a client of a server elsewhere, whose cache is part of
// that storage.
func (s Storage) Networked() bool { return slices.Contains(networked, s.Filesystem) }

// Userspace reports whether a process of this machine serves the filesystem (FUSE) and may answer from
// memory whatever the kernel was asked for. What it is mounted from says nothing about that: rclone
// writes "remote:" there, as if it were a server.
func (s Storage) Userspace() bool {
	return strings.HasPrefix(s.Filesystem, "fuse") && !s.Networked()
}

// Remote reports whether no block device of this machine is visible behind the filesystem: network
// filesystems, those served by a process (FUSE), and also an overlay or ZFS.
func (s Storage) Remote() bool {
	return s.Filesystem != "" && !s.Memory && s.Device == "" && len(s.DeviceChain) == 1 && s.DeviceChain[0] == s.Filesystem
}

// fillLimit is the maximum share of a filesystem in use after our writes: a full filesystem is slow, and other services may
// need the rest.
const fillLimit = 0.95

// Usable returns the most that ordinary users can ever have of the filesystem, in bytes; 0 if nothing is known of it.
func (s Storage) Usable() int64 { return s.Used + s.Free }

// Spare returns how many bytes may still be written to the filesystem without filling it beyond 95 % (computed
// like df: used / (used + free)).
func (s Storage) Spare() int64 {
	return max(0, min(int64(fillLimit*float64(s.Usable()))-s.Used, s.Free))
}

// Export returns the server and export that is mounted ("10.0.0.3:/export", "//files/data"), the same
// on every machine; empty if no server name is visible.
func (s Storage) Export() string {
	if s.Remote() && (strings.Contains(s.MountFrom, ":") || strings.HasPrefix(s.MountFrom, "//")) {
		return s.MountFrom
	}
	return ""
}
