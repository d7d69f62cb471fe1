// Package procfs reads the kernel's text files that several packages need: /proc/PID/mountinfo, /proc/PID/cgroup and the
// counters of block devices in /sys. Its assumptions: the kernel wrote them, so a line that cannot be read is a
// line of a kernel that we do not know; and it knows nothing of why they are read.
package procfs

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Mount is one line of /proc/PID/mountinfo (proc_pid_mountinfo(5)): which filesystem is mounted where.
type Mount struct {
	ID           int
	Major, Minor uint32
	// Root is the part of the filesystem that is mounted at Point.
	Root, Point string
	// Type is the filesystem's type, Source what it is on.
	Type, Source string
	// Options are those of the mount, Super those of the filesystem.
	Options, Super string
}

// Mounts reads mountinfo; later mounts cover earlier ones. It returns all lines that can be read, and an
// error if there is another.
func Mounts(r io.Reader) ([]Mount, error) {
	var mounts []Mount
	var bad error
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // an overlay mount lists all its layers in one line
	for lines.Scan() {
		if m, err := parse(lines.Text()); err == nil {
			mounts = append(mounts, m)
		} else {
			bad = cmp.Or(bad, err)
		}
	}
	return mounts, cmp.Or(bad, lines.Err())
}

func parse(line string) (Mount, error) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Split(left, " "), strings.Split(right, " ")
	if !ok || len(l) < 6 || len(r) < 3 {
		return Mount{}, fmt.Errorf("mountinfo has a line that cannot be read: %q", line)
	}
	major, minor, err := ParseDevice(l[2])
	if err != nil {
		return Mount{}, fmt.Errorf("mountinfo has a line that cannot be read: %q", line)
	}
	id, err := strconv.Atoi(l[0])
	if err != nil {
		return Mount{}, fmt.Errorf("mountinfo has a line that cannot be read: %q", line)
	}
	return Mount{
		ID: id, Major: major, Minor: minor, Root: Unescape(l[3]), Point: Unescape(l[4]), Options: l[5],
		Type: r[0], Source: Unescape(r[1]), Super: r[2],
	}, nil
}

// ParseDevice reads the number of a device: "254:0".
func ParseDevice(s string) (major, minor uint32, err error) {
	a, b, _ := strings.Cut(strings.TrimSpace(s), ":")
	ma, err := strconv.ParseUint(a, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	mi, err := strconv.ParseUint(b, 10, 32)
	return uint32(ma), uint32(mi), err
}

// Unescape undoes the kernel's octal escapes (\040) for spaces, tabs, newlines and backslashes.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Holding finds the mount that holds a clean absolute path: the one with the longest mount point above it, and
// the last one if several were mounted there.
func Holding(mounts []Mount, path string) (Mount, bool) {
	var best Mount
	found := false
	for _, m := range mounts {
		if (path == m.Point || m.Point == "/" || strings.HasPrefix(path, m.Point+"/")) && (!found || len(m.Point) >= len(best.Point)) {
			best, found = m, true
		}
	}
	return best, found
}

// AllOptions joins the options of the mount and of the filesystem without duplicates.
func (m Mount) AllOptions() string {
	all := strings.Split(m.Options, ",")
	seen := map[string]bool{}
	for _, o := range all {
		seen[o] = true
	}
	for _, o := range strings.Split(m.Super, ",") {
		if !seen[o] && o != "" && !(o == "rw" && seen["ro"]) {
			seen[o] = true
			all = append(all, o)
		}
	}
	return strings.Join(all, ",")
}

// Controls reports whether it is a hierarchy of version 1's cgroups (cgroups(7)) with that controller.
func (m Mount) Controls(controller string) bool {
	return m.Type == "cgroup" && slices.Contains(strings.Split(m.Super, ","), controller)
}
