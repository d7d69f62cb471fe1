package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/words"
)

// specification describes the system: what the runs found, and what was stated about it.
func (b *builder) specification() {
	b.chapter(1, "Cluster specification")
	sys := &b.study.System
	b.section("Nodes", [][2]string{
		{"nodes", positive(sys.Nodes)},
		{"processors of a node", b.found(func(r *model.Report) string { return words.Machine(r.Run.Environment) }, amount(sys.Cores))},
		{"processor", b.found(func(r *model.Report) string { return r.Run.Environment.CPUModel }, "")},
		{"system", b.found(func(r *model.Report) string {
			return strings.TrimSpace(r.Run.Environment.OS + words.Prefixed(", kernel ", r.Run.Environment.Kernel))
		}, "")},
		{"most volumes of a node", amount(sys.VolumesPerNode)},
	}, "neither a run nor the description of the system says what a node is")
	b.section("Network", [][2]string{
		{"bandwidth of a link, each way", bandwidth(sys.Network)},
		{"round trip", duration(sys.RoundTrip)},
	}, "the network was not described, so it is never named as a limit")
	d := sys.Disk
	b.section("Disks", [][2]string{
		{"disks of a node", positive(d.Count)},
		{"IOPS of each", amount(d.IOPS)},
		{"bandwidth of each", bandwidth(d.Bandwidth)},
		{"size of each", size(d.Size)},
		{"latency of one read alone", duration(d.ReadLatency)},
		{"latency of one write alone", duration(d.WriteLatency)},
		{"below the target", b.found(func(r *model.Report) string { return words.Storage(r.Run.Environment.Storage) }, "")},
	}, "the disks were not described, so no resource can be named as the limit")
	extra := ""
	if sys.ExtraWrites != nil {
		extra = units.FormatNumber(*sys.ExtraWrites) + words.Prefixed(", of ", size(sys.ExtraBytes))
	}
	b.section("Storage system", [][2]string{
		{"target", b.found(func(r *model.Report) string { return r.Run.Target.Place() }, "")},
		{"it says of itself", b.found(backing, "")},
		{"replicas", positive(sys.Replicas)},
		{"device writes of a copy besides its data", extra},
		{"disk bandwidth kept for rebuilding, of a node", bandwidth(sys.RebuildReserve)},
		{"tools", b.found(tools, "")},
	}, "what the storage system does with a write was not described")
}

// backing returns what the storage system reported about itself.
func backing(r *model.Report) string {
	if c := r.Run.Environment.Cluster; c != nil && c.Backing != nil {
		return strings.Join(words.Backing(c.Backing), ", ")
	}
	return ""
}

// section adds a section of facts.
func (b *builder) section(title string, rows [][2]string, why string) {
	b.chapter(2, title)
	if !b.facts(rows) {
		b.missing(why)
	}
}

// found returns the distinct values from the runs, or else the stated value.
func (b *builder) found(of func(*model.Report) string, said string) string {
	var list []string
	for _, r := range b.runs {
		if s := of(r); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return said
	}
	return strings.Join(list, "; ")
}

func tools(r *model.Report) string {
	var list []string
	for name, version := range r.Run.Tools {
		list = append(list, name+" "+version)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// design writes what was run.
func (b *builder) design() {
	b.chapter(1, "Workload design")
	var rows [][]string
	for i := range b.study.Scales {
		s := &b.study.Scales[i].Scale.Scale
		var volumes, limited []string
		for _, p := range ordered(s) {
			list := &volumes
			if p.Offered > 0 {
				list = &limited
			}
			if n := strconv.Itoa(p.Volumes); !slices.Contains(*list, n) {
				*list = append(*list, n)
			}
		}
		rows = append(rows, []string{s.Workload, pattern(s), dashed(positive(s.Depth)), strings.Join(volumes, ", "), dashed(strings.Join(limited, ", "))})
	}
	for _, r := range b.single() {
		for _, res := range r.Results {
			rows = append(rows, []string{words.ResultName(r, res), res.Description, "–", "1", "–"})
		}
	}
	if len(rows) == 0 {
		b.missing("no workload was measured")
		return
	}
	b.table([]string{"workload", "pattern", "depth:", "volumes at once", "volumes with a rate limit"}, rows)
	b.text(b.method()...)
}

// method describes how the volumes were measured together.
func (b *builder) method() (list []string) {
	own, other := 0, 0
	for _, s := range b.study.Scales {
		if s.Scale.Source == "" && len(b.runs) > 0 {
			own++
		} else {
			other++
		}
	}
	if own > 0 {
		list = append(list, "The volumes of a run start at one clock time; their rates are added second by second over the window that they have in common, so a total is what the system carried at once.")
	}
	if other > 0 {
		list = append(list, "The points of "+units.FormatCount(other, "workload")+" are taken over as they were published.")
	}
	if len(b.single()) > 0 {
		list = append(list, "Where one volume was measured, its interval comes from the run's own seconds and repeats.")
	}
	if c := b.study.Common; c != nil {
		list = append(list, "What all totals have in common is in the chapter on limits.")
	}
	return list
}

// single returns the runs of one volume: those with results of their own and no scale.
func (b *builder) single() (list []*model.Report) {
	for _, r := range b.runs {
		if len(r.Scales) == 0 && len(r.Results) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// pattern returns, for example, "random read, 4k".
func pattern(s *model.Scale) string {
	access := map[model.Access]string{model.Random: "random", model.Sequential: "sequential"}[s.Access]
	text := strings.TrimSpace(access + " " + string(s.Direction))
	if s.BlockSize > 0 {
		text += ", " + units.FormatBlock(s.BlockSize)
	}
	return text
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func amount(v float64) string {
	if v <= 0 {
		return ""
	}
	return units.FormatNumber(v)
}

func bandwidth(v float64) string {
	if v <= 0 {
		return ""
	}
	return units.FormatBandwidth(v)
}

func duration(v float64) string {
	if v <= 0 {
		return ""
	}
	return units.FormatDuration(v)
}

func size(v int64) string {
	if v <= 0 {
		return ""
	}
	return units.FormatSize(v)
}

func dashed(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// interval returns the low and the high end, such as "31,635–31,982", or a note that there is none.
func interval(m model.Metric, e model.Estimate) string {
	if e.Confidence == 0 {
		return "none"
	}
	return fmt.Sprintf("%s – %s", m.FormatTotal(e.Low), m.FormatTotal(e.High))
}
