package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A device may be in use without the kernel's marking it: an NBD or iSCSI server or a virtual machine
// merely has it open. /proc/PID/fd shows what a process has open: root sees all processes of this PID
// namespace, other users their own.

// inode identifies a file or device.
type inode struct{ dev, ino, rdev uint64 }

// same reports whether two descriptors refer to the same object: the same device, through any node,
// or the same file.
func (n inode) same(other inode) bool {
	if n.rdev != 0 || other.rdev != 0 {
		return n.rdev == other.rdev
	}
	return n.dev == other.dev && n.ino == other.ino
}

// inodeOf examines an open descriptor of a process. It does not query the server of a network
// filesystem, which could block forever if the server is gone.
func inodeOf(path string) (n inode, ok bool) {
	var st unix.Statx_t
	const what = unix.STATX_TYPE | unix.STATX_INO
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, what, &st); err != nil {
		return n, false
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFBLK:
		return inode{rdev: unix.Mkdev(st.Rdev_major, st.Rdev_minor)}, true
	case unix.S_IFREG:
		return inode{dev: unix.Mkdev(st.Dev_major, st.Dev_minor), ino: st.Ino}, true
	}
	return n, false
}

// holder is a process that has the object open.
type holder struct {
	pid  int
	name string
}

func (h holder) String() string { return fmt.Sprintf("%s (process %d)", h.name, h.pid) }

// holder finds a process that has the object open and did not get the descriptor from us. On the
// devices below it, only writers count: many programs read whole disks.
func (o *Object) holder(who openers) (found holder, is bool) {
	self := fmt.Sprintf("/proc/self/fd/%d", o.File().Fd())
	own, ok := inodeOf(self)
	if !ok {
		return found, false
	}
	var below []inode
	if own.rdev != 0 {
		for _, p := range newKernel().below(own.rdev, 0) {
			below = append(below, p.inode)
		}
	}
	// Without a lock our own fio cannot be told from other programs.
	lock := lockOf(o.File())
	if lock == "" && who == writers {
		return found, false
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if keepsOpen(process, lock, who, own, below) {
			return holder{pid: pid, name: processName(process)}, true
		}
	}
	return found, false
}

// keepsOpen reports whether a process has the object, or what it is built on, open and none of its
// descriptors came from us.
func keepsOpen(process, lock string, who openers, own inode, below []inode) bool {
	descriptors, err := os.ReadDir(process + "/fd")
	if err != nil {
		return false // it has ended, or belongs to another user
	}
	open := false
	for _, d := range descriptors {
		path := process + "/fd/" + d.Name()
		link, err := os.Readlink(path)
		if err != nil || !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "/memfd:") {
			continue
		}
		other, ok := inodeOf(path)
		if !ok {
			continue
		}
		itself := own.same(other)
		if !itself && !slices.ContainsFunc(below, other.same) {
			continue
		}
		info, err := os.ReadFile(process + "/fdinfo/" + d.Name())
		if err != nil {
			continue // closed in the meantime
		}
		if itself && handedDown(string(info), lock) {
			return false
		}
		open = open || mayWrite(string(info)) || itself && who == all
	}
	return open || who == all && mapsIt(process, own)
}

// mapsIt reports whether a process has the object mapped into its memory, which needs no descriptor once it is done.
// The kernel shows this to root only.
func mapsIt(process string, own inode) bool {
	mappings, err := os.ReadDir(process + "/map_files")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(mappings, func(m os.DirEntry) bool {
		mapped, ok := inodeOf(process + "/map_files/" + m.Name())
		return ok && own.same(mapped)
	})
}

// lockOf returns how fdinfo names the node that our lock is on: a device may have several, and the
// filesystem may report another device number than stat(2). It returns "" without a lock.
func lockOf(f *os.File) string {
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", f.Fd()))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if node, ok := wholeLock(line); ok {
			return node
		}
	}
	return ""
}

// wholeLock parses a line "lock: 1: FLOCK ADVISORY WRITE 359 00:13:11691 0 EOF" and returns the node
// it refers to.
func wholeLock(line string) (node string, ok bool) {
	f := strings.Fields(line)
	if len(f) < 7 || f[0] != "lock:" || f[2] != "FLOCK" || f[4] != "WRITE" {
		return "", false
	}
	return f[6], true
}

// handedDown reports whether fdinfo (proc(5)) shows a descriptor of the open file description that
// has the exclusive lock on our node. That one is ours, as there can be only one such lock.
// Descriptors that Loadline passes to fio and to workers of the same run are of this kind.
func handedDown(fdinfo, lock string) bool {
	for line := range strings.Lines(fdinfo) {
		if node, ok := wholeLock(line); ok && node == lock {
			return true
		}
	}
	return false
}

// mayWrite reports whether fdinfo shows a descriptor that is open for writing.
func mayWrite(fdinfo string) bool {
	for line := range strings.Lines(fdinfo) {
		if text, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(text), 8, 64)
			return err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return true
}

func processName(process string) string {
	text, err := os.ReadFile(process + "/comm")
	if err != nil {
		return "a process"
	}
	return strings.TrimSpace(string(text))
}

// Scanning all processes takes 0.1 ms of CPU time per process. To keep that a small part of a step's
// time, even with thousands of processes or many workers on one device, a scan is skipped within a
// second of the last one, or within twenty times the CPU time it took. Its duration would not do: on a
// busy machine one scan can wait for a second, and a process that opened the device in the next twenty
// would not be seen. Nor does the first scan count, for all openers: it also goes through the mappings of
// every process, which are tens of thousands where a browser runs.
const (
	minScanInterval    = time.Second
	scanIntervalFactor = 20
)

// guardHolders refuses an object that another process has open and keeps open.
func (o *Object) guardHolders(who openers) error {
	h := o.hold
	h.scanning.Lock()
	defer h.scanning.Unlock()
	if who == writers && system.Now().Before(h.nextScan) {
		return nil
	}
	var found holder
	for end := system.Now().Add(brief); ; system.Sleep(100 * time.Millisecond) {
		var is bool
		cost := threadTime(func() { found, is = o.holder(who) })
		if !is {
			h.nextScan = system.Now().Add(scanInterval(who, cost))
			return nil
		}
		if system.Now().After(end) {
			break
		}
	}
	return inUse(o.target, "is open in another process, "+found.String(), fmt.Sprintf("end it first, if the data may go: ps -p %d -f", found.pid))
}

// scanInterval returns how long after a scan that took this CPU time the next one for writers is due.
func scanInterval(who openers, cost time.Duration) time.Duration {
	if who == all {
		return minScanInterval
	}
	return max(minScanInterval, scanIntervalFactor*cost)
}

// threadTime returns the CPU time that f takes on this thread, in user and kernel mode (getrusage(2)); 0 if the kernel
// does not say.
func threadTime(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.Rusage
	known := unix.Getrusage(unix.RUSAGE_THREAD, &before) == nil
	f()
	if !known || unix.Getrusage(unix.RUSAGE_THREAD, &after) != nil {
		return 0
	}
	used := func(u unix.Rusage) time.Duration { return time.Duration(u.Utime.Nano() + u.Stime.Nano()) }
	return used(after) - used(before)
}
