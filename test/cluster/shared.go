package cluster

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// MissingShared tells why volumes that several nodes use at once are not to be had here,
// where the cluster itself is; it is empty when they are.
func MissingShared() string {
	for _, name := range []string{"glusterfsd", "glusterfs"} {
		if _, err := exec.LookPath(name); err != nil {
			return name + " is missing: apt-get install glusterfs-client"
		}
	}
	return ""
}

//go:embed shared.yaml
var sharedClass string

// brick is what a GlusterFS server serves: a directory, read and written as its clients
// ask for it, with direct I/O where they do, and nothing kept in memory.
const brick = `volume posix
  type storage/posix
  option directory %s
end-volume
volume locks
  type features/locks
  subvolumes posix
end-volume
volume shared
  type performance/io-threads
  option thread-count 32
  subvolumes locks
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.socket.bind-address %s
  option transport.socket.listen-port 24007
  option auth.addr.shared.allow *
  subvolumes shared
end-volume
`

// StartShared starts a GlusterFS server on the disk of a node, at that node's address,
// and makes the StorageClass shared, whose volumes are directories of it.
func (c *Cluster) StartShared(n int) error {
	if err := os.MkdirAll(c.sharedData(n), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(c.shared(), 0o700); err != nil {
		return err
	}
	file := filepath.Join(c.shared(), "brick.vol")
	if err := os.WriteFile(file, fmt.Appendf(nil, brick, c.sharedData(n), address(n)), 0o600); err != nil {
		return err
	}
	server := inNetwork(nodeName(n), "glusterfsd", "--no-daemon", "--volfile="+file, "--log-file="+filepath.Join(c.shared(), "brick.log"))
	if err := daemon(c.shared(), "glusterfsd", server...); err != nil {
		return err
	}
	return c.apply(strings.ReplaceAll(sharedClass, "SERVER", address(n)))
}

// EndShared removes the class and ends the server, whose volumes are gone with it. A
// client that is still there is an error: it waits for its server for ever.
func (c *Cluster) EndShared(n int) error {
	err := c.kubectl("delete", "storageclass", "shared", "--ignore-not-found")
	c.endServer()
	if !wait(5*time.Second, func() bool { return len(c.sharedClients()) == 0 }) {
		err = errors.Join(err, fmt.Errorf("clients of the shared volumes are still there: %s", strings.Join(c.sharedClients(), "; ")))
	}
	return errors.Join(err, os.RemoveAll(c.sharedData(n)), os.RemoveAll(c.shared()))
}

func (c *Cluster) endServer() { end(filepath.Join(c.shared(), "glusterfsd.pid")) }

// sharedClients are the command lines of the processes behind mounted shared volumes.
func (c *Cluster) sharedClients() (lines []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		if args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00"); err == nil && filepath.Base(args[0]) == "glusterfs" && strings.Contains(string(line), c.dir) {
			lines = append(lines, strings.Join(args, " "))
		}
	}
	return lines
}

func (c *Cluster) shared() string          { return filepath.Join(c.dir, "shared") }
func (c *Cluster) sharedData(n int) string { return filepath.Join(c.Data(n), "shared") }
