package capacity

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/units"
)

// pattern is a kind of I/O.
type pattern struct {
	access    model.Access
	direction model.Direction
	block     float64 // bytes
	merge     float64 // I/Os that are merged into one device I/O
}

// cost is what one I/O of a pattern takes of a resource, in the resource's unit.
type cost struct {
	resource hardware.Resource
	unit     string
	each     float64 // per I/O
	perNode  float64 // a node's supply of it
	how      string  // the cost in words
}

// extra is the number of device writes in addition to the data for each copy; 0 if not given.
func extra(s *hardware.System) float64 {
	if s.ExtraWrites == nil {
		return 0
	}
	return *s.ExtraWrites
}

// remoteShare is the share of the copies of all blocks that are on other nodes than the pod that uses
// them. Copies and pods are spread evenly over the nodes, so each copy of a block is on the pod's own
// node with probability 1/N. If there are fewer nodes than replicas, the copies without a node are
// counted as if they had one.
func remoteShare(s *hardware.System, nodes float64) float64 { return 1 - 1/max(nodes, s.Copies()) }

// costs are what one I/O takes of each resource of known size: a read takes one device I/O and its
// bytes; a write R copies with the extra writes of each; and both what goes to other nodes, given the
// number of nodes. Merging saves device I/Os and their extras, but not bytes of data.
func costs(s *hardware.System, p pattern, nodes float64) (known []cost, unknown []hardware.Resource) {
	r, merge := s.Copies(), max(1, p.merge)
	ios, bytes, net := 1.0, p.block, p.block*remoteShare(s, nodes)
	how := "1 device read each"
	if p.direction == model.Write {
		ios, bytes, net = r*(1+extra(s)), r*(p.block+extra(s)*float64(s.ExtraBytes)/merge), r*net
		how = fmt.Sprintf("%s each: %s × (1 + %s)", count(ios, "device write"), count(r, "replica"), number(extra(s)))
	}
	if merge > 1 {
		how += fmt.Sprintf(", %s merged into one", number(merge))
	}
	add := func(resource hardware.Resource, unit string, each, perNode float64, how string) {
		if perNode > 0 {
			known = append(known, cost{resource, unit, each, perNode, how})
		} else {
			unknown = append(unknown, resource)
		}
	}
	add(hardware.LimitDiskIOPS, "1/s", ios/merge, s.Disk.IOPS*s.Disks(), how)
	add(hardware.LimitDiskBandwidth, "B/s", bytes, s.Disk.Bandwidth*s.Disks()-s.RebuildReserve, bytesWords(p, r))
	if net > 0 {
		add(hardware.LimitNetwork, "B/s", net, s.Network, "what comes from or goes to other nodes")
	}
	cores := s.Cores
	if s.CPUPerIO == 0 {
		cores = 0
	}
	add(hardware.LimitCPU, "core", s.CPUPerIO, cores, fmt.Sprintf("%s of processor each", units.FormatDuration(s.CPUPerIO)))
	return known, unknown
}

func bytesWords(p pattern, replicas float64) string {
	if p.direction == model.Write && replicas > 1 {
		return fmt.Sprintf("%s copies of each byte", number(replicas))
	}
	return "each byte once"
}

// count formats a number of things: "1 replica", "3 replicas".
func count(n float64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

func namesOf(list []hardware.Resource) string {
	words := make([]string, len(list))
	for i, r := range list {
		words[i] = r.Name()
	}
	return strings.Join(words, ", ")
}
