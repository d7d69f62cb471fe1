package cluster

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// MissingShared returns why volumes that several nodes use at once are unavailable here,
// although the cluster itself is available; "" if they are available.
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

// brick is the configuration of a GlusterFS server: a directory, read and written as its clients
// request, with direct I/O if they do, and without caching.
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
// and makes a StorageClass, whose name it returns. The volumes of the class are directories
// on the server.
func (c *Cluster) StartShared(n int) (class string, err error) {
	if err := errors.Join(os.MkdirAll(c.sharedData(n), 0o755), os.MkdirAll(c.shared(n), 0o700)); err != nil {
		return "", err
	}
	file := filepath.Join(c.shared(n), "brick.vol")
	if err := os.WriteFile(file, fmt.Appendf(nil, brick, c.sharedData(n), address(n)), 0o600); err != nil {
		return "", err
	}
	server := inNetwork(nodeName(n), "glusterfsd", "--no-daemon", "--volfile="+file, "--log-file="+filepath.Join(c.shared(n), "brick.log"))
	if err := daemon(c.shared(n), "glusterfsd", server...); err != nil {
		return "", err
	}
	return sharedName(n), c.apply(strings.NewReplacer("NAME", sharedName(n), "SERVER", address(n)).Replace(sharedClass))
}

// EndShared removes the class and ends the server, whose volumes are gone with it. A
// remaining client is an error: it would wait for its server for ever.
func (c *Cluster) EndShared(n int) error {
	err := c.kubectl("delete", "storageclass", sharedName(n), "--ignore-not-found")
	if !wait(time.Minute, func() bool { return len(sharedClients(n)) == 0 }) {
		err = errors.Join(err, fmt.Errorf("clients of the shared volumes are still there: %s", strings.Join(sharedClients(n), "; ")))
	}
	c.endServer(n)
	return errors.Join(err, os.RemoveAll(c.sharedData(n)), os.RemoveAll(c.shared(n)))
}

func (c *Cluster) endServer(n int) { end(filepath.Join(c.shared(n), "glusterfsd.pid")) }

// sharedClients returns the command lines of the processes behind the mounted volumes of a
// node's server.
func sharedClients(n int) (lines []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if err == nil && filepath.Base(args[0]) == "glusterfs" && slices.Contains(args, "--volfile-id="+address(n)+":/shared") {
			lines = append(lines, strings.Join(args, " "))
		}
	}
	return lines
}

func sharedName(n int) string              { return "shared-" + nodeName(n) }
func (c *Cluster) shared(n int) string     { return filepath.Join(c.dir, sharedName(n)) }
func (c *Cluster) sharedData(n int) string { return filepath.Join(c.Data(n), "shared") }
