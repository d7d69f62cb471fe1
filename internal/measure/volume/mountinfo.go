package volume

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mount is one line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	id           int
	major, minor uint32
	// root is the part of the filesystem that is mounted at point.
	root, point string
	fstype      string
	source      string
	// options are those of the mount, super those of the filesystem.
	options, super string
}

// parseMounts reads mountinfo; later mounts cover earlier ones.
func parseMounts(r io.Reader) ([]mount, error) {
	var mounts []mount
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // an overlay mount lists all its layers in one line
	for lines.Scan() {
		m, err := parseMount(lines.Text())
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, m)
	}
	return mounts, lines.Err()
}

func parseMount(line string) (mount, error) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Split(left, " "), strings.Split(right, " ")
	if !ok || len(l) < 6 || len(r) < 3 {
		return mount{}, fmt.Errorf("mountinfo has a line that cannot be read: %q", line)
	}
	major, minor, err := parseDevice(l[2])
	if err != nil {
		return mount{}, fmt.Errorf("mountinfo has a line that cannot be read: %q", line)
	}
	id, err := strconv.Atoi(l[0])
	if err != nil {
		return mount{}, fmt.Errorf("mountinfo has a line that cannot be read: %q", line)
	}
	return mount{
		id: id, major: major, minor: minor, root: unescape(l[3]), point: unescape(l[4]), options: l[5],
		fstype: r[0], source: unescape(r[1]), super: r[2],
	}, nil
}

// parseDevice reads "254:0".
func parseDevice(s string) (major, minor uint32, err error) {
	a, b, _ := strings.Cut(strings.TrimSpace(s), ":")
	ma, err := strconv.ParseUint(a, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	mi, err := strconv.ParseUint(b, 10, 32)
	return uint32(ma), uint32(mi), err
}

// unescape undoes the kernel's octal escapes (\040) for spaces, tabs, newlines and backslashes.
func unescape(s string) string {
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

// mountOf finds the mount that holds a clean absolute path: the longest mount point above it, and the
// last one if several were mounted there.
func mountOf(mounts []mount, path string) (mount, bool) {
	var best mount
	found := false
	for _, m := range mounts {
		if (path == m.point || m.point == "/" || strings.HasPrefix(path, m.point+"/")) && (!found || len(m.point) >= len(best.point)) {
			best, found = m, true
		}
	}
	return best, found
}

// allOptions joins the options of the mount and of the filesystem without duplicates.
func (m mount) allOptions() string {
	all := strings.Split(m.options, ",")
	seen := map[string]bool{}
	for _, o := range all {
		seen[o] = true
	}
	for _, o := range strings.Split(m.super, ",") {
		if !seen[o] && o != "" && !(o == "rw" && seen["ro"]) {
			seen[o] = true
			all = append(all, o)
		}
	}
	return strings.Join(all, ",")
}
