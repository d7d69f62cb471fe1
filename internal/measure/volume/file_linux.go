package volume

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// notStorage lists kernel filesystems that hold no data.
var notStorage = map[string]bool{
	"proc": true, "sysfs": true, "cgroup": true, "cgroup2": true, "devtmpfs": true, "devpts": true, "tracefs": true, "debugfs": true,
	"securityfs": true, "bpf": true, "mqueue": true, "pstore": true, "configfs": true, "efivarfs": true, "fusectl": true,
}

// inMemory lists filesystems whose data is in RAM.
var inMemory = map[string]bool{"tmpfs": true, "ramfs": true, "hugetlbfs": true, "devtmpfs": true}

// probeFile probes a directory, a file, or a file that does not exist yet.
func probeFile(t model.Target, lookOnly bool) (model.Storage, error) {
	dir := t.Path
	fresh := MakesFile(t)
	if t.Kind == model.File && fresh {
		dir = filepath.Dir(t.Path)
	}
	s, err := filesystem(dir)
	if err != nil {
		return s, model.RefusedError(fmt.Sprintf("%s cannot be probed: %s", t.Name, env.Reason(err)), "check that it exists and may be read: ls -ld "+safetext.ShellWord(dir))
	}
	if notStorage[s.Filesystem] {
		return s, model.RefusedError(fmt.Sprintf("%s is on %s, a view of the kernel that stores no data", t.Name, s.Filesystem),
			"name a directory on a disk: df -h lists the filesystems")
	}
	if !fresh {
		return s, probeDirect(&s, t)
	}
	if s.ReadOnly {
		return s, writeRefusal(dir, unix.EROFS)
	}
	look := probeDirectory
	if lookOnly {
		look = lookAtDirectory
	}
	if err := look(&s, dir); err != nil {
		return s, err
	}
	if s.Spare() == 0 {
		return s, model.RefusedError(
			fmt.Sprintf("%s has no room to measure in: its filesystem %s is %.0f %% full, and Loadline leaves 5 %% of it free",
				t.Name, s.Mount, 100*float64(s.Used)/float64(max(1, s.Used+s.Free))),
			"make space, or name a directory on another filesystem: df -h")
	}
	return s, nil
}

// lookAtDirectory predicts, without writing, whether probeDirectory would be refused.
func lookAtDirectory(s *model.Storage, dir string) error {
	// Checked with the effective user ID, as open(2) does.
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return writeRefusal(dir, err)
	}
	room := s.Free
	if unix.Geteuid() == 0 {
		room = s.Total - s.Used // root may use the blocks reserved for it
	}
	if s.Total > 0 && room < probeBlock {
		return writeRefusal(dir, unix.ENOSPC)
	}
	return nil
}

// probeBlock is the minimum that a probe writes, in bytes.
const probeBlock = 4096

// filesystem describes the filesystem that holds the path: its type, mount, space and device.
func filesystem(path string) (model.Storage, error) {
	var s model.Storage
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return s, err
	}
	s.Total = int64(fs.Blocks) * fs.Frsize
	s.Used = int64(fs.Blocks-fs.Bfree) * fs.Frsize
	s.Free = int64(fs.Bavail) * fs.Frsize
	s.ReadOnly = fs.Flags&unix.ST_RDONLY != 0
	s.Filesystem = magicNames[uint32(fs.Type)]

	k := newKernel()
	if m, ok := procfs.Holding(k.mounts, path); ok {
		s.Filesystem, s.Mount, s.MountFrom, s.MountOpts = m.Type, m.Point, m.Source, m.AllOptions()
		chain := k.chainOfMount(m, 0)
		k.describe(&s, chain)
		if m.Type == "btrfs" && len(k.btrfsOthers(chain)) > 0 {
			s.Device = "" // no single device counts all that reaches the filesystem
		}
		if m.Type == "overlay" && !s.Memory {
			k.describeOverlay(&s, m, path)
		}
	} else if !inMemory[s.Filesystem] {
		s.Unseen = "the kernel does not show here what is mounted"
	}
	s.Memory = s.Memory || inMemory[s.Filesystem]
	return s, nil
}

// magicNames maps statfs(2)'s magic numbers to the common filesystems, for when mountinfo cannot be
// read (a sandbox without /proc).
var magicNames = map[uint32]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.RAMFS_MAGIC: "ramfs", unix.NFS_SUPER_MAGIC: "nfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.FUSE_SUPER_MAGIC: "fuse",
	unix.F2FS_SUPER_MAGIC: "f2fs", 0x2fc12fc1: "zfs", unix.PROC_SUPER_MAGIC: "proc", unix.SYSFS_MAGIC: "sysfs",
	unix.SMB2_SUPER_MAGIC: "cifs", unix.CEPH_SUPER_MAGIC: "ceph", unix.MSDOS_SUPER_MAGIC: "vfat", unix.HUGETLBFS_MAGIC: "hugetlbfs",
}

// probeDirectory writes one block to a temporary file, which shows whether the directory may be
// written, has room, and accepts direct I/O. Another 1 MiB shows whether that I/O is really direct.
func probeDirectory(s *model.Storage, dir string) error {
	f, done, err := scratch(dir, "probe")
	if err != nil {
		return writeRefusal(dir, err)
	}
	defer done()
	block, free, err := alignedBlock(s)
	if err != nil {
		return err
	}
	defer free()
	if _, err := f.WriteAt(block, 0); err != nil {
		return writeRefusal(dir, err)
	}
	if err := f.Sync(); err != nil {
		return writeRefusal(dir, err)
	}
	// Through the descriptor: the name may refer to another file by now.
	direct, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		setDirect(s, err)
		return nil
	}
	defer direct.Close()
	_, err = direct.WriteAt(block, 0)
	setDirect(s, err)
	if err != nil || s.Bypassed != nil {
		return nil
	}
	if err := writeOwn(direct, bypassSize); err != nil {
		s.BypassDetail = "writing " + units.FormatSize(bypassSize) + " to look failed: " + env.Reason(err)
		return nil
	}
	bypass.probe(s, direct, bypassSize, true)
	return nil
}

// probeDirect reads one block of an existing file or device with direct I/O.
func probeDirect(s *model.Storage, t model.Target) error {
	f, err := os.OpenFile(t.Path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be read: %s", t.Name, env.Reason(err)),
			"run as a user who may read it (often root), or name another target")
	}
	defer f.Close()
	direct, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		setDirect(s, err)
		return nil
	}
	defer direct.Close()
	block, free, err := alignedBlock(s)
	if err != nil {
		return err
	}
	defer free()
	// A single system call, so that a short file is not read twice.
	_, err = unix.Pread(int(direct.Fd()), block, 0)
	setDirect(s, err)
	if end, seekErr := f.Seek(0, io.SeekEnd); err == nil && seekErr == nil {
		bypass.probe(s, direct, end, false)
	}
	return nil
}

func setDirect(s *model.Storage, err error) {
	ok := err == nil
	s.Direct = &ok
	if err != nil {
		s.DirectError = env.Reason(err)
	}
}

// alignedBlock returns a block whose length and address direct I/O accepts.
func alignedBlock(s *model.Storage) (block []byte, free func(), err error) {
	b, err := unix.Mmap(-1, 0, max(probeBlock, s.LogicalBlock), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	return b, func() { _ = unix.Munmap(b) }, nil
}
