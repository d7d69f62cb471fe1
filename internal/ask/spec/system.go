package spec

import (
	"math"

	"github.com/goccy/go-yaml/ast"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/units"
)

var (
	systemFields = []string{"nodes", "replicas", "extra_writes", "extra_bytes", "disk", "network", "cores", "cpu_per_io",
		"rebuild_reserve", "volumes_per_node"}
	diskFields    = []string{"count", "iops", "bandwidth", "size", "read_latency", "write_latency"}
	networkFields = []string{"bandwidth", "round_trip"}
)

// maxReplicas is far beyond the number of replicas of any system.
const maxReplicas = 64

// system parses the description of the hardware; node may be nil.
func system(d *document, node ast.Node) hardware.System {
	if node == nil {
		return hardware.System{}
	}
	o := d.object(node, "a system", systemFields)
	s := hardware.System{
		Nodes: int(o.whole("nodes", 1, maxVolumes)), Replicas: int(o.whole("replicas", 1, maxReplicas)),
		ExtraBytes: o.size("extra_bytes"), Cores: o.number("cores"), CPUPerIO: o.seconds("cpu_per_io"),
		VolumesPerNode: o.number("volumes_per_node"),
	}
	if o.has("extra_writes") {
		v, err := units.ParseDecimal(o.text("extra_writes"))
		if err != nil || !(v >= 0 && v < 100) || math.IsNaN(v) {
			o.fail("extra_writes", "write 0 where each copy takes only its data", "extra_writes is %q, but must be a number from 0 to 100", o.text("extra_writes"))
		}
		s.ExtraWrites = &v
	}
	s.RebuildReserve, _ = o.rate("rebuild_reserve", model.Bandwidth)
	if o.has("disk") {
		disk := o.object("disk", "a disk", diskFields)
		s.Disk = hardware.DiskSpec{Count: int(disk.whole("count", 1, maxVolumes)), Size: disk.size("size"),
			ReadLatency: disk.seconds("read_latency"), WriteLatency: disk.seconds("write_latency")}
		s.Disk.IOPS, _ = disk.rate("iops", model.IOPS)
		s.Disk.Bandwidth, _ = disk.rate("bandwidth", model.Bandwidth)
		if s.RebuildReserve >= s.Disk.Bandwidth*s.Disks() && s.RebuildReserve > 0 && s.Disk.Bandwidth > 0 {
			o.fail("rebuild_reserve", "", "rebuilding is to keep %s of a node's disks, which is all they have",
				units.FormatBandwidth(s.RebuildReserve))
		}
	}
	if o.has("network") {
		network := o.object("network", "a network", networkFields)
		s.Network, _ = network.rate("bandwidth", model.Bandwidth)
		s.RoundTrip = network.seconds("round_trip")
	}
	if s.Nodes > 0 && s.Replicas > s.Nodes {
		o.fail("replicas", "", "%d replicas do not fit on %d nodes", s.Replicas, s.Nodes)
	}
	return s
}
