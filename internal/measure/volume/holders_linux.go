package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A device may be used without the kernel's knowing: an NBD or iSCSI server and a virtual
// machine only have it open. Who has what open stands under /proc/PID/fd, for root of all
// processes of this PID namespace, for others of their own.

// inode is what tells files and devices apart.
type inode struct{ dev, ino, rdev uint64 }

// same reports whether a descriptor is one of the object: of the device by whatever node, or
// of the file.
func (n inode) same(other inode) bool {
	if n.rdev != 0 || other.rdev != 0 {
		return n.rdev == other.rdev
	}
	return n.dev == other.dev && n.ino == other.ino
}

// inodeOf looks at an open descriptor of some process. It asks no server that a network
// filesystem may have lost, which could take for ever.
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

// holder finds a process that has the object open and has not got it from us. Of what the
// object is made of only writers count: many programs look at a whole disk.
func (o *Object) holder(who openers) (found holder, is bool) {
	self := fmt.Sprintf("/proc/self/fd/%d", o.File().Fd())
	own, ok := inodeOf(self)
	if !ok {
		return found, false
	}
	var below []inode
	if own.rdev != 0 {
		below = newKernel().below(own.rdev, 0)
	}
	// Without a lock nothing tells our own fio from others.
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

// keepsOpen reports whether a process has the object, or what it is made of, open and none of
// its descriptors is ours.
func keepsOpen(process, lock string, who openers, own inode, below []inode) bool {
	descriptors, err := os.ReadDir(process + "/fd")
	if err != nil {
		return false // it has ended, or is somebody else's
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
			continue // closed meanwhile
		}
		if itself && handedDown(string(info), lock) {
			return false
		}
		open = open || mayWrite(string(info)) || itself && who == all
	}
	return open
}

// lockOf is how fdinfo names the node that our lock is on: a device may have several, and
// the filesystem may call its device otherwise than stat(2) does. Empty without a lock.
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

// wholeLock reads a line "lock: 1: FLOCK ADVISORY WRITE 359 00:13:11691 0 EOF" and returns the
// node that it is on.
func wholeLock(line string) (node string, ok bool) {
	f := strings.Fields(line)
	if len(f) < 7 || f[0] != "lock:" || f[2] != "FLOCK" || f[4] != "WRITE" {
		return "", false
	}
	return f[6], true
}

// handedDown tells by the text of fdinfo (proc(5)) whether the descriptor is one of the open
// file that has the whole lock on the node that we hold: ours, as there can be only one.
// Descriptors that Loadline hands down, to fio and to workers of the same run, are such.
func handedDown(fdinfo, lock string) bool {
	for line := range strings.Lines(fdinfo) {
		if node, ok := wholeLock(line); ok && node == lock {
			return true
		}
	}
	return false
}

// mayWrite tells by the text of fdinfo whether the descriptor is one for writing.
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

// A look at all processes takes 0.1 ms for each. So that it stays a small part of a step's
// time, also on machines with thousands of them and with many workers on one device, the
// next look within a second, or within twenty times what the last one took, is left out.
const (
	looksApart  = time.Second
	lookingPart = 20
)

// guardHolders refuses an object that another process has open, and goes on having open.
func (o *Object) guardHolders(who openers) error {
	h := o.hold
	h.looking.Lock()
	defer h.looking.Unlock()
	if who == writers && system.Now().Before(h.lookAgain) {
		return nil
	}
	var found holder
	for end := system.Now().Add(brief); ; system.Sleep(100 * time.Millisecond) {
		began := system.Now()
		var is bool
		if found, is = o.holder(who); !is {
			now := system.Now()
			h.lookAgain = now.Add(max(looksApart, lookingPart*now.Sub(began)))
			return nil
		}
		if system.Now().After(end) {
			break
		}
	}
	return inUse(o.target, "is open in another process, "+found.String(), fmt.Sprintf("end it first, if the data may go: ps -p %d -f", found.pid))
}
