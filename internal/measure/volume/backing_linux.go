package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
)

// A loop device's file is known by two things: the name in sysfs, and the numbers of its filesystem and
// inode, which the loop device itself reports. The name is that of the mount namespace in which the
// file was opened, when it was opened: it may lead nowhere from here, or to another file. So a name
// counts only if the file found there has these numbers.

// view is the mounts that a process sees, and where its root directory is for us.
type view struct {
	root   string // "/proc/123/root"; empty for ourselves
	mounts []procfs.Mount
}

// views returns our own view first, then one for every other mount namespace or root directory that
// a visible process has.
func (k *kernel) views() []view {
	if k.seen != nil {
		return k.seen
	}
	k.seen = []view{{mounts: k.mounts}}
	if k.proc == "" {
		return k.seen
	}
	known := map[[2]string]bool{rootOf(k.proc + "/self"): true}
	processes, _ := filepath.Glob(k.proc + "/[0-9]*")
	for _, process := range processes {
		if own := rootOf(process); !known[own] {
			known[own] = true
			if mounts, err := mountsOf(process); err == nil {
				k.seen = append(k.seen, view{root: process + "/root", mounts: mounts})
			}
		}
	}
	return k.seen
}

// rootOf identifies the mount namespace and the root directory of a process: two processes with the same value see the same files.
func rootOf(process string) [2]string {
	namespace, _ := os.Readlink(process + "/ns/mnt")
	root, _ := os.Readlink(process + "/root")
	return [2]string{namespace, root}
}

// mountsOf reads the mounts that a process sees: all of them or none, because what is not known to be mounted
// would be taken for free.
func mountsOf(process string) ([]procfs.Mount, error) {
	f, err := os.Open(process + "/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mounts, err := procfs.Mounts(f)
	if err != nil {
		return nil, err
	}
	return mounts, nil
}

// place is a path within a view, and the mount that holds it.
type place struct {
	view
	procfs.Mount
	path string
	stat unix.Statx_t
}

// lookUp finds what is at an absolute path of a view, without asking the server of a network
// filesystem, and without following a symbolic link at its end.
func (v view) lookUp(path string) (p place, ok bool) {
	const (
		what = unix.STATX_BASIC_STATS | unix.STATX_MNT_ID
		how  = unix.AT_STATX_DONT_SYNC | unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	)
	p = place{view: v, path: path}
	switch {
	case !filepath.IsAbs(path), v.leadsToOthers(path):
		return p, false
	case v.root == "":
		if unix.Statx(unix.AT_FDCWD, path, how, what, &p.stat) != nil {
			return p, false
		}
	default:
		fd, err := v.open(path)
		if err != nil {
			return p, false
		}
		defer unix.Close(fd)
		if unix.Statx(fd, "", how|unix.AT_EMPTY_PATH, what, &p.stat) != nil {
			return p, false
		}
	}
	if p.stat.Mask&unix.STATX_MNT_ID == 0 { // before Linux 5.8
		p.Mount, ok = procfs.Holding(v.mounts, path)
		return p, ok
	}
	for _, m := range v.mounts {
		if uint64(m.ID) == p.stat.Mnt_id {
			p.Mount = m
			return p, true
		}
	}
	return p, false
}

// open opens a path of another process's view, for nothing but its numbers. Any user can be that process,
// so no symbolic link is followed: it may lead to a filesystem that never answers.
func (v view) open(path string) (int, error) {
	root, err := unix.Open(v.root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	return unix.Openat2(root, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS,
	})
}

// leadsToOthers reports whether a path may lead into a filesystem for which another process or machine
// answers, and which may never do so. A file on one is found by the number of its mount instead.
func (v view) leadsToOthers(path string) bool {
	return slices.ContainsFunc(v.mounts, func(m procfs.Mount) bool {
		_, above := procfs.Holding([]procfs.Mount{m}, path)
		return above && mayHang(m.Type)
	})
}

// mayHang reports whether another process or machine answers for what is in a filesystem.
func mayHang(fstype string) bool {
	s := model.Storage{Filesystem: fstype}
	return fstype == "autofs" || s.Networked() || s.Userspace()
}

// chainOfBacking follows a loop device's backing file (or device) to what holds it.
func (k *kernel) chainOfBacking(loop, backing string, depth int) []link {
	content, known := loopContent(loop)
	var chain []link
	switch major, minor := unix.Major(content.dev), unix.Minor(content.dev); {
	case !known:
		return append(k.chainOfName(backing, depth), link{unseen: "this user cannot ask " + loop + " which file it has"})
	case content.rdev != 0:
		return k.chainOfDevice(unix.Major(content.rdev), unix.Minor(content.rdev), depth)
	case major != 0:
		return k.chainOfDevice(major, minor, depth)
	default:
		chain = k.chainOfAnonymous(loop, backing, content, depth)
	}
	for _, l := range chain {
		if l.disk || l.memory || l.unseen != "" {
			return chain
		}
	}
	return append(chain, link{unseen: fmt.Sprintf("no block device of this machine stands behind %s, which holds the file of %s", chain[len(chain)-1].name, loop)})
}

// chainOfName follows a file by nothing but its name.
func (k *kernel) chainOfName(backing string, depth int) []link {
	var st unix.Stat_t
	if unix.Stat(backing, &st) != nil {
		return nil
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return k.chainOfDevice(unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev)), depth)
	}
	if p, ok := k.views()[0].lookUp(backing); ok {
		return k.chainOfPlace(p, depth)
	}
	return nil
}

