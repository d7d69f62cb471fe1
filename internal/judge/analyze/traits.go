package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// trait is one property to compare between the sides. notComparable marks properties that make the sides
// different kinds of thing if they differ.
type trait struct {
	name          string
	notComparable bool
	words         func(*model.RunInfo) string
	// exact is the value that words rounds; nil if words does not round.
	exact func(*model.RunInfo) int64
}

// traitList is in the order in which people read it: what was measured, how, with what, where.
var traitList = []trait{
	{name: "kind", notComparable: true, words: func(r *model.RunInfo) string { return kindWords(r.Target.Kind) }},
	{name: "size", notComparable: true, words: func(r *model.RunInfo) string { return sizeWords(r.Volume.Size) },
		exact: func(r *model.RunInfo) int64 { return r.Volume.Size }},
	{name: "engine", notComparable: true, words: func(r *model.RunInfo) string { return r.Volume.Engine }},
	{name: "direct", notComparable: true, words: directWords},
	{name: "profile", notComparable: true, words: func(r *model.RunInfo) string { return r.Profile }},
	{name: "repeats", words: func(r *model.RunInfo) string { return repeatWords(r.Schedule) }},
	{name: "filesystem", words: func(r *model.RunInfo) string { return r.Environment.Storage.Filesystem }},
	{name: "mount options", words: func(r *model.RunInfo) string { return r.Environment.Storage.MountOpts }},
	{name: "device", words: func(r *model.RunInfo) string { return r.Environment.Storage.Device }},
	{name: "model", words: func(r *model.RunInfo) string { return r.Environment.Storage.Model }},
	{name: "server", words: func(r *model.RunInfo) string { return r.Environment.Storage.Server }},
	{name: "write cache", words: func(r *model.RunInfo) string { return r.Environment.Storage.WriteCache }},
	{name: "scheduler", words: func(r *model.RunInfo) string { return r.Environment.Storage.Scheduler }},
	{name: "log on", words: logStorage(func(s *model.Storage) string { return strings.TrimSpace(s.Filesystem + " " + s.Device) })},
	{name: "log's device", words: logStorage(func(s *model.Storage) string { return s.Model })},
	{name: "storage system", words: backing(func(b *model.Backing) string { return strings.TrimSpace(b.System + " " + b.Version) })},
	{name: "replicas", words: backing(func(b *model.Backing) string { return positive(b.Replicas) })},
	{name: "data locality", words: backing(func(b *model.Backing) string { return b.Locality })},
	{name: "in memory", notComparable: true, words: func(r *model.RunInfo) string { return memoryWords(r.Environment.Storage) }},
	{name: "host", words: func(r *model.RunInfo) string { return r.Environment.Hostname }},
	{name: "kernel", words: func(r *model.RunInfo) string { return r.Environment.Kernel }},
	{name: "CPU", words: func(r *model.RunInfo) string { return r.Environment.CPUModel }},
	{name: "CPUs", words: func(r *model.RunInfo) string { return positive(r.Environment.CPUs) }},
	{name: "governor", words: func(r *model.RunInfo) string { return r.Environment.Governor }},
	{name: "memory", words: func(r *model.RunInfo) string { return sizeWords(r.Environment.Memory) }},
	{name: "virtualization", words: func(r *model.RunInfo) string { return r.Environment.Virtualization }},
	{name: "CPU limit", words: func(r *model.RunInfo) string { return limitWords(r.Environment.CgroupCPU) }},
	{name: "memory limit", words: func(r *model.RunInfo) string { return sizeWords(r.Environment.CgroupMemory) }},
}

// logStorage describes the storage of an application's log; "" if the application has no separate one.
func logStorage(words func(*model.Storage) string) func(*model.RunInfo) string {
	return func(r *model.RunInfo) string {
		if s := r.Environment.LogStorage; s != nil {
			return words(s)
		}
		return ""
	}
}

// backing describes what a storage system reports about itself.
func backing(words func(*model.Backing) string) func(*model.RunInfo) string {
	return func(r *model.RunInfo) string {
		if c := r.Environment.Cluster; c != nil && c.Backing != nil {
			return words(c.Backing)
		}
		return ""
	}
}

