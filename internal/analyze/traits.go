package analyze

import (
	"fmt"
	"maps"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// trait is one thing to look at on both sides. unlike marks what makes the sides
// unlike things when it differs.
type trait struct {
	name   string
	unlike bool
	words  func(*model.RunInfo) string
}

// traitList is in the order in which people read it: what was measured, how,
// with what, where.
var traitList = []trait{
	{"kind", true, func(r *model.RunInfo) string { return kindWords(r.Target.Kind) }},
	{"size", true, func(r *model.RunInfo) string { return sizeWords(r.Volume.Size) }},
	{"engine", true, func(r *model.RunInfo) string { return r.Volume.Engine }},
	{"direct", true, func(r *model.RunInfo) string { return directWords(r.Volume.Direct) }},
	{"profile", true, func(r *model.RunInfo) string { return r.Profile }},
	{"visits", false, func(r *model.RunInfo) string { return visitWords(r.Schedule) }},
	{"filesystem", false, func(r *model.RunInfo) string { return r.Environment.Storage.Filesystem }},
	{"mount options", false, func(r *model.RunInfo) string { return r.Environment.Storage.MountOpts }},
	{"device", false, func(r *model.RunInfo) string { return r.Environment.Storage.Device }},
	{"model", false, func(r *model.RunInfo) string { return r.Environment.Storage.Model }},
	{"server", false, func(r *model.RunInfo) string { return r.Environment.Storage.Server }},
	{"write cache", false, func(r *model.RunInfo) string { return r.Environment.Storage.WriteCache }},
	{"scheduler", false, func(r *model.RunInfo) string { return r.Environment.Storage.Scheduler }},
	{"in memory", true, func(r *model.RunInfo) string { return yesNo(r.Environment.Storage.Memory) }},
	{"host", false, func(r *model.RunInfo) string { return r.Environment.Hostname }},
	{"kernel", false, func(r *model.RunInfo) string { return r.Environment.Kernel }},
	{"CPU", false, func(r *model.RunInfo) string { return r.Environment.CPUModel }},
	{"CPUs", false, func(r *model.RunInfo) string { return positive(r.Environment.CPUs, "") }},
	{"governor", false, func(r *model.RunInfo) string { return r.Environment.Governor }},
	{"memory", false, func(r *model.RunInfo) string { return sizeWords(r.Environment.Memory) }},
	{"virtualization", false, func(r *model.RunInfo) string { return r.Environment.Virtualization }},
	{"CPU limit", false, func(r *model.RunInfo) string { return limitWords(r.Environment.CgroupCPU) }},
	{"memory limit", false, func(r *model.RunInfo) string { return sizeWords(r.Environment.CgroupMemory) }},
}

// traits lists what two runs have in common and in what they differ. What is
// unknown on both sides is neither.
func traits(a, b *model.RunInfo) (common []model.Trait, differences []model.Difference) {
	common, differences = []model.Trait{}, []model.Difference{}
	list := slices.Clone(traitList)
	tools := map[string]bool{}
	for _, r := range []*model.RunInfo{a, b} {
		for name := range r.Tools {
			tools[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		list = append(list, trait{name, false, func(r *model.RunInfo) string { return r.Tools[name] }})
	}
	for _, t := range list {
		wa, wb := t.words(a), t.words(b)
		switch {
		case wa == "" && wb == "":
		case wa == wb:
			common = append(common, model.Trait{Name: t.name, Value: wa})
		default:
			differences = append(differences, model.Difference{Name: t.name, A: orUnknown(wa), B: orUnknown(wb), Unlike: t.unlike})
		}
	}
	return common, differences
}

// kindWords is the kind of a target as far as it matters for what is measured: a
// directory and a file are both a file on a filesystem.
func kindWords(k model.TargetKind) string {
	switch k {
	case model.Directory, model.File:
		return "filesystem"
	case model.BlockDevice:
		return "block device"
	case model.NBD:
		return "NBD volume"
	case model.RBD:
		return "Ceph image"
	}
	return string(k)
}

func directWords(direct bool) string {
	if direct {
		return "direct=1"
	}
	return "direct=0 (buffered)"
}

func visitWords(s model.Schedule) string {
	switch s.Mode {
	case model.Rounds:
		return "rounds of " + model.FormatSpan(s.Visit)
	case model.Fixed:
		return "one of " + model.FormatSpan(s.Visit)
	case model.Steady:
		return "one until steady"
	}
	return string(s.Mode)
}

// sizeWords is exact where two sizes would look the same rounded.
func sizeWords(n int64) string {
	switch short := model.FormatSize(n); {
	case n <= 0:
		return ""
	case n%(1<<20) == 0 && n >= 1<<30 && n%(1<<30) != 0:
		return fmt.Sprintf("%s (%d MiB)", short, n>>20)
	default:
		return short
	}
}

func positive(n int, unit string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n) + unit
}

func limitWords(cores float64) string {
	if cores <= 0 {
		return ""
	}
	return fmt.Sprintf("%g cores", cores)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func orUnknown(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
