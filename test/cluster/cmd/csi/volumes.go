package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// volumes makes volumes below root, on its node.
type volumes struct {
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer
	node, root, loops string
	mu                sync.Mutex
}

const topology = "topology." + driver + "/node"

// A volume is a directory, and for a device of its own a file in it.
func (d *volumes) path(id string) string  { return filepath.Join(d.root, filepath.Base(id)) }
func (d *volumes) image(id string) string { return filepath.Join(d.path(id), "image") }

func internal(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codes.Internal, err.Error())
}

func (d *volumes) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	id := d.node + "_" + r.Name
	size := r.GetCapacityRange().GetRequiredBytes()
	filesystem, block := r.Parameters["filesystem"], false
	for _, c := range r.VolumeCapabilities {
		block = block || c.GetBlock() != nil
		if mode := c.GetAccessMode().GetMode(); mode >= csi.VolumeCapability_AccessMode_MULTI_NODE_READER_ONLY && mode <= csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER {
			return nil, status.Errorf(codes.InvalidArgument, "a volume is on one node, so the access mode %s is not to be had", mode)
		}
	}
	if err := os.MkdirAll(d.path(id), 0o777); err != nil {
		return nil, internal(err)
	}
	if block || filesystem != "" {
		if err := d.makeImage(id, size, filesystem, block); err != nil {
			return nil, internal(err)
		}
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{VolumeId: id, CapacityBytes: size,
		AccessibleTopology: []*csi.Topology{{Segments: map[string]string{topology: d.node}}}}}, nil
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
	// With room for all of it, so that a write never finds the disk full.
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil || block {
		return err
	}
	return exec.Command("mkfs."+filesystem, "-q", "-F", "-b", "4096", d.image(id)).Run()
}

func (d *volumes) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &csi.DeleteVolumeResponse{}, internal(errors.Join(d.detach(r.VolumeId), os.RemoveAll(d.path(r.VolumeId))))
}

func (d *volumes) ValidateVolumeCapabilities(_ context.Context, r *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{VolumeCapabilities: r.VolumeCapabilities}}, nil
}

func (*volumes) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	return &csi.ControllerGetCapabilitiesResponse{Capabilities: []*csi.ControllerServiceCapability{{
		Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME}}}}}, nil
}

func (*volumes) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{}, nil
}

func (d *volumes) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: d.node, AccessibleTopology: &csi.Topology{Segments: map[string]string{topology: d.node}}}, nil
}

// NodePublishVolume may be repeated: what is mounted stays.
func (d *volumes) NodePublishVolume(_ context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if mounted(r.TargetPath) {
		return &csi.NodePublishVolumeResponse{}, nil
	}
	block := r.GetVolumeCapability().GetBlock() != nil
	if err := makeTarget(r.TargetPath, block); err != nil {
		return nil, internal(err)
	}
	source, flags, filesystem := d.path(r.VolumeId), uintptr(unix.MS_BIND), ""
	if _, err := os.Stat(d.image(r.VolumeId)); err == nil {
		if source, err = d.attach(r.VolumeId); err != nil {
			return nil, internal(err)
		}
		if !block {
			flags, filesystem = 0, "ext4"
		}
	}
	if err := unix.Mount(source, r.TargetPath, filesystem, flags, ""); err != nil {
		return nil, internal(err)
	}
	if r.Readonly || slices.Contains(r.GetVolumeCapability().GetMount().GetMountFlags(), "ro") {
		return &csi.NodePublishVolumeResponse{}, internal(unix.Mount("", r.TargetPath, "", unix.MS_REMOUNT|unix.MS_RDONLY|flags, ""))
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func makeTarget(path string, block bool) error {
	if !block {
		return os.MkdirAll(path, 0o750)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (d *volumes) NodeUnpublishVolume(_ context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := unix.Unmount(r.TargetPath, 0); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		return nil, internal(err)
	}
	if err := os.Remove(r.TargetPath); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, internal(err)
	}
	return &csi.NodeUnpublishVolumeResponse{}, internal(d.detach(r.VolumeId))
}

// attach makes a loop device of a volume's file, or finds the one that there is.
func (d *volumes) attach(id string) (string, error) {
	if loops := d.loopsOf(id); len(loops) > 0 {
		return loops[0], nil
	}
	out, err := exec.Command("losetup", "--sector-size", "4096", "--direct-io=on", "--show", "-f", d.image(id)).Output()
	if err != nil {
		return "", err
	}
	device := strings.TrimSpace(string(out))
	// Whoever ends the node must find it.
	return device, os.WriteFile(filepath.Join(d.loops, filepath.Base(device)), []byte(id), 0o600)
}

func (d *volumes) detach(id string) error {
	for _, device := range d.loopsOf(id) {
		if err := exec.Command("losetup", "-d", device).Run(); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(d.loops, filepath.Base(device))); err != nil {
			return err
		}
	}
	return nil
}

// loopsOf are the volume's devices, as they are remembered.
func (d *volumes) loopsOf(id string) []string {
	notes, _ := filepath.Glob(filepath.Join(d.loops, "*"))
	var devices []string
	for _, note := range notes {
		if text, err := os.ReadFile(note); err == nil && string(text) == id {
			devices = append(devices, "/dev/"+filepath.Base(note))
		}
	}
	return devices
}

func mounted(path string) bool {
	mounts, err := os.ReadFile("/proc/self/mounts")
	return err == nil && strings.Contains(string(mounts), " "+path+" ")
}