// placing are settings that follow from where a server is: its files and sockets, its machine's locale and time zone, and
// which of its clients are ours.
var placing = map[string]bool{
	"DateStyle": true, "TimeZone": true, "log_timezone": true, "default_text_search_config": true, "dynamic_shared_memory_type": true,
	"lc_messages": true, "lc_monetary": true, "lc_numeric": true, "lc_time": true, "cluster_name": true,
	"config_file": true, "data_directory": true, "external_pid_file": true, "hba_file": true, "ident_file": true, "listen_addresses": true,
	"max_connections": true, "port": true, "unix_socket_directories": true, "unix_socket_permissions": true,
}

// settings lists the settings in which two servers differ, if both told theirs: other than by their placement, and not
// those that a version chooses itself.
func settings(a, b *model.RunInfo) (list []model.Difference) {
	if a.Prepare == nil || b.Prepare == nil || a.Prepare.App == nil || b.Prepare.App == nil {
		return nil
	}
	chosen := func(s model.Setting) bool { return s.Source != "default" && s.Source != "override" }
	theirs := map[string]model.Setting{}
	for _, s := range b.Prepare.App.Settings {
		theirs[s.Name] = s
	}
	for _, s := range a.Prepare.App.Settings {
		other, known := theirs[s.Name]
		if known && s.Value != other.Value && (chosen(s) || chosen(other)) && !placing[s.Name] {
			list = append(list, model.Difference{Name: s.Name, A: orUnknown(s.Value), B: orUnknown(other.Value), NotComparable: true})
		}
	}
	return list
}

// traits lists what two runs have in common and how they differ. What is unknown on both sides is
// omitted.
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
		list = append(list, trait{name: name, words: func(r *model.RunInfo) string { return r.Tools[name] }})
	}
	for _, name := range a.Labels.With(b.Labels).Names() {
		list = append(list, trait{name: "label " + name, words: func(r *model.RunInfo) string { return r.Labels[name] }})
	}
	for _, t := range list {
		wa, wb := t.words(a), t.words(b)
		if t.exact != nil && wa == wb && t.exact(a) != t.exact(b) {
			// Rounded, the two look the same.
			wa, wb = fmt.Sprintf("%s (%d B)", wa, t.exact(a)), fmt.Sprintf("%s (%d B)", wb, t.exact(b))
		}
		switch {
		case wa == "" && wb == "":
		case wa == wb:
			common = append(common, model.Trait{Name: t.name, Value: wa})
		default:
			differences = append(differences, model.Difference{Name: t.name, A: orUnknown(wa), B: orUnknown(wb), NotComparable: t.notComparable})
		}
	}
	return common, append(differences, settings(a, b)...)
}

// kindWords is the kind of a target as far as it matters for the measurement: a directory and a file
// are both a file on a filesystem.
func kindWords(k model.TargetKind) string {
	switch k {
	case model.Directory, model.File:
		return "filesystem"
	case model.Foreign:
		return "another tool's figures"
	}
	return k.Words()
}

func directWords(r *model.RunInfo) string {
	if v := &r.Volume; v.Engine == "" && v.Target.Kind == model.Foreign {
		// The source does not say.
		return ""
	}
	return r.Volume.DirectFor(r.Workloads)
}

func repeatWords(s model.Schedule) string {
	switch s.Mode {
	case model.Rounds:
		return "of " + units.FormatSpan(s.Repeat) + " in rounds"
	case model.Fixed:
		return "one of " + units.FormatSpan(s.Repeat)
	case model.Steady:
		return "one until steady"
	}
	return string(s.Mode)
}

func sizeWords(n int64) string {
	if n <= 0 {
		return ""
	}
	return units.FormatSize(n)
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func limitWords(cores float64) string {
	if cores <= 0 {
		return ""
	}
	return fmt.Sprintf("%g cores", cores)
}

// memoryWords says how much of a volume is in RAM; "" if nothing is.
func memoryWords(s model.Storage) string {
	switch {
	case s.Memory:
		return "yes"
	case s.MemoryPart != "":
		return "partly (" + s.MemoryPart + ")"
	}
	return ""
}

func orUnknown(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
