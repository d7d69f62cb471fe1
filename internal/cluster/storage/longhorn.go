package storage

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
)

// longhornDriver is Longhorn's CSI driver; its volume handles are the names of Longhorn's own
// objects.
const longhornDriver = "driver.longhorn.io"

// longhornKernelEngine is the data engine whose replicas are files of a filesystem. The other one drives
// its disks by itself, past the kernel and its counters.
const longhornKernelEngine = "v1"

// longhorn handles Longhorn: its custom resources (group longhorn.io, version v1beta2) and, if they
// may not be read, the parameters of the class.
var longhorn = adapter{
	name:  "longhorn",
	knows: func(v *model.Cluster) bool { return maker(v) == longhornDriver },
	ask:   (*inquiry).longhorn,
	count: func(q *inquiry) (int, error) {
		e, err := one[longhornEngine](q, "engines")
		return e.healthy(), err
	},
}

// The parts of Longhorn's objects that are used, by their public names.
type (
	longhornVolume struct {
		Spec struct {
			Replicas   int    `json:"numberOfReplicas"`
			Locality   string `json:"dataLocality"`
			DataEngine string `json:"dataEngine"`
			NoRevision *bool  `json:"revisionCounterDisabled"`
			Image      string `json:"image"`
		} `json:"spec"`
		Status struct {
			State      string `json:"state"`
			Robustness string `json:"robustness"`
			Image      string `json:"currentImage"`
		} `json:"status"`
	}
	longhornEngine struct {
		Status struct {
			Image string            `json:"currentImage"`
			Modes map[string]string `json:"replicaModeMap"`
		} `json:"status"`
	}
	longhornReplica struct {
		Spec struct {
			Node     string `json:"nodeID"`
			Path     string `json:"diskPath"`
			Engine   string `json:"dataEngine"`
			FailedAt string `json:"failedAt"`
		} `json:"spec"`
	}
	items[T any] struct {
		Items []T `json:"items"`
	}
)

func (q *inquiry) longhorn() {
	q.found.System = "Longhorn"
	if d, ok := q.driver(longhornDriver); ok {
		q.found.Version = cmp.Or(d.Annotations[longhornDriver+"/version"], q.found.Version)
		if q.found.Version == "" {
			q.unknown("version", errors.New("the CSIDriver object has no annotation "+longhornDriver+"/version"))
		}
	}
	q.found.Replicas, q.found.Locality = whole(q.said("numberOfReplicas")), q.said("dataLocality")
	q.fact("data engine", q.said("dataEngine"))
	if q.volume.Driver == "" || q.volume.Handle == "" {
		// Only the class is known: there is no volume yet, or it may not be read.
		if q.found.Replicas == 0 {
			q.unknown("replicas", errors.New("the class does not say numberOfReplicas, so Longhorn's own default holds"))
		}
		return
	}
	q.longhornVolume()
	q.longhornEngine()
	q.longhornReplicas()
	if q.found.Replicas == 0 {
		q.unknown("replicas", errors.New("neither the volume nor its class says numberOfReplicas"))
	}
}

func (q *inquiry) longhornVolume() {
	v, err := one[longhornVolume](q, "volumes")
	if err != nil {
		q.unknown("the state of the volume", err)
		return
	}
	if v.Spec.Replicas > 0 {
		q.found.Replicas = v.Spec.Replicas
	}
	q.found.Locality = cmp.Or(v.Spec.Locality, q.found.Locality)
	q.found.Engine = tag(cmp.Or(v.Status.Image, v.Spec.Image))
	q.fact("data engine", v.Spec.DataEngine)
	q.fact("state", v.Status.State)
	q.fact("robustness", v.Status.Robustness)
	switch uncounted := v.Spec.NoRevision; {
	case uncounted == nil:
	case *uncounted:
		q.fact("revision counter", "disabled")
		q.found.WritesEach, q.found.WritesOf = 1, "data"
	default:
		q.found.WritesEach, q.found.WritesOf = 2, "data, revision counter"
	}
	if v.Spec.DataEngine != "" && v.Spec.DataEngine != longhornKernelEngine {
		q.found.WritesEach, q.found.WritesOf = 0, ""
	}
}

