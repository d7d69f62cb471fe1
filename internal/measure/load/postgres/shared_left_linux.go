package postgres

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// RemoveShared removes the shared memory left by the server of a working directory, if the server
// was killed together with the Loadline that would have removed it. Nothing runs in the directory
// any more, and no process is attached to what is removed.
func RemoveShared(workDir *os.Root) {
	if s, uid := sharedLeft(workDir); s != nil {
		s.remove(uid)
	}
}

// The System V segment begins with a header (PostgreSQL's storage/pg_shmem.h, the same since 14, on
// 64-bit machines): a magic number, its creator's PID, the number of the file that lists the
// server's dynamic shared memory, and the device and inode of the data directory.
const (
	segmentMark                             = 679834894
	segmentMaker, segmentList               = 4, 24
	segmentDevice, segmentInode, segmentEnd = 40, 48, 56
	// mostLines limits postmaster.pid, which has eight short lines and a path.
	mostLines = 16 << 10
)

// sharedLeft finds what a server that has ended has left behind, and its owner; nil if there is
// nothing, or no proof that it is this server's. The file that names the segment was written by the
// user that the server ran as, so it is trusted only if that user created the segment, with the
// PID, the key and the directory given in the file.
func sharedLeft(workDir *os.Root) (*shared, int) {
	data, err := workDir.Lstat("data")
	if err != nil || !data.IsDir() {
		return nil, 0
	}
	owner, ok := data.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, 0
	}
	lines := strings.Split(postmasterFile(workDir), "\n")
	if len(lines) < 7 {
		return nil, 0
	}
	pid, err := strconv.Atoi(lines[0])
	keyAndID := strings.Fields(lines[6])
	if err != nil || len(keyAndID) != 2 {
		return nil, 0
	}
	if pid < 0 {
		// A server without a postmaster, such as that of initdb, writes its PID as a negative number.
		pid = -pid
	}
	key, err1 := strconv.ParseUint(keyAndID[0], 10, 64)
	id, err2 := strconv.Atoi(keyAndID[1])
	var d unix.SysvShmDesc
	if err1 != nil || err2 != nil {
		return nil, 0
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d); err != nil ||
		d.Nattch != 0 || int(d.Cpid) != pid || d.Perm.Cuid != owner.Uid || d.Perm.Key != int32(key) {
		return nil, 0
	}
	head, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return nil, 0
	}
	defer func() { _ = unix.SysvShmDetach(head) }()
	number := binary.NativeEndian.Uint32
	if len(head) < segmentEnd || number(head) != segmentMark || int(number(head[segmentMaker:])) != pid ||
		binary.NativeEndian.Uint64(head[segmentDevice:]) != uint64(owner.Dev) || binary.NativeEndian.Uint64(head[segmentInode:]) != owner.Ino {
		return nil, 0
	}
	s := &shared{pid: pid, segment: id}
	name := fmt.Sprintf("/dev/shm/PostgreSQL.%d", number(head[segmentList:]))
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == owner.Uid {
			s.files = []string{name}
		}
	}
	return s, int(owner.Uid)
}

// postmasterFile reads postmaster.pid, which the server's user could have replaced with anything.
func postmasterFile(workDir *os.Root) string {
	f, err := workDir.OpenFile("data/postmaster.pid", os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(f, mostLines))
	return string(text)
}
