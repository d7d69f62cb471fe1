// Package plugin is what the cluster's CSI drivers have in common: an identity, the
// registration with kubelet, the sockets, and the paths where kubelet wants volumes. Its
// assumptions: a driver contains the part that makes volumes, and nothing else.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// Plugin is a driver on one node.
type Plugin struct {
	// Name is the driver's name, Node the node's.
	Name, Node string
	Controller csi.ControllerServer
	Volumes    csi.NodeServer
}

// Topology returns the topology key by which a node is the location of its own volumes.
func (p Plugin) Topology() string { return "topology." + p.Name + "/node" }

// Here returns the driver's node as a topology for volumes.
func (p Plugin) Here() *csi.Topology {
	return &csi.Topology{Segments: map[string]string{p.Topology(): p.Node}}
}

// NodeGetInfo returns the node and its topology.
func (p Plugin) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: p.Node, AccessibleTopology: p.Here()}, nil
}

// Serve listens on the socket and registers the driver with kubelet. It returns only
// with an error.
func (p Plugin) Serve(socket string) error {
	failed := make(chan error, 2)
	go func() {
		failed <- serve(socket, func(s *grpc.Server) {
			csi.RegisterIdentityServer(s, identity{name: p.Name})
			csi.RegisterControllerServer(s, p.Controller)
			csi.RegisterNodeServer(s, p.Volumes)
		})
	}()
	go func() {
		failed <- serve("/var/lib/kubelet/plugins_registry/"+p.Name+"-reg.sock", func(s *grpc.Server) {
			registration.RegisterRegistrationServer(s, registrar{name: p.Name, endpoint: socket})
		})
	}()
	return <-failed
}

func serve(path string, register func(*grpc.Server)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	register(s)
	return s.Serve(l)
}

// identity serves the driver's identity.
type identity struct {
	csi.UnimplementedIdentityServer
	name string
}

func (i identity) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: i.name, VendorVersion: "1.0"}, nil
}

func (identity) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	can := func(t csi.PluginCapability_Service_Type) *csi.PluginCapability {
		return &csi.PluginCapability{Type: &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{Type: t}}}
	}
	return &csi.GetPluginCapabilitiesResponse{Capabilities: []*csi.PluginCapability{
		can(csi.PluginCapability_Service_CONTROLLER_SERVICE), can(csi.PluginCapability_Service_VOLUME_ACCESSIBILITY_CONSTRAINTS)}}, nil
}

func (identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{}, nil
}

// registrar registers the driver with kubelet.
type registrar struct {
	registration.UnimplementedRegistrationServer
	name, endpoint string
}

func (r registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{Type: registration.CSIPlugin, Name: r.name, Endpoint: r.endpoint, SupportedVersions: []string{"1.0.0"}}, nil
}

func (registrar) NotifyRegistrationStatus(_ context.Context, s *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	log.Printf("registered: %v %s", s.PluginRegistered, s.Error)
	return &registration.RegistrationStatusResponse{}, nil
}

// Common implements the calls that are the same for every driver here.
type Common struct {
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer
}

// ValidateVolumeCapabilities accepts all capabilities.
func (Common) ValidateVolumeCapabilities(_ context.Context, r *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{VolumeCapabilities: r.VolumeCapabilities}}, nil
}

// ControllerGetCapabilities reports that volumes are created and deleted, and no more.
func (Common) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	return &csi.ControllerGetCapabilitiesResponse{Capabilities: []*csi.ControllerServiceCapability{{
		Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME}}}}}, nil
}

// NodeGetCapabilities reports that there is no staging.
func (Common) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{}, nil
}

// Internal returns an error as a driver reports it.
func Internal(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codes.Internal, err.Error())
}

// MakeTarget makes the mount point of a volume: a directory, or a file for a device.
func MakeTarget(path string, block bool) error {
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

// RemoveTarget unmounts and removes the path; it is not an error if it is already
// gone.
func RemoveTarget(path string) error {
	if err := unix.Unmount(path, 0); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("unmounting %s: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Mounted reports whether something is mounted at the path.
func Mounted(path string) bool {
	mounts, err := os.ReadFile("/proc/self/mounts")
	return err == nil && strings.Contains(string(mounts), " "+path+" ")
}

// InUse reports whether a device, or the filesystem on it, is mounted anywhere.
func InUse(device string) bool {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(mounts)) {
		// proc(5): the fourth field is the part of the filesystem that is mounted; its type and source follow
		// a dash.
		place, of, _ := strings.Cut(line, " - ")
		here, there := strings.Fields(place), strings.Fields(of)
		if len(here) > 3 && len(there) > 1 && (there[1] == device || there[0] == "devtmpfs" && "/dev"+here[3] == device) {
			return true
		}
	}
	return false
}
