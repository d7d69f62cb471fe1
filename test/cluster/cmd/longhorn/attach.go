package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/test/cluster/plugin"
)

// volume is a volume that is in use on this node.
type volume struct {
	*driver
	settings
	id, target      string
	block, readOnly bool
	// replicas are the addresses of the replicas, by node.
	replicas map[string]string
	// control is the address of the controller.
	control                  string
	controller, shown, fused *process
	// over is closed to end care, and cared waits until it has ended.
	over  chan struct{}
	quit  sync.Once
	cared sync.WaitGroup
}

// short returns a name for sockets, whose paths must be short.
func (v *volume) short() string { return v.id[max(0, len(v.id)-12):] }

// dir has the sockets; export is where nbdfuse exposes the volume as the file "disk".
func (v *volume) dir() string    { return filepath.Join(v.state, v.short()) }
func (v *volume) export() string { return filepath.Join(v.dir(), "export") }

// attach makes the volume available to the pod.
func (v *volume) attach(ctx context.Context) error {
	if err := os.MkdirAll(v.export(), 0o755); err != nil {
		return err
	}
	if err := v.startReplicas(ctx); err != nil {
		return err
	}
	if err := v.startController(); err != nil {
		return err
	}
	device, err := v.makeDevice()
	if err != nil {
		return err
	}
	if err := v.mount(device); err != nil {
		return err
	}
	if err := v.note(ctx); err != nil {
		return err
	}
	v.cared.Add(1)
	go func() {
		defer v.cared.Done()
		v.care()
	}()
	return nil
}

func (v *volume) startReplicas(ctx context.Context) error {
	nodes, err := v.records.nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		for _, holder := range v.nodes {
			if n.name != holder {
				continue
			}
			if v.replicas[n.name], err = ask(n.address, "/start", v.id, v.query(false)); err != nil {
				return err
			}
		}
	}
	if len(v.replicas) == 0 {
		return fmt.Errorf("none of the nodes %s of the volume %s is there", strings.Join(v.nodes, ", "), v.id)
	}
	return nil
}

// startController starts the engine. Its socket is always below /run, so it
// gets its own /run.
func (v *volume) startController() error {
	v.keeping.Lock()
	v.control = net.JoinHostPort(v.address, strconv.Itoa(v.freePort()))
	v.keeping.Unlock()
	command := []string{"unshare", "--mount", "--propagation", "private", "sh", "-c", `mount --bind "$0" /run && exec "$@"`, v.dir(),
		v.engine, "controller", v.short(), "--listen", v.control, "--size", v.size, "--current-size", v.size, "--frontend", "socket"}
	command = append(command, v.counter()...)
	for _, address := range v.replicas {
		command = append(command, "--replica", "tcp://"+address)
	}
	socket := filepath.Join(v.dir(), "longhorn-"+v.short()+".sock")
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var err error
	if v.controller, err = v.start("controller-"+v.id, command...); err != nil {
		return err
	}
	if !wait(startTime, func() bool { return answers(socket) }) {
		return fmt.Errorf("the controller of %s has no socket", v.id)
	}
	return nil
}

func answers(socket string) bool {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// makeDevice makes a loop device of the controller's socket: the bridge speaks NBD,
// and nbdfuse exposes that as a file.
func (v *volume) makeDevice() (device string, err error) {
	engine, nbd := filepath.Join(v.dir(), "longhorn-"+v.short()+".sock"), filepath.Join(v.dir(), "nbd.sock")
	if err := os.Remove(nbd); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if v.shown, err = v.start("bridge-"+v.id, v.bridge, "-engine", engine, "-listen", nbd, "-size", v.size); err != nil {
		return "", err
	}
	if !wait(startTime, func() bool { return answers(nbd) }) {
		return "", fmt.Errorf("the bridge of %s does not answer", v.id)
	}
	file := filepath.Join(v.export(), "disk")
	if v.fused, err = v.start("nbdfuse-"+v.id, "nbdfuse", "-C", "16", file, "nbd+unix:///?socket="+nbd); err != nil {
		return "", err
	}
	if !wait(startTime, func() bool { s, err := os.Stat(file); return err == nil && strconv.FormatInt(s.Size(), 10) == v.size }) {
		return "", fmt.Errorf("the volume %s did not appear as a file", v.id)
	}
	return v.loops.Attach(v.id, file)
}

// mount makes the device available to the pod, as a filesystem or as a raw device.
func (v *volume) mount(device string) error {
	if err := plugin.MakeTarget(v.target, v.block); err != nil {
		return err
	}
	if v.block {
		return unix.Mount(device, v.target, "", unix.MS_BIND, "")
	}
	if _, err := run("blkid", "-p", device); err != nil {
		// A new volume reads as zeroes, and every block of the filesystem is written six
		// times, so as few as possible are written.
		if _, err := run("mkfs.ext4", "-q", "-b", "4096", "-J", "size=4", "-E", "nodiscard,assume_storage_prezeroed=1", device); err != nil {
			return err
		}
	}
	flags := uintptr(unix.MS_NOATIME)
	if v.readOnly {
		flags |= unix.MS_RDONLY
	}
	return unix.Mount(device, v.target, "ext4", flags, "")
}

// detach undoes attach, as far as it went, and may be called repeatedly; the replicas keep their
// data.
func (v *volume) detach(ctx context.Context) error {
	v.quit.Do(func() { close(v.over) })
	v.cared.Wait()
	err := errors.Join(plugin.RemoveTarget(v.target), v.loops.Detach(v.id))
	if plugin.Mounted(v.export()) {
		// The loop device may need a moment to release the file.
		wait(5*time.Second, func() bool { return unix.Unmount(v.export(), 0) == nil })
	}
	for _, p := range []*process{v.fused, v.shown, v.controller} {
		p.end(time.Second)
	}
	nodes, asked := v.records.nodes(ctx)
	err = errors.Join(err, asked)
	for _, n := range nodes {
		if v.replicas[n.name] != "" {
			_, failed := ask(n.address, "/stop", v.id, nil)
			err = errors.Join(err, failed)
		}
	}
	return errors.Join(err, os.RemoveAll(v.dir()), v.records.volume(ctx, v.id, v.settings, "", detached), v.records.engine(ctx, v.id, v.settings, "", nil))
}
