package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"

	"github.com/loadline/loadline/test/cluster/plugin"
)

// driver makes volumes whose controller is on its node.
type driver struct {
	plugin.Common
	plugin.Plugin
	address, data, state, logs string
	engine, bridge             string
	loops                      plugin.Loops
	records                    *records

	// keeping guards the replicas of this node, by volume, and the ports.
	keeping sync.Mutex
	copies  map[string]*replica
	port    int
	// serving guards the volumes that are in use here.
	serving sync.Mutex
	volumes map[string]*volume
}

// settings are what a class or a claim specifies for a volume.
type settings struct {
	size string
	// uncounted means no revision counter, which costs a write to every replica for
	// each write.
	uncounted bool
	locality  string
	// nodes hold a replica each; the first is that of the volume's first consumer.
	nodes []string
}

// The supported parameters of a class, by Longhorn's names.
const (
	replicasParameter  = "numberOfReplicas"
	localityParameter  = "dataLocality"
	uncountedParameter = "disableRevisionCounter"
	// Volume attributes that only this driver writes.
	sizeAttribute, nodesAttribute = "size", "replicaNodes"
)

// counter returns the engine's option.
func (s settings) counter() []string {
	if s.uncounted {
		return []string{"--disableRevCounter"}
	}
	return nil
}

// attributes returns the settings in the form of volume attributes.
func (s settings) attributes() map[string]string {
	return map[string]string{replicasParameter: strconv.Itoa(len(s.nodes)), localityParameter: s.locality, uncountedParameter: strconv.FormatBool(s.uncounted),
		sizeAttribute: s.size, nodesAttribute: strings.Join(s.nodes, ",")}
}

func settingsOf(attributes map[string]string) settings {
	return settings{size: attributes[sizeAttribute], uncounted: attributes[uncountedParameter] == "true", locality: attributes[localityParameter],
		nodes: strings.Split(attributes[nodesAttribute], ",")}
}

func (d *driver) CreateVolume(ctx context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	const mebi = 1 << 20
	// The size of an engine's volume is in whole blocks.
	size := (r.GetCapacityRange().GetRequiredBytes() + mebi - 1) / mebi * mebi
	s := settings{size: strconv.FormatInt(size, 10), uncounted: r.Parameters[uncountedParameter] == "true", locality: r.Parameters[localityParameter]}
	nodes, err := d.records.nodes(ctx)
	if err != nil {
		return nil, plugin.Internal(err)
	}
	count, err := strconv.Atoi(r.Parameters[replicasParameter])
	if err != nil || count < 1 || count > len(nodes) {
		return nil, plugin.Internal(fmt.Errorf("%q is not a number of replicas for %d nodes", r.Parameters[replicasParameter], len(nodes)))
	}
	if s.locality == "" {
		s.locality = "disabled"
	}
	s.nodes = []string{d.Node}
	for _, n := range nodes {
		if len(s.nodes) < count && n.name != d.Node {
			s.nodes = append(s.nodes, n.name)
		}
	}
	if err := d.records.volume(ctx, r.Name, s, "", detached); err != nil {
		return nil, plugin.Internal(err)
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{VolumeId: r.Name, CapacityBytes: size, VolumeContext: s.attributes(),
		AccessibleTopology: []*csi.Topology{d.Here()}}}, nil
}

func (d *driver) DeleteVolume(ctx context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	d.serving.Lock()
	defer d.serving.Unlock()
	for _, v := range d.volumes {
		if v.id == r.VolumeId {
			// A pod that was removed by force may still be there. The caller retries.
			return nil, plugin.Internal(fmt.Errorf("the volume %s is in use at %s", v.id, v.target))
		}
	}
	nodes, err := d.records.nodes(ctx)
	if err != nil {
		return nil, plugin.Internal(err)
	}
	for _, n := range nodes {
		_, failed := ask(n.address, "/remove", r.VolumeId, nil)
		err = errors.Join(err, failed)
	}
	return &csi.DeleteVolumeResponse{}, plugin.Internal(errors.Join(err, d.records.remove(ctx, r.VolumeId)))
}

// NodePublishVolume may be called repeatedly: an existing mount stays.
func (d *driver) NodePublishVolume(ctx context.Context, r *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	d.serving.Lock()
	defer d.serving.Unlock()
	if d.volumes[r.TargetPath] != nil {
		return &csi.NodePublishVolumeResponse{}, nil
	}
	v := &volume{driver: d, id: filepath.Base(r.VolumeId), settings: settingsOf(r.VolumeContext), target: r.TargetPath, block: r.GetVolumeCapability().GetBlock() != nil,
		readOnly: r.Readonly || slices.Contains(r.GetVolumeCapability().GetMount().GetMountFlags(), "ro"), replicas: map[string]string{}, over: make(chan struct{})}
	if err := v.attach(ctx); err != nil {
		return nil, plugin.Internal(errors.Join(err, v.detach(ctx)))
	}
	d.volumes[r.TargetPath] = v
	return &csi.NodePublishVolumeResponse{}, nil
}

func (d *driver) NodeUnpublishVolume(ctx context.Context, r *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	d.serving.Lock()
	defer d.serving.Unlock()
	v := d.volumes[r.TargetPath]
	if v == nil {
		return &csi.NodeUnpublishVolumeResponse{}, plugin.Internal(plugin.RemoveTarget(r.TargetPath))
	}
	if err := v.detach(ctx); err != nil {
		return nil, plugin.Internal(err)
	}
	delete(d.volumes, r.TargetPath)
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

// query returns what a peer must know to start a replica.
func (s settings) query(fresh bool) url.Values {
	return url.Values{"size": {s.size}, "uncounted": {strconv.FormatBool(s.uncounted)}, "fresh": {strconv.FormatBool(fresh)}}
}
