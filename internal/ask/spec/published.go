package spec

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

var (
	publishedFields = []string{"name", "source", "system", "loop_run", "loop_idle", "file_size", "scales", "volumes", "rebuilds"}
	scaleFields     = []string{"workload", "access", "direction", "block_size", "depth", "metric", "nodes", "merge", "local", "points",
		"claims", "in_line", "binds"}
	pointFields   = []string{"volumes", "nodes", "each", "total", "offered", "latency"}
	claimFields   = []string{"where", "total", "each"}
	controlFields = []string{"nodes", "volumes", "slows_at", "volumes_per_node", "replicas_per_node"}
	rebuildFields = []string{"volume", "data", "extent", "time"}
	bindings      = []string{"disk-iops", "disk-bandwidth", "network", "cpu"}
)

// maxVolumes is far beyond the number of volumes that can be loaded at once.
const maxVolumes = 1e6

// ParsePublished parses points that were published or recorded by hand, and a description of the system
// on which they were measured. The schema is docs/points.schema.json.
func ParsePublished(file string, data []byte) (study.Published, error) {
	d, root := open(file, data)
	o := d.object(root, "a file of points", publishedFields)
	p := study.Published{
		Name: o.text("name"), Source: o.text("source"),
		LoopRun: o.seconds("loop_run"), LoopIdle: o.seconds("loop_idle"), FileSize: o.size("file_size"),
	}
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if !o.has("system") && !o.has("scales") && !o.has("rebuilds") {
		d.fail(o.at, "", "the file says neither what the system is nor what was measured")
	}
	if o.has("loop_run") != o.has("loop_idle") {
		d.fail(o.at, "", "loop_run and loop_idle go together")
	}
	p.System = system(d, o.values["system"])
	for i, item := range o.list("scales") {
		s, at := publishedScale(d, item, p.System.Nodes)
		for _, other := range p.Scales[:i] {
			if other.Workload == s.Workload {
				at.fail("workload", "", "the workload %q is given twice", s.Workload)
			}
		}
		p.Scales = append(p.Scales, s)
	}
	for _, item := range o.list("volumes") {
		c := d.object(item, "a point of the control plane", controlFields)
		c.require("nodes", "")
		c.require("volumes", "")
		whole := func(field string) int { return int(c.whole(field, 1, maxVolumes)) }
		p.Control = append(p.Control, study.ControlPoint{Nodes: whole("nodes"), Volumes: whole("volumes"), SlowsAt: whole("slows_at"),
			VolumesPerNode: whole("volumes_per_node"), ReplicasPerNode: whole("replicas_per_node")})
	}
	for _, item := range o.list("rebuilds") {
		p.Rebuilds = append(p.Rebuilds, rebuild(d, item))
	}
	if d.err != nil {
		return study.Published{}, d.err
	}
	return p, nil
}

func rebuild(d *document, item ast.Node) study.Rebuild {
	o := d.object(item, "a rebuild", rebuildFields)
	o.require("volume", "")
	o.require("time", "")
	r := study.Rebuild{Volume: o.size("volume"), Data: o.size("data"), Extent: o.size("extent"), Seconds: o.seconds("time")}
	if !o.has("data") {
		r.Data = r.Volume
	}
	switch {
	case r.Data > r.Volume:
		o.fail("data", "", "a volume cannot hold more data than its size")
	case r.Extent > r.Data:
		o.fail("extent", "", "a piece cannot be longer than all data")
	}
	return r
}

// publishedScale parses the points of one workload. nodes is the system's number of nodes, for points
// without their own.
func publishedScale(d *document, item ast.Node, nodes int) (study.PublishedScale, *object) {
	o := d.object(item, "a scale", scaleFields)
	for _, field := range []string{"workload", "metric", "points"} {
		o.require(field, "every scale has a workload, a metric and points")
	}
	s := study.PublishedScale{Merge: o.number("merge"), InLine: o.truth("in_line"), Binds: hardware.Resource(o.oneOf("binds", bindings...))}
	s.Workload = o.text("workload")
	s.Access = model.Access(o.oneOf("access", accesses...))
	s.Direction = model.Direction(o.oneOf("direction", "read", "write"))
	s.BlockSize, s.Depth = o.size("block_size"), int(o.whole("depth", 1, maxDepth))
	nameTells(o, &s)
	if o.has("nodes") {
		nodes = int(o.whole("nodes", 1, maxVolumes))
	}
	latency := false
	switch o.oneOf("metric", "iops", "bandwidth", "latency") {
	case "bandwidth":
		s.Metric = model.Bandwidth
	case "latency":
		s.Metric, latency, s.Depth = model.IOPS, true, max(1, s.Depth)
	default:
		s.Metric = model.IOPS
	}
	if latency {
		s.Local = o.seconds("local")
	} else {
		s.Local, _ = o.rate("local", s.Metric)
	}
	for _, item := range o.list("points") {
		scalePoint(d, item, &s, nodes, latency)
	}
	if o.has("points") && len(s.Points) == 0 {
		o.fail("points", "", "a scale without points says nothing")
	}
	for _, item := range o.list("claims") {
		s.Claims = append(s.Claims, claim(d, item, s.Metric))
	}
	return s, o
}