func (q *inquiry) longhornEngine() {
	e, err := one[longhornEngine](q, "engines")
	if err != nil {
		q.unknown("how many replicas take part", err)
		return
	}
	q.found.Engine = cmp.Or(tag(e.Status.Image), q.found.Engine)
	q.found.Healthy = e.healthy()
	for _, mode := range e.Status.Modes {
		if mode == "WO" {
			// It gets every write as well, and the rebuild.
			q.found.WritesEach, q.found.WritesOf = 0, ""
		}
	}
}

// healthy counts the replicas that are read and written: one in mode WO is being rebuilt, one in
// mode ERR has failed.
func (e *longhornEngine) healthy() (n int) {
	for _, mode := range e.Status.Modes {
		if mode == "RW" {
			n++
		}
	}
	return n
}

// systemDirectories are never those of a disk for replicas: whoever may write Longhorn's objects must not
// choose what a pod mounts of them.
var systemDirectories = []string{"/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/tmp", "/usr", "/var/lib/containerd", "/var/lib/docker", "/var/lib/kubelet", "/var/lib/rancher", "/var/log", "/var/run"}

// isDataDirectory reports whether an absolute path may be that of a disk for replicas.
func isDataDirectory(name string) bool {
	if !path.IsAbs(name) {
		return false
	}
	name = path.Clean(name)
	if name == "/" || name == "/var" || name == "/var/lib" {
		return false
	}
	return !slices.ContainsFunc(systemDirectories, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") })
}

func (q *inquiry) longhornReplicas() {
	var list items[longhornReplica]
	if err := q.find("replicas", &list); err != nil {
		q.unknown(WhereReplicas, err)
		return
	}
	told := true
	for _, r := range list.Items {
		if r.Spec.Node != "" && r.Spec.FailedAt == "" {
			q.found.Nodes = append(q.found.Nodes, r.Spec.Node)
			q.found.Disks = append(q.found.Disks, amplification.Disk{Node: r.Spec.Node, Path: path.Clean(r.Spec.Path)})
			told = told && isDataDirectory(r.Spec.Path) && (r.Spec.Engine == "" || r.Spec.Engine == longhornKernelEngine)
		}
	}
	if !told {
		// Some of the disks would not do.
		q.found.Disks = nil
	}
	slices.SortFunc(q.found.Disks, func(a, b amplification.Disk) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Path, b.Path))
	})
	q.found.Disks = slices.Compact(q.found.Disks)
	slices.Sort(q.found.Nodes)
	// Two copies may be on one node, if that is allowed.
	q.found.Nodes = slices.Compact(q.found.Nodes)
}

// one returns the volume's only object of a kind.
func one[T any](q *inquiry, resource string) (T, error) {
	var list items[T]
	if err := q.find(resource, &list); err != nil {
		return *new(T), err
	}
	if len(list.Items) == 0 {
		return *new(T), fmt.Errorf("there is none of %s for the volume %s", longhornResource(resource), q.volume.Handle)
	}
	return list.Items[0], nil
}

// find lists the objects of one kind that belong to the volume.
func (q *inquiry) find(resource string, into any) error {
	which := kube.Custom{Group: "longhorn.io", Version: "v1beta2", Resource: resource, Label: "longhornvolume=" + q.volume.Handle}
	if resource == "volumes" {
		which.Name, which.Label = q.volume.Handle, ""
	}
	if err := q.cluster.Find(q.ctx, which, into); err != nil {
		return because(err, "list", longhornResource(resource))
	}
	return nil
}

func longhornResource(resource string) string { return resource + ".longhorn.io" }

// tag returns an image's tag: "v1.8.0" of "longhornio/longhorn-engine:v1.8.0"; empty without one.
func tag(image string) string {
	name := image[strings.LastIndex(image, "/")+1:]
	name, _, _ = strings.Cut(name, "@")
	_, version, _ := strings.Cut(name, ":")
	return version
}
