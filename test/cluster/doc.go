// Package cluster is a real Kubernetes on one machine: a control plane and nodes
// that are namespaces, each with its own containerd, kubelet and network address, a
// disk of known speed, StorageClasses on those disks, one of real Longhorn volumes with
// a replica on each, and one of a GlusterFS on a single one, which all nodes share. Its
// assumptions: what runs in pods is tested in pods, on a cluster whose right answers are
// known; it consists of Debian packages and Go modules only, it starts in ten
// seconds, and it leaves nothing.
//
// It needs root and the controllers of cgroup v1; Missing reports what else. All of it
// is in one directory, in network namespaces whose names begin with "loadline-",
// and behind the bridge loadline0, which has addresses of 198.18.0.0/15, a range for
// benchmarks. Authentication is minimal, because only this machine can reach it.
package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Options describe a cluster.
type Options struct {
	// Nodes is the number of nodes, at most 9.
	Nodes int
	// IOPS and Bandwidth (in bytes per second) are the limits of each node's disk. A node's disk for Longhorn's replicas
	// does ReplicaIOPS.
	IOPS, ReplicaIOPS, Bandwidth int64
	// DiskSize is the size of each disk, in bytes.
	DiskSize int64
	// Images are archives that every node gets. The first contains Helper.
	Images []string
	// Helper is the image of a shell with mkdir and rm.
	Helper string
	// Longhorn adds the StorageClass longhorn, whose volumes are real Longhorn engines;
	// MissingLonghorn reports what that needs.
	Longhorn bool
}

// Defaults returns three nodes, each with a disk of 1,000 I/Os and 100 MiB per second, and one of 300 I/Os per second for
// replicas: at 1,000, Longhorn's processes need more than two processors.
func Defaults() Options {
	return Options{Nodes: 3, IOPS: 1000, ReplicaIOPS: 300, Bandwidth: 100 << 20, DiskSize: 4 << 30}
}

// Cluster is a running cluster, or its remains.
type Cluster struct {
	Options
	// dir contains everything, bin the programs.
	dir, bin string
}

// The addresses: hosts of the bridge are net.1 (this machine), net.2 (control
// plane) and net.10 + n (node n); the pods of node n are podNet.n.0/24.
const (
	net    = "198.18.0."
	podNet = "198.19."
	api    = "https://" + net + "2"
	// service is where pods look for the API server.
	service  = "10.96.0.1"
	bridge   = "loadline0"
	prefix   = "loadline-"
	adminKey = "loadline-admin"
)

// readyTime bounds the start.
const readyTime = 5 * time.Minute

// Home returns the directory of the programs and, while it runs, the cluster.
func Home() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = "/var/cache"
	}
	return filepath.Join(dir, "loadline", "cluster")
}

// At returns the cluster of this machine; there is at most one.
func At(o Options) *Cluster {
	return &Cluster{Options: o, dir: filepath.Join(Home(), "run"), bin: filepath.Join(Home(), "bin")}
}

// Kubeconfig returns the file for access to the cluster as its administrator.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// Program returns the path of one of the programs that Build made, such as kubectl.
func (c *Cluster) Program(name string) string { return filepath.Join(c.bin, name) }

// Data returns the directory where a node's disk for volumes is mounted.
func (c *Cluster) Data(node int) string { return c.mountedAt(node, ForVolumes) }

// Logs returns the logs of all parts, for failures.
func (c *Cluster) Logs() []string {
	logs, _ := filepath.Glob(filepath.Join(c.dir, "*", "*.log"))
	return logs
}

func (c *Cluster) node(n int) string { return filepath.Join(c.dir, nodeName(n)) }
func (c *Cluster) disk(n int, of Purpose) string {
	return filepath.Join(c.dir, fmt.Sprintf("%s%d", of, n))
}

// mountedAt returns the directory where one of a node's disks is mounted.
func (c *Cluster) mountedAt(n int, of Purpose) string {
	if of == ForVolumes {
		return filepath.Join(c.node(n), "data")
	}
	return filepath.Join(c.node(n), string(of))
}
func (c *Cluster) control() string   { return filepath.Join(c.dir, "control") }
func nodeName(n int) string          { return fmt.Sprintf("node%d", n) }
func address(n int) string           { return fmt.Sprintf("%s%d", net, 10+n) }
func namespaceOf(name string) string { return prefix + name }
func (c *Cluster) each(do func(n int) error) error {
	failed := make(chan error, c.Nodes)
	for n := 1; n <= c.Nodes; n++ {
		go func() { failed <- do(n) }()
	}
	var err error
	for range c.Nodes {
		if e := <-failed; e != nil && err == nil {
			err = e
		}
	}
	return err
}

// Up starts the cluster and waits until every node is ready. The remains of an earlier
// one are taken down first. After an error nothing is left.
func (c *Cluster) Up() (err error) {
	if err := c.Down(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, c.lastWords())
			_ = c.Down()
		}
	}()
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	if err := c.makePause(); err != nil {
		return err
	}
	disks := make(chan error, 1)
	go func() { disks <- c.each(c.makeDisks) }()
	if err := c.startControl(); err != nil {
		<-disks
		return err
	}
	if err := <-disks; err != nil {
		return err
	}
	if err := c.each(c.StartNode); err != nil {
		return err
	}
	if err := c.startProvisioner(); err != nil {
		return err
	}
	return c.waitReady()
}

// Down takes the cluster down and removes everything except the programs. It may be
// called at any time, also for the remains of a killed one.
func (c *Cluster) Down() error {
	c.endProvisioner()
	for n := 1; n <= 9; n++ {
		c.endServer(n)
		c.endNode(n)
	}
	c.endControl()
	for n := 1; n <= 9; n++ {
		if err := c.endDisks(n); err != nil {
			return err
		}
	}
	return os.RemoveAll(c.dir)
}
