package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loadline/loadline/test/cluster/plugin"
)

// volumes makes volumes below root, on its node.
type volumes struct {
	plugin.Common
	plugin.Plugin
	root  string
	loops plugin.Loops
	// state is for the files that this process needs in addition to its socket, logs for the logs of the
	// clients of shared volumes.
	state, logs string
	mu          sync.Mutex
}

// A volume is a directory; one that needs a device has an image file in it.
func (d *volumes) path(id string) string  { return filepath.Join(d.root, filepath.Base(id)) }
func (d *volumes) image(id string) string { return filepath.Join(d.path(id), "image") }

func (d *volumes) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	id := d.Node + "_" + r.Name
	size := r.GetCapacityRange().GetRequiredBytes()
	filesystem, server, block := r.Parameters["filesystem"], r.Parameters[serverKey], false
	for _, c := range r.VolumeCapabilities {
		block = block || c.GetBlock() != nil
		if mode := c.GetAccessMode().GetMode(); server == "" && mode >= csi.VolumeCapability_AccessMode_MULTI_NODE_READER_ONLY && mode <= csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER {
			return nil, status.Errorf(codes.InvalidArgument, "a volume is on one node, so the access mode %s is not to be had", mode)
		}
	}
	if server != "" {
		return d.createShared(server, r, block)
	}
	if err := os.MkdirAll(d.path(id), 0o777); err != nil {
		return nil, plugin.Internal(err)
	}
	if block || filesystem != "" {
		if err := d.makeImage(id, size, filesystem, block); err != nil {
			return nil, plugin.Internal(err)
		}
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{VolumeId: id, CapacityBytes: size,
		AccessibleTopology: []*csi.Topology{d.Here()}}}, nil
}

func (d *volumes) makeImage(id string, size int64, filesystem string, block bool) error {
	f, err := os.OpenFile(d.image(id), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if s, err := f.Stat(); err != nil || s.Size() == size {
		return err
	}
	// All blocks are allocated, so that a write never finds the disk full.
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil || block {
		return err
	}
	return exec.Command("mkfs."+filesystem, "-q", "-F", "-b", "4096", d.image(id)).Run()
}

func (d *volumes) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if server, name, is := ofShared(r.VolumeId); is {
		return &csi.DeleteVolumeResponse{}, plugin.Internal(d.deleteShared(server, name))
	}
	return &csi.DeleteVolumeResponse{}, plugin.Internal(errors.Join(d.loops.Detach(r.VolumeId), os.RemoveAll(d.path(r.VolumeId))))
}

// NodePublishVolume may be called repeatedly: an existing mount stays.
func (d *volumes) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if plugin.Mounted(r.TargetPath) {
		return &csi.NodePublishVolumeResponse{}, nil
	}
	block := r.GetVolumeCapability().GetBlock() != nil
	if err := plugin.MakeTarget(r.TargetPath, block); err != nil {
		return nil, plugin.Internal(err)
	}
	source, flags, filesystem := d.path(r.VolumeId), uintptr(unix.MS_BIND), ""
	server, name, shared := ofShared(r.VolumeId)
	if _, err := os.Stat(d.image(r.VolumeId)); err == nil {
		if source, err = d.attach(r.VolumeId); err != nil {
			return nil, plugin.Internal(err)
		}
		if !block {
			flags, filesystem = 0, "ext4"
		}
	}
	var err error
	if shared {
		err = d.mountShared(server, name, r.TargetPath)
	} else {
		err = unix.Mount(source, r.TargetPath, filesystem, flags, "")
	}
	if err != nil {
		return nil, plugin.Internal(err)
	}
	if r.Readonly || slices.Contains(r.GetVolumeCapability().GetMount().GetMountFlags(), "ro") {
		return &csi.NodePublishVolumeResponse{}, plugin.Internal(unix.Mount("", r.TargetPath, "", unix.MS_REMOUNT|unix.MS_RDONLY|flags, ""))
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (d *volumes) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := plugin.RemoveTarget(r.TargetPath); err != nil {
		return nil, plugin.Internal(err)
	}
	// Another pod may still use it: a second device would be a second filesystem on one file.
	for _, device := range d.loops.Of(r.VolumeId) {
		if plugin.InUse(device) {
			return &csi.NodeUnpublishVolumeResponse{}, nil
		}
	}
	return &csi.NodeUnpublishVolumeResponse{}, plugin.Internal(d.loops.Detach(r.VolumeId))
}

// attach makes a loop device of a volume's file, or returns the existing one.
func (d *volumes) attach(id string) (string, error) {
	if loops := d.loops.Of(id); len(loops) > 0 {
		return loops[0], nil
	}
	return d.loops.Attach(id, d.image(id))
}