// chainOfAnonymous follows a file whose filesystem has no device number of its own, like tmpfs, btrfs
// and overlays. The number of a btrfs subvolume and of an overlay's layer is not that of the mount, so
// the file's name is tried first, and the mount points of btrfs last.
func (k *kernel) chainOfAnonymous(loop, backing string, content inode, depth int) []link {
	if content.dev == sharedMemory() {
		return []link{{name: "tmpfs", memory: true}}
	}
	for _, v := range k.views() {
		if p, ok := v.lookUp(backing); ok && p.is(content) {
			return k.chainOfPlace(p, depth)
		}
	}
	for _, v := range k.views() {
		for _, m := range v.mounts {
			if unix.Mkdev(m.Major, m.Minor) != content.dev {
				continue
			}
			if m.Type == "overlay" {
				return []link{{name: m.Type}, k.hiddenLayer(loop+" has a file on an overlay under a name that is not known", m)}
			}
			return k.chainOfMount(m, depth)
		}
	}
	for _, v := range k.views() {
		for _, m := range v.mounts {
			if m.Type != "btrfs" {
				continue
			}
			if p, ok := v.lookUp(m.Point); ok && p.Mount.Type == "btrfs" && unix.Mkdev(p.stat.Dev_major, p.stat.Dev_minor) == content.dev {
				return k.chainOfMount(p.Mount, depth)
			}
		}
	}
	return []link{{untraced: true, unseen: fmt.Sprintf("the file of %s, %s, is on a filesystem (%d:%d) that no visible mount leads to",
		loop, backing, unix.Major(content.dev), unix.Minor(content.dev))}}
}

// is reports whether the place is that of a loop device's file.
func (p place) is(content inode) bool {
	return inode{dev: unix.Mkdev(p.stat.Dev_major, p.stat.Dev_minor), ino: p.stat.Ino}.same(content)
}

// sharedMemory returns the device number of the kernel's own tmpfs, which holds memfds and shared
// memory and is mounted nowhere; 0 if it cannot be had.
func sharedMemory() uint64 {
	fd, err := unix.MemfdCreate("loadline", unix.MFD_CLOEXEC)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return 0
	}
	return uint64(st.Dev)
}

// chainOfPlace follows a file to what holds its data: for an overlay, the layer that has it.
func (k *kernel) chainOfPlace(p place, depth int) []link {
	if p.Type != "overlay" || depth > maxChain {
		return k.chainOfMount(p.Mount, depth)
	}
	overlay := link{name: p.Type}
	inside := strings.TrimPrefix(p.path, strings.TrimSuffix(p.Point, "/"))
	for _, v := range k.views() {
		for _, layer := range v.layers(p.Mount) {
			file, ok := v.lookUp(filepath.Join(layer, p.Mount.Root, inside))
			covered := file.Major == p.Major && file.Minor == p.Minor // the overlay was mounted on its layer
			if ok && !covered && sameFile(p.stat, file.stat) {
				return append([]link{overlay}, k.chainOfPlace(file, depth+1)...)
			}
		}
	}
	return []link{overlay, k.hiddenLayer("it cannot be seen which layer of the overlay at "+p.Point+" has "+p.path, p.Mount)}
}
