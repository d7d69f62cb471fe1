package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// controllers are those of cgroup v1 that kubelet and runc use.
var controllers = []string{"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "systemd"}

// StartNode starts a node: its namespaces, and in them containerd, kubelet
// and the CSI driver (see Inside).
func (c *Cluster) StartNode(n int) error {
	name := nodeName(n)
	for _, controller := range controllers {
		if err := makeGroup(filepath.Join("/sys/fs/cgroup", controller, namespaceOf(name)), controller); err != nil {
			return err
		}
	}
	if err := join(name, address(n)); err != nil {
		return err
	}
	if err := run("ip", "route", "replace", podsOf(n), "via", address(n)); err != nil {
		return err
	}
	// This is the route from the API server back to the pods of a node.
	if err := run("ip", "-n", namespaceOf(control), "route", "replace", podsOf(n), "via", address(n)); err != nil {
		return err
	}
	if err := run("ip", "-n", namespaceOf(name), "route", "replace", service, "via", net+"2"); err != nil {
		return err
	}
	for other := 1; other <= c.Nodes; other++ {
		if other != n {
			if err := run("ip", "-n", namespaceOf(name), "route", "replace", podsOf(other), "via", address(other)); err != nil {
				return err
			}
		}
	}
	inside := []string{c.Program("cluster"), "inside", fmt.Sprint(n)}
	if c.Longhorn {
		inside = append(inside, LonghornFlag)
	}
	inside = append(append(inside, c.pauseArchive()), c.Images...)
	return daemon(c.node(n), "node", inNetwork(name, append([]string{"unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child=KILL",
		"--propagation", "private"}, inside...)...)...)
}

func makeGroup(dir, controller string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if controller != "cpuset" {
		return nil
	}
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		data, err := os.ReadFile(filepath.Join("/sys/fs/cgroup/cpuset", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// KillNode ends everything on a node at once, as a power cut does. Its disk and the
// images on it stay, for StartNode.
func (c *Cluster) KillNode(n int) {
	file := filepath.Join(c.node(n), "node.pid")
	if p := pid(file); p != 0 {
		// The first process of the node's process namespace dies with it, and so do all
		// others.
		_ = syscall.Kill(p, syscall.SIGKILL)
		wait(5*time.Second, func() bool { return !alive(p) })
	}
	_ = os.Remove(file)
	name := nodeName(n)
	for _, controller := range append([]string{"unified"}, controllers...) {
		group := filepath.Join("/sys/fs/cgroup", controller, namespaceOf(name))
		wait(5*time.Second, func() bool { return removeGroup(group) })
	}
	leave(name)
	// Loop devices of the node's volumes survive it.
	loops, _ := filepath.Glob(filepath.Join(c.node(n), "loops", "*"))
	for _, l := range loops {
		_ = run("losetup", "-d", "/dev/"+filepath.Base(l))
		_ = os.Remove(l)
	}
}

// removeGroup removes a control group and those below it; it returns false if one is still
// in use.
func removeGroup(dir string) bool {
	below, _ := filepath.Glob(filepath.Join(dir, "*", "cgroup.procs"))
	for _, b := range below {
		removeGroup(filepath.Dir(b))
	}
	return ignoreMissing(os.Remove(dir)) == nil
}

// endNode takes a node down permanently.
func (c *Cluster) endNode(n int) {
	c.KillNode(n)
	_ = run("ip", "route", "del", podsOf(n))
}

// Load loads an image on every running node.
func (c *Cluster) Load(archive string) error {
	return c.each(func(n int) error { return c.LoadOn(n, archive) })
}

// LoadOn loads an image on a running node.
func (c *Cluster) LoadOn(n int, archive string) error {
	p := pid(filepath.Join(c.node(n), "node.pid"))
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p, p))
	if err != nil {
		return fmt.Errorf("node %d does not run: %w", n, err)
	}
	first := strings.Fields(string(children))
	if len(first) == 0 {
		return fmt.Errorf("node %d has no process", n)
	}
	out, err := exec.Command("nsenter", "--target", first[0], "--mount", "--pid", "ctr", "--namespace", "k8s.io", "images", "import", archive).CombinedOutput()
	if err != nil {
		return fmt.Errorf("node %d does not take %s: %w: %s", n, archive, err, out)
	}
	return nil
}
