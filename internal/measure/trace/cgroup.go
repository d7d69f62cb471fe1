package trace

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
)

// cgroups maps numbers to the cgroups that the block layer uses: those of version 1's blkio
// controller if it is mounted, otherwise those of version 2. The number is the inode of the cgroup's
// directory; the two versions number their cgroups independently.
//
// Under version 2 an I/O belongs to the nearest ancestor cgroup for which the io controller is
// enabled (cgroup.subtree_control): to its own cgroup if it runs under Kubernetes or systemd.
type cgroups struct {
	// root is the mount point, above the path within the hierarchy that is mounted there.
	root, above string
	// version1 is true for cgroups of version 1.
	version1  bool
	names     map[uint64]string
	refreshed time.Time
	clock     env.Clock
}

// newCgroups finds the mount point in a mountinfo file (proc_pid_mountinfo(5)); having none is not an
// error.
func newCgroups(clock env.Clock, text string) *cgroups {
	c := &cgroups{names: map[uint64]string{}, clock: clock}
	mounts, _ := procfs.Mounts(strings.NewReader(text))
	for _, m := range mounts {
		blkio := m.Controls("blkio")
		if blkio || m.Type == "cgroup2" && c.root == "" {
			c.root, c.above = m.Point, path.Clean("/"+m.Root)
		}
		if blkio {
			c.version1 = true
			break
		}
	}
	return c
}

// controller is the one of the hierarchy whose cgroups these are; version 2 has one for all, and no name.
func (c *cgroups) controller() string {
	if c.version1 {
		return "blkio"
	}
	return ""
}

// refresh reads the numbers of all cgroups. Removed cgroups stay known, since their processes' I/Os
// still have to be attributed.
func (c *cgroups) refresh() {
	c.refreshed = c.clock.Now()
	if c.root == "" {
		return
	}
	_ = filepath.WalkDir(c.root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // it may have been removed in the meantime
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			rel, err := filepath.Rel(c.root, name)
			if err == nil {
				c.names[st.Ino] = path.Join(c.above, filepath.ToSlash(rel))
			}
		}
		return nil
	})
}

// name returns a cgroup's path; "#" and the number if it was removed before it was seen; "" for 0.
func (c *cgroups) name(id uint64) string {
	if id == 0 {
		return ""
	}
	if name, ok := c.names[id]; ok {
		return name
	}
	if c.clock.Since(c.refreshed) > 500*time.Millisecond {
		c.refresh()
		if name, ok := c.names[id]; ok {
			return name
		}
	}
	return fmt.Sprintf("#%d", id)
}

// number returns the number of the cgroup with that path; 0 if there is none.
func (c *cgroups) number(at string) uint64 {
	find := func() uint64 {
		for id, name := range c.names {
			if name == at {
				return id
			}
		}
		return 0
	}
	id := find()
	if id == 0 && at != "" && c.clock.Since(c.refreshed) > 500*time.Millisecond {
		c.refresh()
		id = find()
	}
	return id
}

// paths returns the paths of all existing cgroups, sorted.
func (c *cgroups) paths() []string {
	c.refresh()
	var list []string
	for _, name := range c.names {
		list = append(list, name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inCgroups reports whether a cgroup is one of those or below one of them.
func inCgroups(name string, of []string) bool {
	return slices.ContainsFunc(of, func(dir string) bool {
		return name == dir || dir == "/" && name != "" || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
	})
}

// identifier matches a cgroup's name that contains a container ID: engines put a word before it and
// systemd ".scope" after it ("docker-…", "cri-containerd-…", "crio-…").
var identifier = regexp.MustCompile(`^(?:.*[-:])?([0-9a-f]{12,})(?:\.scope)?$`)

// podPart matches the part of a path that names a pod. The kubelet's systemd driver writes
// underscores where the UID has hyphens.
var podPart = regexp.MustCompile(`(?:^|[-/])pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?(?:/|$)`)

// podOf returns the UID of the pod to which a cgroup's path belongs.
func podOf(cgroup string) string {
	m := podPart.FindStringSubmatch(cgroup)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], "_", "-")
}

// minIdentifier is how many characters of a container ID the user must type.
const minIdentifier = 6

// containerCgroups returns the cgroups of the container whose ID has this prefix.
func (c *cgroups) containerCgroups(id string) ([]string, error) {
	if len(id) < minIdentifier || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, model.RefusedError(fmt.Sprintf("--container %q is not an identifier of a container", id),
			fmt.Sprintf("type its identifier, %d characters at least (docker ps, crictl ps), or name the cgroup with --cgroup", minIdentifier))
	}
	found := map[string][]string{}
	for _, p := range c.paths() {
		if whole := identifier.FindStringSubmatch(path.Base(p)); whole != nil && strings.HasPrefix(whole[1], id) {
			found[whole[1]] = append(found[whole[1]], p)
		}
	}
	switch len(found) {
	case 0:
		return nil, model.RefusedError(fmt.Sprintf("no cgroup below %s is that of a container %s", c.place(), id),
			"run this on the container's node, outside of containers, or name the cgroup with --cgroup")
	case 1:
		for _, paths := range found {
			return paths, nil
		}
	}
	return nil, model.RefusedError(fmt.Sprintf("%d containers begin with %s", len(found), id), "type more of the identifier")
}

// podCgroups returns the cgroups of a pod: by its UID, or by its name ("namespace/name" or "name"),
// for which the kubelet's logs on this node give the UID (/var/log/pods).
func (c *cgroups) podCgroups(pod, logs string) ([]string, error) {
	uids := []string{pod}
	if podPart.FindStringSubmatch("pod"+pod) == nil {
		uids = nil
		namespace, name, has := strings.Cut(pod, "/")
		if !has {
			namespace, name = "", pod
		}
		entries, _ := os.ReadDir(logs)
		for _, e := range entries {
			if f := strings.Split(e.Name(), "_"); len(f) == 3 && f[1] == name && (namespace == "" || f[0] == namespace) {
				uids = append(uids, f[2])
			}
		}
	}
	var found []string
	for _, p := range c.paths() {
		base := path.Base(p)
		if uid := podOf("/" + base); uid != "" && slices.ContainsFunc(uids, func(u string) bool { return strings.ReplaceAll(u, "_", "-") == uid }) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, model.RefusedError(fmt.Sprintf("no cgroup of a pod %s is on this machine", pod),
			"run this on the pod's node: a trace of a pod cannot yet be started from outside the cluster. If the pod's name is not found, give its UID (kubectl get pod -o yaml)")
	}
	return found, nil
}

// given returns the cgroup that the user named, which must exist.
func (c *cgroups) given(name string) ([]string, error) {
	at := path.Clean("/" + strings.TrimPrefix(strings.TrimPrefix(name, c.root), "/"))
	if !slices.Contains(c.paths(), at) {
		hint := "name its path below " + c.place()
		if near := suggest.Nearest(at, c.paths()); near != "" {
			hint = "--cgroup " + safetext.ShellWord(near)
		}
		return nil, model.RefusedError(fmt.Sprintf("there is no cgroup %s below %s", at, c.place()), hint)
	}
	return []string{at}, nil
}

// place describes where the cgroups are, for use in a sentence.
func (c *cgroups) place() string {
	if c.root == "" {
		return "/sys/fs/cgroup (nothing that the block layer knows is mounted)"
	}
	return c.root
}
