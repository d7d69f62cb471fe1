package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Storage describes what is beneath the target: "ext4 on vda (QEMU HARDDISK)", or "nfs4 from
// 10.0.0.3:/export" if it is on another machine.
func Storage(s model.Storage) string {
	words := s.Filesystem
	if s.Device != "" {
		if words != "" {
			words += " on "
		}
		words += s.Device
	} else {
		words += Prefixed(" from ", s.Export())
	}
	switch {
	case s.Model != "":
		words += " (" + s.Model + ")"
	case words == "" && s.Server != "":
		words = "server: " + s.Server
	}
	return words
}

// Memory warns, before anything is measured, about a volume that is not on storage, or only in part, in the words of
// the rule that will mark its numbers invalid or suspect. It is empty for all others.
func Memory(s model.Storage) string {
	if s.MemoryPart != "" {
		return "partly in memory: of the devices below the volume, " + s.MemoryPart + " is in RAM, and may answer instead of a disk"
	}
	if !s.Memory {
		return ""
	}
	where := s.Filesystem
	switch {
	case where == "":
		where = s.Device + ", whose data is in RAM"
	case s.Device != "":
		where += " on " + s.Device
	}
	return "this is memory: the volume is in " + where + ", so no disk will be measured, and all numbers will be invalid; name a directory on a disk"
}

// Volume describes how much of what is accessed: "file of 4 GiB".
func Volume(v model.Volume) string {
	size := units.FormatSize(v.Size)
	switch v.Target.Kind {
	case model.Foreign:
		if v.Size == 0 {
			return ""
		}
	case model.Directory, model.File:
		return "file of " + size
	case model.BlockDevice:
		return size + " of the device"
	case model.NBD, model.RBD:
		return size + " of the image"
	}
	return size
}

// Volumes is Volume for several at once: "6 files of 4 GiB each".
func Volumes(list []model.Volume) string {
	switch n := len(list); {
	case n == 0:
		return ""
	case n == 1:
		return Volume(list[0])
	case list[0].Owned:
		return fmt.Sprintf("%d files of %s each", n, units.FormatSize(list[0].Size))
	default:
		return fmt.Sprintf("%d volumes of %s each", n, units.FormatSize(list[0].Size))
	}
}

// Sharing says how many existing claims several workers share, and from which nodes: "in one claim,
// used from node1 and node2 at once". It is empty if each has a volume of its own.
func Sharing(list []model.Volume) string {
	var claims, nodes []string
	for _, v := range list {
		if v.Target.Cluster == nil || v.Target.Cluster.Made() {
			return ""
		}
		if name := v.Target.Name; !slices.Contains(claims, name) {
			claims = append(claims, name)
		}
		if v.Node != "" && !slices.Contains(nodes, v.Node) {
			nodes = append(nodes, v.Node)
		}
	}
	if len(claims) == len(list) {
		return ""
	}
	slices.Sort(nodes)
	words := "in one claim"
	if n := len(claims); n > 1 {
		words = fmt.Sprintf("in %d claims", n)
	}
	switch len(nodes) {
	case 0:
		return words
	case 1:
		return words + ", all from " + nodes[0]
	}
	return words + ", used at once from " + enumerate(nodes)
}

// Spread says how many volumes are on which nodes, if there are several of both: "17 on each of
// node1, node2 and node3". It is empty if Sharing names the nodes.
func Spread(list []model.Volume) string {
	count := map[string]int{}
	for _, v := range list {
		if v.Node == "" {
			return ""
		}
		count[v.Node]++
	}
	if len(count) < 2 || Sharing(list) != "" {
		return ""
	}
	nodes := slices.Sorted(maps.Keys(count))
	if least := count[nodes[0]]; len(list) == least*len(nodes) && !slices.ContainsFunc(nodes, func(n string) bool { return count[n] != least }) {
		return fmt.Sprintf("%d on each of %s", least, enumerate(nodes))
	}
	for i, n := range nodes {
		nodes[i] = fmt.Sprintf("%d on %s", count[n], n)
	}
	return enumerate(nodes)
}

// Unspread says why several volumes are on fewer nodes than there are volumes, or are unevenly
// distributed: "2 volumes on 1 node: --node names one". It is empty if each has its own node.
func Unspread(s *model.Spread) string {
	if s == nil || s.Nodes == s.Volumes {
		return ""
	}
	words := units.FormatCount(s.Volumes, "volume") + " on " + units.FormatCount(s.Nodes, "node")
	if s.Eligible > s.Nodes {
		words += fmt.Sprintf(" of %d that may run them", s.Eligible)
	}
	if s.Most-s.Least > 1 {
		words += fmt.Sprintf(", not evenly (%d to %d on one)", s.Least, s.Most)
	}
	return words + Prefixed(": ", s.Why)
}

