package postgres

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// shared is a server's shared memory outside its directory: a System V segment, which reserves the
// directory for one server, and files in /dev/shm. The server removes them itself, unless it is
// killed.
type shared struct {
	pid, segment int
	files        []string
}

// sharedFile matches the name of a server's dynamic shared memory.
var sharedFile = regexp.MustCompile(`/dev/shm/PostgreSQL\.\d+$`)

// sharedOf finds a running server's shared memory: its segment is in the seventh line of
// postmaster.pid, and the files are mapped.
func sharedOf(workDir *os.Root, pid int) *shared {
	s := &shared{pid: pid, segment: -1}
	text, err := workDir.ReadFile("data/postmaster.pid")
	if lines := strings.Split(string(text), "\n"); err == nil && len(lines) > 6 {
		if keyAndID := strings.Fields(lines[6]); len(keyAndID) == 2 {
			if id, err := strconv.Atoi(keyAndID[1]); err == nil {
				s.segment = id
			}
		}
	}
	maps, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "maps"))
	for line := range strings.Lines(string(maps)) {
		if name := sharedFile.FindString(strings.TrimSpace(line)); name != "" && !slices.Contains(s.files, name) {
			s.files = append(s.files, name)
		}
	}
	return s
}

// The server lists its dynamic shared memory in one of those files: this magic number, how many
// entries there are (32 bits each) and how many fit, then entries of 40 bytes that begin with the
// number in a file's name (PostgreSQL's storage/ipc/dsm.c, the same from 14 to 18 on 64-bit
// machines).
const (
	dsmMark                        = 0x9a503d32
	dsmHead, dsmEntry, mostEntries = 16, 40, 10_000
)

// all returns the mapped files and those that they list.
func (s *shared) all() []string {
	list := slices.Clone(s.files)
	for _, name := range s.files {
		data, err := os.ReadFile(name)
		if err != nil || len(data) < dsmHead || binary.NativeEndian.Uint32(data) != dsmMark {
			continue
		}
		for i := range min(binary.NativeEndian.Uint32(data[4:]), mostEntries) {
			if at := dsmHead + int(i)*dsmEntry; at+4 <= len(data) {
				list = append(list, fmt.Sprintf("/dev/shm/PostgreSQL.%d", binary.NativeEndian.Uint32(data[at:])))
			}
		}
	}
	return list
}

// remove removes what a server that has ended has left, if it is still that server's own. Server
// processes that have not noticed yet keep their memory until they do.
func (s *shared) remove(uid int) {
	if s == nil {
		return
	}
	var d unix.SysvShmDesc
	if s.segment >= 0 {
		if _, err := unix.SysvShmCtl(s.segment, unix.IPC_STAT, &d); err == nil && int(d.Cpid) == s.pid && int(d.Perm.Cuid) == uid {
			_, _ = unix.SysvShmCtl(s.segment, unix.IPC_RMID, nil)
		}
	}
	for _, name := range s.all() {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == uid {
			_ = os.Remove(name)
		}
	}
}