// nameTells derives from a name such as rand-read-iops what the fields leave open.
func nameTells(o *object, s *study.PublishedScale) {
	words := strings.Split(s.Workload, "-")
	for _, w := range words {
		if s.Access == "" && slices.Contains(accesses, w) {
			s.Access = model.Access(w)
		}
		if s.Direction == "" && (w == "read" || w == "write") {
			s.Direction = model.Direction(w)
		}
	}
	if o.has("workload") && (s.Access == "" || s.Direction == "") {
		o.fail("workload", "add access: rand or seq, and direction: read or write", "the name %q does not tell the kind of I/O", s.Workload)
	}
	if s.BlockSize == 0 {
		s.BlockSize = 4 << 10
		if o.text("metric") == "bandwidth" {
			s.BlockSize = 128 << 10
		}
	}
}

// scalePoint parses one point, with the rounding of its figures.
func scalePoint(d *document, item ast.Node, s *study.PublishedScale, nodes int, latency bool) {
	o := d.object(item, "a point", pointFields)
	o.require("volumes", "")
	p := model.ScalePoint{Volumes: int(o.whole("volumes", 1, maxVolumes)), Nodes: nodes}
	if o.has("nodes") {
		p.Nodes = int(o.whole("nodes", 1, maxVolumes))
	}
	each, rounding := o.rate("each", s.Metric)
	total, totalRounding := o.rate("total", s.Metric)
	offered, offeredRounding := o.rate("offered", s.Metric)
	p.Offered = offered
	unit := s.Metric.Unit()
	exact := func(v float64) model.Estimate { return model.Estimate{Unit: unit, Value: v, Low: v, High: v} }
	switch {
	case latency:
		o.require("latency", "")
		if o.has("each") || o.has("total") || o.has("offered") {
			d.fail(o.at, "leave each, total and offered out", "a point of latencies has a latency only")
		}
		v := o.seconds("latency")
		p.Total, p.PerVolume = exact(0), exact(0)
		p.Mean = &model.Estimate{Unit: "s", Value: v, Low: v, High: v}
	case o.has("latency"):
		o.fail("latency", "write metric: latency", "only a scale of latencies has them")
	case o.has("each"):
		// The figure per volume was measured; a printed total was computed.
		p.PerVolume, p.Total = exact(each), exact(each*float64(p.Volumes))
	case o.has("total"):
		p.Total, p.PerVolume, rounding = exact(total), exact(total/float64(p.Volumes)), totalRounding/float64(p.Volumes)
	default:
		d.fail(o.at, "", "a point says what each volume reached (each), or all together (total)")
	}
	s.Points = append(s.Points, p)
	s.Stated, s.Rounding, s.OfferedRounding = append(s.Stated, total), append(s.Rounding, rounding), append(s.OfferedRounding, offeredRounding)
}

func claim(d *document, item ast.Node, metric model.Metric) study.Claim {
	o := d.object(item, "a claim", claimFields)
	o.require("where", "")
	c := study.Claim{Where: o.text("where"), Of: "total"}
	c.Value, _ = o.rate("total", metric)
	if o.has("each") {
		c.Of = "volume"
		c.Value, _ = o.rate("each", metric)
	}
	if o.has("each") == o.has("total") {
		d.fail(o.at, "", "a claim is about one volume (each) or about all (total)")
	}
	return c
}

// rate returns a field's IOPS or bytes/s, with half a unit of its last digit.
func (o *object) rate(field string, metric model.Metric) (value, rounding float64) {
	s := o.text(field)
	if !o.has(field) {
		return 0, 0
	}
	if metric == model.IOPS {
		v, ok := parseCount(strings.TrimSuffix(s, "/s"))
		if !ok {
			o.fail(field, "write 22180, 22.2k or 1.2M", "%s is %q, but must be a positive number of I/Os per second", field, s)
			return 0, 0
		}
		return v, lastDigit(s, v)
	}
	v, err := parseBandwidth(s)
	if err != nil {
		o.fail(field, "write it like 874MiB/s or 10Gbit/s", "%s: %v", field, err)
		return 0, 0
	}
	return v, lastDigit(s, v)
}

// lastDigit returns half a unit of the last digit of a figure written as s with the value v.
func lastDigit(s string, v float64) float64 {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	plain, err := units.ParseDecimal(s[:end])
	if err != nil || plain == 0 {
		return 0
	}
	decimals := 0
	if i := strings.IndexByte(s[:end], '.'); i >= 0 {
		decimals = end - i - 1
	}
	return 0.5 * math.Pow(10, -float64(decimals)) * v / plain
}

// parseBandwidth parses "874MiB/s", "10Gbit/s" or bytes/s.
func parseBandwidth(s string) (float64, error) {
	t := strings.TrimSuffix(strings.TrimSpace(s), "/s")
	for suffix, unit := range map[string]float64{"Gbit": 1e9, "Mbit": 1e6, "kbit": 1e3} {
		if digits, ok := strings.CutSuffix(t, suffix); ok {
			v, err := units.ParseDecimal(strings.TrimSpace(digits))
			if err != nil || !(v > 0) {
				return 0, fmt.Errorf("%q is not a positive bandwidth", s)
			}
			return v * unit / 8, nil
		}
	}
	n, err := units.ParseSize(t)
	if err == nil && n <= 0 {
		err = fmt.Errorf("%q is not a positive bandwidth", s)
	}
	return float64(n), err
}