// enumerate returns "node1, node2 and node3", or the first three of more than four.
func enumerate(nodes []string) string {
	if n := len(nodes); n > 4 {
		nodes = append(slices.Clone(nodes[:3]), fmt.Sprintf("%d more nodes", n-3))
	}
	return units.FormatList(nodes)
}

// Where says on which machine a run took place, or where in a cluster: "node-b", or "node worker1,
// namespace bench". It is empty if that is unknown.
func Where(run *model.RunInfo) string {
	c := run.Environment.Cluster
	if c == nil {
		return run.Environment.Hostname
	}
	parts := slices.DeleteFunc([]string{Prefixed("node ", c.Node), Prefixed("namespace ", c.Namespace)}, func(s string) bool { return s == "" })
	return strings.Join(parts, ", ")
}

// Targets names the targets of several volumes, each once, so that they can be found again.
func Targets(list []model.Volume) string {
	var names []string
	for _, v := range list {
		if name := v.Target.Place(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if n := len(names); n > 4 {
		names = append(names[:3], fmt.Sprintf("%d more", n-3))
	}
	return strings.Join(names, ", ")
}

// IO describes how the I/O of workloads was issued: "io_uring direct=1".
func IO(v model.Volume, workloads []model.Workload) string {
	if v.Engine == "" {
		return ""
	}
	if v.Target.Kind.Application() {
		return v.Engine
	}
	return v.Engine + " " + v.DirectFor(workloads)
}

// Machine returns, for example, "2 CPUs, 8 GiB".
func Machine(e model.Environment) string {
	switch {
	case e.CPUs == 0:
		return ""
	case e.Memory == 0:
		return units.FormatCount(e.CPUs, "CPU")
	}
	return units.FormatCount(e.CPUs, "CPU") + ", " + units.FormatSize(e.Memory)
}

// Tools returns, for example, "fio 3.33"; users already know Loadline's own version.
func Tools(tools map[string]string) string {
	var names []string
	for name := range tools {
		if name != "loadline" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	words := ""
	for i, name := range names {
		if i > 0 {
			words += ", "
		}
		words += name + " " + tools[name]
	}
	return words
}

// Class returns, for example, "class fast (csi.example.com)".
func Class(c *model.Cluster) string {
	maker := c.Provisioner
	if maker == "" {
		maker = c.Driver
	}
	words := Prefixed("class ", c.Class)
	if maker != "" {
		words += " (" + maker + ")"
	}
	return strings.TrimSpace(words)
}

// Backing says what the storage system reported about itself: "Longhorn v1.8.0", "3 replicas on
// node1, node2, node3 (2 healthy)", "data locality disabled". Unknown values come last.
func Backing(b *model.Backing) []string {
	list := []string{strings.TrimSpace(b.System + " " + b.Version)}
	if b.Engine != "" && b.Engine != b.Version {
		list = append(list, "engine "+b.Engine)
	}
	if b.Replicas > 0 {
		copies := units.FormatCount(b.Replicas, "replica")
		if len(b.Nodes) > 0 {
			copies += " on " + strings.Join(b.Nodes, ", ")
		}
		if b.Healthy > 0 && b.Healthy < b.Replicas {
			copies += fmt.Sprintf(" (%d healthy)", b.Healthy)
		}
		list = append(list, copies)
	}
	if b.Locality != "" && b.Locality != "node" {
		list = append(list, "data locality "+b.Locality)
	}
	for _, u := range b.Unknown {
		what, why, _ := strings.Cut(u, ": ")
		list = append(list, what+" not known ("+why+")")
	}
	return list
}

// Claim returns, for example, "claim prod/data-db-0 of 20 GiB ReadWriteOnce Block"; a claim of our
// own needs no name.
func Claim(c *model.Cluster) string {
	words := "own claim"
	if !c.Made {
		words = "claim " + c.Namespace + "/" + c.Claim
	}
	if c.Capacity > 0 {
		words += " of " + units.FormatSize(c.Capacity)
	}
	return words + Prefixed(" ", strings.Join(c.Access, ",")) + Prefixed(" ", c.Mode)
}
