package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loadline/loadline/test/cluster/plugin"
)

// serverKey is the parameter of a class, and the attribute of a volume, that names the
// GlusterFS server on which the volume is a directory that every node may use.
const serverKey = "server"

// sharedID returns the ID of a shared volume, which is sufficient to remove it.
func sharedID(server, name string) string { return "shared_" + server + "_" + name }

// ofShared parses such an ID.
func ofShared(id string) (server, name string, is bool) {
	rest, is := strings.CutPrefix(id, "shared_")
	server, name, cut := strings.Cut(rest, "_")
	return server, filepath.Base(name), is && cut
}

// createShared makes a directory on the server. Its volume has no topology: every node
// can reach it.
func (d *volumes) createShared(server string, r *csi.CreateVolumeRequest, block bool) (*csi.CreateVolumeResponse, error) {
	if block {
		return nil, status.Error(codes.InvalidArgument, "a shared volume is a directory, so volumeMode Block is not to be had")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.onServer(server, func(root string) error {
		dir := filepath.Join(root, filepath.Base(r.Name))
		return errors.Join(os.MkdirAll(dir, 0o777), os.Chmod(dir, 0o777))
	})
	if err != nil {
		return nil, plugin.Internal(err)
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{VolumeId: sharedID(server, r.Name), CapacityBytes: r.GetCapacityRange().GetRequiredBytes(),
		VolumeContext: map[string]string{serverKey: server}}}, nil
}

func (d *volumes) deleteShared(server, name string) error {
	return d.onServer(server, func(root string) error { return os.RemoveAll(filepath.Join(root, name)) })
}

// onServer runs do in the server's own directory, which it mounts for that.
func (d *volumes) onServer(server string, do func(root string) error) error {
	root, err := os.MkdirTemp(d.state, "root-")
	if err != nil {
		return err
	}
	if err := d.mountShared(server, "", root); err != nil {
		return errors.Join(err, os.Remove(root))
	}
	return errors.Join(do(root), unix.Unmount(root, 0), os.Remove(root))
}

// client is the configuration of a GlusterFS client: requests go to the server, and nothing is cached.
const client = `volume shared
  type protocol/client
  option transport-type tcp
  option remote-host %s
  option remote-port 24007
  option remote-subvolume shared
end-volume
`

// mountShared mounts a directory of the server ("" for its own) at a path. The process
// behind the mount ends when that is unmounted.
func (d *volumes) mountShared(server, name, at string) error {
	file := filepath.Join(d.state, server+".vol")
	if err := os.WriteFile(file, fmt.Appendf(nil, client, server), 0o600); err != nil {
		return err
	}
	log := filepath.Join(d.logs, "glusterfs.log")
	// volfile-id is the source shown for the mount.
	args := []string{"--volfile=" + file, "--volfile-id=" + server + ":/shared", "--log-file=" + log, "--direct-io-mode=enable"}
	if name != "" {
		args = append(args, "--subdir-mount=/"+name)
	}
	out, err := exec.Command("glusterfs", append(args, at)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mounting a directory of %s: %w: %s (see %s)", server, err, out, log)
	}
	if err = reached(at); err != nil {
		err = fmt.Errorf("mounting a directory of %s: %w (see %s)", server, err, log)
		_ = unix.Unmount(at, unix.MNT_DETACH)
	}
	return err
}

// reached waits until the filesystem mounted at a path responds, which it does when it has
// reached its server.
func reached(at string) error {
	const limit = 30 * time.Second
	for end := time.Now().Add(limit); !plugin.Mounted(at); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("nothing is mounted after %s", limit)
		}
	}
	answered := make(chan error, 1)
	go func() {
		_, err := os.Stat(at)
		answered <- err
	}()
	select {
	case err := <-answered:
		return err
	case <-time.After(limit):
		return fmt.Errorf("it does not answer within %s", limit)
	}
}
