package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// programs are the programs that a cluster needs, with their Debian packages.
var programs = map[string]string{
	"containerd": "containerd", "ctr": "containerd", "runc": "runc", "ip": "iproute2", "nsenter": "util-linux", "unshare": "util-linux",
	"losetup": "mount", "mkfs.ext4": "e2fsprogs", "qemu-storage-daemon": "qemu-system-common", "nbdfuse": "libnbd-bin", "fio": "fio",
	"blkid": "util-linux", "busybox": "busybox-static",
	"/usr/lib/cni/bridge": "containernetworking-plugins", "/usr/lib/cni/host-local": "containernetworking-plugins",
}

// memory is what three nodes, the control plane and the tests need, in KiB.
const memory = 4 << 20

// Missing returns why this machine cannot run the cluster; "" if it can.
func Missing() string {
	if os.Getuid() != 0 {
		return "it needs root"
	}
	for name, pkg := range programs {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Sprintf("%s is missing: apt-get install %s", name, pkg)
		}
	}
	for _, controller := range controllers {
		if _, err := os.Stat(filepath.Join("/sys/fs/cgroup", controller, "cgroup.procs")); err != nil {
			return "the nodes need the controllers of cgroup v1, and " + controller + " is not there"
		}
	}
	for _, device := range []string{"/dev/fuse", "/dev/loop-control"} {
		if _, err := os.Stat(device); err != nil {
			return "there is no " + device
		}
	}
	if free := available(); free < memory {
		return fmt.Sprintf("it needs %d MiB of memory, and %d are free", memory>>10, free>>10)
	}
	return refusedByKernel()
}

// refusedByKernel tries operations that a container may not be allowed to do.
func refusedByKernel() string {
	const try = prefix + "try"
	if err := run("ip", "netns", "add", try); err != nil {
		return "network namespaces cannot be made: " + err.Error()
	}
	defer func() { _ = run("ip", "netns", "del", try) }()
	if err := run("ip", "link", "add", try, "type", "bridge"); err != nil {
		return "bridges cannot be made: " + err.Error()
	}
	if err := run("ip", "link", "del", try); err != nil {
		return err.Error()
	}
	if err := run("unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "true"); err != nil {
		return "namespaces cannot be made: " + err.Error()
	}
	if err := run("losetup", "-f"); err != nil {
		return "there is no loop device: " + err.Error()
	}
	if err := os.MkdirAll(Home(), 0o700); err != nil {
		return err.Error()
	}
	dir, err := os.MkdirTemp(Home(), "try-")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	for _, sub := range []string{"lower", "upper", "work", "on"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return err.Error()
		}
	}
	on := filepath.Join(dir, "on")
	if err := run("mount", "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", dir, dir, dir), "overlay", on); err != nil {
		return "overlay filesystems cannot be mounted in " + Home() + ": " + err.Error()
	}
	if err := run("umount", on); err != nil {
		return err.Error()
	}
	return ""
}

// available returns how much memory is free, in KiB.
func available() int {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemAvailable:" {
			n, err := strconv.Atoi(f[1])
			if err == nil {
				return n
			}
		}
	}
	return 0
}
