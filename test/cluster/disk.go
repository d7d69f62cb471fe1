package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Purpose is what a disk of a node is for. Each node has one disk for each, so that volumes of one kind
// can be measured while those of the other are in use.
type Purpose string

const (
	// ForVolumes is the disk of the volumes that stand on one node.
	ForVolumes Purpose = "disk"
	// ForReplicas is the disk of Longhorn's replicas. It exists if Options.Longhorn is set.
	ForReplicas Purpose = "replicas"
)

// makeDisks gives a node its disks.
func (c *Cluster) makeDisks(n int) error {
	if err := c.makeDisk(n, ForVolumes, c.IOPS); err != nil || !c.Longhorn {
		return err
	}
	return c.makeDisk(n, ForReplicas, c.ReplicaIOPS)
}

// makeDisk gives a node a disk of known speed, and verifies that it keeps data: QEMU's
// throttle, exported over NBD, turned back into a file by nbdfuse, a loop device on that,
// ext4. (QEMU's own FUSE export, which would be shorter, reuses the buffer of a write
// that is still in flight: concurrent writes corrupt each other.)
func (c *Cluster) makeDisk(n int, of Purpose, iops int64) error {
	dir, data := c.disk(n, of), c.mountedAt(n, of)
	mountpoint := filepath.Join(dir, "export")
	for _, d := range []string{mountpoint, data} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	raw, socket := filepath.Join(dir, "raw"), filepath.Join(dir, "nbd.sock")
	if err := os.WriteFile(raw, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(raw, c.DiskSize); err != nil {
		return err
	}
	// The throttle does not exist yet, so this runs at full speed.
	if err := run("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0", raw); err != nil {
		return err
	}
	if err := run("qemu-storage-daemon", "--daemonize", "--pidfile", filepath.Join(dir, "qemu.pid"),
		"--object", fmt.Sprintf("throttle-group,id=tg,x-iops-total=%d,x-bps-total=%d", iops, c.Bandwidth),
		"--blockdev", "driver=file,node-name=f,filename="+raw+",cache.direct=on,aio=io_uring", "--blockdev", "driver=raw,node-name=r,file=f",
		"--blockdev", "driver=throttle,node-name=t,throttle-group=tg,file=r",
		"--chardev", "socket,id=qmp,path="+filepath.Join(dir, "qmp.sock")+",server=on,wait=off", "--monitor", "chardev=qmp",
		"--nbd-server", "addr.type=unix,addr.path="+socket+",max-connections=0", "--export", "type=nbd,id=e,node-name=t,name=vol,writable=on"); err != nil {
		return err
	}
	export := filepath.Join(mountpoint, "disk")
	if err := daemon(dir, "nbdfuse", "nbdfuse", "-C", "16", export, "nbd+unix:///vol?socket="+socket); err != nil {
		return err
	}
	if !wait(time.Minute, func() bool { s, err := os.Stat(export); return err == nil && s.Size() == c.DiskSize }) {
		return fmt.Errorf("the %s of node %d did not appear", of, n)
	}
	out, err := exec.Command("losetup", "--sector-size", "4096", "--direct-io=on", "--show", "-f", export).CombinedOutput()
	if err != nil {
		return fmt.Errorf("losetup: %w: %s", err, out)
	}
	loop := strings.TrimSpace(string(out))
	if err := os.WriteFile(filepath.Join(dir, "loop"), []byte(loop), 0o600); err != nil {
		return err
	}
	if err := run("mount", loop, data); err != nil {
		return err
	}
	if err := verify(data); err != nil {
		return fmt.Errorf("the %s of node %d does not keep what is written: %w", of, n, err)
	}
	return nil
}

// verify writes blocks with their checksums, several at a time, and reads them back.
func verify(dir string) error {
	file := filepath.Join(dir, "verify")
	defer os.Remove(file)
	return run("fio", "--name=verify", "--filename="+file, "--size=32m", "--rw=randwrite", "--bs=64k", "--ioengine=libaio", "--iodepth=16",
		"--direct=1", "--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0")
}

// endDisks takes the disks of a node down. A disk that remains is an error: it would remain for ever.
func (c *Cluster) endDisks(n int) error {
	return errors.Join(c.endDisk(n, ForVolumes), c.endDisk(n, ForReplicas))
}

func (c *Cluster) endDisk(n int, of Purpose) error {
	dir, data := c.disk(n, of), c.mountedAt(n, of)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	mountpoint := filepath.Join(dir, "export")
	unmount(data)
	if loop, err := os.ReadFile(filepath.Join(dir, "loop")); err == nil {
		_ = run("losetup", "-d", string(loop))
	}
	unmount(mountpoint)
	end(filepath.Join(dir, "nbdfuse.pid"))
	end(filepath.Join(dir, "qemu.pid"))
	if mounted(mountpoint) || mounted(data) {
		return fmt.Errorf("the %s of node %d is still in use: see what uses %s", of, n, data)
	}
	return os.RemoveAll(dir)
}

// unmount unmounts what is mounted, once it is no longer in use.
func unmount(dir string) {
	wait(time.Minute, func() bool { return !mounted(dir) || run("umount", dir) == nil && !mounted(dir) })
}

func mounted(dir string) bool {
	mounts, err := os.ReadFile("/proc/self/mounts")
	return err == nil && strings.Contains(string(mounts), " "+dir+" ")
}
